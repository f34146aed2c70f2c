package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Read implements Monitor.
func (d *deployment) Read(_ context.Context, r ReadRegistration) (Registered, error) {
	if err := d.enter(); err != nil {
		return Registered{}, err
	}
	defer d.leave()
	d.emit.learn(r.Inputs)
	reg := Registration{
		Type: r.Type, Name: r.Name, Custom: true, Inputs: r.Inputs, Provider: r.Provider, Package: r.Package,
		// Options about what the engine does to a resource mean nothing for one that it only looks at.
		Options: resource.Options{
			Parent: r.Options.Parent, Dependencies: r.Options.Dependencies,
			AdditionalSecretOutputs: r.Options.AdditionalSecretOutputs,
			SourcePosition:          r.Options.SourcePosition, StackTrace: r.Options.StackTrace,
		},
	}
	if r.Type.IsProvider() {
		return d.refused(reg, diag.Errorf(d.urnOf(reg), "provider resources cannot be read"))
	}
	id, known := r.ID.AsString()
	if !known && !r.ID.IsUnknown() || known && id == "" {
		return d.refused(reg, diag.Errorf(d.urnOf(reg), "reading a resource needs its id"))
	}
	e, err := d.admit(reg)
	if err != nil {
		return d.refused(reg, err)
	}
	defer close(e.done)
	defer d.noteUnsettled(e)
	e.goal.Protect, e.goal.RetainOnDelete, e.goal.DeletedWith = false, false, ""
	e.goal.PropertyDependencies = nil
	if blocked := d.blocker(e.goal); blocked != "" {
		d.trouble(func() { e.skipped = true })
		return d.answerFailed(e, ResultSkip, true)
	}
	if d.dependsOnNew(e.goal) {
		id = "" // what it depends on does not exist yet, and neither may the resource
	}
	steps, err := d.readSteps(e.goal, resource.ID(id))
	if err == nil {
		err = d.applyAll(e, steps)
	}
	if err != nil {
		return d.failedEntry(e, err, true)
	}
	answer := e.answer(d.op.Preview)
	answer.Unknown = answer.Unknown || id == ""
	return answer, nil
}

// dependsOnNew says whether a preview creates or replaces something that goal depends on, or could not read it.
func (d *deployment) dependsOnNew(g resource.Goal) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.op.Preview && slices.ContainsFunc(g.Dependencies, func(u urn.URN) bool {
		e := d.entries[u]
		return e != nil && (e.step.Op == resource.OpCreate || d.replaced[u] || e.state != nil && e.state.External && e.state.ID == "")
	})
}

// readSteps reads in place unless a resource that is managed now has another id. Reading changes nothing, so that targets
// leave out only what needs something that they leave out.
func (d *deployment) readSteps(g resource.Goal, id resource.ID) ([]plan.Step, error) {
	d.mu.Lock()
	old := d.record.live[g.URN]
	d.mu.Unlock()
	if d.op.Kind == Destroy {
		return plan.LeftOut(g, old), nil // it may be gone, and nobody needs it
	}
	if left := d.leftOutDependency(g); left != "" {
		if d.isTarget(g) {
			return nil, needsTarget(g.URN, left)
		}
		return plan.LeftOut(g, old), nil
	}
	next := &resource.State{
		URN: g.URN, Type: g.Type, Custom: true, External: true, ID: id, Inputs: g.Inputs, Options: g.Options,
	}
	if old != nil && !old.External && old.ID != id {
		return []plan.Step{
			{Op: resource.OpReadReplacement, Old: old, New: next},
			{Op: resource.OpReplace, Old: old, New: next},
		}, nil
	}
	return []plan.Step{{Op: resource.OpRead, Old: old, New: next}}, nil
}

