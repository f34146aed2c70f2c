package engine_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

const (
	canary    = "canary-of-the-mine-"
	unknownID = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
)

// performance is one execution of a made-up program, as an SDK would do it.
type performance struct {
	p       *program
	specs   []*spec
	preview bool
	// reports says whether the SDK takes failures as results; sequential registers one resource at a time.
	reports    bool
	sequential bool
	ids        map[urn.URN]resource.ID // of what is recorded, for lookups
	// found are the ids of what a bulk import is to record; such a run registers nothing else.
	found []string

	mu      sync.Mutex
	answers map[string]engine.Registered
	done    map[string]chan struct{}
	failed  error
}

var errBroken = errors.New("a resource that this one needs was not registered")

func (x *performance) run(p *program) error {
	x.p, x.answers, x.done = p, map[string]engine.Registered{}, map[string]chan struct{}{}
	for _, s := range x.specs {
		x.done[s.name] = make(chan struct{})
	}
	var group sync.WaitGroup
	for _, id := range x.found {
		group.Go(func() {
			if err := x.takeOver(id); err != nil {
				x.fail(err)
			}
		})
	}
	for _, s := range x.specs {
		if x.sequential {
			x.one(s)
			continue
		}
		group.Go(func() { x.one(s) })
	}
	group.Wait()
	if x.failed != nil || len(x.found) > 0 {
		return x.failed
	}
	outputs := map[string]property.Value{"count": property.Number(float64(len(x.specs)))}
	for _, s := range x.specs {
		if v := x.output(source{s.name, "serial"}); s.kind == thing && !v.IsNull() {
			outputs[s.name] = v
		}
	}
	return x.p.monitor.RegisterOutputs(context.Background(), p.stack, property.MapOf(outputs))
}

func (x *performance) one(s *spec) {
	defer close(x.done[s.name])
	for _, n := range s.needs() {
		<-x.done[n]
	}
	x.mu.Lock()
	broken := x.failed != nil && x.sequential
	for _, n := range s.needs() {
		if _, ok := x.answers[n]; !ok {
			broken = true
		}
	}
	x.mu.Unlock()
	if broken {
		x.fail(errBroken)
		return
	}
	got, err := x.register(s)
	if err != nil {
		x.fail(err)
		return
	}
	x.mu.Lock()
	x.answers[s.name] = got
	x.mu.Unlock()
	if s.kind == group && len(s.inputs) > 0 && got.Result == engine.ResultSuccess {
		err := x.p.monitor.RegisterOutputs(context.Background(), got.URN, property.MapOf(x.inputs(s)).With("more", str("x")))
		if err != nil {
			x.fail(err)
		}
	}
}

// takeOver registers something found as a bulk import does.
func (x *performance) takeOver(id string) error {
	r := engine.Registration{
		Type: "fp:index:Thing", Name: id, Custom: true, AcceptsResultReporting: x.reports, AsFound: &resource.AsFound{},
		Options: resource.Options{Parent: x.p.stack, ImportID: id},
	}
	_, err := x.p.monitor.Register(context.Background(), r)
	return err
}

func (x *performance) fail(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failed == nil {
		x.failed = err
	}
}

func (x *performance) answer(name string) engine.Registered {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.answers[name]
}

// ownerOf is the id of what a resource is deleted with: children inherit that.
func (x *performance) ownerOf(u urn.URN) string {
	for name := u.Name(); name != ""; {
		i := slices.IndexFunc(x.specs, func(s *spec) bool { return s.name == name })
		if i < 0 {
			break
		}
		if owner := x.specs[i].deletedWith; owner != "" {
			return string(x.answer(owner).ID)
		}
		name = x.specs[i].parent
	}
	return ""
}

func (x *performance) urn(name string) urn.URN {
	if name == "" {
		return ""
	}
	return x.answer(name).URN
}

