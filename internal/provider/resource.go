package provider

import (
	"context"
	"errors"
	"fmt"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/wire"
)

// Check has the provider check and complete the inputs of a resource.
func (p *client) Check(ctx context.Context, r plugin.CheckRequest) (plugin.CheckResponse, error) {
	s, err := p.settled()
	if err != nil {
		return plugin.CheckResponse{}, err
	}
	if s.unknown {
		return plugin.CheckResponse{Inputs: r.News}, nil
	}
	olds, err := wire.ToStruct(r.Olds, s.peer.Check(r.Preview))
	if err != nil {
		return plugin.CheckResponse{}, fmt.Errorf("old inputs: %w", err)
	}
	news, err := wire.ToStruct(r.News, s.peer.Check(r.Preview))
	if err != nil {
		return plugin.CheckResponse{}, err
	}
	request := &pulumirpc.CheckRequest{
		Urn: string(r.URN), Name: r.URN.Name(), Type: string(r.URN.Type()), Olds: olds, News: news,
		RandomSeed: r.RandomSeed,
	}
	if s.autonaming {
		request.Autonaming = toAutonaming(r.Autonaming)
	}
	var answer *pulumirpc.CheckResponse
	err = p.call(ctx, func(ctx context.Context) (err error) {
		answer, err = p.rpc.Check(ctx, request)
		return err
	})
	if err != nil {
		return plugin.CheckResponse{}, err
	}
	inputs, err := wire.FromStruct(answer.GetInputs(), s.peer.Returned(r.Preview))
	if err != nil {
		return plugin.CheckResponse{}, fmt.Errorf("the checked inputs: %w", err)
	}
	return plugin.CheckResponse{
		Inputs: s.remark(inputs, r.News), Failures: wire.FromFailures(answer.GetFailures()),
		AutonamingIgnored: r.Autonaming != nil && !s.autonaming,
	}, nil
}

// remark restores secret marks on what a provider without secrets answered.
func (s *protocol) remark(outs property.Map, ins ...property.Map) property.Map {
	if s.peer.AcceptSecrets {
		return outs
	}
	return remark(outs, ins...)
}

func toAutonaming(a *plugin.Autonaming) *pulumirpc.CheckRequest_AutonamingOptions {
	if a == nil {
		return nil
	}
	out := &pulumirpc.CheckRequest_AutonamingOptions{ProposedName: a.ProposedName}
	switch a.Mode {
	case "enforce":
		out.Mode = pulumirpc.CheckRequest_AutonamingOptions_ENFORCE
	case "disable":
		out.Mode = pulumirpc.CheckRequest_AutonamingOptions_DISABLE
	default:
		out.Mode = pulumirpc.CheckRequest_AutonamingOptions_PROPOSE
	}
	return out
}

// unavailableDiff is what a preview says about a provider that is not configured.
const unavailableDiff = "The provider for this resource has inputs that are not known during preview.\n" +
	"This preview may not correctly represent the changes that will be applied during an update."

// Diff has the provider compare a resource with new inputs.
func (p *client) Diff(ctx context.Context, r plugin.DiffRequest) (plugin.DiffResponse, error) {
	s, err := p.settled()
	if err != nil {
		return plugin.DiffResponse{}, err
	}
	if s.unknown {
		return plugin.DiffResponse{Unavailable: unavailableDiff}, nil
	}
	request, err := diffRequest(r, s.peer.Diff(r.Preview))
	if err != nil {
		return plugin.DiffResponse{}, err
	}
	var answer *pulumirpc.DiffResponse
	err = p.call(ctx, func(ctx context.Context) (err error) {
		answer, err = p.rpc.Diff(ctx, request)
		return err
	})
	if err != nil {
		return plugin.DiffResponse{}, err
	}
	return wire.FromDiff(answer), nil
}

func diffRequest(r plugin.DiffRequest, o wire.Options) (*pulumirpc.DiffRequest, error) {
	oldInputs, err := wire.ToStruct(r.OldInputs, o)
	if err != nil {
		return nil, fmt.Errorf("old inputs: %w", err)
	}
	olds, err := wire.ToStruct(r.OldOutputs, o)
	if err != nil {
		return nil, fmt.Errorf("old outputs: %w", err)
	}
	news, err := wire.ToStruct(r.News, o)
	if err != nil {
		return nil, err
	}
	return &pulumirpc.DiffRequest{
		Id: string(r.ID), Urn: string(r.URN), Name: r.URN.Name(), Type: string(r.URN.Type()),
		Olds: olds, News: news, OldInputs: oldInputs, IgnoreChanges: r.IgnoreChanges,
	}, nil
}

