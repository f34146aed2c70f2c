package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginhost"
)

// ServeOptions say what a plugin process serves.
type ServeOptions struct {
	// Args are the command line without the program's name: flags, then the engine's address. Without an address an
	// engine is waited for, which attaches.
	Args []string
	// Environ and Dir are the environment and working directory of the process.
	Environ []string
	Dir     string
	// Stdout gets the line with the port. Nothing else may be written to it before that.
	Stdout io.Writer
	// New makes the provider, as for a built-in one.
	New func(pluginhost.BuiltinLaunch) (plugin.Provider, error)
}

// stopTime is how long calls in flight may take once we are asked to end. The engine kills us after the same time.
const stopTime = 5 * time.Second

// Serve is the main function of a provider plugin: it prints the port, serves until it is interrupted, the context ends
// or the engine is gone, and gives calls in flight a moment to end.
func Serve(ctx context.Context, o ServeOptions) (err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	address, err := engineAddress(o.Args)
	if err != nil {
		return err
	}
	engine := &engine{}
	defer engine.close()
	p, err := o.New(pluginhost.BuiltinLaunch{Environ: o.Environ, Dir: o.Dir, Log: engine.log})
	if err != nil {
		return fmt.Errorf("start the provider: %w", err)
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	ctx, end := context.WithCancel(ctx)
	defer end()
	served := newServer(p)
	served.attach = func(address string) { engine.watch(ctx, address, end) }
	if address != "" {
		served.attach(address)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	g := grpc.NewServer(grpc.MaxRecvMsgSize(pluginhost.MessageBytes))
	pulumirpc.RegisterResourceProviderServer(g, served)
	healthpb.RegisterHealthServer(g, health.NewServer())
	failed := make(chan error, 1)
	go func() { failed <- g.Serve(listener) }()
	if _, err := fmt.Fprintf(o.Stdout, "%d\n", listener.Addr().(*net.TCPAddr).Port); err != nil {
		g.Stop()
		return fmt.Errorf("tell the port: %w", err)
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
		finish(g, p)
		return nil
	}
}

// finish lets calls in flight end, having told the provider to hurry.
func finish(g *grpc.Server, p plugin.Provider) {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The process ends whatever this says.
		_ = p.Cancel(ctx)
		g.GracefulStop()
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	g.Stop()
}

// engineAddress finds the engine's address among flags that every plugin may get.
func engineAddress(args []string) (string, error) {
	address := ""
	for i := 0; i < len(args); i++ {
		flag, _, hasValue := strings.Cut(args[i], "=")
		switch {
		case flag == "--logtostderr" || flag == "-logtostderr":
		case flag == "-v" || flag == "--v" || flag == "--tracing" || flag == "-tracing":
			if !hasValue {
				i++
			}
		case strings.HasPrefix(flag, "-"):
			return "", fmt.Errorf("unknown flag %s", flag)
		case address != "":
			return "", errors.New("more than one argument: expected the engine's address")
		default:
			address = args[i]
		}
	}
	return address, nil
}
