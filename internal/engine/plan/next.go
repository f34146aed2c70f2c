package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Next decides what follows from the facts. It is called again with each answer until it gives steps or an error.
func Next(f Facts) Outcome {
	if f.LeftOut {
		return steps(LeftOut(f.Goal, f.Old)...)
	}
	if f.Goal.AsFound != nil {
		return f.asFound()
	}
	inputs, notes := f.inputs()
	out := f.decide(inputs)
	out.Notes = append(notes, out.Notes...)
	return out
}

// inputs are the program's inputs with ignored changes undone.
func (f Facts) inputs() (property.Map, diag.Diagnostics) {
	if f.Old == nil || f.Old.External {
		return f.Goal.Inputs, nil
	}
	return IgnoreChanges(f.Goal, f.Old.Inputs)
}

func (f Facts) decide(inputs property.Map) Outcome {
	if f.takesOver() {
		return f.takeOver()
	}
	olds := property.Map{}
	if f.keepsOldInputs() {
		olds = f.Old.Inputs
	}
	if f.Goal.Custom {
		if f.Checked == nil {
			return Outcome{Need: NeedCheck, Olds: olds, News: inputs}
		}
		if len(f.Checked.Failures) > 0 {
			return f.checkFailures(f.Checked.Failures)
		}
		inputs = f.Checked.Inputs
	}
	out := f.choose(f.newState(inputs))
	if out.Need == NeedNothing {
		out.Olds, out.News = olds, inputs
	}
	return out
}

// choose picks the steps once the new inputs are known.
func (f Facts) choose(next *resource.State) Outcome {
	switch {
	case f.Old == nil:
		return steps(Step{Op: resource.OpCreate, New: next})
	case f.Recreating:
		return steps(
			Step{Op: resource.OpReplace, Old: f.Old, New: next},
			Step{Op: resource.OpCreateReplacement, Old: f.Old, New: next},
		)
	case f.Old.External && f.Goal.Custom:
		return steps(
			Step{Op: resource.OpCreateReplacement, Old: f.Old, New: next, MarkOld: true},
			Step{Op: resource.OpReplace, Old: f.Old, New: next},
		)
	default:
		return f.compare(next)
	}
}

// keepsOldInputs says whether a check may see the old inputs, from which providers take over generated names.
func (f Facts) keepsOldInputs() bool {
	return f.Old != nil && !f.Recreating && !f.Old.External && !f.ReplaceAsked && !f.Old.Taint
}

func (f Facts) newState(inputs property.Map) *resource.State {
	s := &resource.State{
		URN: f.Goal.URN, Type: f.Goal.Type, Custom: f.Goal.Custom, Inputs: inputs, Options: f.Goal.Options,
	}
	s.DeleteBeforeReplace = nil
	if f.Old != nil {
		s.Extra = f.Old.Extra
		s.Created, s.Modified = f.Old.Created, f.Old.Modified
	}
	return s
}

// LeftOut keeps a recorded resource as it is, and leaves a new one out.
func LeftOut(goal resource.Goal, old *resource.State) []Step {
	if old == nil {
		return []Step{{Op: resource.OpCreate, New: Facts{Goal: goal}.newState(goal.Inputs), Skipped: true}}
	}
	return []Step{{Op: resource.OpSame, Old: old, New: old.Clone(), Skipped: true}}
}

func (f Facts) checkFailures(failures []plugin.CheckFailure) Outcome {
	var notes diag.Diagnostics
	for _, c := range failures {
		d := diag.Errorf(f.Goal.URN, "%s resource '%s' has a problem: %s", f.Goal.Type, f.Goal.Name, c.Reason)
		if c.Property != "" {
			d = diag.Errorf(f.Goal.URN, "%s resource '%s': property %s value %s has a problem: %s",
				f.Goal.Type, f.Goal.Name, c.Property, valueText(f.Goal.Inputs.Get(c.Property)), c.Reason)
		}
		d.Subject.Property = c.Property
		notes = append(notes, d)
	}
	return Outcome{Notes: notes}
}

// valueText writes a value into a message the way users know it, with secrets masked.
func valueText(v property.Value) string {
	switch {
	case v.Secret():
		return "{" + property.Mask + "}"
	case v.IsUnknown():
		return "output<unknown>{}"
	case v.IsNull():
		return "{<nil>}"
	}
	if text, ok := v.AsString(); ok {
		return "{" + text + "}"
	}
	if b, ok := v.AsBool(); ok {
		return fmt.Sprintf("{%t}", b)
	}
	if n, ok := v.AsNumber(); ok {
		return fmt.Sprintf("{%v}", n)
	}
	var parts []string
	if l, ok := v.AsList(); ok {
		for _, e := range l.All() {
			parts = append(parts, valueText(e))
		}
		return "{[" + strings.Join(parts, " ") + "]}"
	}
	if m, ok := v.AsMap(); ok {
		for k, e := range m.All() {
			parts = append(parts, k+":"+valueText(e))
		}
		return "{map[" + strings.Join(parts, " ") + "]}"
	}
	return "{<" + v.Kind().String() + ">}"
}

