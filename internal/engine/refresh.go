package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// refreshAll reads every targeted resource again, in parallel, and mends what referred to resources that are gone. An
// error about one resource does not keep the others from being refreshed.
func (d *deployment) refreshAll() error {
	return d.refreshSome(func(*resource.State) bool { return true })
}

// refreshFlagged reads the resources again whose providers asked for that before every update.
func (d *deployment) refreshFlagged() error {
	flagged := func(s *resource.State) bool { return s.RefreshBeforeUpdate }
	d.mu.Lock()
	any := false
	for s := range d.record.all {
		any = any || flagged(s)
	}
	d.mu.Unlock()
	if !any {
		return nil
	}
	return d.refreshSome(flagged)
}

func (d *deployment) refreshSome(which func(*resource.State) bool) error {
	if err := d.resolvePending(); err != nil {
		return err
	}
	d.mu.Lock()
	all := d.record.sorted()
	d.mu.Unlock()
	gone := map[*resource.State]bool{}
	var mu sync.Mutex
	var group sync.WaitGroup
	updating := d.interruptedUpdates()
	limit := make(chan struct{}, max(16, 2*d.op.Options.Parallel))
	for _, s := range all {
		if d.targets.constrains() && !d.targets.includes(s.URN) || !which(s) {
			continue
		}
		limit <- struct{}{}
		if d.isCanceled() {
			break
		}
		// Told here, in canonical order: views take the stack from the first event.
		step := plan.Step{Op: resource.OpRefresh, Old: s, New: s}
		d.emit.started(step)
		group.Go(func() {
			defer func() { <-limit }()
			now, err := d.refreshOne(step, updating[s.URN])
			if err == nil && now == nil {
				mu.Lock()
				gone[s] = true
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if d.isCanceled() {
		return ErrCanceled
	}
	if err := d.forget(gone); err != nil {
		return err
	}
	return d.failure()
}

// interruptedUpdates are what resources may have become by updates whose end is not known.
func (d *deployment) interruptedUpdates() map[urn.URN]*resource.State {
	out := map[urn.URN]*resource.State{}
	if d.op.Base == nil {
		return out
	}
	for _, p := range d.op.Base.Pending {
		if p.Kind == resource.PendingUpdating {
			out[p.Resource.URN] = p.Resource
		}
	}
	return out
}

// refreshOne refreshes without stopping others on failure. What an interrupted update may have made of the resource tells
// what is secret in it; it is nil where there was none.
func (d *deployment) refreshOne(step plan.Step, updating *resource.State) (*resource.State, error) {
	work := step
	if updating != nil {
		work.New = updating
	}
	done, err := d.exec.Apply(d.ctx, work)
	if err == nil && done.State != nil && len(done.State.InitErrors) > 0 {
		d.emit.diagnostic(event.Diagnostic{
			Severity: diag.Warning, URN: step.URN(),
			Message: "Refreshed resource is in an unhealthy state:\n* " + strings.Join(done.State.InitErrors, "\n* "),
		})
	}
	if err != nil {
		d.explain(step, fmt.Errorf("refresh %s: %w", step.URN(), err))
		d.emit.failed(step, failure{})
		d.failedStep()
		d.noteFailure(ErrReported)
		return nil, errors.Join(ErrReported, err)
	}
	if drift := done.Drift; drift != nil {
		step.Undrifted, step.Diffs, step.DetailedDiff = !drift.Changed, drift.Diffs, drift.DetailedDiff
	}
	d.emit.done(step, done.State)
	return done.State, nil
}

// forget takes gone resources and every reference to them out of the state, in one record. Children of a gone parent
// move to its parent.
func (d *deployment) forget(gone map[*resource.State]bool) error {
	if len(gone) == 0 {
		return nil
	}
	d.mu.Lock()
	all := d.record.sorted()
	d.mu.Unlock()
	left := map[urn.URN]bool{}
	for _, s := range all {
		left[s.URN] = left[s.URN] || !gone[s]
	}
	parents := map[urn.URN]urn.URN{}
	var changes []exec.Change
	for s := range gone {
		if !left[s.URN] {
			parents[s.URN] = s.Parent
		}
		changes = append(changes, exec.Change{Old: s})
	}
	for _, s := range all {
		next := s.RewriteReferences(func(e resource.Edge) urn.URN { return nearest(e, parents) })
		if next != s && !gone[s] {
			changes = append(changes, exec.Change{Old: s, New: next})
		}
	}
	if err := d.ledger.Success(d.ctx, exec.Success{Changes: changes}); err != nil {
		return d.report(fmt.Errorf("record resources that are gone: %w", err))
	}
	return nil
}

// nearest is what a reference should point at when some resources are gone: for a parent the nearest one left.
func nearest(e resource.Edge, parents map[urn.URN]urn.URN) urn.URN {
	to := e.To
	for {
		parent, isGone := parents[to]
		if !isGone {
			return to
		}
		if e.Kind != resource.EdgeParent {
			return ""
		}
		to = parent
	}
}

// resolvePending settles the pending creates of interrupted runs, as the operation's options say: some are adopted under
// the id that was found, the others may be dropped.
func (d *deployment) resolvePending() error {
	o := d.op.Options
	if d.op.Base == nil || d.op.Preview || len(o.AdoptPendingCreates) == 0 && !o.ClearPendingCreates {
		return nil
	}
	var settled []int
	adopted := map[urn.URN]bool{}
	for i, p := range d.op.Base.Pending {
		id, adopt := o.AdoptPendingCreates[p.Resource.URN]
		switch {
		case p.Kind != resource.PendingCreating || !adopt && !o.ClearPendingCreates:
			continue
		case adopt && !adopted[p.Resource.URN]:
			adopted[p.Resource.URN] = true
			if err := d.adopt(p.Resource, id); err != nil {
				return err
			}
		}
		settled = append(settled, i)
	}
	for u := range o.AdoptPendingCreates {
		if !adopted[u] {
			return d.reportAt(u, fmt.Errorf("%s is not a pending create of this stack; the pending ones are %v", u, d.pendingCreates()))
		}
	}
	if err := d.ledger.ClearPending(d.ctx, settled); err != nil {
		return d.report(fmt.Errorf("record settled operations: %w", err))
	}
	return nil
}

// adopt records a resource that an interrupted create made.
func (d *deployment) adopt(pending *resource.State, id resource.ID) error {
	if d.record.live[pending.URN] != nil {
		return d.reportAt(pending.URN, fmt.Errorf("%s is part of the state already; the resource with id %q is another "+
			"one: delete it yourself and run `pulumi refresh --clear-pending-creates`", pending.URN, id))
	}
	made := pending.Clone()
	made.ID = id
	change := exec.Change{New: made}
	if err := d.ledger.Success(d.ctx, exec.Success{Changes: []exec.Change{change}}); err != nil {
		return d.report(fmt.Errorf("record the adopted resource %s: %w", made.URN, err))
	}
	return nil
}

func (d *deployment) pendingCreates() []urn.URN {
	var out []urn.URN
	for _, p := range d.op.Base.Pending {
		if p.Kind == resource.PendingCreating && !slices.Contains(out, p.Resource.URN) {
			out = append(out, p.Resource.URN)
		}
	}
	return out
}
