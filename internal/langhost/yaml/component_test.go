package yaml_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/langhost/yaml"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/schema"
	"github.com/cairn-iac/cairn/internal/urn"
)

const pairPlugin = `
name: pair
runtime: yaml
description: two pets
components:
  Pair:
    description: a pair
    inputs:
      words: {type: integer}
      prefix: {type: string, default: pre}
      names: {type: array, items: {type: string}, default: []}
      key: {type: string, secret: true, default: k}
    variables:
      both: ${left.result}-${right.result}
    resources:
      left:
        type: test:Pet
        properties: {length: "${words}", prefix: "${prefix}", names: "${names}"}
      right:
        type: test:Pet
        properties: {tags: {key: "${key}"}}
        options: {parent: "${left}"}
    outputs:
      value: ${both}
      secret: ${left.secretResult}
`

func newPair(t *testing.T, text string) plugin.Provider {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "PulumiPlugin.yaml"), text)
	p, err := yaml.NewComponentProvider(dir, yaml.ComponentOptions{Schemas: schemas(t)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestComponentSchema(t *testing.T) {
	t.Parallel()
	data, err := newPair(t, pairPlugin).Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	r := s.Resources["pair:index:Pair"]
	if !r.IsComponent || s.Version != "0.0.0" || s.Description != "two pets" || r.Description != "a pair" ||
		!cmp.Equal(r.RequiredInputs, []string{"words"}) || r.InputProperties["words"].Type != "integer" ||
		r.InputProperties["names"].Items.Type != "string" || r.InputProperties["prefix"].Default != "pre" ||
		!r.InputProperties["key"].Secret || !cmp.Equal(r.Required, []string{"value", "secret"}) {
		t.Errorf("got %s", data)
	}
}

// TestComponentInAProgram makes a component as a deployment does: the program declares it, its provider constructs it.
func TestComponentInAProgram(t *testing.T) {
	t.Parallel()
	provider := newPair(t, pairPlugin)
	r := &runner{deployment: &deployment{outputsFn: pets}, schemas: schemas(t)}
	data, err := provider.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.schemas["pair"], err = schema.Parse(data); err != nil {
		t.Fatal(err)
	}
	var constructed plugin.ConstructRequest
	r.constructFn = func(ctx context.Context, q *pulumirpc.RegisterResourceRequest) (urn.URN, property.Map, error) {
		constructed = plugin.ConstructRequest{
			Type: urn.Type(q.GetType()), Name: q.GetName(), Inputs: r.inputs(t, q.GetName()), Providers: q.GetProviders(),
			Options: resource.Options{
				Parent: urn.URN(q.GetParent()), Protect: q.GetProtect(), SourcePosition: "project:///Pulumi.yaml#1,1",
				PropertyDependencies: map[string][]urn.URN{"words": nil},
			},
			Environment: plugin.Environment{Project: "demo", Stack: "dev", MonitorAddress: r.address},
		}
		out, err := provider.Construct(ctx, constructed)
		return out.URN, out.State, err
	}
	r.mustRun(t, `
name: demo
packages: {pair: ./comp}
resources:
  first: {type: test:Pet}
  prov: {type: "pulumi:providers:test"}
  group:
    type: pair:Pair
    properties: {words: 2, prefix: "${first.result}"}
    options: {providers: ["${prov}"], protect: true}
outputs: {value: "${group.value}", secret: "${group.secret}", ref: "${group}"}
`)
	if got := showMap(constructed.Inputs); got != `{prefix: "first-result"<first>, words: 2}` {
		t.Errorf("inputs %s", got)
	}
	group := "urn:pulumi:dev::demo::pair:index:Pair::group"
	left, right := r.byName["group-left"], r.byName["group-right"]
	if left.GetParent() != group || right.GetParent() != "urn:pulumi:dev::demo::pair:index:Pair$test:index/pet:Pet::group-left" {
		t.Errorf("parents %s, %s", left.GetParent(), right.GetParent())
	}
	prov := "urn:pulumi:dev::demo::pulumi:providers:test::prov::prov-id"
	if left.GetProvider() != prov || right.GetProvider() != prov {
		t.Errorf("providers %s, %s", left.GetProvider(), right.GetProvider())
	}
	if got := names(left.GetPropertyDependencies()["prefix"].GetUrns()); !cmp.Equal(got, []string{"first"}) {
		t.Errorf("dependencies %v", got)
	}
	if got := showMap(r.inputs(t, "group-right")); got != `{kind: "pet", tags: {key: secret("k")}}` {
		t.Errorf("right %s", got)
	}
	self := r.byName["group"]
	if self.GetRemote() || self.GetCustom() || !self.GetProtect() || len(self.GetPropertyDependencies()) > 0 ||
		!strings.HasSuffix(self.GetSourcePosition().GetUri(), "/PulumiPlugin.yaml") || self.GetSourcePosition().GetLine() != 6 {
		t.Errorf("component %v", self)
	}
	want := `{secret: secret("hush"), value: "group-left-result-group-right-result"}`
	if got := showMap(r.outputs[group]); got != want {
		t.Errorf("component outputs %s", got)
	}
	want = `{ref: resource(group), secret: secret("hush"), value: "group-left-result-group-right-result"}`
	if got := showMap(r.stackOutputs()); got != want {
		t.Errorf("outputs %s", got)
	}
}

func TestComponentProblems(t *testing.T) {
	t.Parallel()
	d := newDeployment(t, &deployment{outputsFn: pets})
	request := plugin.ConstructRequest{
		Type: "pair:index:Pair", Name: "group", Environment: plugin.Environment{Project: "demo", Stack: "dev", MonitorAddress: d.address},
	}
	for name, tt := range map[string]struct{ text, want string }{
		"missing input": {pairPlugin, "PulumiPlugin.yaml:9:7: missing required input 'words'"},
		"bad type":      {strings.ReplaceAll(pairPlugin, "test:Pet", "test:Pot"), `unable to find resource type "test:Pot"`},
		"bad name":      {strings.ReplaceAll(pairPlugin, "${both}", "${bth}"), `PulumiPlugin.yaml:24:14: resource, variable, or config value "bth" not found`},
		"no component":  {strings.ReplaceAll(pairPlugin, "  Pair:", "  Peer:"), "plugin pair has no component of type pair:index:Pair"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newPair(t, tt.text).Construct(t.Context(), request)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestComponentFolderProblems(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ files map[string]string }{
		"nothing there": {nil},
		"not YAML":      {map[string]string{"PulumiPlugin.yaml": "a: ["}},
		"no name":       {map[string]string{"PulumiPlugin.yaml": "runtime: yaml"}},
		"resources":     {map[string]string{"PulumiPlugin.yaml": "name: x\nresources: {a: {type: 'b:c'}}"}},
	} {
		dir := t.TempDir()
		for file, text := range tt.files {
			write(t, filepath.Join(dir, file), text)
		}
		if _, err := yaml.NewComponentProvider(dir, yaml.ComponentOptions{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestComponentAnswersOtherCalls(t *testing.T) {
	t.Parallel()
	p := newPair(t, pairPlugin)
	if _, err := p.Create(t.Context(), plugin.CreateRequest{}); !errors.Is(err, plugin.ErrUnimplemented) {
		t.Errorf("create %v", err)
	}
	if err := p.Configure(t.Context(), plugin.ConfigureRequest{}); err != nil {
		t.Errorf("configure %v", err)
	}
	if info, err := p.Info(t.Context()); err != nil || info.Version != "0.0.0" {
		t.Errorf("info %v, %v", info, err)
	}
	if err := errors.Join(p.Cancel(t.Context()), p.Close()); err != nil {
		t.Error(err)
	}
}

// TestComponentWarns: problems that do not stop a component go to the log.
func TestComponentWarns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "PulumiPlugin.yaml"), "name: pair\nComponents: {}\n")
	var logged []plugin.Log
	_, err := yaml.NewComponentProvider(dir, yaml.ComponentOptions{Log: func(l plugin.Log) { logged = append(logged, l) }})
	if err != nil || len(logged) != 1 || logged[0].Severity != diag.Warning {
		t.Errorf("got %v, %v", logged, err)
	}
}
