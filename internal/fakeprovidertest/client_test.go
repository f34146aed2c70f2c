package fakeprovidertest_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
)

func TestMain(m *testing.M) {
	if fakeprovidertest.Invoked(os.Args[0]) {
		os.Exit(fakeprovidertest.Main(context.Background(), fakeprovidertest.Process{
			Args: os.Args, Getenv: os.Getenv, Stdout: os.Stdout, Stderr: os.Stderr, Exit: os.Exit,
		}))
	}
	os.Exit(m.Run())
}

func setup(t *testing.T) *fakeprovidertest.Kit {
	t.Helper()
	kit, err := fakeprovidertest.Setup(t.TempDir())
	must(t, err)
	return kit
}

// plugin is the provider in a process of its own.
type plugin struct {
	pulumirpc.ResourceProviderClient
	command *exec.Cmd
	line    string // the first line of its output
}

// command prepares the process without starting it.
func command(t *testing.T, kit *fakeprovidertest.Kit) *exec.Cmd {
	t.Helper()
	binary, err := kit.Link(filepath.Join(t.TempDir(), "resource-fp-v2.3.4"))
	must(t, err)
	c := exec.Command(binary, "127.0.0.1:1")
	c.Env = append(os.Environ(), kit.Env()...)
	return c
}

// launch starts the process and connects to it.
func launch(t *testing.T, kit *fakeprovidertest.Kit) *plugin {
	t.Helper()
	p := &plugin{command: command(t, kit)}
	stdout, err := p.command.StdoutPipe()
	must(t, err)
	must(t, p.command.Start())
	t.Cleanup(func() {
		_ = p.command.Process.Kill()
		_ = p.command.Wait()
	})
	p.line, err = bufio.NewReader(stdout).ReadString('\n')
	must(t, err)
	port, err := strconv.Atoi(strings.TrimSpace(p.line))
	must(t, err)
	p.ResourceProviderClient = dial(t, "127.0.0.1:"+strconv.Itoa(port))
	return p
}

func dial(t *testing.T, address string) pulumirpc.ResourceProviderClient {
	t.Helper()
	connection, err := grpc.NewClient("passthrough:///"+address,
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(t, err)
	t.Cleanup(func() { connection.Close() })
	return pulumirpc.NewResourceProviderClient(connection)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func object(t *testing.T, fields map[string]any) *structpb.Struct {
	t.Helper()
	s, err := structpb.NewStruct(fields)
	must(t, err)
	return s
}

func urn(name string) string { return "urn:pulumi:dev::proj::fp:index:Thing::" + name }

// create makes a thing for real and answers its response.
func create(
	t *testing.T, client pulumirpc.ResourceProviderClient, name string, inputs map[string]any,
) (*pulumirpc.CreateResponse, error) {
	t.Helper()
	return client.Create(t.Context(), &pulumirpc.CreateRequest{
		Urn: urn(name), Name: name, Type: fakeprovidertest.TypeThing, Properties: object(t, inputs),
	})
}

func ids(t *testing.T, kit *fakeprovidertest.Kit) []string {
	t.Helper()
	got, err := kit.IDs()
	must(t, err)
	return got
}

func calls(t *testing.T, kit *fakeprovidertest.Kit, method string) []fakeprovidertest.Call {
	t.Helper()
	all, err := kit.Calls()
	must(t, err)
	return fakeprovidertest.CallsOf(all, method)
}

func secret(value any) map[string]any {
	return map[string]any{
		"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
		"value":                            value,
	}
}

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

// drain reads to the end of a stream, which a process keeps open as long as it lives.
func drain(t *testing.T, r io.Reader) string {
	t.Helper()
	text, err := io.ReadAll(r)
	must(t, err)
	return string(text)
}
