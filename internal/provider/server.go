package provider

import (
	"context"
	"fmt"
	"sync"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
	"github.com/cairn-iac/cairn/internal/wire"
)

// Register serves a provider on a gRPC server. The server must accept large messages (pluginhost.MessageBytes).
func Register(s grpc.ServiceRegistrar, p plugin.Provider) {
	pulumirpc.RegisterResourceProviderServer(s, newServer(p))
}

// server serves a plugin.Provider.
type server struct {
	// What a plugin.Provider has no call for is not implemented.
	pulumirpc.UnimplementedResourceProviderServer
	p plugin.Provider
	// attach is called with the engine's address when an engine attaches.
	attach func(address string)

	mu   sync.Mutex
	peer wire.EnginePeer
}

func newServer(p plugin.Provider) *server {
	// Until an engine says otherwise it is taken to understand everything but byte strings, which are newer.
	return &server{
		p: p, attach: func(string) {}, peer: wire.EnginePeer{AcceptSecrets: true, AcceptResources: true},
	}
}

// encode sends properties to the engine.
func (s *server) encode(m property.Map) (*structpb.Struct, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return encoded(wire.ToStruct(m, s.peer.Response()))
}

func (s *server) encodeComponent(m property.Map) (*structpb.Struct, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return encoded(wire.ToStruct(m, s.peer.ComponentResponse()))
}

func encoded(m *structpb.Struct, err error) (*structpb.Struct, error) {
	if err != nil {
		// The work is done, and its result cannot be told.
		return nil, status.Errorf(codes.Internal, "the provider's answer cannot be sent: %v", err)
	}
	return m, nil
}

// decode reads properties of a request.
func decode(what string, m *structpb.Struct) (property.Map, error) {
	out, err := wire.FromStruct(m, wire.ProviderRequest())
	if err != nil {
		return out, status.Errorf(codes.InvalidArgument, "%s: %v", what, err)
	}
	return out, nil
}

// decodeAll reads several at once and fails with the first error.
func decodeAll(fields ...field) error {
	for _, f := range fields {
		m, err := decode(f.name, f.from)
		if err != nil {
			return err
		}
		*f.to = m
	}
	return nil
}

type field struct {
	name string
	from *structpb.Struct
	to   *property.Map
}

// parseURN reads the URN of a request, to which name and type must fit when they are given.
func parseURN(text, name, typ string) (urn.URN, error) {
	u, err := urn.Parse(text)
	switch {
	case err != nil:
		return "", status.Error(codes.InvalidArgument, err.Error())
	case name != "" && name != u.Name():
		return "", status.Error(codes.InvalidArgument, "name in request does not match URN")
	case typ != "" && typ != string(u.Type()):
		return "", status.Error(codes.InvalidArgument, "type in request does not match URN")
	}
	return u, nil
}

// Handshake agrees that everything is accepted.
func (s *server) Handshake(
	_ context.Context, r *pulumirpc.ProviderHandshakeRequest,
) (*pulumirpc.ProviderHandshakeResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.peer.AcceptByteStrings = r.GetAcceptsByteString()
	return &pulumirpc.ProviderHandshakeResponse{
		AcceptSecrets: true, AcceptResources: true, AcceptOutputs: true, SupportsAutonamingConfiguration: true,
		AcceptsByteString: true,
	}, nil
}

// Attach takes the address of an engine that found us running.
func (s *server) Attach(_ context.Context, r *pulumirpc.PluginAttach) (*emptypb.Empty, error) {
	s.attach(r.GetAddress())
	return &emptypb.Empty{}, nil
}

// GetPluginInfo tells the version.
func (s *server) GetPluginInfo(ctx context.Context, _ *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	info, err := s.p.Info(ctx)
	if err != nil {
		return nil, s.failure(err)
	}
	return &pulumirpc.PluginInfo{Version: info.Version}, nil
}

// GetSchema gives the schema.
func (s *server) GetSchema(ctx context.Context, r *pulumirpc.GetSchemaRequest) (*pulumirpc.GetSchemaResponse, error) {
	if v := r.GetVersion(); v != 0 {
		return nil, status.Errorf(codes.InvalidArgument, "unsupported schema version %d", v)
	}
	schema, err := s.p.Schema(ctx)
	if err != nil {
		return nil, s.failure(err)
	}
	return &pulumirpc.GetSchemaResponse{Schema: string(schema)}, nil
}

// Cancel aborts what goes on.
func (s *server) Cancel(ctx context.Context, _ *emptypb.Empty) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, s.failure(s.p.Cancel(ctx))
}