// Invoke implements Monitor.
func (d *deployment) Invoke(_ context.Context, r Invocation) (plugin.InvokeResponse, error) {
	if err := d.enter(); err != nil {
		return plugin.InvokeResponse{}, err
	}
	defer d.leave()
	d.emit.learn(r.Args)
	if d.dependsOnUnsettled(r) {
		return plugin.InvokeResponse{Unknown: true}, nil
	}
	p, err := d.functionProvider(functionUse{
		token: r.Token, provider: r.Provider, pkg: r.Package, parent: r.Parent,
	})
	if err != nil {
		return plugin.InvokeResponse{}, err
	}
	return withSlot(d, func() (plugin.InvokeResponse, error) {
		return p.Invoke(d.ctx, plugin.InvokeRequest{Token: r.Token, Args: r.Args.StripDependencies(), Preview: d.op.Preview})
	})
}

// dependsOnUnsettled says whether something that a function depends on, or a part of a component among that, does not exist.
func (d *deployment) dependsOnUnsettled(r Invocation) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(r.DependsOn, func(u urn.URN) bool { return d.unsettled[u] })
}

// noteUnsettled remembers a resource that turned out not to exist, and the components that it is part of.
func (d *deployment) noteUnsettled(e *entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !e.goal.Custom || e.goal.Type.IsProvider() || e.state != nil && e.state.ID != "" && !e.failed && !e.leftOut {
		return
	}
	for e != nil {
		d.unsettled[e.goal.URN] = true
		e = d.entries[e.goal.Parent]
	}
}

// functionUse says what a function or method is called through.
type functionUse struct {
	token, provider string
	pkg             PackageRef
	parent          urn.URN
}

func (d *deployment) functionProvider(f functionUse) (plugin.Provider, error) {
	typ := urn.Type(f.token)
	if typ.Package() == builtinPackage {
		return d.providers.builtin, nil
	}
	ref, err := d.providerFor("", Registration{
		Type: typ, Provider: f.provider, Package: f.pkg, Options: resource.Options{Parent: f.parent},
	})
	if err != nil {
		return nil, err
	}
	return d.providers.at(d.ctx, ref)
}

// Call implements Monitor.
func (d *deployment) Call(_ context.Context, r MethodCall) (plugin.CallResponse, error) {
	if err := d.enter(); err != nil {
		return plugin.CallResponse{}, err
	}
	defer d.leave()
	d.emit.learn(r.Args)
	use := functionUse{token: r.Token, provider: r.Provider, pkg: r.Package}
	if self, ok := r.Args.Get("__self__").AsReference(); ok && use.provider == "" {
		d.mu.Lock()
		e := d.entries[self.URN]
		d.mu.Unlock()
		switch {
		case self.URN.Type().IsProvider():
			id, _ := self.ID.AsString()
			use.provider = urn.ProviderRef{URN: self.URN, ID: id}.String()
		case e == nil:
			return plugin.CallResponse{}, fmt.Errorf("unknown resource %s", self.URN)
		default:
			use.provider = e.goal.Provider.String()
		}
	}
	p, err := d.functionProvider(use)
	if err != nil {
		return plugin.CallResponse{}, err
	}
	return p.Call(d.ctx, plugin.CallRequest{
		Token: r.Token, Args: r.Args, ArgDependencies: r.ArgDependencies, Environment: d.Info(),
	})
}

// RegisterPackage implements Monitor. References are stable: equal packages get equal ones.
func (d *deployment) RegisterPackage(_ context.Context, pkg plugin.Package) (string, error) {
	ref := uuid.NewSHA1(uuid.NameSpaceOID, []byte(packageKey(pkg))).String()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.packages[ref] = pkg
	return ref, nil
}

// lookup gives a resource of this run once its registration is done, for references by URN.
func (d *deployment) lookup(ctx context.Context, u urn.URN) (*resource.State, error) {
	d.mu.Lock()
	e := d.entries[u]
	d.mu.Unlock()
	if e == nil {
		return nil, fmt.Errorf("unknown resource %s: it was not registered in this run", u)
	}
	select {
	case <-e.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if e.state == nil {
		return nil, fmt.Errorf("resource %s failed or was skipped", u)
	}
	return e.state, nil
}
