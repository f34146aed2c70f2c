package pluginhost_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/provider"
)

// The test binary is its own set of plugins: with this variable it behaves as the plugin that it names.
const modeVariable = "CAIRN_TEST_PLUGIN"

// pidVariable names a file to which a plugin appends its process id and those it starts.
const pidVariable = "CAIRN_TEST_PIDS"

func TestMain(m *testing.M) {
	if fakeprovidertest.Invoked(os.Args[0]) {
		notePID(os.Getpid())
		os.Exit(fakeprovidertest.Main(context.Background(), fakeprovidertest.Process{
			Args: os.Args, Getenv: os.Getenv, Stdout: os.Stdout, Stderr: os.Stderr, Exit: os.Exit,
		}))
	}
	mode := os.Getenv(modeVariable)
	if mode == "" {
		os.Exit(m.Run())
	}
	os.Exit(behave(mode))
}

func behave(mode string) int {
	if mode == "engine" {
		return runHost()
	}
	notePID(os.Getpid())
	if strings.Contains(os.Args[0], "pulumi-language-") {
		return runLanguage()
	}
	switch mode {
	case "ok":
		return serve(&thingProvider{})
	case "old":
		return serve(&thingProvider{version: "0.1.0"})
	case "base":
		fmt.Println(listen(&base{}))
		wait()
	case "garbage":
		fmt.Println("Segmentation fault (core dumped)")
		wait()
	case "silent":
		fmt.Fprintln(os.Stderr, "thinking...")
		wait()
	case "endless":
		for {
			fmt.Print(strings.Repeat("x", 1<<16))
		}
	case "exit":
		fmt.Fprintln(os.Stderr, "panic: cannot start")
		return 3
	case "partial":
		fmt.Print("12")
	case "escapes":
		port := listen(&hostile{})
		fmt.Printf("\x1b]9;4;3;\x1b\\ %d \x1b]9;4;0;\x1b\\\r\n", port)
		wait()
	case "nobody":
		fmt.Println(1)
		wait()
	case "mute":
		l, _ := net.Listen("tcp", "127.0.0.1:0")
		fmt.Println(l.Addr().(*net.TCPAddr).Port)
		wait()
	case "errors":
		fmt.Println(listen(&hostile{err: status.Error(codes.Internal, "everything is broken")}))
		wait()
	case "stubborn":
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
		fmt.Println(listen(&hostile{stubborn: true}))
		wait()
	case "family":
		child := exec.Command("sleep", "1000")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			return 1
		}
		notePID(child.Process.Pid)
		return serve(&thingProvider{})
	case "flood":
		port := listen(&hostile{})
		fmt.Println(port)
		for i := range 2000 {
			fmt.Printf("line %d\n", i)
		}
		wait()
	}
	return 0
}

// wait blocks until the process is killed or interrupted.
func wait() {
	for {
		time.Sleep(time.Hour)
	}
}

func notePID(pid int) {
	f, err := os.OpenFile(os.Getenv(pidVariable), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		fmt.Fprintln(f, pid)
		f.Close()
	}
}

func serve(p plugin.Provider) int {
	err := provider.Serve(context.Background(), provider.ServeOptions{
		Args: os.Args[1:], Stdout: os.Stdout, Environ: os.Environ(),
		New: func(pluginhost.BuiltinLaunch) (plugin.Provider, error) { return p, nil },
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func listen(s pulumirpc.ResourceProviderServer) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	g := grpc.NewServer()
	pulumirpc.RegisterResourceProviderServer(g, s)
	go func() { _ = g.Serve(l) }()
	return l.Addr().(*net.TCPAddr).Port
}

// hostile is a provider of which not much can be expected.
type hostile struct {
	pulumirpc.UnimplementedResourceProviderServer
	err      error
	stubborn bool
}

func (h *hostile) Handshake(context.Context, *pulumirpc.ProviderHandshakeRequest) (*pulumirpc.ProviderHandshakeResponse, error) {
	return &pulumirpc.ProviderHandshakeResponse{}, h.err
}

func (h *hostile) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: "1.0.0"}, h.err
}

func (h *hostile) Cancel(ctx context.Context, _ *emptypb.Empty) (*emptypb.Empty, error) {
	if h.stubborn {
		<-ctx.Done()
	}
	return &emptypb.Empty{}, h.err
}

// base is a provider that becomes another package, whose name and value its schema tells.
type base struct {
	hostile
	name, version, value string
}

func (b *base) Parameterize(_ context.Context, r *pulumirpc.ParameterizeRequest) (*pulumirpc.ParameterizeResponse, error) {
	if v := r.GetValue(); v != nil {
		b.name, b.version, b.value = v.GetName(), v.GetVersion(), string(v.GetValue())
	} else {
		args := r.GetArgs().GetArgs()
		if args[0] == "refused" {
			return nil, status.Error(codes.InvalidArgument, "there is no such thing")
		}
		b.name, b.version, b.value = args[0], "2.0.0", strings.Join(args[1:], " ")
	}
	return &pulumirpc.ParameterizeResponse{Name: b.name, Version: b.version}, nil
}

