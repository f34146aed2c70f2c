package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// providerManager is the provider of provider resources: checking one starts its plugin, creating or keeping one
// configures it.
type providerManager struct {
	registry *registry

	mu      sync.Mutex
	pending map[urn.URN]plugin.Provider // started by Check, not configured yet
}

// Check starts the plugin and has it check its configuration.
func (m *providerManager) Check(ctx context.Context, r plugin.CheckRequest) (plugin.CheckResponse, error) {
	p, err := m.registry.load(ctx, r.URN, r.News)
	if err != nil {
		return plugin.CheckResponse{}, err
	}
	m.mu.Lock()
	m.pending[r.URN] = p
	m.mu.Unlock()
	resp, err := p.CheckConfig(ctx, plugin.CheckRequest{
		URN: r.URN, Olds: publicInputs(r.Olds), News: publicInputs(r.News), Preview: r.Preview,
	})
	if errors.Is(err, plugin.ErrUnimplemented) {
		return plugin.CheckResponse{Inputs: r.News}, nil
	}
	if err != nil || len(resp.Failures) > 0 {
		return resp, err
	}
	// What the engine put there stays, whatever the provider returned.
	for _, key := range []string{"version", internalKey} {
		if v, ok := r.News.Lookup(key); ok {
			resp.Inputs = resp.Inputs.With(key, v)
		}
	}
	return resp, nil
}

// Diff has the new plugin compare configurations; the recorded one does where the program has not registered the
// provider yet.
func (m *providerManager) Diff(ctx context.Context, r plugin.DiffRequest) (plugin.DiffResponse, error) {
	m.mu.Lock()
	p := m.pending[r.URN]
	m.mu.Unlock()
	if p == nil {
		var err error
		if p, err = m.registry.at(ctx, urn.ProviderRef{URN: r.URN, ID: string(r.ID)}); err != nil {
			return plugin.DiffResponse{}, err
		}
	}
	q := r
	q.OldInputs, q.OldOutputs, q.News = publicInputs(r.OldInputs), publicInputs(r.OldOutputs), publicInputs(r.News)
	resp, err := p.DiffConfig(ctx, q)
	if err != nil {
		return resp, err
	}
	if !resp.Replace() && !r.OldInputs.EqualPlain(r.News) && resp.Changes != plugin.ChangesSome {
		// A new version or source alone changes the provider resource, not what it manages.
		return plugin.DiffResponse{Changes: plugin.ChangesUnknown}, nil
	}
	return resp, nil
}

// Create configures a new provider. In a preview its id is the unknown one, as references show it.
func (m *providerManager) Create(ctx context.Context, r plugin.CreateRequest) (plugin.CreateResponse, error) {
	id := resource.ID(UnknownID)
	if !r.Preview {
		id = resource.ID(uuid.NewString())
	}
	if err := m.Configure(ctx, plugin.ConfigureRequest{URN: r.URN, ID: id, Inputs: r.Inputs}); err != nil {
		return plugin.CreateResponse{}, err
	}
	return plugin.CreateResponse{ID: id, Outputs: publicInputs(r.Inputs)}, nil
}

// Update configures the provider anew under its old id.
func (m *providerManager) Update(ctx context.Context, r plugin.UpdateRequest) (plugin.UpdateResponse, error) {
	err := m.Configure(ctx, plugin.ConfigureRequest{URN: r.URN, ID: r.ID, Inputs: r.News})
	return plugin.UpdateResponse{Outputs: publicInputs(r.News)}, err
}

// Configure makes a started provider ready for its resources.
func (m *providerManager) Configure(ctx context.Context, r plugin.ConfigureRequest) error {
	p, err := m.take(r.URN)
	if err != nil {
		return err
	}
	if err := p.Configure(ctx, plugin.ConfigureRequest{URN: r.URN, ID: r.ID, Inputs: publicInputs(r.Inputs)}); err != nil {
		return fmt.Errorf("configure provider %s: %w", r.URN, err)
	}
	ref := urn.ProviderRef{URN: r.URN, ID: string(r.ID)}
	m.registry.put(ref, &instance{provider: p, inputs: r.Inputs, outputs: publicInputs(r.Inputs)})
	return nil
}

// Delete has nothing to do: the plugin ends with the operation.
func (m *providerManager) Delete(context.Context, plugin.DeleteRequest) error { return nil }

func (m *providerManager) take(u urn.URN) (plugin.Provider, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.pending[u]
	if p == nil {
		return nil, fmt.Errorf("provider %s was not checked before it was used; this is a bug of this program", u)
	}
	delete(m.pending, u)
	return p, nil
}

// The rest of the provider service does not apply to provider resources.

func (m *providerManager) Read(_ context.Context, r plugin.ReadRequest) (plugin.ReadResponse, error) {
	return plugin.ReadResponse{}, fmt.Errorf("provider resources cannot be read: %s", r.URN)
}

func (m *providerManager) CheckConfig(context.Context, plugin.CheckRequest) (plugin.CheckResponse, error) {
	return plugin.CheckResponse{}, plugin.ErrUnimplemented
}

func (m *providerManager) DiffConfig(context.Context, plugin.DiffRequest) (plugin.DiffResponse, error) {
	return plugin.DiffResponse{}, plugin.ErrUnimplemented
}

func (m *providerManager) Invoke(context.Context, plugin.InvokeRequest) (plugin.InvokeResponse, error) {
	return plugin.InvokeResponse{}, plugin.ErrUnimplemented
}

func (m *providerManager) Call(context.Context, plugin.CallRequest) (plugin.CallResponse, error) {
	return plugin.CallResponse{}, plugin.ErrUnimplemented
}

func (m *providerManager) Construct(context.Context, plugin.ConstructRequest) (plugin.ConstructResponse, error) {
	return plugin.ConstructResponse{}, plugin.ErrUnimplemented
}

func (m *providerManager) Schema(context.Context) ([]byte, error) {
	return nil, plugin.ErrUnimplemented
}

func (m *providerManager) Info(context.Context) (plugin.Info, error) { return plugin.Info{}, nil }

func (m *providerManager) Cancel(context.Context) error { return nil }

func (m *providerManager) Close() error { return nil }
