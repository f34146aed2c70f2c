package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
	"github.com/cairn-iac/cairn/internal/state/journal"
)

// Session is a locked stack and the record of what is done to it. It is the engine's journal and may be used by many
// goroutines. End it with Close or Abandon.
type Session struct {
	opts Options
	lock backend.Lock
	view *View
	// base is the checkpoint that the records continue.
	base backend.Checkpoint
	// checkpoint is what it holds.
	checkpoint *deploymentjson.Checkpoint
	// secrets and provider are for writing.
	secrets  *deploymentjson.Secrets
	provider *state.SecretsProvider
	writer   string
	started  time.Time

	mu       sync.Mutex
	refs     map[*resource.State]journal.Ref
	last     int64
	records  []journal.Record
	replaced *state.Snapshot

	logOnce sync.Once
	log     backend.Journal
	logErr  error
}

var _ exec.Journal = (*Session)(nil)

// Open locks a stack for an update. Steps that an interrupted update left in its journal are folded into the checkpoint
// first. It fails with *backend.LockedError, backend.ErrStackNotFound or *backend.JournalConflictError; then nothing is
// locked.
func Open(ctx context.Context, opts Options) (*Session, error) {
	lock, err := opts.Backend.Locker.Lock(ctx, opts.Ref, opts.Lock)
	if err != nil {
		return nil, err
	}
	s, err := openLocked(ctx, opts, lock)
	if err != nil {
		return nil, errors.Join(err, lock.Release(ctx))
	}
	return s, nil
}

func openLocked(ctx context.Context, opts Options, lock backend.Lock) (*Session, error) {
	l, err := load(ctx, opts)
	if err != nil {
		return nil, err
	}
	notices := append(diag.Diagnostics(nil), lock.Notices()...)
	more, err := l.settle(ctx, lock)
	if err != nil {
		return nil, err
	}
	s := &Session{
		opts: opts, lock: lock, view: l.view(), base: l.stored, checkpoint: l.checkpoint,
		secrets: l.secrets, provider: l.provider, writer: uuid.NewString(), started: opts.now().UTC(),
		refs: make(map[*resource.State]journal.Ref, len(l.folded.Resources)),
	}
	s.view.Notices = append(notices, more...)
	if err := s.useManager(); err != nil {
		return nil, err
	}
	for i, r := range l.folded.Resources {
		s.refs[r] = journal.BaseRef(i)
	}
	return s, nil
}

// settle stores what an interrupted update left, so that the journal can go.
func (l *loaded) settle(ctx context.Context, lock backend.Lock) (diag.Diagnostics, error) {
	if l.journal == nil {
		return nil, nil
	}
	var notices diag.Diagnostics
	if l.unfinished() {
		data, err := encode(ctx, l.opts, foldResult{checkpoint: l.checkpoint, snapshot: l.folded, secrets: l.secrets})
		if err != nil {
			return nil, err
		}
		log, err := l.opts.Backend.Journals.Resume(ctx, lock)
		if err != nil {
			return nil, err
		}
		if err := store(ctx, l.opts, lock, storing{data: data, log: log, secrets: l.secrets}); err != nil {
			return nil, err
		}
		l.stored = checkpointOf(data, l.stored.Location)
		h := l.journal.Header
		notice := diag.Diagnostic{
			Severity: diag.Warning,
			Summary: fmt.Sprintf("the %s of stack '%s' begun at %s was interrupted; its %d journal records are now part of "+
				"the state", h.Kind, l.opts.Ref, h.Started.Format(time.RFC3339), len(l.records)),
		}
		if torn := l.journal.Torn; torn != nil {
			notice.Detail = fmt.Sprintf("Line %d of the journal was not written to its end (%d bytes) and does not count.",
				torn.Line, torn.Bytes)
		}
		notices = append(notices, notice)
	}
	if err := l.opts.Backend.Journals.Remove(ctx, lock); err != nil {
		return nil, err
	}
	return notices, nil
}

// useManager switches writing to the manager of the options, if the recorded state has another one or none.
func (s *Session) useManager() error {
	p := providerOf(s.opts.Manager)
	if p == nil || sameProvider(p, s.provider) {
		return nil
	}
	for _, r := range s.view.Snapshot.Resources {
		if path, sealed := findSealed(r); sealed {
			return fmt.Errorf("change the secrets provider of stack '%s' to %s: %w", s.opts.Ref, p.Type,
				&deploymentjson.SecretError{URN: r.URN, Path: path, Err: errStillSealed})
		}
	}
	s.secrets = deploymentjson.NewSecrets(s.opts.Manager.Crypter(), s.opts.secretsOptions())
	s.provider = p
	return nil
}

// Base is the state that the update starts from. Records must refer to its resources by these pointers.
func (s *Session) Base() *state.Snapshot { return s.view.Snapshot }

// Secrets encrypts and decrypts what Base holds.
func (s *Session) Secrets() *deploymentjson.Secrets { return s.view.Secrets }

// Notices tell what the user must know, such as a lock taken over or an interrupted update that was folded.
func (s *Session) Notices() diag.Diagnostics { return s.view.Notices }

// Lost is closed when the lock is lost: the update must stop cleanly.
func (s *Session) Lost() <-chan struct{} { return s.lock.Lost() }
