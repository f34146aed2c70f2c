package yaml

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// healthInterval is how often a host looks whether its engine is still there.
const healthInterval = 5 * time.Minute

// ServeOptions are what the host needs to be a process of its own.
type ServeOptions struct {
	// Engine is the address of the engine that started the host, "" for none.
	Engine string
	// Version is what GetPluginInfo reports.
	Version string
	// Environment is what child processes get, as NAME=value.
	Environment []string
	// Stdout gets the port, and nothing else. Stderr gets the problems of programs.
	Stdout, Stderr io.Writer
}

// ServeLanguageHost offers the runtime over gRPC, as an engine expects of the process pulumi-language-yaml: it writes
// its port to Stdout and serves until ctx ends or the engine is gone.
func ServeLanguageHost(ctx context.Context, o ServeOptions) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	server := grpc.NewServer(grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage))
	pulumirpc.RegisterLanguageRuntimeServer(server, newService(ctx, o))
	if o.Engine != "" {
		if err := watchEngine(ctx, o.Engine, stop); err != nil {
			return err
		}
	}
	return serve(ctx, server, o.Stdout)
}

// serve runs a server on a free port, which it announces, until ctx ends.
func serve(ctx context.Context, server *grpc.Server, announce io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen on the loopback interface: %w", err)
	}
	addr, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return errors.Join(fmt.Errorf("unexpected address %s", listener.Addr()), listener.Close())
	}
	if _, err := fmt.Fprintf(announce, "%d\n", addr.Port); err != nil {
		return errors.Join(fmt.Errorf("announce the port: %w", err), listener.Close())
	}
	defer context.AfterFunc(ctx, server.Stop)()
	if err := server.Serve(listener); err != nil && ctx.Err() == nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// watchEngine calls gone when the engine no longer answers. An engine without a health service is taken to be well.
func watchEngine(ctx context.Context, address string, gone func()) error {
	conn, err := dial(address)
	if err != nil {
		return err
	}
	go func() {
		ticks := time.NewTicker(healthInterval)
		defer ticks.Stop()
		defer conn.Close()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
			}
			_, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{})
			if err != nil && status.Code(err) != codes.Unimplemented {
				gone()
				return
			}
		}
	}()
	return nil
}
