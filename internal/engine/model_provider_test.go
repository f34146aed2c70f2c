package engine_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

func (p *modelProvider) Create(_ context.Context, r plugin.CreateRequest) (plugin.CreateResponse, error) {
	if r.Preview {
		return plugin.CreateResponse{Outputs: p.seen(r.Inputs).With("serial", property.Unknown())}, nil
	}
	f, release := p.call("create", r.URN)
	defer release()
	p.known("create", r.URN, r.Inputs)
	for id, other := range p.resources {
		if p.unnamed {
			break
		}
		if name := r.Inputs.Get("name"); !name.IsNull() && other.Get("name").EqualPlain(name) && !p.gone[id] {
			p.problem("create of %s while %s has its name", r.URN, id)
		}
	}
	if f == fails || f == uncertain {
		return plugin.CreateResponse{}, failure(f, "create", r.URN, r.Inputs)
	}
	p.next++
	id := fmt.Sprintf("%s-%d", r.URN.Name(), p.next)
	p.resources[id], p.owners[id] = r.Inputs, r.URN
	if p.attach != nil {
		if to := p.attach(r.URN); to != "" {
			p.attached[id] = to
		}
	}
	outputs := p.seen(r.Inputs).With("serial", property.Number(float64(p.next)))
	err := failure(f, "create", r.URN, r.Inputs)
	var init *plugin.InitError
	if errors.As(err, &init) {
		init.ID, init.Outputs = resource.ID(id), outputs
		if p.tokens {
			token := "token-of-" + id
			init.Outputs = outputs.With("token", property.String(token))
			init.Reasons = append(init.Reasons, "cannot log in with "+token)
		}
	}
	return plugin.CreateResponse{ID: resource.ID(id), Outputs: outputs}, err
}

func (p *modelProvider) Update(_ context.Context, r plugin.UpdateRequest) (plugin.UpdateResponse, error) {
	outputs := p.seen(r.News).With("serial", r.OldOutputs.Get("serial"))
	if r.Preview {
		return plugin.UpdateResponse{Outputs: outputs}, nil
	}
	f, release := p.call("update", r.URN)
	defer release()
	p.known("update", r.URN, r.News)
	if f == fails || f == uncertain {
		return plugin.UpdateResponse{}, failure(f, "update", r.URN, r.News)
	}
	if _, exists := p.resources[string(r.ID)]; !exists {
		return plugin.UpdateResponse{}, fmt.Errorf("update %s: %w", r.ID, errNoSuchResource)
	}
	p.resources[string(r.ID)] = r.News
	err := failure(f, "update", r.URN, r.News)
	var init *plugin.InitError
	if errors.As(err, &init) {
		init.ID, init.Outputs = r.ID, outputs
	}
	return plugin.UpdateResponse{Outputs: outputs}, err
}

// known notes calls that a program's unknown values must not reach.
func (p *modelProvider) known(call string, u urn.URN, inputs property.Map) {
	p.ready(call, u)
	if inputs.ContainsUnknown() {
		p.problem("%s of %s with unknown inputs", call, u)
	}
}

func (p *modelProvider) Delete(_ context.Context, r plugin.DeleteRequest) error {
	f, release := p.call("delete", r.URN)
	defer release()
	p.known("delete", r.URN, r.Inputs)
	if f == fails || f == uncertain || f == partial {
		return failure(min(f, uncertain), "delete", r.URN, r.Inputs)
	}
	if _, exists := p.resources[string(r.ID)]; exists && p.owners[string(r.ID)] == "" {
		p.problem("delete of %s, which is not managed", r.ID)
	}
	p.remove(string(r.ID))
	return failure(f, "delete", r.URN, r.Inputs)
}

func (p *modelProvider) Read(_ context.Context, r plugin.ReadRequest) (plugin.ReadResponse, error) {
	f, release := p.call("read", r.URN)
	defer release()
	p.known("read", r.URN, r.Inputs)
	if f == fails || f == uncertain || f == uncertainDone {
		return plugin.ReadResponse{}, failure(fails, "read", r.URN, r.Inputs)
	}
	inputs, ok := p.resources[string(r.ID)]
	if !ok || p.gone[string(r.ID)] {
		return plugin.ReadResponse{}, nil
	}
	inputs = p.seen(inputs)
	serial := r.State.Get("serial")
	if p.owners[string(r.ID)] == "" {
		serial = property.String("external")
	}
	outputs := inputs.With("serial", serial)
	err := failure(f, "read", r.URN, r.Inputs)
	var init *plugin.InitError
	if errors.As(err, &init) {
		init.ID, init.Inputs, init.Outputs = r.ID, &inputs, outputs
	}
	return plugin.ReadResponse{ID: r.ID, Inputs: &inputs, Outputs: outputs}, err
}

func (p *modelProvider) Invoke(_ context.Context, r plugin.InvokeRequest) (plugin.InvokeResponse, error) {
	return plugin.InvokeResponse{Return: r.Args}, nil
}

func (p *modelProvider) Call(context.Context, plugin.CallRequest) (plugin.CallResponse, error) {
	return plugin.CallResponse{}, plugin.ErrUnimplemented
}

func (p *modelProvider) Construct(_ context.Context, r plugin.ConstructRequest) (plugin.ConstructResponse, error) {
	if p.construct == nil {
		return plugin.ConstructResponse{}, plugin.ErrUnimplemented
	}
	return p.construct(r)
}

func (p *modelProvider) Schema(context.Context) ([]byte, error) { return []byte(`{"name":"fp"}`), nil }

func (p *modelProvider) Info(context.Context) (plugin.Info, error) { return plugin.Info{}, nil }

func (p *modelProvider) Cancel(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.canceled++
	return nil
}

func (p *modelProvider) Close() error { return nil }
