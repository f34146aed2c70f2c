package provider

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/urn"
	"github.com/cairn-iac/cairn/internal/wire"
)

// Create makes a resource.
func (s *server) Create(ctx context.Context, r *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	u, err := parseURN(r.GetUrn(), r.GetName(), r.GetType())
	if err != nil {
		return nil, err
	}
	q := plugin.CreateRequest{URN: u, Timeout: wire.FromSeconds(r.GetTimeout()), Preview: r.GetPreview()}
	if err := decodeAll(field{"inputs", r.GetProperties(), &q.Inputs}); err != nil {
		return nil, err
	}
	resp, err := s.p.Create(ctx, q)
	if err != nil {
		return nil, s.failure(err)
	}
	outputs, err := s.encode(resp.Outputs)
	if err != nil {
		return nil, err
	}
	return &pulumirpc.CreateResponse{
		Id: string(resp.ID), Properties: outputs, RefreshBeforeUpdate: resp.RefreshBeforeUpdate,
	}, nil
}

// Update changes a resource.
func (s *server) Update(ctx context.Context, r *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	u, err := parseURN(r.GetUrn(), r.GetName(), r.GetType())
	if err != nil {
		return nil, err
	}
	q := plugin.UpdateRequest{
		URN: u, ID: idOf(r), IgnoreChanges: r.GetIgnoreChanges(), Timeout: wire.FromSeconds(r.GetTimeout()),
		Preview: r.GetPreview(),
	}
	if err := decodeAll(
		field{"old inputs", r.GetOldInputs(), &q.OldInputs}, field{"old outputs", r.GetOlds(), &q.OldOutputs},
		field{"new inputs", r.GetNews(), &q.News},
	); err != nil {
		return nil, err
	}
	resp, err := s.p.Update(ctx, q)
	if err != nil {
		return nil, s.failure(err)
	}
	outputs, err := s.encode(resp.Outputs)
	if err != nil {
		return nil, err
	}
	return &pulumirpc.UpdateResponse{Properties: outputs, RefreshBeforeUpdate: resp.RefreshBeforeUpdate}, nil
}

// Delete deletes a resource.
func (s *server) Delete(ctx context.Context, r *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	u, err := parseURN(r.GetUrn(), r.GetName(), r.GetType())
	if err != nil {
		return nil, err
	}
	q := plugin.DeleteRequest{URN: u, ID: idOf(r), Timeout: wire.FromSeconds(r.GetTimeout())}
	if err := decodeAll(
		field{"inputs", r.GetOldInputs(), &q.Inputs}, field{"outputs", r.GetProperties(), &q.Outputs},
	); err != nil {
		return nil, err
	}
	return &emptypb.Empty{}, s.failure(s.p.Delete(ctx, q))
}

// Read gets a resource as it is now; without an id and properties it is gone.
func (s *server) Read(ctx context.Context, r *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	u, err := parseURN(r.GetUrn(), r.GetName(), r.GetType())
	if err != nil {
		return nil, err
	}
	q := plugin.ReadRequest{URN: u, ID: idOf(r), Timeout: wire.FromSeconds(r.GetTimeout())}
	if err := decodeAll(
		field{"inputs", r.GetInputs(), &q.Inputs}, field{"state", r.GetProperties(), &q.State},
	); err != nil {
		return nil, err
	}
	resp, err := s.p.Read(ctx, q)
	if err != nil {
		return nil, s.failure(err)
	}
	out := &pulumirpc.ReadResponse{Id: string(resp.ID), RefreshBeforeUpdate: resp.RefreshBeforeUpdate}
	if resp.ID == "" {
		return out, nil
	}
	if out.Properties, err = s.encode(resp.Outputs); err != nil {
		return nil, err
	}
	if resp.Inputs != nil {
		if out.Inputs, err = s.encode(*resp.Inputs); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Invoke calls a function.
func (s *server) Invoke(ctx context.Context, r *pulumirpc.InvokeRequest) (*pulumirpc.InvokeResponse, error) {
	q := plugin.InvokeRequest{Token: r.GetTok(), Preview: r.GetPreview()}
	if err := decodeAll(field{"arguments", r.GetArgs(), &q.Args}); err != nil {
		return nil, err
	}
	resp, err := s.p.Invoke(ctx, q)
	if err != nil {
		return nil, s.failure(err)
	}
	out, err := s.encode(resp.Return)
	if err != nil {
		return nil, err
	}
	return &pulumirpc.InvokeResponse{Return: out, Failures: wire.ToFailures(resp.Failures)}, nil
}

// Call calls a method of a component.
func (s *server) Call(ctx context.Context, r *pulumirpc.CallRequest) (*pulumirpc.CallResponse, error) {
	args, err := wire.FromStruct(r.GetArgs(), wire.ComponentRequest())
	if err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "arguments: %v", err)
	}
	deps, err := wire.FromDependencies(r.GetArgDependencies())
	if err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "arguments: %v", err)
	}
	resp, err := s.p.Call(ctx, plugin.CallRequest{
		Token: r.GetTok(), Args: args, ArgDependencies: deps, Environment: plugin.Environment{
			Organization: r.GetOrganization(), Project: r.GetProject(), Stack: r.GetStack(), Config: r.GetConfig(),
			ConfigSecretKeys: r.GetConfigSecretKeys(), Preview: r.GetDryRun(), Parallel: int(r.GetParallel()),
			MonitorAddress: r.GetMonitorEndpoint(),
		},
	})
	if err != nil {
		return nil, s.failure(err)
	}
	out, err := s.encodeComponent(resp.Return)
	if err != nil {
		return nil, err
	}
	return &pulumirpc.CallResponse{
		Return: out, Failures: wire.ToFailures(resp.Failures),
		ReturnDependencies: wire.ToDependencies(resp.ReturnDependencies, func(urns []string) *pulumirpc.CallResponse_ReturnDependencies {
			return &pulumirpc.CallResponse_ReturnDependencies{Urns: urns}
		}),
	}, nil
}

// Construct makes a component.
func (s *server) Construct(ctx context.Context, r *pulumirpc.ConstructRequest) (*pulumirpc.ConstructResponse, error) {
	inputs, err := wire.FromStruct(r.GetInputs(), wire.ComponentRequest())
	if err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "inputs: %v", err)
	}
	deps, err := wire.FromDependencies(r.GetInputDependencies())
	if err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "inputs: %v", err)
	}
	options, err := fromConstructOptions(r)
	if err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "options: %v", err)
	}
	resp, err := s.p.Construct(ctx, plugin.ConstructRequest{
		Type: urn.Type(r.GetType()), Name: r.GetName(), Inputs: inputs, InputDependencies: deps, Options: options,
		Providers: r.GetProviders(), Environment: plugin.Environment{
			Organization: r.GetOrganization(), Project: r.GetProject(), Stack: r.GetStack(), Config: r.GetConfig(),
			ConfigSecretKeys: r.GetConfigSecretKeys(), Preview: r.GetDryRun(), Parallel: int(r.GetParallel()),
			MonitorAddress: r.GetMonitorEndpoint(),
		},
	})
	if err != nil {
		return nil, s.failure(err)
	}
	state, err := s.encodeComponent(resp.State)
	if err != nil {
		return nil, err
	}
	return &pulumirpc.ConstructResponse{
		Urn: string(resp.URN), State: state,
		StateDependencies: wire.ToDependencies(resp.StateDependencies, func(urns []string) *pulumirpc.ConstructResponse_PropertyDependencies {
			return &pulumirpc.ConstructResponse_PropertyDependencies{Urns: urns}
		}),
	}, nil
}
