package diy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/google/uuid"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/diag"
)

// locker keeps updates of one stack apart, ours and those of the Pulumi CLI.
//
// Within a machine the kernel's lock on the stack's lock folder decides: it is given to one process and ends with it.
// Towards other machines and the Pulumi CLI, files in that folder decide: each candidate writes its own, then looks
// for others. Nobody proceeds who sees another file, so at most one does; of several candidates the one with the
// highest id stays until the others are gone, so one does.
type locker struct{ *store }

// settleTries bounds how often to look again at a lock that is just being taken or given back.
const settleTries = 25

func (l locker) Lock(ctx context.Context, ref backend.StackRef, opts backend.LockOptions) (backend.Lock, error) {
	if err := ref.Validate(); err != nil {
		return nil, err
	}
	a := attempt{store: l.store, ref: ref, watched: &watched{seen: map[string]sighting{}}}
	deadline := time.Now().Add(opts.Wait)
	var told []backend.Holder
	for first := true; ; first = false {
		lock, err := a.run(ctx)
		var locked *backend.LockedError
		if !errors.As(err, &locked) {
			if err != nil {
				return nil, fmt.Errorf("lock stack '%s': %w", ref, err)
			}
			return lock, nil
		}
		left := time.Until(deadline)
		if left <= 0 {
			return nil, locked
		}
		if opts.OnWait != nil && (first || !reflect.DeepEqual(told, locked.Holders)) {
			told = locked.Holders
			opts.OnWait(told)
		}
		if err := sleep(ctx, min(l.timing.Poll, left)); err != nil {
			return nil, err
		}
	}
}

func (l locker) Holders(ctx context.Context, ref backend.StackRef) ([]backend.Holder, error) {
	if err := errors.Join(ctx.Err(), ref.Validate()); err != nil {
		return nil, err
	}
	self, err := l.identity()
	if err != nil {
		return nil, err
	}
	locks, err := l.listLocks(ref)
	if err != nil {
		return nil, err
	}
	// Without the kernel's lock in hand a living process counts as a holder.
	j := judge{self: self, gate: gateBusy, clock: l.now}
	alive := locks[:0]
	for _, lock := range locks {
		if j.verdict(lock) == "" {
			alive = append(alive, lock)
		}
	}
	return l.holders(ref, alive), nil
}

func (l locker) Cancel(ctx context.Context, ref backend.StackRef) ([]backend.Holder, error) {
	if err := errors.Join(ctx.Err(), ref.Validate()); err != nil {
		return nil, err
	}
	locks, err := l.listLocks(ref)
	if err != nil {
		return nil, err
	}
	for _, lock := range locks {
		if err := l.writer.removeWithSidecar(lock.path); err != nil {
			return nil, fmt.Errorf("remove the lock of stack '%s': %w", ref, err)
		}
	}
	return l.holders(ref, locks), nil
}

// attempt is one caller's way to a lock; it may run several times.
type attempt struct {
	*store
	ref     backend.StackRef
	watched *watched
}

// run tries once. It fails with *backend.LockedError when somebody else has the lock.
func (a attempt) run(ctx context.Context) (*heldLock, error) {
	dir := a.lockDir(a.ref)
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, explain(err)
	}
	g, err := a.enter(ctx, dir)
	if err != nil {
		return nil, err
	}
	lock, err := a.win(ctx, dir, g)
	if err != nil {
		return nil, errors.Join(err, g.release())
	}
	return lock, nil
}

// enter gets the kernel's lock. When it is taken but no lock file tells by whom, it looks again for a moment.
func (a attempt) enter(ctx context.Context, dir string) (gate, error) {
	for try := 0; ; try++ {
		g, err := a.gate(dir)
		if err != nil || g.state != gateBusy {
			return g, explain(err)
		}
		locks, err := a.listLocks(a.ref)
		if err != nil {
			return gate{}, err
		}
		if len(locks) > 0 || try == settleTries {
			return gate{}, &backend.LockedError{Ref: a.ref, Holders: a.holders(a.ref, locks)}
		}
		if err := sleep(ctx, a.timing.Settle); err != nil {
			return gate{}, err
		}
	}
}

// win clears dead locks, writes our own and settles with whoever started at the same time.
func (a attempt) win(ctx context.Context, dir string, g gate) (*heldLock, error) {
	self, err := a.identity()
	if err != nil {
		return nil, err
	}
	j := judge{self: self, gate: g.state, watched: a.watched,
		clock: func() time.Time { return a.fileClock(dir, a.ref.Name) }}
	others, notices, err := a.survey(j, "")
	if err != nil {
		return nil, err
	}
	if len(others) > 0 {
		return nil, &backend.LockedError{Ref: a.ref, Holders: a.holders(a.ref, others)}
	}
	lock := newHeldLock(a.store, a.ref, lockOwner{self: self, gate: g})
	lock.notices = notices
	if err := lock.write(); err != nil {
		return nil, err
	}
	if err := a.settle(ctx, j, lock); err != nil {
		return nil, errors.Join(err, lock.removeFile())
	}
	if err := lock.promote(); err != nil {
		return nil, errors.Join(err, lock.removeFile())
	}
	a.clearTemps(a.ref)
	lock.start()
	return lock, nil
}

// settle waits until no other lock is there, or gives up for a better claim.
func (a attempt) settle(ctx context.Context, j judge, own *heldLock) error {
	for {
		others, notices, err := a.survey(j, own.name())
		if err != nil {
			return err
		}
		own.notices = append(own.notices, notices...)
		if len(others) == 0 {
			return nil
		}
		for _, o := range others {
			if beats(o, own.record.Cairn.Instance) {
				return &backend.LockedError{Ref: a.ref, Holders: a.holders(a.ref, others)}
			}
		}
		if err := sleep(ctx, a.timing.Settle); err != nil {
			return err
		}
	}
}

// beats says whether another lock has the better claim than our candidate.
func beats(other lockFile, instance string) bool {
	l := other.record.Cairn
	return l == nil || l.Phase != phaseCandidate || l.Instance > instance
}

// survey lists the living locks other than own, and removes dead ones, telling so.
func (a attempt) survey(j judge, own string) ([]lockFile, diag.Diagnostics, error) {
	locks, err := a.listLocks(a.ref)
	if err != nil {
		return nil, nil, err
	}
	var alive []lockFile
	var notices diag.Diagnostics
	for _, lock := range locks {
		if lock.name == own {
			continue
		}
		why := j.verdict(lock)
		if why == "" {
			alive = append(alive, lock)
			continue
		}
		if err := a.writer.removeWithSidecar(lock.path); err != nil {
			return nil, nil, err
		}
		notices = append(notices, diag.Diagnostic{
			Severity: diag.Warning,
			Summary: fmt.Sprintf("took over the lock of stack '%s' that %s@%s left behind at %s: %s", a.ref,
				lock.record.Username, lock.record.Hostname, lock.record.Timestamp.Format(time.RFC3339), why),
		})
	}
	return alive, notices, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

func newInstance() string { return uuid.NewString() }

func (s *store) lockPath(ref backend.StackRef, instance string) string {
	return filepath.Join(s.lockDir(ref), lockFileName(instance))
}
