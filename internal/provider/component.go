package provider

import (
	"context"
	"errors"
	"fmt"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
	"github.com/cairn-iac/cairn/internal/wire"
)

// Invoke calls a function. What its arguments depend on, its result depends on.
func (p *client) Invoke(ctx context.Context, r plugin.InvokeRequest) (plugin.InvokeResponse, error) {
	s, err := p.settled()
	if err != nil || s.unknown {
		return plugin.InvokeResponse{}, err
	}
	args, err := wire.ToStruct(r.Args, s.peer.Invoke())
	if err != nil {
		return plugin.InvokeResponse{}, err
	}
	request := &pulumirpc.InvokeRequest{Tok: r.Token, Args: args, Preview: r.Preview}
	var answer *pulumirpc.InvokeResponse
	err = p.call(ctx, func(ctx context.Context) (err error) {
		answer, err = p.rpc.Invoke(ctx, request)
		return err
	})
	if err != nil {
		return plugin.InvokeResponse{}, err
	}
	out, err := wire.FromStruct(answer.GetReturn(), s.peer.InvokeReturned(r.Preview))
	if err != nil {
		return plugin.InvokeResponse{}, fmt.Errorf("the result of %s: %w", r.Token, err)
	}
	if !s.peer.AcceptSecrets && r.Args.ContainsSecret() {
		out = allSecret(out)
	}
	if !s.peer.AcceptOutputsInInvoke {
		out = dependOn(out, property.FromMap(r.Args).AllDependencies(), nil)
	}
	return plugin.InvokeResponse{Return: out, Failures: wire.FromFailures(answer.GetFailures())}, nil
}

// dependOn adds dependencies to every value of m: all of them, and those of its key.
func dependOn(m property.Map, all []urn.URN, of map[string][]urn.URN) property.Map {
	if len(all) == 0 && len(of) == 0 {
		return m
	}
	out := m.Clone()
	for k, v := range out {
		deps := append(append(v.Dependencies()[:len(v.Dependencies()):len(v.Dependencies())], all...), of[k]...)
		out[k] = v.WithDependencies(deps)
	}
	return property.MapOf(out)
}

// Call calls a method of a component.
func (p *client) Call(ctx context.Context, r plugin.CallRequest) (plugin.CallResponse, error) {
	s, err := p.settled()
	if err != nil || s.unknown {
		return plugin.CallResponse{}, err
	}
	args, err := wire.ToStruct(r.Args, s.peer.Call())
	if err != nil {
		return plugin.CallResponse{}, err
	}
	e := r.Environment
	request := &pulumirpc.CallRequest{
		Tok: r.Token, Args: args, Project: e.Project, Stack: e.Stack, Organization: e.Organization, Config: e.Config,
		ConfigSecretKeys: e.ConfigSecretKeys, DryRun: e.Preview, Parallel: int32(e.Parallel),
		MonitorEndpoint: e.MonitorAddress, AcceptsOutputValues: true,
		ArgDependencies: wire.ToDependencies(r.ArgDependencies, func(urns []string) *pulumirpc.CallRequest_ArgumentDependencies {
			return &pulumirpc.CallRequest_ArgumentDependencies{Urns: urns}
		}),
	}
	var answer *pulumirpc.CallResponse
	err = p.call(ctx, func(ctx context.Context) (err error) {
		answer, err = p.rpc.Call(ctx, request)
		return err
	})
	if err != nil {
		return plugin.CallResponse{}, err
	}
	out, err := wire.FromStruct(answer.GetReturn(), s.peer.ComponentReturned())
	if err != nil {
		return plugin.CallResponse{}, fmt.Errorf("the result of %s: %w", r.Token, err)
	}
	deps, err := wire.FromDependencies(answer.GetReturnDependencies())
	if err != nil {
		return plugin.CallResponse{}, fmt.Errorf("the result of %s: %w", r.Token, err)
	}
	if !s.peer.AcceptOutputsInCall {
		out = dependOn(out, property.FromMap(r.Args).AllDependencies(), deps)
	}
	return plugin.CallResponse{
		Return: out, ReturnDependencies: deps, Failures: wire.FromFailures(answer.GetFailures()),
	}, nil
}