func steps(s ...Step) Outcome { return Outcome{Steps: s} }

// same is a step that changes nothing with the provider. Marks and options follow the program.
func (f Facts) same(next *resource.State) Outcome {
	if f.Imported {
		return Outcome{} // it was recorded as it is a moment ago
	}
	next.ID = f.Old.ID
	next.RefreshBeforeUpdate = f.Old.RefreshBeforeUpdate
	next.Outputs = RemarkOutputs(f.Old.Outputs, f.Old.Inputs, next)
	return steps(Step{Op: resource.OpSame, Old: f.Old, New: next})
}

// replaceSteps orders the halves of a replacement.
func (f Facts) replaceSteps(next *resource.State, d decision) Outcome {
	var notes diag.Diagnostics
	if f.Goal.Protect && f.Old.Protect && !f.IgnoreProtect {
		refused := f.problem("unable to replace resource %q\nas it is currently marked for protection. To unprotect the resource, "+
			"remove the `protect` flag from the resource in your Pulumi program and run `pulumi up`", f.Goal.URN)
		if !f.Preview {
			return refused
		}
		notes = refused.Notes // a preview goes on, to show what asks for the replacement
	}
	if f.Goal.ImportID != "" {
		refused := f.problem("previously-imported resources that still specify an ID may not be replaced; "+
			"remove the `import` option from %s, or give it the inputs that the imported resource has: %s", f.Goal.Name, d.why)
		if !f.Preview {
			return refused
		}
		notes = append(notes, refused.Notes...)
	}
	if f.Goal.Custom && !f.Goal.Type.IsProvider() && f.keepsOldInputs() {
		if f.Rechecked == nil {
			inputs, _ := f.inputs()
			return Outcome{Need: NeedRecheck, News: inputs}
		}
		if len(f.Rechecked.Failures) > 0 {
			return f.checkFailures(f.Rechecked.Failures)
		}
		next.Inputs = f.Rechecked.Inputs
	}
	template := Step{Old: f.Old, New: next, Keys: d.keys, Diffs: d.diffs, DetailedDiff: d.detailed, Why: d.why}
	step := func(op resource.Op, edit func(*Step)) Step {
		s := template
		s.Op = op
		edit(&s)
		return s
	}
	plain := func(*Step) {}
	if !f.deleteFirst(d) {
		return Outcome{Notes: notes, Steps: []Step{
			step(resource.OpCreateReplacement, func(s *Step) { s.MarkOld = true }),
			step(resource.OpReplace, plain),
		}}
	}
	if !f.DependentsKnown {
		return Outcome{Need: NeedDependents}
	}
	out, after, problem := f.dependentSteps()
	if problem != nil {
		return *problem
	}
	if !f.Old.PendingReplacement {
		out = append(out, step(resource.OpDeleteReplaced, func(s *Step) { s.PendingReplacement, s.New = true, nil }))
	}
	out = append(out, after...)
	out = append(out, step(resource.OpReplace, plain), step(resource.OpCreateReplacement, plain))
	return Outcome{Notes: notes, Steps: out}
}

// dependentSteps delete the dependents of a resource that is about to be deleted: before it, except for those that go
// with it, which are gone only when it is.
func (f Facts) dependentSteps() (before, after []Step, problem *Outcome) {
	with := map[urn.URN]bool{f.Old.URN: true}
	for i := len(f.Dependents) - 1; i >= 0; i-- { // owners come last
		dep := f.Dependents[i]
		if dep.Protect && !f.IgnoreProtect {
			out := f.problem("unable to replace resource %q as part of replacing %q as it is currently marked for protection. "+
				"To unprotect the resource, remove the `protect` flag from the resource in your Pulumi program and run `pulumi up`, "+
				"or use the command:\n`pulumi state unprotect '%s'`", dep.URN, f.Goal.URN, dep.URN)
			return nil, nil, &out
		}
		step := Step{
			Op: resource.OpDeleteReplaced, Old: dep, PendingReplacement: !dep.Delete,
			Why: fmt.Sprintf("%s is replaced", f.Goal.URN),
		}
		if with[dep.DeletedWith] {
			with[dep.URN] = true
			after = append(after, step)
			continue
		}
		before = append(before, step)
	}
	slices.Reverse(before)
	return before, after, nil
}

// deleteFirst says which half of a replacement goes first. A resource that is already deleted has no other way.
func (f Facts) deleteFirst(d decision) bool {
	switch {
	case f.Old.PendingReplacement:
		return true
	case f.Goal.DeleteBeforeReplace != nil:
		return *f.Goal.DeleteBeforeReplace
	default:
		return d.deleteFirst
	}
}
