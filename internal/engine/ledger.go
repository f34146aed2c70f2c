package engine

import (
	"context"
	"fmt"
	"sync"

	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// ledger is where the record of the stack changes: in the tables and in the journal at once. It implements exec.Journal
// for steps. A rewrite replaces states while others work on them; what those then write is brought up to date here.
//
// What happened is written even when the run was aborted meanwhile: a provider's work must not be forgotten.
type ledger struct {
	d *deployment
	// journal is nil in a preview.
	journal exec.Journal
	// rewriting is held for writing by a rewrite, for reading by everyone else.
	rewriting sync.RWMutex
}

// Begin implements exec.Journal.
func (l *ledger) Begin(ctx context.Context, b exec.Begin) (exec.Ticket, error) {
	if l.journal == nil {
		return 0, nil
	}
	l.rewriting.RLock()
	defer l.rewriting.RUnlock()
	b.Existing = l.d.present(b.Existing)
	return l.journal.Begin(context.WithoutCancel(ctx), b)
}

// Success implements exec.Journal. The changes become what was written.
func (l *ledger) Success(ctx context.Context, s exec.Success) error {
	l.rewriting.RLock()
	defer l.rewriting.RUnlock()
	for i, c := range s.Changes {
		s.Changes[i].Old, s.Changes[i].New = l.d.present(c.Old), l.d.upToDate(c.New)
	}
	return l.write(ctx, s)
}

func (l *ledger) write(ctx context.Context, s exec.Success) error {
	var err error
	if l.journal != nil {
		err = l.journal.Success(context.WithoutCancel(ctx), s)
	}
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	l.d.record.apply(s.Changes)
	return err
}

// Failure implements exec.Journal.
func (l *ledger) Failure(ctx context.Context, t exec.Ticket) error {
	if l.journal == nil || t == 0 {
		return nil
	}
	return l.journal.Failure(context.WithoutCancel(ctx), t)
}

// ClearPending implements exec.Journal.
func (l *ledger) ClearPending(ctx context.Context, base []int) error {
	if l.journal == nil {
		return nil
	}
	return l.journal.ClearPending(context.WithoutCancel(ctx), base)
}

// rewrite changes a recorded resource together with every reference to it, in one record. Nobody else writes meanwhile;
// changes is called with the lock held.
func (l *ledger) rewrite(ctx context.Context, what string, changes func() []exec.Change) error {
	l.rewriting.Lock()
	defer l.rewriting.Unlock()
	l.d.mu.Lock()
	list := changes()
	for _, c := range list {
		if c.New != nil {
			l.d.moved[c.Old] = c.New
		}
	}
	l.d.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	if err := l.write(ctx, exec.Success{Changes: list}); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// present is what stands in the record for a state by now.
func (d *deployment) present(s *resource.State) *resource.State {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.presentLocked(s)
}

func (d *deployment) presentLocked(s *resource.State) *resource.State {
	for d.moved[s] != nil {
		s = d.moved[s]
	}
	return s
}

// upToDate gives a state that is about to be recorded with references to the present URNs.
func (d *deployment) upToDate(s *resource.State) *resource.State {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s == nil || len(d.renamed) == 0 {
		return s
	}
	next := s.RewriteReferences(func(e resource.Edge) urn.URN { return d.presentURN(e.To) })
	if now := d.presentURN(s.URN); now != s.URN {
		if next == s {
			next = s.Clone()
		}
		next.URN, next.Type = now, now.Type()
	}
	if next != s {
		d.moved[s] = next
	}
	return next
}

// presentURN is the URN that a resource has now. Called with the lock held.
func (d *deployment) presentURN(u urn.URN) urn.URN {
	if now := d.renamed[u]; now != "" {
		return now
	}
	return u
}
