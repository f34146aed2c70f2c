package fakeprovidertest

import (
	"context"
	"fmt"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// TypeComp is the token of the remote component. Its inputs: count of children (1 when not set), delay in
// milliseconds between the component's registration and its children's, and v and force for every child. Its
// outputs: things (references), ids, and value (the v that came in).
const TypeComp = "fp:index:Comp"

// maxChildren keeps a wrong count from filling the ledger.
const maxChildren = 1000

// Construct implements the provider protocol.
func (s *Server) Construct(
	ctx context.Context, r *pulumirpc.ConstructRequest,
) (*pulumirpc.ConstructResponse, error) {
	if r.GetType() != TypeComp {
		return nil, status.Errorf(codes.InvalidArgument, "fp has no component %q", r.GetType())
	}
	connection, err := grpc.NewClient("passthrough:///"+r.GetMonitorEndpoint(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)))
	if err != nil {
		return nil, fmt.Errorf("dial monitor: %w", err)
	}
	defer connection.Close()
	build := construction{request: r, monitor: pulumirpc.NewResourceMonitorClient(connection), canceled: s.canceled}
	return build.run(ctx)
}

// construction is one component in the making.
type construction struct {
	request  *pulumirpc.ConstructRequest
	monitor  pulumirpc.ResourceMonitorClient
	canceled <-chan struct{}
	urn      string
}

