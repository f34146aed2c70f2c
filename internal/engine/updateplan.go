package engine

import (
	"cmp"
	"crypto/rand"
	"slices"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state/updateplan"
	"github.com/cairn-iac/cairn/internal/urn"
)

// unplannedAdvice follows what was told of violations of a plan.
const unplannedAdvice = "what the plan does not have is not done. If these changes are wanted, make and review a new plan: " +
	"`pulumi preview --save-plan <file>`. If they are not, undo them in the program, its configuration or the stack."

// plans are the update plan that a run is held to, and the one that it makes. The deployment's lock guards them.
type plans struct {
	// held is nil for a run that is free.
	held        *updateplan.Plan
	constraints map[urn.URN]*plan.Constraint
	violated    bool
	// made is nil if no plan is asked for.
	made map[urn.URN]*updateplan.Resource
}

func newPlans(o Options) plans {
	p := plans{held: o.Plan, constraints: map[urn.URN]*plan.Constraint{}}
	if o.MakePlan {
		p.made = map[urn.URN]*updateplan.Resource{}
	}
	if p.held != nil {
		for u, r := range p.held.Resources {
			p.constraints[u] = plan.ConstraintOf(r)
		}
	}
	return p
}

// planned lists every value of the plan that the run is held to, by resource.
func (p *plans) planned() [][]property.Map {
	var out [][]property.Map
	if p.held == nil {
		return nil
	}
	for _, r := range p.held.Resources {
		if r.Goal != nil {
			out = append(out, []property.Map{r.Goal.Inputs.Adds, r.Goal.Inputs.Updates, r.Goal.Outputs.Adds, r.Goal.Outputs.Updates})
		}
	}
	return out
}

// plannedFor is what the plan has of a resource, nil for nothing.
func (p *plans) plannedFor(u urn.URN) *updateplan.Resource {
	if p.held == nil {
		return nil
	}
	return p.held.Resources[u]
}

// making is the entry of a resource in the plan that is made, nil if none is.
func (p *plans) making(u urn.URN) *updateplan.Resource {
	if p.made == nil {
		return nil
	}
	if p.made[u] == nil {
		p.made[u] = &updateplan.Resource{}
	}
	return p.made[u]
}

// predicted notes the outputs that a resource is to have.
func (p *plans) predicted(u urn.URN, outputs property.Map) {
	if p.made != nil && p.made[u] != nil {
		p.made[u].Outputs = &outputs
	}
}

// take accounts for one operation; the answer is what forbids it.
func (p *plans) take(u urn.URN, op resource.Op) diag.Diagnostics {
	if r := p.making(u); r != nil {
		r.Steps = append(r.Steps, op)
	}
	if p.held == nil {
		return nil
	}
	return p.problem(u, &plan.Violation{Reason: p.constraints[u].Take(op)})
}

// problem tells a violation, or nothing where there is none.
func (p *plans) problem(u urn.URN, v *plan.Violation) diag.Diagnostics {
	if v == nil || v.Reason == "" {
		return nil
	}
	p.violated = true
	d := diag.Errorf(u, "%s", v.Reason)
	d.Detail = v.Detail
	return diag.Diagnostics{d}
}

// outputs compares what a component or the stack registers with the plan, and notes it.
func (p *plans) outputs(e *entry, outputs property.Map) diag.Diagnostics {
	var older property.Map
	if e.step.Old != nil {
		older = e.step.Old.Outputs
	}
	u := e.goal.URN
	if p.made != nil && p.made[u] != nil && p.made[u].Goal != nil {
		p.made[u].Goal.Outputs, p.made[u].Outputs = updateplan.DiffOf(older, outputs), &outputs
	}
	if p.held == nil {
		return nil
	}
	var diff updateplan.Diff
	if r := p.plannedFor(u); r != nil && r.Goal != nil {
		diff = r.Goal.Outputs
	}
	v := plan.OutputsAgainst(older, outputs, diff)
	if v != nil {
		v.Reason = "resource violates plan: " + v.Reason
	}
	return p.problem(u, v)
}

// seed is what a provider makes random names of: as planned, so that they come out the same.
func (d *deployment) seed(u urn.URN) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.plans.made[u]; r != nil && len(r.Seed) > 0 {
		return r.Seed
	}
	seed := d.plans.newSeed(u)
	if r := d.plans.making(u); r != nil {
		r.Seed = seed
	}
	return seed
}

// newSeed is the planned seed of a resource, or a random one.
func (p *plans) newSeed(u urn.URN) []byte {
	if r := p.plannedFor(u); r != nil && len(r.Seed) > 0 {
		return r.Seed
	}
	seed := make([]byte, 32)
	_, _ = rand.Read(seed) // it does not fail
	return seed
}