// Construct makes a component, whose resources the provider registers with our monitor.
func (p *client) Construct(ctx context.Context, r plugin.ConstructRequest) (plugin.ConstructResponse, error) {
	s, err := p.settled()
	switch {
	case err != nil:
		return plugin.ConstructResponse{}, err
	case s.unknown:
		return registerBare(ctx, r)
	case !s.peer.AcceptSecrets:
		return plugin.ConstructResponse{}, errors.New("plugins that can construct components must support secrets")
	}
	request, err := s.constructRequest(r)
	if err != nil {
		return plugin.ConstructResponse{}, err
	}
	var answer *pulumirpc.ConstructResponse
	err = p.call(ctx, func(ctx context.Context) (err error) {
		answer, err = p.rpc.Construct(ctx, request)
		return err
	})
	if err != nil {
		return plugin.ConstructResponse{}, err
	}
	out := plugin.ConstructResponse{}
	if out.URN, err = urn.Parse(answer.GetUrn()); err != nil {
		return out, fmt.Errorf("the provider made %s %q: %w", r.Type, r.Name, err)
	}
	if out.State, err = wire.FromStruct(answer.GetState(), s.peer.ComponentReturned()); err != nil {
		return out, fmt.Errorf("the outputs of %s: %w", out.URN, err)
	}
	if out.StateDependencies, err = wire.FromDependencies(answer.GetStateDependencies()); err != nil {
		return out, fmt.Errorf("the outputs of %s: %w", out.URN, err)
	}
	return out, nil
}

func (s *protocol) constructRequest(r plugin.ConstructRequest) (*pulumirpc.ConstructRequest, error) {
	inputs, err := wire.ToStruct(r.Inputs, s.peer.Construct())
	if err != nil {
		return nil, err
	}
	o, e := r.Options, r.Environment
	request := &pulumirpc.ConstructRequest{
		Project: e.Project, Stack: e.Stack, Organization: e.Organization, Config: e.Config,
		ConfigSecretKeys: e.ConfigSecretKeys, DryRun: e.Preview, Parallel: int32(e.Parallel),
		MonitorEndpoint: e.MonitorAddress, AcceptsOutputValues: true,
		Type: string(r.Type), Name: r.Name, Parent: string(o.Parent), Inputs: inputs, Providers: r.Providers,
		Dependencies: wire.ToURNs(o.Dependencies), AdditionalSecretOutputs: o.AdditionalSecretOutputs,
		DeletedWith: string(o.DeletedWith), DeleteBeforeReplace: o.DeleteBeforeReplace, IgnoreChanges: o.IgnoreChanges,
		ReplaceOnChanges: o.ReplaceOnChanges, ReplaceWith: wire.ToURNs(o.ReplaceWith),
		Protect: whenTrue(o.Protect), RetainOnDelete: whenTrue(o.RetainOnDelete), ResourceHooks: toHooks(o.Hooks),
		InputDependencies: wire.ToDependencies(r.InputDependencies, func(urns []string) *pulumirpc.ConstructRequest_PropertyDependencies {
			return &pulumirpc.ConstructRequest_PropertyDependencies{Urns: urns}
		}),
	}
	for _, a := range o.Aliases {
		request.Aliases = append(request.Aliases, &pulumirpc.Alias{Alias: &pulumirpc.Alias_Urn{Urn: string(a)}})
	}
	if t := o.Timeouts; !t.IsZero() {
		request.CustomTimeouts = &pulumirpc.ConstructRequest_CustomTimeouts{
			Create: wire.ToDuration(t.Create), Update: wire.ToDuration(t.Update),
			Delete: wire.ToDuration(t.Delete), Read: wire.ToDuration(t.Read),
		}
	}
	if !o.ReplacementTrigger.IsNull() {
		if request.ReplacementTrigger, err = wire.ToValue(o.ReplacementTrigger, wire.ReplacementTrigger()); err != nil {
			return nil, fmt.Errorf("replacementTrigger: %w", err)
		}
	}
	return request, nil
}