func (b *base) GetSchema(_ context.Context, r *pulumirpc.GetSchemaRequest) (*pulumirpc.GetSchemaResponse, error) {
	if r.GetSubpackageName() != b.name || r.GetSubpackageVersion() != b.version {
		return nil, status.Error(codes.InvalidArgument, "schema of another package")
	}
	text := fmt.Sprintf(`{"name":"%s","version":"%s","description":"%s"}`, b.name, b.version, b.value)
	return &pulumirpc.GetSchemaResponse{Schema: text}, nil
}

// thingProvider answers from its process: what it was started with, and its death on request.
type thingProvider struct {
	plugin.Provider
	version string
}

func (p *thingProvider) Info(context.Context) (plugin.Info, error) {
	if p.version != "" {
		return plugin.Info{Version: p.version}, nil
	}
	return plugin.Info{Version: "1.0.0"}, nil
}

func (p *thingProvider) Configure(context.Context, plugin.ConfigureRequest) error { return nil }

func (p *thingProvider) Cancel(context.Context) error { return nil }

func (p *thingProvider) Close() error { return nil }

// Create dies, in one of two ways.
func (p *thingProvider) Create(_ context.Context, r plugin.CreateRequest) (plugin.CreateResponse, error) {
	fmt.Fprintln(os.Stderr, "panic: out of luck")
	if r.URN.Name() == "killed" {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	os.Exit(7)
	return plugin.CreateResponse{}, nil
}

// Invoke tells the process's arguments, environment and working directory.
func (p *thingProvider) Invoke(_ context.Context, r plugin.InvokeRequest) (plugin.InvokeResponse, error) {
	switch r.Token {
	case "args":
		return result(strings.Join(os.Args[1:], " "))
	case "dir":
		dir, err := os.Getwd()
		if err != nil {
			return plugin.InvokeResponse{}, err
		}
		return result(dir)
	case "group":
		return result(strconv.FormatBool(syscall.Getpgrp() == os.Getpid()))
	default:
		return result(os.Getenv(r.Token))
	}
}

func result(text string) (plugin.InvokeResponse, error) {
	return plugin.InvokeResponse{Return: property.MapOf(map[string]property.Value{"result": property.String(text)})}, nil
}

// runLanguage is a language host that runs plugins as child processes of its own.
func runLanguage() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 1
	}
	g := grpc.NewServer()
	pulumirpc.RegisterLanguageRuntimeServer(g, &languageHost{})
	fmt.Println(l.Addr().(*net.TCPAddr).Port)
	if err := g.Serve(l); err != nil {
		return 1
	}
	return 0
}

type languageHost struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
}

// InstallDependencies prints on both streams what it was asked for.
func (*languageHost) InstallDependencies(
	r *pulumirpc.InstallDependenciesRequest, s grpc.ServerStreamingServer[pulumirpc.InstallDependenciesResponse],
) error {
	if r.GetInfo().GetOptions().GetFields()["fail"].GetBoolValue() {
		return status.Error(codes.Internal, "no registry")
	}
	return s.Send(&pulumirpc.InstallDependenciesResponse{
		Stdout: []byte("for " + r.GetInfo().GetProgramDirectory() + "\n"), Stderr: []byte(fmt.Sprintln("plugin", r.GetIsPlugin())),
	})
}

func (*languageHost) RunPlugin(
	r *pulumirpc.RunPluginRequest, s grpc.ServerStreamingServer[pulumirpc.RunPluginResponse],
) error {
	options := r.GetInfo().GetOptions().GetFields()
	if options["fail"].GetBoolValue() {
		return status.Error(codes.InvalidArgument, "no such module")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(s.Context(), self, r.GetArgs()...)
	cmd.Env, cmd.Dir = append(r.GetEnv(), modeVariable+"="+options["mode"].GetStringValue()), r.GetPwd()
	cmd.Stdout = streamWriter(func(b []byte) *pulumirpc.RunPluginResponse {
		return &pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Stdout{Stdout: b}}
	}, s)
	cmd.Stderr = streamWriter(func(b []byte) *pulumirpc.RunPluginResponse {
		return &pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Stderr{Stderr: b}}
	}, s)
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	return s.Send(&pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Exitcode{
		Exitcode: int32(cmd.ProcessState.ExitCode()),
	}})
}

type writer struct {
	wrap func([]byte) *pulumirpc.RunPluginResponse
	to   grpc.ServerStreamingServer[pulumirpc.RunPluginResponse]
}

func streamWriter(
	wrap func([]byte) *pulumirpc.RunPluginResponse, to grpc.ServerStreamingServer[pulumirpc.RunPluginResponse],
) *writer {
	return &writer{wrap, to}
}

func (w *writer) Write(b []byte) (int, error) { return len(b), w.to.Send(w.wrap(b)) }

// runHost is an engine's host that starts the plugin on its $PATH and waits to be killed.
func runHost() int {
	h := pluginhost.New(pluginhost.Options{
		Environ: append(os.Environ(), modeVariable+"=ok"), Executable: "/nowhere", Dir: "/", Connect: provider.Connect,
	})
	if _, err := h.Load(context.Background(), plugin.Package{Name: "thing"}, plugin.LoadOptions{}); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("loaded")
	wait()
	return 0
}
