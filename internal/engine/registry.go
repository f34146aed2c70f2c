package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// UnknownID is the id of a provider that a preview would create. It is the protocol's unknown string, because provider
// references carry it as text.
const UnknownID = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

// registry holds the running providers. Each provider resource has an instance of its own; instances of recorded
// providers that the program did not register are started when a delete or refresh needs them.
type registry struct {
	d       *deployment
	manager *providerManager
	builtin plugin.Provider

	mu     sync.Mutex
	byRef  map[urn.ProviderRef]*instance
	loaded []plugin.Provider
}

// instance is a provider that is ready, or being made ready: ready is closed then.
type instance struct {
	provider plugin.Provider
	err      error
	ready    chan struct{}
	inputs   property.Map
	outputs  property.Map
}

func newRegistry(d *deployment) *registry {
	r := &registry{d: d, byRef: map[urn.ProviderRef]*instance{}}
	r.manager = &providerManager{registry: r, pending: map[urn.URN]plugin.Provider{}}
	r.builtin = newBuiltin(d)
	return r
}

// For implements exec.Providers.
func (r *registry) For(ctx context.Context, s *resource.State) (plugin.Provider, error) {
	switch {
	case s.IsProvider():
		return r.manager, nil
	case s.Type.Package() == builtinPackage && s.Custom:
		return r.builtin, nil
	case s.Provider.IsZero():
		return nil, fmt.Errorf("%s has no provider", s.URN)
	}
	return r.at(ctx, s.Provider)
}

// at gives the provider a reference names; a recorded one is started if need be.
func (r *registry) at(ctx context.Context, ref urn.ProviderRef) (plugin.Provider, error) {
	r.mu.Lock()
	in, running := r.byRef[ref]
	if !running {
		in = &instance{ready: make(chan struct{})}
		r.byRef[ref] = in
	}
	r.mu.Unlock()
	if !running {
		in.provider, in.err = r.start(ctx, ref, in)
		close(in.ready)
	}
	select {
	case <-in.ready:
		return in.provider, in.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// put makes a configured provider reachable under a reference.
func (r *registry) put(ref urn.ProviderRef, in *instance) {
	in.ready = make(chan struct{})
	close(in.ready)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byRef[ref] = in
}

// start makes a recorded provider run with its recorded inputs. A default provider follows today's configuration, so
// that credentials that were rotated since do not come back from state.
func (r *registry) start(ctx context.Context, ref urn.ProviderRef, in *instance) (plugin.Provider, error) {
	recorded := r.recorded(ref)
	if recorded == nil {
		return nil, fmt.Errorf("the provider %s is not part of the state; if it was removed by hand, register it again in "+
			"the program", ref)
	}
	in.inputs, in.outputs = recorded.Inputs, recorded.Outputs
	if ref.URN.IsDefaultProvider() {
		for k, v := range r.d.packageConfig(ref.URN.Type().ProviderPackage()) {
			in.inputs = in.inputs.With(k, v)
		}
	}
	p, err := r.load(ctx, ref.URN, in.inputs)
	if err != nil {
		return nil, err
	}
	if err := p.Configure(ctx, plugin.ConfigureRequest{URN: ref.URN, ID: recorded.ID, Inputs: in.inputs}); err != nil {
		return nil, fmt.Errorf("configure provider %s: %w", ref.URN, err)
	}
	return p, nil
}

// recorded is what is recorded of a provider instance, nil when nothing is.
func (r *registry) recorded(ref urn.ProviderRef) *resource.State {
	r.d.mu.Lock()
	defer r.d.mu.Unlock()
	ref.URN = r.d.presentURN(ref.URN)
	return r.d.record.provider(ref)
}

// load starts the plugin that a provider resource asks for.
func (r *registry) load(ctx context.Context, u urn.URN, inputs property.Map) (plugin.Provider, error) {
	if u.Type().ProviderPackage() == builtinPackage {
		return r.builtin, nil
	}
	pkg, opts, err := packageOf(u.Type().ProviderPackage(), inputs)
	if err != nil {
		return nil, fmt.Errorf("provider %s: %w", u, err)
	}
	p, err := r.d.deps.Host.Load(ctx, pkg, opts)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.loaded = append(r.loaded, p)
	return p, nil
}

// configDiff asks the new provider of a resource whether moving from the old one needs new resources.
func (r *registry) configDiff(ctx context.Context, older, newer urn.ProviderRef) (*plugin.DiffResponse, error) {
	p, err := r.at(ctx, newer)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	next := r.byRef[newer]
	r.mu.Unlock()
	recorded := r.recorded(older)
	if recorded == nil {
		// Nothing is known of the old provider: only its package can be compared, and that is part of the type.
		return &plugin.DiffResponse{Changes: plugin.ChangesNone}, nil
	}
	resp, err := p.DiffConfig(ctx, plugin.DiffRequest{
		URN: newer.URN, ID: resource.ID(older.ID), OldInputs: publicInputs(recorded.Inputs),
		OldOutputs: publicInputs(recorded.Outputs), News: publicInputs(next.inputs), Preview: r.d.op.Preview,
	})
	if errors.Is(err, plugin.ErrUnimplemented) {
		return &plugin.DiffResponse{}, nil
	}
	if err != nil {
		return nil, err
	}
	return &resp, nil
}

// cancel tells every provider to abort gracefully. None waits for another one that does not answer.
func (r *registry) cancel() {
	var group sync.WaitGroup
	for _, p := range r.running() {
		// A provider that cannot be told will be closed in the end.
		group.Go(func() { _ = p.Cancel(context.WithoutCancel(r.d.ctx)) })
	}
	group.Wait()
}

func (r *registry) running() []plugin.Provider {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]plugin.Provider(nil), r.loaded...)
}

func (r *registry) close() {
	var group sync.WaitGroup
	for _, p := range r.running() {
		group.Go(func() { _ = p.Close() }) // the operation is over; the host ends what does not end itself
	}
	group.Wait()
}
