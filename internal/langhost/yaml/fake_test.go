package yaml_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/langhost"
	"github.com/cairn-iac/cairn/internal/langhost/yaml"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/schema"
	"github.com/cairn-iac/cairn/internal/urn"
	"github.com/cairn-iac/cairn/internal/wire"
)

// deployment is a monitor that records what a program declares. Outputs are the inputs and what OutputsFn adds.
type deployment struct {
	pulumirpc.UnimplementedResourceMonitorServer
	preview bool
	// outputsFn adds outputs to a resource; nil adds none.
	outputsFn func(*pulumirpc.RegisterResourceRequest) map[string]property.Value
	invokeFn  func(token string, args property.Map) (property.Map, error)
	failFn    func(*pulumirpc.RegisterResourceRequest) error
	// constructFn makes remote components.
	constructFn func(context.Context, *pulumirpc.RegisterResourceRequest) (urn.URN, property.Map, error)

	// engine is served beside the monitor, if there is one.
	engine pulumirpc.EngineServer

	address string
	mu      sync.Mutex
	order   []string
	byName  map[string]*pulumirpc.RegisterResourceRequest
	reads   map[string]*pulumirpc.ReadResourceRequest
	invokes []*pulumirpc.ResourceInvokeRequest
	outputs map[string]property.Map
	packs   []*pulumirpc.RegisterPackageRequest
	ended   bool
}

func newDeployment(t testing.TB, d *deployment) *deployment {
	t.Helper()
	d.byName, d.reads = map[string]*pulumirpc.RegisterResourceRequest{}, map[string]*pulumirpc.ReadResourceRequest{}
	d.outputs = map[string]property.Map{}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	pulumirpc.RegisterResourceMonitorServer(server, d)
	if d.engine != nil {
		pulumirpc.RegisterEngineServer(server, d.engine)
	}
	go func() { _ = server.Serve(listener) }() // Stop ends it.
	t.Cleanup(server.Stop)
	d.address = listener.Addr().String()
	return d
}

func (d *deployment) urn(parent, typ, name string) urn.URN {
	return urn.New("dev", "demo", urn.URN(parent).QualifiedType(), urn.Type(typ), name)
}

func (d *deployment) RegisterResource(
	ctx context.Context, r *pulumirpc.RegisterResourceRequest,
) (*pulumirpc.RegisterResourceResponse, error) {
	d.mu.Lock()
	d.order, d.byName[r.GetName()] = append(d.order, r.GetName()), r
	d.mu.Unlock()
	if d.failFn != nil {
		if err := d.failFn(r); err != nil {
			return nil, err
		}
	}
	if r.GetRemote() {
		u, state, err := d.constructFn(ctx, r)
		if err != nil {
			return nil, err
		}
		object, err := wire.ToStruct(state, wire.ReadInputs())
		return &pulumirpc.RegisterResourceResponse{Urn: string(u), Object: object}, err
	}
	out := &pulumirpc.RegisterResourceResponse{Urn: string(d.urn(r.GetParent(), r.GetType(), r.GetName()))}
	if !r.GetCustom() {
		return out, nil
	}
	inputs, err := wire.FromStruct(r.GetObject(), wire.ReadInputs())
	if err != nil {
		return nil, err
	}
	m := inputs.Clone()
	if d.outputsFn != nil {
		for k, v := range d.outputsFn(r) {
			if d.preview {
				v = property.Unknown()
			}
			m[k] = v
		}
	}
	if !d.preview {
		out.Id = r.GetName() + "-id"
	}
	out.Object, err = wire.ToStruct(property.MapOf(m), wire.ReadInputs())
	return out, err
}

func (d *deployment) ReadResource(
	_ context.Context, r *pulumirpc.ReadResourceRequest,
) (*pulumirpc.ReadResourceResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reads[r.GetName()] = r
	m := map[string]property.Value{"read": property.String("yes")}
	if r.GetType() == string(urn.StackReferenceType) {
		m = map[string]property.Value{
			"name":              property.String(r.GetId()),
			"outputs":           property.NewMap(map[string]property.Value{"plain": property.String("p"), "hidden": property.String("h").MakeSecret()}),
			"secretOutputNames": property.NewList(property.String("hidden")),
		}
	}
	s, err := wire.ToStruct(property.MapOf(m), wire.ReadInputs())
	return &pulumirpc.ReadResourceResponse{
		Urn: string(d.urn(r.GetParent(), r.GetType(), r.GetName())), Properties: s, Id: r.GetId(),
	}, err
}

