package fakeprovidertest_test

import (
	"context"
	"net"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
)

// monitor is a resource monitor that answers with plain URNs and remembers what was registered.
type monitor struct {
	pulumirpc.UnimplementedResourceMonitorServer
	mu         sync.Mutex
	preview    bool
	registered []*pulumirpc.RegisterResourceRequest
	outputs    map[string]map[string]any
}

func (m *monitor) RegisterResource(
	_ context.Context, r *pulumirpc.RegisterResourceRequest,
) (*pulumirpc.RegisterResourceResponse, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.registered = append(m.registered, r)
	response := &pulumirpc.RegisterResourceResponse{
		Urn: "urn:pulumi:dev::proj::" + r.GetType() + "::" + r.GetName(), Object: r.GetObject(),
	}
	if r.GetCustom() && !m.preview {
		response.Id = r.GetName() + "-id"
	}
	return response, nil
}

func (m *monitor) RegisterResourceOutputs(
	_ context.Context, r *pulumirpc.RegisterResourceOutputsRequest,
) (*emptypb.Empty, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.outputs[r.GetUrn()] = r.GetOutputs().AsMap()
	return &emptypb.Empty{}, nil
}

func serveMonitor(t *testing.T, m *monitor) string {
	t.Helper()
	m.outputs = map[string]map[string]any{}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	server := grpc.NewServer()
	pulumirpc.RegisterResourceMonitorServer(server, m)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

func TestConstruct(t *testing.T) {
	t.Parallel()
	p := launch(t, setup(t))
	for _, preview := range []bool{false, true} {
		m := &monitor{preview: preview}
		response, err := p.Construct(t.Context(), &pulumirpc.ConstructRequest{
			Type: fakeprovidertest.TypeComp, Name: "c", Parent: "urn:parent", DryRun: preview,
			MonitorEndpoint: serveMonitor(t, m),
			Inputs:          object(t, map[string]any{"count": 2, "delay": 1, "v": secret("x")}),
			InputDependencies: map[string]*pulumirpc.ConstructRequest_PropertyDependencies{
				"v": {Urns: []string{"urn:dep"}},
			},
			Providers: map[string]string{"fp": "urn:provider::id"},
		})
		must(t, err)
		id := func(name string) string {
			if preview {
				return unknown
			}
			return name + "-id"
		}
		ref := func(name string) map[string]any {
			return map[string]any{
				"4dabf18193072939515e22adb298388d": "5cf8f73096256a8f31e491e813e4eb8e",
				"urn":                              urn(name), "id": id(name),
			}
		}
		want := map[string]any{
			"things": []any{ref("c-0"), ref("c-1")},
			"ids":    []any{id("c-0"), id("c-1")},
			"value":  secret("x"),
		}
		if diff := cmp.Diff(want, response.State.AsMap()); diff != "" {
			t.Errorf("state, preview %v: %s", preview, diff)
		}
		if diff := cmp.Diff(want, m.outputs[response.Urn]); diff != "" {
			t.Errorf("registered outputs, preview %v: %s", preview, diff)
		}
		if diff := cmp.Diff([]string{urn("c-0"), urn("c-1")}, response.StateDependencies["ids"].GetUrns()); diff != "" {
			t.Errorf("state dependencies: %s", diff)
		}
		if len(m.registered) != 3 {
			t.Fatalf("registered %d resources", len(m.registered))
		}
		component, child := m.registered[0], m.registered[2]
		if component.Custom || component.Parent != "urn:parent" || component.Providers["fp"] != "urn:provider::id" {
			t.Errorf("component: %v", component)
		}
		if !child.Custom || child.Parent != response.Urn || child.PropertyDependencies["v"].GetUrns()[0] != "urn:dep" {
			t.Errorf("child: %v", child)
		}
	}
}

func TestConstructRefusesBadInputs(t *testing.T) {
	t.Parallel()
	client := serveHere(t, setup(t))
	_, err := client.Construct(t.Context(), &pulumirpc.ConstructRequest{
		Type: fakeprovidertest.TypeComp, Inputs: object(t, map[string]any{"count": -1}), MonitorEndpoint: "127.0.0.1:1",
	})
	details := status.Convert(err).Details()
	if status.Code(err) != codes.InvalidArgument || len(details) != 1 {
		t.Fatalf("%v with details %v", err, details)
	}
	if e, ok := details[0].(*pulumirpc.InputPropertiesError); !ok || e.Errors[0].PropertyPath != "count" {
		t.Errorf("details: %v", details)
	}
}
