package engine

import (
	"context"
	"errors"
	"maps"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// construct has a provider make a remote component: the provider registers the component and its children with this
// deployment's monitor.
func (d *deployment) construct(_ context.Context, r Registration) (Registered, error) {
	if err := d.inherit(&r); err != nil {
		return d.refused(r, err)
	}
	u := d.urnOf(r)
	if err := notYet(u, r); err != nil {
		return d.refused(r, err)
	}
	goal := resource.Goal{URN: u, Options: r.Options.Clone()}
	_ = foldDependencies(&goal.Options, r.Inputs)
	if blocked := d.blocker(goal); blocked != "" {
		d.trouble(func() { d.markFailed(u) })
		return d.answerFailed(&entry{goal: goal}, ResultSkip, r.AcceptsResultReporting)
	}
	ref, err := d.providerFor(u, r)
	if err != nil {
		return d.refused(r, err)
	}
	p, err := d.providers.at(d.ctx, ref)
	if err != nil {
		return d.refused(r, err)
	}
	resp, err := p.Construct(d.ctx, plugin.ConstructRequest{
		Type: r.Type, Name: r.Name, Inputs: r.Inputs, InputDependencies: r.Options.PropertyDependencies,
		Options: r.Options, Providers: d.handedDown(r), Environment: d.Info(),
	})
	if err != nil {
		var input *plugin.InputError
		if errors.As(err, &input) {
			err = diag.Errorf(u, "%s", input.Error())
		}
		d.trouble(func() { d.markFailed(u) })
		if d.stopped() {
			return Registered{}, ErrShuttingDown
		}
		return d.refused(r, err)
	}
	return Registered{URN: resp.URN, Outputs: resp.State, PropertyDependencies: resp.StateDependencies}, nil
}

// markFailed keeps what depends on a component that is not complete from being made. Called with the lock held.
func (d *deployment) markFailed(u urn.URN) {
	e := d.entries[u]
	if e == nil {
		e = &entry{goal: resource.Goal{URN: u}, done: make(chan struct{})}
		close(e.done)
		d.entries[u] = e
	}
	e.failed = true
}

// handedDown is the map of providers that a remote component gets: its own and those of its parents.
func (d *deployment) handedDown(r Registration) map[string]string {
	out := map[string]string{}
	d.mu.Lock()
	var chain []map[string]string
	for p := r.Options.Parent; p != ""; {
		e := d.entries[p]
		if e == nil {
			break
		}
		chain = append(chain, e.providers)
		p = e.goal.Parent
	}
	d.mu.Unlock()
	for i := len(chain) - 1; i >= 0; i-- {
		maps.Copy(out, chain[i])
	}
	maps.Copy(out, r.Providers)
	if ref, err := urn.ParseProviderRef(r.Provider); err == nil && !ref.IsZero() {
		out[ref.URN.Type().ProviderPackage()] = r.Provider
	}
	return out
}