// CheckConfig checks the configuration.
func (s *server) CheckConfig(ctx context.Context, r *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return s.check(ctx, r, s.p.CheckConfig)
}

// Check checks the inputs of a resource.
func (s *server) Check(ctx context.Context, r *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return s.check(ctx, r, s.p.Check)
}

func (s *server) check(
	ctx context.Context, r *pulumirpc.CheckRequest,
	check func(context.Context, plugin.CheckRequest) (plugin.CheckResponse, error),
) (*pulumirpc.CheckResponse, error) {
	u, err := parseURN(r.GetUrn(), r.GetName(), r.GetType())
	if err != nil {
		return nil, err
	}
	q := plugin.CheckRequest{URN: u, RandomSeed: r.GetRandomSeed(), Autonaming: fromAutonaming(r.GetAutonaming())}
	if err := decodeAll(field{"old inputs", r.GetOlds(), &q.Olds}, field{"new inputs", r.GetNews(), &q.News}); err != nil {
		return nil, err
	}
	// The request does not say so, but unknowns come in previews only.
	q.Preview = q.News.ContainsUnknown() || q.Olds.ContainsUnknown()
	resp, err := check(ctx, q)
	if err != nil {
		return nil, s.failure(err)
	}
	inputs, err := s.encode(resp.Inputs)
	if err != nil {
		return nil, err
	}
	return &pulumirpc.CheckResponse{Inputs: inputs, Failures: wire.ToFailures(resp.Failures)}, nil
}

func fromAutonaming(a *pulumirpc.CheckRequest_AutonamingOptions) *plugin.Autonaming {
	if a == nil {
		return nil
	}
	out := &plugin.Autonaming{ProposedName: a.GetProposedName(), Mode: "propose"}
	switch a.GetMode() {
	case pulumirpc.CheckRequest_AutonamingOptions_ENFORCE:
		out.Mode = "enforce"
	case pulumirpc.CheckRequest_AutonamingOptions_DISABLE:
		out.Mode = "disable"
	default:
	}
	return out
}

// DiffConfig compares configurations.
func (s *server) DiffConfig(ctx context.Context, r *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	return s.diff(ctx, r, s.p.DiffConfig)
}

// Diff compares a resource with new inputs.
func (s *server) Diff(ctx context.Context, r *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	return s.diff(ctx, r, s.p.Diff)
}

func (s *server) diff(
	ctx context.Context, r *pulumirpc.DiffRequest,
	diff func(context.Context, plugin.DiffRequest) (plugin.DiffResponse, error),
) (*pulumirpc.DiffResponse, error) {
	u, err := parseURN(r.GetUrn(), r.GetName(), r.GetType())
	if err != nil {
		return nil, err
	}
	q := plugin.DiffRequest{URN: u, ID: idOf(r), IgnoreChanges: r.GetIgnoreChanges()}
	if err := decodeAll(
		field{"old inputs", r.GetOldInputs(), &q.OldInputs}, field{"old outputs", r.GetOlds(), &q.OldOutputs},
		field{"new inputs", r.GetNews(), &q.News},
	); err != nil {
		return nil, err
	}
	q.Preview = q.News.ContainsUnknown()
	resp, err := diff(ctx, q)
	if err != nil {
		return nil, s.failure(err)
	}
	if resp.Unavailable != "" {
		resp = plugin.DiffResponse{Changes: plugin.ChangesUnknown}
	}
	return wire.ToDiff(resp), nil
}

// Configure takes the configuration. Old engines send it as text.
func (s *server) Configure(ctx context.Context, r *pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
	q := plugin.ConfigureRequest{URN: urn.URN(r.GetUrn()), ID: idOf(r)}
	if r.GetArgs() == nil {
		q.Inputs = fromVariables(r.GetVariables())
	} else if err := decodeAll(field{"configuration", r.GetArgs(), &q.Inputs}); err != nil {
		return nil, err
	}
	if err := s.p.Configure(ctx, q); err != nil {
		return nil, s.failure(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.peer.AcceptSecrets, s.peer.AcceptResources = r.GetAcceptSecrets(), r.GetAcceptResources()
	return &pulumirpc.ConfigureResponse{
		AcceptSecrets: true, AcceptResources: true, AcceptOutputs: true, SupportsPreview: true,
		SupportsAutonamingConfiguration: true,
	}, nil
}

// failure is the status for an error of the provider.
func (s *server) failure(err error) error {
	if err == nil {
		return nil
	}
	out, encodeErr := toStatus(err, s.encode)
	if encodeErr != nil {
		return fmt.Errorf("%w (while telling: %w)", encodeErr, err)
	}
	return out
}
