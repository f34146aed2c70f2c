package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
	"github.com/cairn-iac/cairn/internal/state/journal"
)

// View is a stack's state as it was read.
type View struct {
	// Snapshot is empty, not nil, before the first deployment.
	Snapshot *state.Snapshot
	// Secrets encrypts and decrypts what the snapshot holds.
	Secrets *deploymentjson.Secrets
	// Notices tell what the user must know, such as steps of an unfinished update that the snapshot includes.
	Notices diag.Diagnostics
}

// Read reads a stack without its lock. Steps of an unfinished update are part of the answer, which is not stored. It
// fails with backend.ErrStackNotFound.
func Read(ctx context.Context, opts Options) (*View, error) {
	l, err := loadTogether(ctx, opts)
	if err != nil {
		return nil, err
	}
	v := l.view()
	if l.unfinished() {
		v.Notices = append(v.Notices, diag.Diagnostic{
			Severity: diag.Warning,
			Summary: fmt.Sprintf("stack '%s' has an unfinished %s, begun at %s: it is running, or was interrupted",
				opts.Ref, l.journal.Header.Kind, l.journal.Header.Started.Format(time.RFC3339)),
			Detail: fmt.Sprintf("What is shown includes its %d journal records. The next update stores them.", len(l.records)),
		})
	}
	return v, nil
}

// loadTogether reads checkpoint and journal so that they belong together, though an update may be storing them.
func loadTogether(ctx context.Context, opts Options) (*loaded, error) {
	const tries = 5
	for try := 1; ; try++ {
		l, err := load(ctx, opts)
		var conflict *backend.JournalConflictError
		if !errors.As(err, &conflict) || try == tries {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(time.Duration(try) * 20 * time.Millisecond):
		}
	}
}

// loaded is a checkpoint and the journal that continues it.
type loaded struct {
	opts       Options
	stored     backend.Checkpoint
	checkpoint *deploymentjson.Checkpoint
	// secrets and provider are those of the folded state.
	secrets  *deploymentjson.Secrets
	provider *state.SecretsProvider
	// own are the secrets of the checkpoint alone.
	own     *deploymentjson.Secrets
	journal *backend.JournalContents
	records []journal.Record
	// lines are the journal's line of each record.
	lines []int
	// folded is the state with the records applied.
	folded *state.Snapshot
	// done says that the journal is in the checkpoint already.
	done bool
}

// load reads the journal first: should an update end in between, the checkpoint is newer than the journal, which shows.
func load(ctx context.Context, opts Options) (*loaded, error) {
	l := &loaded{opts: opts}
	var err error
	if l.journal, err = opts.Backend.Journals.Read(ctx, opts.Ref); err != nil {
		return nil, err
	}
	if l.stored, err = opts.Backend.Checkpoints.Read(ctx, opts.Ref); err != nil {
		return nil, err
	}
	l.checkpoint, l.secrets, err = deploymentjson.DecodeCheckpoint(ctx, l.stored.Data, opts.Keys, opts.secretsOptions())
	if err != nil {
		return nil, explainDecode(opts.Ref, l.stored.Location, err)
	}
	if l.checkpoint.Snapshot == nil {
		l.checkpoint.Snapshot = &state.Snapshot{}
	}
	l.own, l.folded, l.provider = l.secrets, l.checkpoint.Snapshot, l.checkpoint.Snapshot.SecretsProvider
	if err := l.verify(); err != nil {
		return nil, err
	}
	if l.journal == nil || l.journal.Header == nil {
		return l, nil
	}
	if err := l.decodeRecords(ctx); err != nil {
		return nil, err
	}
	return l, l.fold()
}

// unfinished says whether there is a journal whose records are not in the checkpoint.
func (l *loaded) unfinished() bool { return l.journal != nil && l.journal.Header != nil && !l.done }

func (l *loaded) view() *View { return &View{Snapshot: l.folded, Secrets: l.secrets} }

