package provider_test

import (
	"context"
	"net"
	"testing"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/provider"
	"github.com/cairn-iac/cairn/internal/urn"
)

// raw is a provider as it is on the wire. A call without a function is not implemented.
type raw struct {
	pulumirpc.UnimplementedResourceProviderServer
	HandshakeFn    func(*pulumirpc.ProviderHandshakeRequest) (*pulumirpc.ProviderHandshakeResponse, error)
	ParameterizeFn func(*pulumirpc.ParameterizeRequest) (*pulumirpc.ParameterizeResponse, error)
	SchemaFn       func(*pulumirpc.GetSchemaRequest) (*pulumirpc.GetSchemaResponse, error)
	CheckConfigFn  func(*pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error)
	DiffConfigFn   func(*pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error)
	ConfigureFn    func(*pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error)
	CheckFn        func(*pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error)
	DiffFn         func(*pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error)
	CreateFn       func(context.Context, *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error)
	UpdateFn       func(*pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error)
	DeleteFn       func(*pulumirpc.DeleteRequest) error
	ReadFn         func(*pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error)
	InvokeFn       func(*pulumirpc.InvokeRequest) (*pulumirpc.InvokeResponse, error)
	CallFn         func(*pulumirpc.CallRequest) (*pulumirpc.CallResponse, error)
	ConstructFn    func(*pulumirpc.ConstructRequest) (*pulumirpc.ConstructResponse, error)
}

func do[Q, R any](f func(*Q) (*R, error), q *Q) (*R, error) {
	if f == nil {
		return nil, status.Error(codes.Unimplemented, "no such call")
	}
	return f(q)
}

func (r *raw) Handshake(_ context.Context, q *pulumirpc.ProviderHandshakeRequest) (*pulumirpc.ProviderHandshakeResponse, error) {
	return do(r.HandshakeFn, q)
}

func (r *raw) Parameterize(_ context.Context, q *pulumirpc.ParameterizeRequest) (*pulumirpc.ParameterizeResponse, error) {
	return do(r.ParameterizeFn, q)
}

func (r *raw) Attach(context.Context, *pulumirpc.PluginAttach) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

func (r *raw) GetSchema(_ context.Context, q *pulumirpc.GetSchemaRequest) (*pulumirpc.GetSchemaResponse, error) {
	return do(r.SchemaFn, q)
}

func (r *raw) CheckConfig(_ context.Context, q *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return do(r.CheckConfigFn, q)
}

func (r *raw) DiffConfig(_ context.Context, q *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	return do(r.DiffConfigFn, q)
}

func (r *raw) Configure(_ context.Context, q *pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
	if r.ConfigureFn == nil {
		return &pulumirpc.ConfigureResponse{}, nil
	}
	return r.ConfigureFn(q)
}

func (r *raw) Check(_ context.Context, q *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return do(r.CheckFn, q)
}

func (r *raw) Diff(_ context.Context, q *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	return do(r.DiffFn, q)
}

func (r *raw) Create(ctx context.Context, q *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	if r.CreateFn == nil {
		return nil, status.Error(codes.Unimplemented, "no such call")
	}
	return r.CreateFn(ctx, q)
}

func (r *raw) Update(_ context.Context, q *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	return do(r.UpdateFn, q)
}

func (r *raw) Delete(_ context.Context, q *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	if r.DeleteFn == nil {
		return nil, status.Error(codes.Unimplemented, "no such call")
	}
	return &emptypb.Empty{}, r.DeleteFn(q)
}

func (r *raw) Read(_ context.Context, q *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	return do(r.ReadFn, q)
}

func (r *raw) Invoke(_ context.Context, q *pulumirpc.InvokeRequest) (*pulumirpc.InvokeResponse, error) {
	return do(r.InvokeFn, q)
}

func (r *raw) Call(_ context.Context, q *pulumirpc.CallRequest) (*pulumirpc.CallResponse, error) {
	return do(r.CallFn, q)
}

func (r *raw) Construct(_ context.Context, q *pulumirpc.ConstructRequest) (*pulumirpc.ConstructResponse, error) {
	return do(r.ConstructFn, q)
}

