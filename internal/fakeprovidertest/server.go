package fakeprovidertest

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
)

// DefaultVersion is what the provider reports when nobody says otherwise.
const DefaultVersion = "1.0.0"

// maxMessage is the message size of both directions in bytes, as the engine's.
const maxMessage = 400 << 20

// Options configure a provider.
type Options struct {
	// Ledger is the folder of the cloud and the call log. Required.
	Ledger string
	// Control is the control file; empty means no faults until the provider's configuration names one.
	Control string
	// Version is reported unless the control file has one; empty means [DefaultVersion].
	Version string
	// Exit ends the process for a crash. In a test process [Start] cuts all connections instead.
	Exit func(code int)
}

// Server is the provider behind its protocol.
type Server struct {
	pulumirpc.UnimplementedResourceProviderServer

	opts     Options
	ledger   *Ledger
	canceled chan struct{}
	cancel   func()

	mu      sync.Mutex
	control string // path
}

// NewServer opens the ledger.
func NewServer(opts Options) (*Server, error) {
	if opts.Ledger == "" {
		return nil, errors.New("the provider needs a ledger folder: set " + EnvLedger)
	}
	if _, err := readControl(opts.Control); err != nil {
		return nil, err
	}
	ledger, err := OpenLedger(opts.Ledger)
	if err != nil {
		return nil, err
	}
	canceled := make(chan struct{})
	return &Server{
		opts:     opts,
		ledger:   ledger,
		canceled: canceled,
		cancel:   sync.OnceFunc(func() { close(canceled) }),
		control:  opts.Control,
	}, nil
}

// grpcServer makes a server of the provider, with every call logged and at the mercy of the control file.
func (s *Server) grpcServer() *grpc.Server {
	server := grpc.NewServer(
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxSendMsgSize(maxMessage),
		grpc.UnaryInterceptor(s.intercept),
	)
	pulumirpc.RegisterResourceProviderServer(server, s)
	return server
}

// intercept logs every call, applies its faults and lets the method do its work in between.
func (s *Server) intercept(
	ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler,
) (any, error) {
	call, err := describe(path.Base(info.FullMethod), request)
	if err != nil {
		return nil, err
	}
	call, key, err := s.ledger.calls.begin(call)
	if err != nil {
		return nil, status.Errorf(codes.FailedPrecondition, "log call: %v", err)
	}
	response, failure := s.perform(ctx, call, func(ctx context.Context) (any, error) { return handle(ctx, request) })
	if failure != nil {
		call.Error, call.Code = status.Convert(failure).Message(), status.Code(failure).String()
	} else if message, ok := response.(proto.Message); ok {
		if call.Response, err = protojson.Marshal(message); err != nil {
			return nil, status.Errorf(codes.Internal, "log response: %v", err)
		}
	}
	if err := s.ledger.calls.end(key, call); err != nil {
		return nil, status.Errorf(codes.FailedPrecondition, "log call: %v", err)
	}
	return response, failure
}

func (s *Server) perform(ctx context.Context, call Call, work func(context.Context) (any, error)) (any, error) {
	control, err := s.faults()
	if err != nil {
		return nil, status.Error(codes.FailedPrecondition, err.Error())
	}
	if control.ErrorAll != codes.OK {
		return nil, status.Error(control.ErrorAll, "told to fail every call")
	}
	rule := control.ruleFor(call)
	if err := s.before(ctx, rule); err != nil {
		return nil, err
	}
	response, err := work(withRule(ctx, rule))
	if err != nil {
		return nil, err
	}
	if err := s.after(ctx, rule); err != nil {
		return nil, err
	}
	return response, nil
}

func (s *Server) faults() (Control, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return readControl(s.control)
}

func (s *Server) setControl(file string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.control = file
}

// describe reads from a request what the log and the rules need.
func describe(method string, request any) (Call, error) {
	call := Call{Method: method}
	if message, ok := request.(proto.Message); ok {
		text, err := protojson.Marshal(message)
		if err != nil {
			return call, status.Errorf(codes.InvalidArgument, "log request: %v", err)
		}
		call.Request = text
	}
	if r, ok := request.(interface{ GetUrn() string }); ok {
		call.URN = r.GetUrn()
		call.Name = urnName(call.URN)
	}
	if r, ok := request.(interface{ GetName() string }); ok && r.GetName() != "" {
		call.Name = r.GetName()
	}
	if r, ok := request.(interface{ GetTok() string }); ok {
		call.Name = r.GetTok()
	}
	if r, ok := request.(interface{ GetId() string }); ok {
		call.ID = r.GetId()
	}
	if r, ok := request.(interface{ GetPreview() bool }); ok {
		call.Preview = r.GetPreview()
	}
	if r, ok := request.(interface{ GetDryRun() bool }); ok {
		call.Preview = r.GetDryRun()
	}
	return call, nil
}

// Handshake implements the provider protocol.
func (s *Server) Handshake(
	context.Context, *pulumirpc.ProviderHandshakeRequest,
) (*pulumirpc.ProviderHandshakeResponse, error) {
	control, err := s.faults()
	if err != nil {
		return nil, err
	}
	if control.NoPreview {
		return nil, status.Error(codes.Unimplemented, "told to be an old provider")
	}
	return &pulumirpc.ProviderHandshakeResponse{
		AcceptSecrets:   !control.SecretsBlind,
		AcceptResources: true,
		AcceptOutputs:   true,
	}, nil
}

// Attach implements the provider protocol; the provider never calls the engine on its own.
func (s *Server) Attach(context.Context, *pulumirpc.PluginAttach) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// GetPluginInfo implements the provider protocol.
func (s *Server) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	version, err := s.version()
	return &pulumirpc.PluginInfo{Version: version}, err
}

func (s *Server) version() (string, error) {
	control, err := s.faults()
	switch {
	case err != nil:
		return "", err
	case control.Version != "":
		return control.Version, nil
	case s.opts.Version != "":
		return s.opts.Version, nil
	}
	return DefaultVersion, nil
}

// GetSchema implements the provider protocol.
func (s *Server) GetSchema(
	_ context.Context, request *pulumirpc.GetSchemaRequest,
) (*pulumirpc.GetSchemaResponse, error) {
	if request.GetSubpackageName() != "" {
		return nil, status.Error(codes.InvalidArgument, "fp has no parameterization")
	}
	version, err := s.version()
	if err != nil {
		return nil, err
	}
	text, err := schemaJSON(version)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &pulumirpc.GetSchemaResponse{Schema: text}, nil
}

// Cancel implements the provider protocol: sleeping calls end.
func (s *Server) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	s.cancel()
	return &emptypb.Empty{}, nil
}