func (l *loaded) verify() error {
	if l.opts.NoIntegrityCheck {
		return nil
	}
	if err := l.checkpoint.Snapshot.Verify(); err != nil {
		return fmt.Errorf("the state of stack '%s' in %s cannot be used: %w\nThe states before it are in %s.bak and in "+
			"the backups and history folders; to work with it all the same, use --disable-integrity-checking",
			l.opts.Ref, l.stored.Location, err, l.stored.Location)
	}
	return nil
}

// decodeRecords reads the journal's records with the secrets provider that its header names.
func (l *loaded) decodeRecords(ctx context.Context) error {
	h := l.journal.Header
	if len(h.SecretsProvider) > 0 && len(l.journal.Records) > 0 {
		var p state.SecretsProvider
		if err := json.Unmarshal(h.SecretsProvider, &p); err != nil {
			return l.damaged(1, err)
		}
		if !sameProvider(&p, l.provider) {
			crypter, err := l.opts.Keys(ctx, &p)
			if err != nil {
				return err
			}
			l.secrets, l.provider = deploymentjson.NewSecrets(crypter, l.opts.secretsOptions()), &p
		}
	}
	for i, text := range l.journal.Records {
		r, err := journal.Decode(ctx, text, l.secrets)
		if err != nil {
			return l.damaged(i+2, err)
		}
		if f, ok := r.(journal.Folded); ok {
			l.done = l.done || f.Checkpoint == l.stored.SHA256
			continue
		}
		l.records = append(l.records, r)
		l.lines = append(l.lines, i+2)
	}
	return nil
}

func (l *loaded) damaged(line int, err error) error {
	var secretErr *deploymentjson.SecretError
	if errors.As(err, &secretErr) {
		return fmt.Errorf("journal %s, line %d: %w", l.journal.Location, line, err)
	}
	return &backend.DamagedError{
		Location: l.journal.Location, Line: line, Reason: err.Error(),
		WayOut: fmt.Sprintf("The checkpoint %s still holds the state before that update. To go on without the journal, move "+
			"it away and run `pulumi refresh`", l.stored.Location),
	}
}

func (l *loaded) fold() error {
	if l.done || len(l.records) == 0 {
		// Either the update that wrote the journal ended between storing the checkpoint and removing the journal, or it
		// ended before it did anything.
		l.done, l.records = true, nil
		l.secrets, l.provider = l.own, l.checkpoint.Snapshot.SecretsProvider
		return nil
	}
	h := l.journal.Header
	if h.Checkpoint != l.stored.SHA256 {
		return &backend.JournalConflictError{
			Ref: l.opts.Ref, Checkpoint: l.stored.Location, Journal: l.journal.Location, Writer: h.Writer, Started: h.Started,
		}
	}
	folded, err := journal.Fold(l.checkpoint.Snapshot, l.records)
	if err != nil {
		var corrupt *journal.CorruptError
		if errors.As(err, &corrupt) {
			return l.damaged(l.lines[corrupt.Record-1], err)
		}
		return err
	}
	folded.SecretsProvider = l.provider
	l.folded = folded
	return nil
}

// sameProvider compares what checkpoints say about two providers.
func sameProvider(a, b *state.SecretsProvider) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Type == b.Type && bytes.Equal(compacted(a.State), compacted(b.State))
}

func compacted(raw json.RawMessage) []byte {
	var buf bytes.Buffer
	if json.Compact(&buf, raw) != nil {
		return raw
	}
	return buf.Bytes()
}

// explainDecode says what to do about a checkpoint that cannot be read.
func explainDecode(ref backend.StackRef, location string, err error) error {
	var syntax *deploymentjson.SyntaxError
	var features *deploymentjson.FeatureError
	switch {
	case errors.As(err, &syntax):
		return &backend.DamagedError{
			Location: location, Reason: err.Error(),
			WayOut: "The states before it are in " + location + ".bak and in the backups and history folders: " +
				"copy one over it",
		}
	case errors.Is(err, deploymentjson.ErrTooNew), errors.As(err, &features):
		return fmt.Errorf("the stack '%s' is newer than what this version understands: %w; use a newer release", ref, err)
	default:
		return fmt.Errorf("read the state of stack '%s' in %s: %w", ref, location, err)
	}
}