func (d *deployment) Invoke(_ context.Context, r *pulumirpc.ResourceInvokeRequest) (*pulumirpc.ResourceInvokeResponse, error) {
	d.mu.Lock()
	d.invokes = append(d.invokes, r)
	d.mu.Unlock()
	args, err := wire.FromStruct(r.GetArgs(), wire.ReadInputs())
	if err != nil {
		return nil, err
	}
	if d.invokeFn == nil {
		return nil, status.Error(codes.NotFound, "no function")
	}
	ret, err := d.invokeFn(r.GetTok(), args)
	if err != nil {
		return nil, err
	}
	s, err := wire.ToStruct(ret, wire.ReadInputs())
	return &pulumirpc.ResourceInvokeResponse{Return: s}, err
}

func (d *deployment) RegisterResourceOutputs(
	_ context.Context, r *pulumirpc.RegisterResourceOutputsRequest,
) (*emptypb.Empty, error) {
	m, err := wire.FromStruct(r.GetOutputs(), wire.ReadInputs())
	d.mu.Lock()
	defer d.mu.Unlock()
	d.outputs[r.GetUrn()] = m
	return &emptypb.Empty{}, err
}

func (d *deployment) RegisterPackage(
	_ context.Context, r *pulumirpc.RegisterPackageRequest,
) (*pulumirpc.RegisterPackageResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.packs = append(d.packs, r)
	return &pulumirpc.RegisterPackageResponse{Ref: "ref-" + r.GetName()}, nil
}

func (d *deployment) SignalAndWaitForShutdown(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	return &emptypb.Empty{}, nil
}

// inputs are what a resource was declared with.
func (d *deployment) inputs(t *testing.T, name string) property.Map {
	t.Helper()
	r, ok := d.byName[name]
	if !ok {
		t.Fatalf("resource %s was not declared; there are %v", name, d.order)
	}
	m, err := wire.FromStruct(r.GetObject(), wire.RegisterInputs())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (d *deployment) stackOutputs() property.Map {
	return d.outputs["urn:pulumi:dev::demo::pulumi:pulumi:Stack::demo-dev"]
}

// catalog gives schemas of packages that only exist here.
type catalog map[string]*schema.Package

func (c catalog) Schema(_ context.Context, r langhost.SchemaRequest) (*schema.Package, error) {
	p, ok := c[r.Name]
	if !ok {
		return nil, fmt.Errorf("no plugin for package %q", r.Name)
	}
	return p, nil
}

const testSchema = `{
  "name": "test", "version": "1.0.0",
  "types": {
    "test:index:Mode": {"type": "string", "enum": [{"value": "fast"}, {"value": "slow"}]},
    "test:index:Box": {"type": "object", "properties": {
      "size": {"type": "integer"}, "name": {"type": "string"}, "inner": {"$ref": "#/types/test:index:Box"}}, "required": ["size"]}
  },
  "provider": {"inputProperties": {"url": {"type": "string"}, "key": {"type": "string", "secret": true}}},
  "resources": {
    "test:index/pet:Pet": {
      "properties": {
        "length": {"type": "integer"}, "result": {"type": "string"}, "secretResult": {"type": "string", "secret": true},
        "list": {"type": "array", "items": {"$ref": "#/types/test:index:Box"}}, "tags": {"type": "object"},
        "kind": {"type": "string", "const": "pet"}
      },
      "required": ["result"],
      "inputProperties": {
        "length": {"type": "integer"}, "prefix": {"type": "string"}, "token": {"type": "string", "secret": true},
        "tags": {"type": "object", "additionalProperties": {"type": "string"}},
        "anything": {"$ref": "pulumi.json#/Any"}, "mode": {"$ref": "#/types/test:index:Mode"},
        "box": {"$ref": "#/types/test:index:Box"}, "asset": {"$ref": "pulumi.json#/Asset"},
        "either": {"oneOf": [{"type": "string"}, {"$ref": "#/types/test:index:Box"}]},
        "names": {"type": "array", "items": {"type": "string"}}, "on": {"type": "boolean"}
      },
      "aliases": ["test:index/cat:Pet"]
    },
    "test:index:Needy": {"inputProperties": {"must": {"type": "string"}}, "requiredInputs": ["must"]},
    "test:index:Group": {"isComponent": true, "inputProperties": {"pet": {"$ref": "#/resources/test:index%2Fpet:Pet"}, "words": {"type": "integer"}},
      "properties": {"value": {"$ref": "pulumi.json#/Any"}}}
  },
  "functions": {
    "test:index/lookup:lookup": {
      "inputs": {"type": "object", "properties": {"name": {"type": "string"}}},
      "outputs": {"type": "object", "properties": {"found": {"type": "string"}, "secret": {"type": "string"}}}},
    "test:index:count": {"outputs": {"type": "integer"}},
    "test:index:refer": {}
  }
}`

func schemas(t *testing.T) catalog {
	t.Helper()
	p, err := schema.Parse([]byte(testSchema))
	if err != nil {
		t.Fatal(err)
	}
	return catalog{"test": p}
}

// runner runs one program.
type runner struct {
	*deployment
	config  map[string]string
	secrets []string
	schemas catalog
	files   map[string]string
	dir     string

	mu    sync.Mutex
	diags diag.Diagnostics
}

func (r *runner) run(t *testing.T, program string) error {
	t.Helper()
	if r.deployment == nil {
		r.deployment = &deployment{}
	}
	newDeployment(t, r.deployment)
	if r.schemas == nil {
		r.schemas = schemas(t)
	}
	if r.dir == "" {
		r.dir = t.TempDir()
	}
	write(t, filepath.Join(r.dir, "Pulumi.yaml"), program)
	for name, text := range r.files {
		write(t, filepath.Join(r.dir, name), text)
	}
	return yaml.New().Run(t.Context(), langhost.RunRequest{
		Program: langhost.Program{Root: r.dir, Directory: r.dir, EntryPoint: "."},
		Project: "demo", Stack: "dev", Organization: "org", Config: r.config, ConfigSecretKeys: r.secrets,
		Preview: r.preview, MonitorAddress: r.address, EngineAddress: r.address, Schemas: r.schemas,
		Report: func(d diag.Diagnostic) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.diags = append(r.diags, d)
		},
	})
}