func (c *construction) run(ctx context.Context) (*pulumirpc.ConstructResponse, error) {
	count, delay, err := c.inputs()
	if err != nil {
		return nil, err
	}
	component, err := c.monitor.RegisterResource(ctx, c.componentRequest())
	if err != nil {
		return nil, err
	}
	c.urn = component.GetUrn()
	select {
	case <-time.After(delay):
	case <-c.canceled:
		return nil, status.Error(codes.Canceled, "canceled")
	case <-ctx.Done():
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	var things, ids []*structpb.Value
	var children []string
	for i := range count {
		child, err := c.child(ctx, i)
		if err != nil {
			return nil, err
		}
		children = append(children, child.GetUrn())
		ids = append(ids, knownID(child))
		things = append(things, reference(child))
	}
	state := &structpb.Struct{Fields: map[string]*structpb.Value{
		"things": structpb.NewListValue(&structpb.ListValue{Values: things}),
		"ids":    structpb.NewListValue(&structpb.ListValue{Values: ids}),
	}}
	if v, ok := c.request.GetInputs().GetFields()[propV]; ok {
		state.Fields["value"] = v
	}
	if _, err := c.monitor.RegisterResourceOutputs(ctx, &pulumirpc.RegisterResourceOutputsRequest{
		Urn: c.urn, Outputs: state,
	}); err != nil {
		return nil, err
	}
	depends := &pulumirpc.ConstructResponse_PropertyDependencies{Urns: children}
	return &pulumirpc.ConstructResponse{
		Urn:   c.urn,
		State: state,
		StateDependencies: map[string]*pulumirpc.ConstructResponse_PropertyDependencies{
			"things": depends, "ids": depends,
		},
	}, nil
}

func (c *construction) inputs() (count int, delay time.Duration, err error) {
	count = 1
	fields := c.request.GetInputs().GetFields()
	if v, ok := fields["count"]; ok {
		count = int(plain(v).GetNumberValue())
	}
	if count < 0 || count > maxChildren {
		invalid, err := status.New(codes.InvalidArgument, "invalid inputs").WithDetails(
			&pulumirpc.InputPropertiesError{Errors: []*pulumirpc.InputPropertiesError_PropertyError{
				{PropertyPath: "count", Reason: fmt.Sprintf("must be between 0 and %d", maxChildren)},
			}})
		if err != nil {
			return 0, 0, err
		}
		return 0, 0, invalid.Err()
	}
	return count, time.Duration(plain(fields["delay"]).GetNumberValue()) * time.Millisecond, nil
}

// componentRequest hands the options of the program's registration on to the component's own.
func (c *construction) componentRequest() *pulumirpc.RegisterResourceRequest {
	r := c.request
	request := &pulumirpc.RegisterResourceRequest{
		Type:                    r.GetType(),
		Name:                    r.GetName(),
		Parent:                  r.GetParent(),
		Object:                  r.GetInputs(),
		Dependencies:            r.GetDependencies(),
		PropertyDependencies:    map[string]*pulumirpc.RegisterResourceRequest_PropertyDependencies{},
		Protect:                 r.Protect,
		Providers:               r.GetProviders(),
		Aliases:                 r.GetAliases(),
		AliasSpecs:              true,
		AdditionalSecretOutputs: r.GetAdditionalSecretOutputs(),
		DeletedWith:             r.GetDeletedWith(),
		IgnoreChanges:           r.GetIgnoreChanges(),
		ReplaceOnChanges:        r.GetReplaceOnChanges(),
		RetainOnDelete:          r.RetainOnDelete,
		ReplaceWith:             r.GetReplaceWith(),
		ReplacementTrigger:      r.GetReplacementTrigger(),
		AcceptSecrets:           true,
		AcceptResources:         true,
		SupportsPartialValues:   true,
		SupportsResultReporting: true,
	}
	for property, d := range r.GetInputDependencies() {
		request.PropertyDependencies[property] =
			&pulumirpc.RegisterResourceRequest_PropertyDependencies{Urns: d.GetUrns()}
	}
	if r.DeleteBeforeReplace != nil {
		request.DeleteBeforeReplace, request.DeleteBeforeReplaceDefined = r.GetDeleteBeforeReplace(), true
	}
	if t := r.GetCustomTimeouts(); t != nil {
		request.CustomTimeouts = &pulumirpc.RegisterResourceRequest_CustomTimeouts{
			Create: t.GetCreate(), Update: t.GetUpdate(), Delete: t.GetDelete(),
		}
	}
	return request
}

func (c *construction) child(ctx context.Context, index int) (*pulumirpc.RegisterResourceResponse, error) {
	request := &pulumirpc.RegisterResourceRequest{
		Type:                    TypeThing,
		Name:                    fmt.Sprintf("%s-%d", c.request.GetName(), index),
		Parent:                  c.urn,
		Custom:                  true,
		Object:                  orEmpty(nil),
		PropertyDependencies:    map[string]*pulumirpc.RegisterResourceRequest_PropertyDependencies{},
		AliasSpecs:              true,
		AcceptSecrets:           true,
		AcceptResources:         true,
		SupportsPartialValues:   true,
		SupportsResultReporting: true,
	}
	for _, property := range []string{propV, propForce} {
		value, ok := c.request.GetInputs().GetFields()[property]
		if !ok {
			continue
		}
		request.Object.Fields[property] = value
		urns := c.request.GetInputDependencies()[property].GetUrns()
		request.PropertyDependencies[property] = &pulumirpc.RegisterResourceRequest_PropertyDependencies{Urns: urns}
		request.Dependencies = append(request.Dependencies, urns...)
	}
	child, err := c.monitor.RegisterResource(ctx, request)
	if err == nil && child.GetResult() == pulumirpc.Result_FAIL {
		err = status.Errorf(codes.Aborted, "child %s failed", request.GetName())
	}
	return child, err
}

// knownID is the child's id, or the unknown one of a preview.
func knownID(child *pulumirpc.RegisterResourceResponse) *structpb.Value {
	if child.GetId() == "" {
		return structpb.NewStringValue(unknownString)
	}
	return structpb.NewStringValue(child.GetId())
}

func reference(child *pulumirpc.RegisterResourceResponse) *structpb.Value {
	return structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
		signatureKey: structpb.NewStringValue(resourceSignature),
		"urn":        structpb.NewStringValue(child.GetUrn()),
		"id":         knownID(child),
	}})
}
