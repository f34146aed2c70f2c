package engine

import (
	"slices"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

// deleteUnwanted deletes what the program did not register and what replacements left behind: in parallel, each
// resource after everything that refers to it.
func (d *deployment) deleteUnwanted() error {
	d.mu.Lock()
	u := newUnwanted(d.record.sorted())
	for i, s := range u.all {
		u.doomed[i] = d.isUnwanted(s)
	}
	problems := d.keepNeeded(u)
	moves := d.moves(u)
	for i, s := range u.all {
		if u.doomed[i] {
			d.going[s] = true
		}
	}
	unplanned := d.heldDeletes(u)
	d.mu.Unlock()
	d.tellMoves(moves)
	if len(problems) > 0 {
		d.failedStep()
	}
	if problems = append(problems, unplanned...); len(problems) > 0 {
		_ = d.report(problems)
		if !d.op.Preview {
			return d.failure()
		}
	}
	newDeleteRun(d, u).do()
	return d.failure()
}

// unwanted says which recorded resources are to be deleted.
type unwanted struct {
	all    []*resource.State // in canonical order
	index  *state.Index
	doomed []bool
}

func newUnwanted(all []*resource.State) *unwanted {
	return &unwanted{all: all, index: state.NewIndex(all), doomed: make([]bool, len(all))}
}

// spare keeps some that were to be deleted.
func (u *unwanted) spare(states []*resource.State) {
	for _, s := range states {
		u.doomed[slices.Index(u.all, s)] = false
	}
}

// isUnwanted is called with the lock held.
func (d *deployment) isUnwanted(s *resource.State) bool {
	if d.targets.constrains() {
		destroysAll := d.op.Kind == Destroy && d.targets.only.IsEmpty()
		implicit := s.IsProvider() || s.Type == urn.StackType
		if implicit && !s.Delete && !destroysAll && !d.targets.only.Contains(s.URN) {
			return false
		}
		if !d.targets.includes(s.URN) {
			return false
		}
	}
	// A resource that was read and is managed now, or whose registration failed, is still wanted.
	return s.Delete || d.op.Kind == Destroy || d.entries[s.URN] == nil
}

// keepNeeded spares what something refers to that stays: what excluded resources and failed ones need, and the old half
// of a provider whose resources did not all move to the new one. To delete a target that others need is refused.
// Called with the lock held.
func (d *deployment) keepNeeded(u *unwanted) diag.Diagnostics {
	for i, s := range u.all {
		if !u.doomed[i] {
			u.spare(d.oldOwners(s, s.DeletedWith))
		}
	}
	var problems diag.Diagnostics
	for i := len(u.all) - 1; i >= 0; i-- {
		s := u.all[i]
		if u.doomed[i] {
			continue
		}
		refused := false
		for _, e := range s.Edges() {
			t := u.index.Target(s, e)
			if t < 0 || !u.doomed[t] {
				continue
			}
			u.doomed[t] = false
			if needed := u.all[t]; !refused && !needed.Delete && !d.targets.only.IsEmpty() && d.firstErr == nil {
				refused = true
				problems = append(problems, d.inUse(s, needed.URN))
			}
		}
	}
	return problems
}

// inUse tells that a target cannot be deleted.
func (d *deployment) inUse(user *resource.State, needed urn.URN) diag.Diagnostic {
	p := diag.Errorf(user.URN, "Resource '%s' will be destroyed but was not specified in --target list.", user.URN)
	p.Detail = "Either include resource in --target list or pass --target-dependents to proceed. It depends on '" + string(needed) + "'."
	if d.entries[user.URN] != nil {
		p = diag.Errorf(user.URN, "Resource '%s' still depends on '%s', which is in the --target list and not part of the "+
			"program any more; include it in the --target list as well.", user.URN, needed)
	}
	return p
}