// mustRun runs a program that has no problems.
func (r *runner) mustRun(t *testing.T, program string) {
	t.Helper()
	if err := r.run(t, program); err != nil || r.diags.HasErrors() {
		t.Fatalf("%v\n%v", err, r.diags)
	}
	if !r.ended {
		t.Error("the program did not say that it ended")
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// show writes a value so that tests can compare it, with its marks.
func show(v property.Value) string {
	if v.Secret() {
		return "secret(" + show(v.WithSecret(false)) + ")"
	}
	if deps := v.Dependencies(); len(deps) > 0 {
		names := make([]string, len(deps))
		for i, d := range deps {
			names[i] = d.Name()
		}
		return show(v.WithDependencies(nil)) + "<" + strings.Join(names, ",") + ">"
	}
	switch v.Kind() {
	case property.KindList:
		l, _ := v.AsList()
		var items []string
		for _, item := range l.All() {
			items = append(items, show(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case property.KindMap:
		m, _ := v.AsMap()
		return showMap(m)
	case property.KindString:
		s, _ := v.AsString()
		return fmt.Sprintf("%q", s)
	case property.KindNumber:
		n, _ := v.AsNumber()
		return structpb.NewNumberValue(n).String()[len("number_value:"):]
	case property.KindBool:
		b, _ := v.AsBool()
		return fmt.Sprint(b)
	case property.KindAsset:
		a, _ := v.AsAsset()
		return fmt.Sprintf("asset(%s %q)", a.Source, a.Location)
	case property.KindArchive:
		a, _ := v.AsArchive()
		return fmt.Sprintf("archive(%s %q%s)", a.Source, a.Location, strings.TrimPrefix(showMap(a.Assets), "{}"))
	case property.KindReference:
		r, _ := v.AsReference()
		return "resource(" + r.URN.Name() + ")"
	default:
		return v.Kind().String()
	}
}

func showMap(m property.Map) string {
	var items []string
	for k, item := range m.All() {
		items = append(items, k+": "+show(item))
	}
	return "{" + strings.Join(items, ", ") + "}"
}

func names(urns []string) []string {
	out := make([]string, len(urns))
	for i, u := range urns {
		out[i] = urn.URN(u).Name()
	}
	slices.Sort(out)
	return out
}

type resourceSchema = schema.Resource
