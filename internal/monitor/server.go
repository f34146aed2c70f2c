package monitor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime/debug"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/property"
)

// maxMessage is the size of the largest message that any party of the protocol sends or takes: 400 MiB.
const maxMessage = 400 << 20

// Options of a server.
type Options struct {
	// Version is what RequirePulumiVersion is checked against: a semantic version without "v".
	Version string
	// ProjectRoot is the absolute folder of the project file; source positions are recorded relative to it.
	ProjectRoot string
	// HashAssets fills in the hashes of assets and archives in the inputs of a registration.
	HashAssets func(context.Context, property.Map) (property.Map, error)
	// Bug is told of a panic in a request: a fault of this program.
	Bug func(cause any, stack []byte)
}

// Server serves one deployment at Address until Close.
type Server struct {
	Address string
	grpc    *grpc.Server
}

// Serve starts a server for a deployment on a free port of the loopback interface.
func Serve(m engine.Monitor, opts Options) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on the loopback interface: %w", err)
	}
	s := &Server{Address: listener.Addr().String()}
	s.grpc = grpc.NewServer(
		grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage), grpc.UnaryInterceptor(recoverPanics(opts.Bug)),
	)
	pulumirpc.RegisterResourceMonitorServer(s.grpc, &monitorService{monitor: m, opts: opts})
	pulumirpc.RegisterEngineServer(s.grpc, &engineService{monitor: m, opts: opts})
	alive := health.NewServer()
	healthpb.RegisterHealthServer(s.grpc, alive)
	go func() {
		// Serve returns when Close stops the server; a listener that fails earlier shows as unavailable to clients.
		_ = s.grpc.Serve(listener)
	}()
	return s, nil
}

// Close ends the server; requests in flight are cut.
func (s *Server) Close() { s.grpc.Stop() }

// recoverPanics keeps a bug in one request from taking the whole deployment down without its state being saved.
func recoverPanics(bug func(any, []byte)) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (resp any, err error) {
		defer func() {
			if cause := recover(); cause != nil {
				if bug != nil {
					bug(cause, debug.Stack())
				}
				err = status.Errorf(codes.Internal, "internal error: %v", cause)
			}
		}()
		return next(ctx, req)
	}
}

// toStatus chooses the gRPC status of an error. SDKs take Unavailable with the shut-down text as a silent exit.
func toStatus(err error, doing string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, engine.ErrShuttingDown):
		return status.Errorf(codes.Unavailable, "resource monitor shut down while %s", doing)
	case errors.Is(err, engine.ErrReported):
		return status.Error(codes.Internal, "resource registration failed")
	}
	if ds, ok := diag.As(err); ok {
		return status.Error(codes.InvalidArgument, ds.Error())
	}
	return status.Error(codes.Unknown, err.Error())
}

func invalid(err error) error { return status.Error(codes.InvalidArgument, err.Error()) }
