package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// targets says which resources an operation may touch.
type targets struct {
	only       plan.Targets
	except     plan.Targets
	replace    plan.Targets
	dependents map[urn.URN]bool // recorded resources that depend on targets or excludes, where those count
	drawn      map[urn.URN]bool // targets that were registered in this run, and what depends on them; excludes likewise
}

func newTargets(o Options) targets {
	return targets{
		only: plan.NewTargets(o.Targets), except: plan.NewTargets(o.Excludes), replace: plan.NewTargets(o.Replace),
		dependents: map[urn.URN]bool{}, drawn: map[urn.URN]bool{},
	}
}

// constrains says whether some resources may be left out.
func (t targets) constrains() bool { return !t.only.IsEmpty() || !t.except.IsEmpty() }

// isImplicit says whether a resource takes part without being named, because others need it.
func isImplicit(u urn.URN) bool { return u.Type().IsProvider() || u.Type() == urn.StackType }

// includes says whether a recorded resource may be touched. Providers and the stack always may.
func (t targets) includes(u urn.URN) bool {
	switch {
	case isImplicit(u):
		return true
	case !t.except.IsEmpty():
		return !t.except.Contains(u) && !t.dependents[u]
	case t.only.IsEmpty():
		return true
	default:
		return t.only.Contains(u) || t.dependents[u]
	}
}

// leavesOut says whether targets leave a registration out of this run. What takes part without being named is left out
// where it needs something that is.
func (d *deployment) leavesOut(g resource.Goal) bool {
	if !d.targets.constrains() {
		return false
	}
	if d.isTarget(g) {
		return false
	}
	excluded := d.names(g, d.targets.except, d.op.Options.ExcludeDependents)
	if isImplicit(g.URN) {
		return d.leftOutDependency(g) != "" || d.circular(g) != ""
	}
	return excluded || !d.targets.only.IsEmpty()
}

// isTarget says whether targets name a registration, or something that it depends on if that is to count.
func (d *deployment) isTarget(g resource.Goal) bool {
	return d.names(g, d.targets.only, d.op.Options.TargetDependents)
}

// names says whether t, the targets or the excludes of this run, has a registration or, if dependents count, something that
// it depends on.
func (d *deployment) names(g resource.Goal, t plan.Targets, dependents bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	is := d.hasFormerly(g.URN, t)
	if dependents {
		for _, e := range (&resource.State{URN: g.URN, Options: g.Options}).Edges() {
			is = is || d.targets.drawn[e.To]
		}
	}
	if is {
		d.targets.drawn[g.URN] = true
	}
	return is
}

// circular names a resource that goal depends on now, while what is recorded of that one depends on goal: the program has
// turned a dependency round, and targets leave one side of it as it was.
func (d *deployment) circular(g resource.Goal) urn.URN {
	if !d.targets.constrains() {
		return ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.record.live[g.URN]
	if old == nil {
		return ""
	}
	known := map[urn.URN]bool{}
	for _, e := range old.Edges() {
		known[e.To] = true
	}
	for _, e := range (&resource.State{URN: g.URN, Options: g.Options}).Edges() {
		if !known[e.To] && d.record.reaches(e.To, g.URN) {
			return e.To
		}
	}
	return ""
}

// hasFormerly says whether targets name a resource of this run by its URN, or by the alias it was recorded under.
func (d *deployment) hasFormerly(u urn.URN, t plan.Targets) bool {
	if t.Contains(u) {
		return true
	}
	e := d.entries[u]
	return e != nil && e.formerly != "" && t.Contains(e.formerly)
}

// checkTargets refuses contradictions and works out recorded dependents of targets.
func (d *deployment) checkTargets() error {
	o := d.op.Options
	if len(o.Targets) > 0 && len(o.Excludes) > 0 {
		return d.report(fmt.Errorf("targets and excludes cannot be used together; name either the resources to " +
			"work on or the ones to leave alone"))
	}
	if !o.TargetDependents && !o.ExcludeDependents {
		return nil
	}
	roots := map[urn.URN]bool{}
	all := d.record.sorted()
	for _, r := range all {
		if o.TargetDependents && d.targets.only.Contains(r.URN) || o.ExcludeDependents && d.targets.except.Contains(r.URN) {
			roots[r.URN] = true
		}
	}
	for u := range plan.Dependents(all, roots) {
		d.targets.dependents[u] = true
	}
	return nil
}

// checkTargetsFound reports targets that name no resource, old or new.
func (d *deployment) checkTargetsFound() error {
	d.mu.Lock()
	var missing []urn.URN
	for _, u := range slices.Concat(d.targets.only.Literals(), d.targets.replace.Literals(), d.targets.except.Literals()) {
		if d.entries[u] == nil && d.record.live[u] == nil && d.renamed[u] == "" {
			missing = append(missing, u)
		}
	}
	d.mu.Unlock()
	slices.Sort(missing)
	var problems diag.Diagnostics
	for _, u := range missing {
		text := fmt.Sprintf("Target '%s' could not be found in the stack.", u)
		if !strings.Contains(string(u), "$") {
			text += " Did you forget to escape $ in your shell?"
		}
		problems = append(problems, diag.Errorf("", "%s", text))
	}
	if len(problems) == 0 {
		return nil
	}
	return d.report(problems)
}
