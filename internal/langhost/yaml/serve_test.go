package yaml_test

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/pulumi/pulumi/sdk/v3/proto/go/codegen"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/cairn-iac/cairn/internal/langhost/yaml"
)

// buffer is a writer for several goroutines.
type buffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// schemaLoader is an engine's Loader service.
type schemaLoader struct {
	codegen.UnimplementedLoaderServer
}

func (schemaLoader) GetSchema(_ context.Context, r *codegen.GetSchemaRequest) (*codegen.GetSchemaResponse, error) {
	if r.GetPackage() != "test" {
		return nil, errors.New("no such package")
	}
	return &codegen.GetSchemaResponse{Schema: []byte(testSchema)}, nil
}

func serveLoader(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	codegen.RegisterLoaderServer(server, schemaLoader{})
	go func() { _ = server.Serve(listener) }() // Stop ends it.
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

// serveHost starts the host as the process pulumi-language-yaml would be, and connects to it.
func serveHost(t *testing.T) (pulumirpc.LanguageRuntimeClient, *buffer) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, in := io.Pipe()
	stderr := &buffer{}
	ended := make(chan error, 1)
	go func() {
		ended <- yaml.ServeLanguageHost(ctx, yaml.ServeOptions{
			Version: "1.2.3", Stdout: in, Stderr: stderr,
		})
	}()
	port := make([]byte, 16)
	n, err := out.Read(port)
	if err != nil {
		t.Fatal(err)
	}
	conn := connect(t, strings.TrimSpace(string(port[:n])))
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return pulumirpc.NewLanguageRuntimeClient(conn), stderr
}

func connect(t *testing.T, port string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient("127.0.0.1:"+port, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func TestServedHostRuns(t *testing.T) {
	t.Parallel()
	host, stderr := serveHost(t)
	d := newDeployment(t, &deployment{outputsFn: pets})
	dir := t.TempDir()
	info := &pulumirpc.ProgramInfo{RootDirectory: dir, ProgramDirectory: dir, EntryPoint: "."}
	run := func(program string) *pulumirpc.RunResponse {
		write(t, filepath.Join(dir, "Pulumi.yaml"), program)
		resp, err := host.Run(t.Context(), &pulumirpc.RunRequest{
			Project: "demo", Stack: "dev", MonitorAddress: d.address, Info: info, LoaderTarget: serveLoader(t),
			Config: map[string]string{"demo:a": "x"},
		})
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	if resp := run("name: demo\nresources: {p: {type: test:Pet}}\noutputs: {r: '${p.result}'}\n"); resp.GetError() != "" || resp.GetBail() {
		t.Errorf("got %v, %s", resp, stderr)
	}
	if got := showMap(d.stackOutputs()); got != `{r: "p-result"}` {
		t.Errorf("outputs %s", got)
	}
	if resp := run("name: demo\nresources: {p: {type: test:Pet}}\noutputs:\n  r: ${q.result}\n"); !resp.GetBail() {
		t.Errorf("got %v", resp)
	}
	want := "Error: resource, variable, or config value \"q\" not found\n\n  on Pulumi.yaml line 4:\n  4:   r: ${q.result}\n\n"
	if got := stderr.String(); got != want {
		t.Errorf("stderr %q", got)
	}
	packages, err := host.GetRequiredPackages(t.Context(), &pulumirpc.GetRequiredPackagesRequest{Info: info})
	if err != nil || len(packages.GetPackages()) != 1 || packages.GetPackages()[0].GetName() != "test" {
		t.Errorf("packages %v, %v", packages, err)
	}
	deps, err := host.GetProgramDependencies(t.Context(), &pulumirpc.GetProgramDependenciesRequest{Info: info})
	if err != nil || len(deps.GetDependencies()) != 1 {
		t.Errorf("dependencies %v, %v", deps, err)
	}
}

func TestServedHostAnswers(t *testing.T) {
	t.Parallel()
	host, _ := serveHost(t)
	if got, err := host.GetPluginInfo(t.Context(), &emptypb.Empty{}); err != nil || got.GetVersion() != "1.2.3" {
		t.Errorf("info %v, %v", got, err)
	}
	if _, err := host.About(t.Context(), &pulumirpc.AboutRequest{}); err != nil {
		t.Error(err)
	}
	stream, err := host.InstallDependencies(t.Context(), &pulumirpc.InstallDependenciesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("install %v", err)
	}
	if _, err := host.Cancel(t.Context(), &emptypb.Empty{}); err != nil {
		t.Error(err)
	}
}

func TestServedPlugin(t *testing.T) {
	t.Parallel()
	host, _ := serveHost(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "PulumiPlugin.yaml"), pairPlugin)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	stream, err := host.RunPlugin(ctx, &pulumirpc.RunPluginRequest{
		Info: &pulumirpc.ProgramInfo{RootDirectory: dir, ProgramDirectory: dir}, LoaderTarget: serveLoader(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	first, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	client := pulumirpc.NewResourceProviderClient(connect(t, strings.TrimSpace(string(first.GetStdout()))))
	got, err := client.GetSchema(t.Context(), &pulumirpc.GetSchemaRequest{})
	if err != nil || !strings.Contains(got.GetSchema(), "pair:index:Pair") {
		t.Errorf("schema %v, %v", got, err)
	}
}

func TestServedPluginProblems(t *testing.T) {
	t.Parallel()
	host, _ := serveHost(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "PulumiPlugin.yaml"), "name: x\nresources: {a: {type: 'b:c'}}\n")
	stream, err := host.RunPlugin(t.Context(), &pulumirpc.RunPluginRequest{
		Info: &pulumirpc.ProgramInfo{RootDirectory: dir, ProgramDirectory: dir}, LoaderTarget: serveLoader(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := stream.Recv()
	if err != nil || !strings.Contains(string(m.GetStderr()), "PulumiPlugin.yaml line 2:") {
		t.Errorf("got %v, %v", m, err)
	}
	if _, err := stream.Recv(); err == nil || !strings.Contains(err.Error(), "failed to load plugin") {
		t.Errorf("got %v", err)
	}
}
