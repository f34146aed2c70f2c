package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/urn"
)

// targets says which resources an operation may touch.
type targets struct {
	only       plan.Targets
	except     plan.Targets
	replace    plan.Targets
	dependents map[urn.URN]bool
}

func newTargets(o Options) targets {
	return targets{
		only: plan.NewTargets(o.Targets), except: plan.NewTargets(o.Excludes), replace: plan.NewTargets(o.Replace),
		dependents: map[urn.URN]bool{},
	}
}

// constrains says whether some resources may be left out.
func (t targets) constrains() bool { return !t.only.IsEmpty() || !t.except.IsEmpty() }

// includes says whether a resource may be touched. Providers and the stack always may.
func (t targets) includes(u urn.URN) bool {
	switch {
	case u.Type().IsProvider(), u.Type() == urn.StackType:
		return true
	case t.except.Contains(u):
		return false
	case t.only.IsEmpty():
		return true
	default:
		return t.only.Contains(u) || t.dependents[u]
	}
}

// checkTargets refuses contradictions and works out recorded dependents of targets.
func (d *deployment) checkTargets() error {
	o := d.op.Options
	if len(o.Targets) > 0 && len(o.Excludes) > 0 {
		return d.report(fmt.Errorf("targets and excludes cannot be used together; name either the resources to " +
			"work on or the ones to leave alone"))
	}
	if !o.TargetDependents {
		return nil
	}
	roots := map[urn.URN]bool{}
	all := d.record.sorted()
	for _, r := range all {
		if d.targets.only.Contains(r.URN) {
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
		if d.entries[u] == nil && d.record.live[u] == nil {
			missing = append(missing, u)
		}
	}
	d.mu.Unlock()
	slices.Sort(missing)
	var problems diag.Diagnostics
	for _, u := range missing {
		p := diag.Errorf("", "Target '%s' could not be found in the stack.", u)
		if !strings.Contains(string(u), "$") {
			p.Detail = "Did you forget to escape $ in your shell?"
		}
		problems = append(problems, p)
	}
	if len(problems) == 0 {
		return nil
	}
	return d.report(problems)
}