// output is what an SDK takes for an output of a registered resource.
func (x *performance) output(s source) property.Value {
	a := x.answer(s.from)
	v := a.Outputs.Get(s.output)
	if a.Unknown || a.Result != engine.ResultSuccess {
		v = property.Unknown()
	}
	return v.WithDependencies([]urn.URN{a.URN})
}

func (x *performance) inputs(s *spec) map[string]property.Value {
	out := map[string]property.Value{}
	for k, v := range s.inputs {
		text := "open " + v
		if k == "s" {
			text = canary + v // secret always; other inputs become secret and open again with the same text
		}
		out[k] = str(text).WithSecret(s.secret[k])
	}
	for k, r := range s.refs {
		if v := x.output(r); !v.IsNull() {
			out[k] = v
		}
	}
	if s.dbrInput {
		out["dbr"] = property.Bool(true)
	}
	if s.secret["s"] && s.inputs["s"] != "" {
		out["nested"] = property.NewList(str("open"), str(canary+s.inputs["s"]).MakeSecret())
	}
	return out
}

func (x *performance) options(s *spec) resource.Options {
	o := resource.Options{
		Parent: x.urn(s.parent), DeletedWith: x.urn(s.deletedWith), DeleteBeforeReplace: s.dbr,
		IgnoreChanges: s.ignore, ReplaceOnChanges: s.replaceOn, ImportID: s.importID,
	}
	if o.Parent == "" {
		o.Parent = x.p.stack
	}
	for _, d := range s.deps {
		o.Dependencies = append(o.Dependencies, x.urn(d))
	}
	for _, d := range s.replaceWith {
		o.ReplaceWith = append(o.ReplaceWith, x.urn(d))
	}
	if s.trigger != "" {
		o.ReplacementTrigger = str(s.trigger[len(s.trigger)-1:]).WithSecret(len(s.trigger) > 1)
	}
	if s.timeouts {
		o.Timeouts = resource.Timeouts{Create: time.Minute, Delete: time.Hour}
	}
	return o
}

func (x *performance) register(s *spec) (engine.Registered, error) {
	ref := ""
	if s.provider != "" {
		p := x.answer(s.provider)
		id := p.ID
		if id == "" {
			id = unknownID
		}
		ref = string(p.URN) + "::" + string(id)
	}
	if s.kind == lookup {
		return x.read(s, ref)
	}
	r := engine.Registration{
		Type: "fp:index:Thing", Name: s.name, Custom: true, Inputs: property.MapOf(x.inputs(s)), Options: x.options(s),
		AcceptsResultReporting: x.reports,
	}
	switch s.kind {
	case group:
		r.Type, r.Custom = "my:index:Group", false
		if ref != "" {
			r.Providers = map[string]string{"fp": ref}
		}
	case provider:
		r.Type = "pulumi:providers:fp"
	case thing, lookup:
		r.Provider = ref
	}
	if s.protect != nil {
		r.Options.Protect, r.Set.Protect = *s.protect, true
	}
	if s.retain != nil {
		r.Options.RetainOnDelete, r.Set.RetainOnDelete = *s.retain, true
	}
	if s.aliased {
		for u := range x.ids {
			if u.Type() == r.Type && (u.Name() == s.name || u.Name() == s.former) {
				r.Options.Aliases = append(r.Options.Aliases, u)
			}
		}
		slices.Sort(r.Options.Aliases)
	}
	return x.p.monitor.Register(context.Background(), r)
}

func (x *performance) read(s *spec, ref string) (engine.Registered, error) {
	id := "external-" + s.name
	o := x.options(s)
	self := urn.New("dev", "proj", o.Parent.QualifiedType(), "fp:index:Thing", s.name)
	if own := x.ids[self]; s.ownID && own != "" {
		id = string(own)
	}
	r := engine.ReadRegistration{
		Type: "fp:index:Thing", Name: s.name, ID: str(id), Inputs: property.MapOf(x.inputs(s)), Provider: ref,
	}
	r.Options.Parent, r.Options.Dependencies = o.Parent, o.Dependencies
	return x.p.monitor.Read(context.Background(), r)
}