// Create makes a resource, or predicts one.
func (p *client) Create(ctx context.Context, r plugin.CreateRequest) (plugin.CreateResponse, error) {
	s, err := p.settled()
	switch {
	case err != nil:
		return plugin.CreateResponse{}, err
	case s.unknown && r.Preview:
		return plugin.CreateResponse{}, nil
	case s.unknown:
		_, err := p.known("create " + string(r.URN))
		return plugin.CreateResponse{}, err
	case r.Preview && !s.preview:
		return plugin.CreateResponse{Outputs: r.Inputs}, nil
	}
	inputs, err := wire.ToStruct(r.Inputs, s.peer.News(r.Preview))
	if err != nil {
		return plugin.CreateResponse{}, err
	}
	request := &pulumirpc.CreateRequest{
		Urn: string(r.URN), Name: r.URN.Name(), Type: string(r.URN.Type()), Properties: inputs,
		Timeout: wire.ToSeconds(r.Timeout), Preview: r.Preview,
	}
	var answer *pulumirpc.CreateResponse
	err = p.call(ctx, func(ctx context.Context) (err error) {
		answer, err = p.rpc.Create(ctx, request)
		return err
	})
	outputs := func(answered *structpb.Struct) (property.Map, error) {
		m, err := wire.FromStruct(answered, s.peer.Returned(r.Preview))
		return s.remark(m, r.Inputs), err
	}
	failed, unhealthy := initFailure(err)
	switch {
	case unhealthy:
		return plugin.CreateResponse{}, created(resource.ID(failed.GetId()), r, s.unhealthy(failed, outputs))
	case err != nil:
		return plugin.CreateResponse{}, effect(err)
	case r.Preview:
		m, err := outputs(answer.GetProperties())
		return plugin.CreateResponse{Outputs: m, RefreshBeforeUpdate: answer.GetRefreshBeforeUpdate()}, err
	}
	m, err := outputs(answer.GetProperties())
	id := resource.ID(answer.GetId())
	if err != nil || id == "" {
		return plugin.CreateResponse{}, created(id, r, err)
	}
	return plugin.CreateResponse{ID: id, Outputs: m, RefreshBeforeUpdate: answer.GetRefreshBeforeUpdate()}, nil
}

// created turns what is wrong with the answer to a create that succeeded into an error that keeps the resource: with an
// id it is unhealthy, without one nobody knows what was made.
func created(id resource.ID, r plugin.CreateRequest, err error) error {
	if id == "" {
		return &plugin.UncertainError{Err: errors.Join(err, fmt.Errorf("plugin returned empty resource.ID from create '%s'", r.URN))}
	}
	var unhealthy *plugin.InitError
	if errors.As(err, &unhealthy) {
		return err
	}
	return &plugin.InitError{ID: id, Outputs: r.Inputs, Reasons: []string{fmt.Sprintf("the outputs of the new resource: %v", err)}}
}

// unhealthy makes the error for a resource that exists but did not become healthy.
func (s *protocol) unhealthy(
	f *pulumirpc.ErrorResourceInitFailed, outputs func(*structpb.Struct) (property.Map, error),
) error {
	m, err := outputs(f.GetProperties())
	if err != nil {
		return fmt.Errorf("%s: %w", (&plugin.InitError{Reasons: f.GetReasons()}).Error(), err)
	}
	out := &plugin.InitError{
		ID: resource.ID(f.GetId()), Outputs: m, Reasons: f.GetReasons(), RefreshBeforeUpdate: f.GetRefreshBeforeUpdate(),
	}
	if f.GetInputs() != nil {
		in, err := wire.FromStruct(f.GetInputs(), s.peer.Returned(false))
		if err != nil {
			return fmt.Errorf("the inputs of the resource: %w", err)
		}
		out.Inputs = &in
	}
	return out
}

// Update changes a resource, or predicts how it changes.
func (p *client) Update(ctx context.Context, r plugin.UpdateRequest) (plugin.UpdateResponse, error) {
	s, err := p.settled()
	switch {
	case err != nil:
		return plugin.UpdateResponse{}, err
	case s.unknown && r.Preview:
		return plugin.UpdateResponse{}, nil
	case s.unknown:
		_, err := p.known("update " + string(r.URN))
		return plugin.UpdateResponse{}, err
	case r.Preview && !s.preview:
		return plugin.UpdateResponse{Outputs: r.News}, nil
	}
	request, err := s.updateRequest(r)
	if err != nil {
		return plugin.UpdateResponse{}, err
	}
	var answer *pulumirpc.UpdateResponse
	err = p.call(ctx, func(ctx context.Context) (err error) {
		answer, err = p.rpc.Update(ctx, request)
		return err
	})
	outputs := func(answered *structpb.Struct) (property.Map, error) {
		m, err := wire.FromStruct(answered, s.peer.Returned(r.Preview))
		return restoreAssets(s.remark(m, r.News), r.OldInputs, r.OldOutputs), err
	}
	if failed, unhealthy := initFailure(err); unhealthy {
		return plugin.UpdateResponse{}, updated(r, s.unhealthy(failed, outputs))
	}
	if err != nil {
		return plugin.UpdateResponse{}, effect(err)
	}
	m, err := outputs(answer.GetProperties())
	if err != nil {
		return plugin.UpdateResponse{}, updated(r, fmt.Errorf("the outputs of the changed resource: %w", err))
	}
	return plugin.UpdateResponse{Outputs: m, RefreshBeforeUpdate: answer.GetRefreshBeforeUpdate()}, nil
}