// heldToPlan compares what was decided about a registration with the plan, before any of it is done, and notes it for the
// plan that is made.
func (d *deployment) heldToPlan(e *entry, out planned) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	u := e.goal.URN
	asked := plan.Asked{Goal: e.goal, Aliases: e.aliases, Older: out.Olds, Newer: out.News}
	if r := d.plans.making(u); r != nil {
		r.Goal = asked.Planned()
		if len(r.Seed) == 0 {
			r.Seed = d.plans.newSeed(u)
		}
	}
	var problems diag.Diagnostics
	if d.plans.held != nil && !out.leftOut && !out.Unfinished {
		problems = d.plans.problem(u, d.plans.compare(e, asked, out.old))
	}
	for _, s := range out.Steps {
		op := s.Op
		if s.Skipped {
			op = resource.OpSame
		}
		if more := d.plans.take(s.URN(), op); len(problems) == 0 {
			problems = more // a property that is not as planned explains the operation
		}
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// compare says how what a program asks for is not as planned, nil if it is. Old is what is recorded of the resource.
func (p *plans) compare(e *entry, asked plan.Asked, old *resource.State) *plan.Violation {
	u := e.goal.URN
	var v *plan.Violation
	switch r := p.plannedFor(u); {
	case r == nil && old == nil:
		return nil // the create is refused
	case r == nil:
		v = asked.AgainstRecord(old)
	default:
		gone := old == nil && !slices.Contains(r.Steps, resource.OpCreate)
		if r.Goal != nil && e.formerly == "" && !gone {
			asked.Aliases = r.Goal.Aliases // that nothing is recorded under
		}
		if v = asked.Against(r.Goal, UnknownID); v != nil && gone {
			v.Detail = "  The resource is not recorded any more; it was when the plan was made."
		}
	}
	if v != nil {
		v.Reason = "resource " + string(u) + " violates plan: " + v.Reason
	}
	return v
}

// heldDeletes compares what ends an update with the plan, all of it before the first delete: the deletes, the stack's
// outputs, and what was planned and did not come. Called with the lock held.
func (d *deployment) heldDeletes(u *unwanted) diag.Diagnostics {
	if d.op.Kind != Update {
		return nil
	}
	var problems diag.Diagnostics
	for i := len(u.all) - 1; i >= 0; i-- {
		if u.doomed[i] {
			problems = append(problems, d.plans.take(u.all[i].URN, plan.Delete(u.all[i]).Op)...)
		}
	}
	for u, e := range d.entries {
		if u.Type() == urn.StackType && d.outputs != nil && d.firstErr == nil {
			problems = append(problems, d.plans.outputs(e, *d.outputs)...)
		}
	}
	if d.plans.held == nil || d.firstErr != nil {
		return problems
	}
	for name, c := range d.plans.constraints {
		if !c.Missing(len(d.record.named(name)) > 0) || d.targets.constrains() && !d.targets.includes(name) {
			continue
		}
		problems = append(problems, d.plans.problem(name, &plan.Violation{
			Reason: "expected resource operations for " + string(name) + " but none were seen",
			Detail: "It is in the plan, and the program did not register it.",
		})...)
	}
	slices.SortFunc(problems, func(a, b diag.Diagnostic) int { return cmp.Compare(a.Subject.URN, b.Subject.URN) })
	return problems
}

// checkPlan refuses the plan of another stack.
func (d *deployment) checkPlan() error {
	if d.plans.held == nil {
		return nil
	}
	for u := range d.plans.held.Resources {
		if u.Stack() != d.op.Stack.Name || u.Project() != d.op.Stack.Project {
			return d.report(diag.Errorf("", "the plan is one for stack %s of project %s, and this is stack %s of project %s; make one "+
				"for this stack with `pulumi preview --save-plan <file>`", u.Stack(), u.Project(), d.op.Stack.Name, d.op.Stack.Project))
		}
	}
	return nil
}

// madePlan is the plan that was made, nil if none was asked for.
func (d *deployment) madePlan() *updateplan.Plan {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.plans.made == nil {
		return nil
	}
	return &updateplan.Plan{Resources: d.plans.made}
}

// plannedAliases are the former identities of a registration as the program gave them.
func plannedAliases(r Registration) []updateplan.Alias {
	var out []updateplan.Alias
	for _, u := range r.Options.Aliases {
		out = append(out, updateplan.Alias{URN: u})
	}
	for _, s := range r.AliasSpecs {
		out = append(out, updateplan.Alias{
			Name: s.Name, Type: s.Type, Stack: s.Stack, Project: s.Project, Parent: s.ParentURN, NoParent: s.NoParent,
		})
	}
	return out
}
