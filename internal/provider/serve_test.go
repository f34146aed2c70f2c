package provider_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/provider"
	"github.com/cairn-iac/cairn/internal/providertest"
)

// engine is an engine service that notes messages.
type engine struct {
	pulumirpc.UnimplementedEngineServer
	logs chan *pulumirpc.LogRequest
}

func (e *engine) Log(_ context.Context, r *pulumirpc.LogRequest) (*emptypb.Empty, error) {
	e.logs <- r
	return &emptypb.Empty{}, nil
}

// process is a plugin that Serve runs in this process.
type process struct {
	port string
	done chan error
}

// serve runs Serve until it ends or the test does.
func serve(t *testing.T, f func(pluginhost.BuiltinLaunch) (plugin.Provider, error), args ...string) process {
	t.Helper()
	r, w := io.Pipe()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		done <- provider.Serve(ctx, provider.ServeOptions{Args: args, Stdout: w, New: f})
		w.Close()
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("no port: %v, %v", err, <-done)
	}
	return process{port: strings.TrimSpace(line), done: done}
}

func TestServeEndsWithItsEngine(t *testing.T) {
	t.Parallel()
	e := &engine{logs: make(chan *pulumirpc.LogRequest, 1)}
	address, server := listen(t, func(s grpc.ServiceRegistrar) { pulumirpc.RegisterEngineServer(s, e) })
	canceled := make(chan struct{})
	p := serve(t, func(l pluginhost.BuiltinLaunch) (plugin.Provider, error) {
		return &fake{
			CancelFn: func() error {
				close(canceled)
				return nil
			},
			ConfigureFn: func(plugin.ConfigureRequest) error {
				l.Log(plugin.Log{Severity: diag.Warning, Message: "careful", URN: thing, StreamID: 3, Ephemeral: true})
				return nil
			},
		}, nil
	}, "--logtostderr", "-v=9", "--tracing", "http://x", address)
	client := providertest.Dial(t, "127.0.0.1:"+p.port)
	if info, err := client.Info(t.Context()); err != nil || info.Version != "1.2.3" {
		t.Errorf("got %+v, %v", info, err)
	}
	// An engine that attaches takes the place of the one on the command line.
	reattach(t, p.port, pluginhost.Services{Engine: address})
	configure(t, client, props())
	log := <-e.logs
	if log.GetMessage() != "careful" || log.GetSeverity() != pulumirpc.LogSeverity_WARNING || log.GetUrn() != string(thing) ||
		log.GetStreamId() != 3 || !log.GetEphemeral() {
		t.Errorf("got %v", log)
	}
	server.Stop()
	if err := <-p.done; err != nil {
		t.Error(err)
	}
	<-canceled
}

func reattach(t *testing.T, port string, s pluginhost.Services) {
	t.Helper()
	conn := dialRaw(t, port)
	if _, err := pulumirpc.NewResourceProviderClient(conn).Attach(t.Context(), &pulumirpc.PluginAttach{Address: s.Engine}); err != nil {
		t.Fatal(err)
	}
}

func TestServeRefuses(t *testing.T) {
	t.Parallel()
	broken := errors.New("no license")
	for says, o := range map[string]provider.ServeOptions{
		"unknown flag --colour": {Args: []string{"--colour", "127.0.0.1:1"}},
		"more than one":         {Args: []string{"127.0.0.1:1", "again"}},
		"no license":            {New: func(pluginhost.BuiltinLaunch) (plugin.Provider, error) { return nil, broken }},
		"tell the port": {Stdout: closedWriter{}, New: func(pluginhost.BuiltinLaunch) (plugin.Provider, error) {
			return &fake{}, nil
		}},
	} {
		if err := provider.Serve(t.Context(), o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v", says, err)
		}
	}
}

type closedWriter struct{}

func (closedWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestServeLetsCallsEnd(t *testing.T) {
	t.Parallel()
	started, finish := make(chan struct{}), make(chan struct{})
	r, w := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- provider.Serve(ctx, provider.ServeOptions{Stdout: w, New: func(pluginhost.BuiltinLaunch) (plugin.Provider, error) {
			return &fake{
				CreateFn: func(plugin.CreateRequest) (plugin.CreateResponse, error) {
					close(started)
					<-finish
					return plugin.CreateResponse{ID: "x"}, nil
				},
				// The end is told to the provider, which hurries then.
				CancelFn: func() error {
					close(finish)
					return nil
				},
			}, nil
		}})
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	p := providertest.Dial(t, "127.0.0.1:"+strings.TrimSpace(line))
	configure(t, p, props())
	made := make(chan error, 1)
	go func() {
		resp, err := p.Create(context.WithoutCancel(ctx), plugin.CreateRequest{URN: thing})
		if err == nil && resp.ID != "x" {
			err = errors.New("no id")
		}
		made <- err
	}()
	<-started
	stop()
	if err := <-made; err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