// updated turns what is wrong with the answer to an update that succeeded into an error that keeps the operation.
func updated(r plugin.UpdateRequest, err error) error {
	var unhealthy *plugin.InitError
	switch {
	case errors.As(err, &unhealthy):
		unhealthy.ID = r.ID
		return err
	case r.Preview:
		return err
	default:
		return &plugin.UncertainError{Err: err}
	}
}

func (s *protocol) updateRequest(r plugin.UpdateRequest) (*pulumirpc.UpdateRequest, error) {
	oldInputs, err := wire.ToStruct(r.OldInputs, s.peer.Olds())
	if err != nil {
		return nil, fmt.Errorf("old inputs: %w", err)
	}
	olds, err := wire.ToStruct(r.OldOutputs, s.peer.Olds())
	if err != nil {
		return nil, fmt.Errorf("old outputs: %w", err)
	}
	news, err := wire.ToStruct(r.News, s.peer.News(r.Preview))
	if err != nil {
		return nil, err
	}
	return &pulumirpc.UpdateRequest{
		Id: string(r.ID), Urn: string(r.URN), Name: r.URN.Name(), Type: string(r.URN.Type()), Olds: olds, News: news,
		OldInputs: oldInputs, IgnoreChanges: r.IgnoreChanges, Timeout: wire.ToSeconds(r.Timeout), Preview: r.Preview,
	}, nil
}

// Delete deletes a resource.
func (p *client) Delete(ctx context.Context, r plugin.DeleteRequest) error {
	s, err := p.known("delete " + string(r.URN))
	if err != nil {
		return err
	}
	inputs, err := wire.ToStruct(r.Inputs, s.peer.Olds())
	if err != nil {
		return fmt.Errorf("inputs: %w", err)
	}
	outputs, err := wire.ToStruct(r.Outputs, s.peer.Olds())
	if err != nil {
		return fmt.Errorf("outputs: %w", err)
	}
	request := &pulumirpc.DeleteRequest{
		Id: string(r.ID), Urn: string(r.URN), Name: r.URN.Name(), Type: string(r.URN.Type()), Properties: outputs,
		OldInputs: inputs, Timeout: wire.ToSeconds(r.Timeout),
	}
	return effect(p.call(ctx, func(ctx context.Context) error {
		_, err := p.rpc.Delete(ctx, request)
		return err
	}))
}

// Read gets a resource as it is now. While the configuration is unknown that is what is recorded of it.
func (p *client) Read(ctx context.Context, r plugin.ReadRequest) (plugin.ReadResponse, error) {
	s, err := p.settled()
	if err != nil {
		return plugin.ReadResponse{}, err
	}
	if s.unknown {
		return plugin.ReadResponse{ID: r.ID, Inputs: &r.Inputs, Outputs: r.State}, nil
	}
	state, err := wire.ToStruct(r.State, s.peer.Olds())
	if err != nil {
		return plugin.ReadResponse{}, err
	}
	request := &pulumirpc.ReadRequest{
		Id: string(r.ID), Urn: string(r.URN), Name: r.URN.Name(), Type: string(r.URN.Type()), Properties: state,
		Timeout: wire.ToSeconds(r.Timeout),
	}
	if r.Inputs.Len() > 0 {
		if request.Inputs, err = wire.ToStruct(r.Inputs, s.peer.Olds()); err != nil {
			return plugin.ReadResponse{}, fmt.Errorf("inputs: %w", err)
		}
	}
	var answer *pulumirpc.ReadResponse
	err = p.call(ctx, func(ctx context.Context) (err error) {
		answer, err = p.rpc.Read(ctx, request)
		return err
	})
	return s.read(r, answer, err)
}

// read decodes the answer to Read, or the failure that carries one.
func (s *protocol) read(r plugin.ReadRequest, answer *pulumirpc.ReadResponse, err error) (plugin.ReadResponse, error) {
	decode := func(answered *structpb.Struct, secrets ...property.Map) (property.Map, error) {
		m, err := wire.FromStruct(answered, s.peer.Returned(false))
		return restoreAssets(s.remark(m, secrets...), r.Inputs, r.State), err
	}
	outputs := func(answered *structpb.Struct) (property.Map, error) { return decode(answered, r.State, r.Inputs) }
	if failed, unhealthy := initFailure(err); unhealthy {
		return plugin.ReadResponse{}, s.unhealthy(failed, outputs)
	}
	if err != nil || answer.GetId() == "" || answer.GetProperties() == nil {
		return plugin.ReadResponse{}, err
	}
	out := plugin.ReadResponse{ID: resource.ID(answer.GetId()), RefreshBeforeUpdate: answer.GetRefreshBeforeUpdate()}
	if out.Outputs, err = outputs(answer.GetProperties()); err != nil {
		return plugin.ReadResponse{}, fmt.Errorf("the state that was read: %w", err)
	}
	if answer.GetInputs() != nil {
		inputs, err := decode(answer.GetInputs(), r.Inputs)
		if err != nil {
			return plugin.ReadResponse{}, fmt.Errorf("the inputs that were read: %w", err)
		}
		out.Inputs = &inputs
	}
	return out, nil
}