// whenTrue leaves an option that is not set to the component's children.
func whenTrue(b bool) *bool {
	if !b {
		return nil
	}
	return &b
}

func toHooks(h map[string][]string) *pulumirpc.ConstructRequest_ResourceHooksBinding {
	if len(h) == 0 {
		return nil
	}
	return &pulumirpc.ConstructRequest_ResourceHooksBinding{
		BeforeCreate: h["BeforeCreate"], AfterCreate: h["AfterCreate"],
		BeforeUpdate: h["BeforeUpdate"], AfterUpdate: h["AfterUpdate"],
		BeforeDelete: h["BeforeDelete"], AfterDelete: h["AfterDelete"], OnError: h["OnError"],
	}
}

// registerBare registers the component that a provider without configuration cannot make, in its place.
func registerBare(ctx context.Context, r plugin.ConstructRequest) (plugin.ConstructResponse, error) {
	conn, err := grpc.NewClient("passthrough:///"+r.Environment.MonitorAddress,
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(pluginhost.MessageBytes)))
	if err != nil {
		return plugin.ConstructResponse{}, fmt.Errorf("could not connect to resource monitor: %w", err)
	}
	defer conn.Close()
	answer, err := pulumirpc.NewResourceMonitorClient(conn).RegisterResource(ctx, &pulumirpc.RegisterResourceRequest{
		Type: string(r.Type), Name: r.Name, Parent: string(r.Options.Parent),
	})
	if err != nil {
		return plugin.ConstructResponse{}, errors.New(status.Convert(err).Message())
	}
	return plugin.ConstructResponse{URN: urn.URN(answer.GetUrn())}, nil
}

// The timeouts and hooks of a component that we serve.

func fromHooks(b *pulumirpc.ConstructRequest_ResourceHooksBinding) map[string][]string {
	if b == nil {
		return nil
	}
	out := map[string][]string{}
	for k, names := range map[string][]string{
		"BeforeCreate": b.GetBeforeCreate(), "AfterCreate": b.GetAfterCreate(),
		"BeforeUpdate": b.GetBeforeUpdate(), "AfterUpdate": b.GetAfterUpdate(),
		"BeforeDelete": b.GetBeforeDelete(), "AfterDelete": b.GetAfterDelete(), "OnError": b.GetOnError(),
	} {
		if len(names) > 0 {
			out[k] = names
		}
	}
	return out
}

// fromConstructOptions decodes the options of a component.
func fromConstructOptions(r *pulumirpc.ConstructRequest) (resource.Options, error) {
	o := resource.Options{
		Parent: urn.URN(r.GetParent()), Protect: r.GetProtect(), RetainOnDelete: r.GetRetainOnDelete(),
		DeleteBeforeReplace: r.DeleteBeforeReplace, DeletedWith: urn.URN(r.GetDeletedWith()),
		IgnoreChanges: r.GetIgnoreChanges(), ReplaceOnChanges: r.GetReplaceOnChanges(),
		AdditionalSecretOutputs: r.GetAdditionalSecretOutputs(), Hooks: fromHooks(r.GetResourceHooks()),
	}
	var err error
	if o.Dependencies, err = wire.FromURNs(r.GetDependencies()); err != nil {
		return o, fmt.Errorf("dependencies: %w", err)
	}
	if o.ReplaceWith, err = wire.FromURNs(r.GetReplaceWith()); err != nil {
		return o, fmt.Errorf("replaceWith: %w", err)
	}
	for _, a := range r.GetAliases() {
		if u := a.GetUrn(); u != "" {
			o.Aliases = append(o.Aliases, urn.URN(u))
		}
	}
	if o.Timeouts, err = wire.FromTimeouts(r.GetCustomTimeouts()); err != nil {
		return o, err
	}
	o.ReplacementTrigger, err = wire.FromValue(r.GetReplacementTrigger(), wire.ReplacementTrigger())
	return o, err
}
