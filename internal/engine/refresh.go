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

// sweep is a refresh: what is recorded is read again, each resource once, all in one go or as the program registers it.
type sweep struct {
	d *deployment
	// interrupted are the resources whose update or deletion an earlier run began and nobody saw the end of.
	interrupted map[identity]*resource.State

	mu   sync.Mutex
	read map[identity]bool
}

func newSweep(d *deployment) *sweep {
	return &sweep{d: d, interrupted: d.interrupted(), read: map[identity]bool{}}
}

// isUncertain says whether the record of a resource may not be true: its provider asked to be read before every update,
// or it was interrupted.
func (w *sweep) isUncertain(s *resource.State) bool {
	_, is := w.interrupted[identityOf(s)]
	return is || s.RefreshBeforeUpdate
}

// all reads every targeted resource that was not read yet and that is wanted, in parallel, and mends what referred to
// resources that are gone. An error about one resource does not keep the others from being refreshed.
func (w *sweep) all(wanted func(*resource.State) bool) error {
	d := w.d
	all := d.recorded(func(s *resource.State) bool {
		return wanted(s) && !w.read[identityOf(s)] && (!d.targets.constrains() || d.targets.includes(s.URN))
	})
	gone := map[*resource.State]bool{}
	var group sync.WaitGroup
	limit := make(chan struct{}, max(16, 2*d.op.Options.Parallel))
	for _, s := range all {
		limit <- struct{}{}
		if d.isCanceled() {
			break
		}
		// Told here, in canonical order: views take the stack from the first event.
		step := plan.Step{Op: resource.OpRefresh, Old: s, New: s}
		d.emit.started(step)
		group.Go(func() {
			defer func() { <-limit }()
			if now, err := w.one(step); now == nil && err == nil {
				w.mu.Lock()
				gone[s] = true
				w.mu.Unlock()
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
	if err := d.settleInterrupted(w.read); err != nil {
		return err
	}
	return d.failure()
}

// registered reads what is recorded of a resource that the program registers. What failed was told.
func (w *sweep) registered(u urn.URN) error {
	d := w.d
	d.mu.Lock()
	s := d.record.live[u]
	d.mu.Unlock()
	if s == nil || !s.Custom || s.IsProvider() {
		return nil
	}
	step := plan.Step{Op: resource.OpRefresh, Old: s, New: s}
	d.emit.started(step)
	now, err := w.one(step)
	if now == nil && err == nil {
		err = d.forget(map[*resource.State]bool{s: true})
	}
	return err
}

// one carries one refresh out. The state is nil when the resource is gone.
func (w *sweep) one(step plan.Step) (*resource.State, error) {
	id := identityOf(step.Old)
	now, err := w.d.refreshOne(step, w.interrupted[id])
	if err == nil {
		w.mu.Lock()
		w.read[id] = true
		w.mu.Unlock()
	}
	return now, err
}

// settleInterrupted records that nothing is uncertain any more about the operations of an earlier run on resources that
// were read, or that are not recorded. The others, which targets left out or whose provider did not answer, stay pending.
func (d *deployment) settleInterrupted(read map[identity]bool) error {
	if d.op.Base == nil || d.op.Preview || len(d.op.Base.Pending) == 0 {
		return nil
	}
	known := map[identity]bool{}
	for _, s := range d.op.Base.Resources {
		known[identityOf(s)] = true
	}
	var settled []int
	for i, p := range d.op.Base.Pending {
		id := identityOf(p.Resource)
		uncertain := p.Kind == resource.PendingUpdating || p.Kind == resource.PendingDeleting
		if p.Kind != resource.PendingCreating && (read[id] || !known[id] || !uncertain) {
			settled = append(settled, i)
		}
	}
	return d.clearPending(settled)
}

// clearPending records that pending operations of the base, named by their index there, are settled.
func (d *deployment) clearPending(settled []int) error {
	if len(settled) == 0 {
		return nil
	}
	if err := d.ledger.ClearPending(d.ctx, settled); err != nil {
		return d.report(fmt.Errorf("record settled operations: %w", err))
	}
	return nil
}

// recorded lists the resources that are wanted, in canonical order.
func (d *deployment) recorded(wanted func(*resource.State) bool) []*resource.State {
	d.mu.Lock()
	defer d.mu.Unlock()
	some := false
	for s := range d.record.all {
		some = some || wanted(s)
	}
	if !some { // as usual; to sort everything would be work for nothing
		return nil
	}
	return slices.DeleteFunc(d.record.sorted(), func(s *resource.State) bool { return !wanted(s) })
}

// identity tells a resource from its old half.
type identity struct {
	urn    urn.URN
	id     resource.ID
	marked bool
}

func identityOf(s *resource.State) identity { return identity{s.URN, s.ID, s.Delete} }

// interrupted are the resources whose update or deletion an earlier run began and nobody saw the end of, with what an
// update may have made of them.
func (d *deployment) interrupted() map[identity]*resource.State {
	out := map[identity]*resource.State{}
	if d.op.Base == nil {
		return out
	}
	for _, p := range d.op.Base.Pending {
		switch {
		case p.Kind == resource.PendingUpdating:
			out[identityOf(p.Resource)] = p.Resource
		case p.Kind == resource.PendingDeleting && out[identityOf(p.Resource)] == nil:
			out[identityOf(p.Resource)] = nil
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
	if err := d.guard(gone); err != nil {
		return err
	}
	err := d.ledger.rewrite(d.ctx, "record resources that are gone", func() []exec.Change {
		return withoutGone(d.record.sorted(), gone)
	})
	if err != nil {
		return d.report(err)
	}
	return nil
}

func withoutGone(all []*resource.State, gone map[*resource.State]bool) []exec.Change {
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
	return changes
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
	return d.clearPending(settled)
}

// adopt records a resource that an interrupted create made.
func (d *deployment) adopt(pending *resource.State, id resource.ID) error {
	if d.record.live[pending.URN] != nil {
		return d.reportAt(pending.URN, fmt.Errorf("%s is part of the state already; the resource with id %q is another "+
			"one: delete it yourself and run `pulumi refresh --clear-pending-creates`", pending.URN, id))
	}
	made, err := d.adoptable(pending)
	if err != nil {
		return d.reportAt(pending.URN, err)
	}
	made.ID = id
	change := exec.Change{New: made}
	if err := d.ledger.Success(d.ctx, exec.Success{Changes: []exec.Change{change}}); err != nil {
		return d.report(fmt.Errorf("record the adopted resource %s: %w", made.URN, err))
	}
	return nil
}

// adoptable gives the state of a pending create as it can be recorded now: what it refers to may have changed since.
func (d *deployment) adoptable(pending *resource.State) (*resource.State, error) {
	refuse := func(what string, u urn.URN) error {
		return fmt.Errorf("its %s %s is not part of the state any more, so that it cannot be adopted: "+
			"delete the resource yourself and run `pulumi refresh --clear-pending-creates`", what, u)
	}
	made := pending.Clone()
	if provider := d.record.live[made.Provider.URN]; provider != nil {
		made.Provider = provider.ProviderRef()
	} else if !made.Provider.IsZero() {
		return nil, refuse("provider", made.Provider.URN)
	}
	if made.Parent != "" && d.record.live[made.Parent] == nil {
		return nil, refuse("parent", made.Parent)
	}
	return made.RewriteReferences(func(e resource.Edge) urn.URN {
		if e.Kind != resource.EdgeProvider && d.record.live[e.To] == nil {
			return ""
		}
		return e.To
	}), nil
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