// listen serves on this machine until the test ends.
func listen(t *testing.T, register func(grpc.ServiceRegistrar)) (string, *grpc.Server) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.MaxRecvMsgSize(pluginhost.MessageBytes))
	register(s)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(listener)
	}()
	t.Cleanup(func() {
		s.Stop()
		<-done
	})
	return listener.Addr().String(), s
}

// connection reaches r.
func connection(t *testing.T, r *raw) (pluginhost.Connection, *grpc.Server) {
	t.Helper()
	address, s := listen(t, func(s grpc.ServiceRegistrar) { pulumirpc.RegisterResourceProviderServer(s, r) })
	conn, err := grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(pluginhost.MessageBytes)),
		grpc.WithMaxHeaderListSize(pluginhost.MessageBytes))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return pluginhost.Connection{
		Conn: conn, DialTimeout: 30 * time.Second, Grace: 5 * time.Second,
		Package:  plugin.Package{Name: "pkg"},
		Services: pluginhost.Services{Engine: "engine:1", Mapper: "mapper:2", Loader: "loader:3"},
	}, s
}

func connect(t *testing.T, r *raw) plugin.Provider {
	t.Helper()
	c, _ := connection(t, r)
	p, err := provider.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const (
	providerURN urn.URN = "urn:pulumi:dev::p::pulumi:providers:pkg::default"
	thing       urn.URN = "urn:pulumi:dev::p::pkg:index:Thing::a"
)

// ready connects and configures.
func ready(t *testing.T, r *raw) plugin.Provider {
	t.Helper()
	p := connect(t, r)
	configure(t, p, property.Map{})
	return p
}

func configure(t *testing.T, p plugin.Provider, config property.Map) {
	t.Helper()
	if err := p.Configure(t.Context(), plugin.ConfigureRequest{URN: providerURN, ID: "id", Inputs: config}); err != nil {
		t.Fatal(err)
	}
}

// modern is the handshake of a provider that understands everything.
func modern(*pulumirpc.ProviderHandshakeRequest) (*pulumirpc.ProviderHandshakeResponse, error) {
	return &pulumirpc.ProviderHandshakeResponse{
		AcceptSecrets: true, AcceptResources: true, AcceptOutputs: true, AcceptsByteString: true,
		SupportsAutonamingConfiguration: true, AcceptsOutputsInInvoke: true, AcceptsOutputsInCall: true,
	}, nil
}

// blind is the handshake of a provider that understands plain values only.
func blind(*pulumirpc.ProviderHandshakeRequest) (*pulumirpc.ProviderHandshakeResponse, error) {
	return &pulumirpc.ProviderHandshakeResponse{}, nil
}

func props(kv ...any) property.Map {
	out := map[string]property.Value{}
	for i := 0; i < len(kv); i += 2 {
		v, ok := kv[i+1].(property.Value)
		if s, isText := kv[i+1].(string); isText {
			v, ok = property.String(s), true
		}
		if !ok {
			panic("props takes strings and values")
		}
		out[kv[i].(string)] = v
	}
	return property.MapOf(out)
}

func object(t *testing.T, m map[string]any) *structpb.Struct {
	t.Helper()
	s, err := structpb.NewStruct(m)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func secretOf(text string) property.Value { return property.String(text).MakeSecret() }

// fail makes a status with a detail.
func fail(t *testing.T, code codes.Code, text string, detail any) error {
	t.Helper()
	s := status.New(code, text)
	var err error
	switch d := detail.(type) {
	case *pulumirpc.ErrorResourceInitFailed:
		s, err = s.WithDetails(d)
	case *pulumirpc.ConfigureErrorMissingKeys:
		s, err = s.WithDetails(d)
	case *pulumirpc.InputPropertiesError:
		s, err = s.WithDetails(d)
	case *pulumirpc.ErrorResourceAwaitFailed:
		s, err = s.WithDetails(d)
	case *pulumirpc.ErrorCause:
		s, err = s.WithDetails(d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s.Err()
}

func dialRaw(t *testing.T, port string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///127.0.0.1:"+port, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}
