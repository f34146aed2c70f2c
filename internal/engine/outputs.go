package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// RegisterOutputs implements Monitor. A component's outputs are recorded at once; those of the stack are held back until
// the end, so that a failing run keeps the last good ones.
func (d *deployment) RegisterOutputs(_ context.Context, u urn.URN, outputs property.Map) error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	outputs = outputs.StripDependencies()
	d.emit.learn(outputs)
	d.mu.Lock()
	e := d.entries[u]
	if e == nil || e.completed {
		d.mu.Unlock()
		return d.reportAt(u, diag.Errorf(u, "cannot complete a resource '%s' whose registration isn't pending", u))
	}
	e.completed = true
	if u.Type() == urn.StackType {
		d.outputs = &outputs
		d.mu.Unlock()
		return nil
	}
	if unplanned := d.plans.outputs(e, outputs); len(unplanned) > 0 {
		d.mu.Unlock()
		return d.report(unplanned)
	}
	step, recorded := e.step, e.state
	d.mu.Unlock()
	if recorded == nil || e.leftOut {
		return nil
	}
	return d.complete(step, recorded, outputs)
}

// complete records the outputs of a component or the stack and tells them.
func (d *deployment) complete(step plan.Step, recorded *resource.State, outputs property.Map) error {
	now := recorded.Clone()
	if !d.op.Preview {
		outputs = settled(outputs, recorded.Outputs)
	}
	now.Outputs = plan.MarkOutputs(outputs, now)
	if !recorded.Outputs.Equal(now.Outputs) {
		change := exec.Change{Old: recorded, New: now}
		if err := d.ledger.Success(d.ctx, exec.Success{Changes: []exec.Change{change}}); err != nil {
			return d.report(fmt.Errorf("record the outputs of %s: %w", now.URN, err))
		}
		d.mu.Lock()
		if e := d.entries[now.URN]; e != nil {
			e.state = now
		}
		d.mu.Unlock()
	}
	d.emit.completed(step, now)
	return nil
}

// settled replaces outputs that are not known by the recorded ones: outside of a preview they come from resources that
// targets left out.
func settled(outputs, recorded property.Map) property.Map {
	if !outputs.ContainsUnknown() {
		return outputs
	}
	known := map[string]property.Value{}
	for k, v := range outputs.All() {
		old, had := recorded.Lookup(k)
		switch {
		case !v.ContainsUnknown():
			known[k] = v
		case had:
			known[k] = old
		}
	}
	return property.MapOf(known)
}

// completeStack records the stack's outputs once the program has ended well. If something failed meanwhile, an output
// that is not among them may be one that the program could not get at: it is kept.
func (d *deployment) completeStack() error {
	failed := d.failure()
	d.mu.Lock()
	var stack *entry
	for u, e := range d.entries {
		if u.Type() == urn.StackType {
			stack = e
		}
	}
	outputs := d.outputs
	d.mu.Unlock()
	if d.isCanceled() || stack == nil || stack.state == nil || d.op.Kind == Destroy {
		return failed
	}
	recorded := stack.state.Outputs
	if outputs == nil {
		outputs = &recorded
	}
	if failed != nil {
		merged := property.MapOf(maps.Collect(outputs.All()))
		for k, v := range recorded.All() {
			if !merged.Has(k) {
				merged = merged.With(k, v)
			}
		}
		outputs = &merged
	}
	d.outputsChanged = !recorded.EqualPlain(*outputs)
	return errors.Join(failed, d.complete(stack.step, stack.state, *outputs))
}
