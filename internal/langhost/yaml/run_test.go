package yaml_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/langhost"
	"github.com/cairn-iac/cairn/internal/langhost/yaml"
	"github.com/cairn-iac/cairn/internal/property"
)

// pets gives every pet a result and a secret result.
func pets(r *pulumirpc.RegisterResourceRequest) map[string]property.Value {
	if !strings.HasSuffix(r.GetType(), ":Pet") {
		return nil
	}
	box := property.NewMap(map[string]property.Value{"size": property.Number(1), "name": property.String("b")})
	return map[string]property.Value{
		"result": property.String(r.GetName() + "-result"), "secretResult": property.String("hush").MakeSecret(),
		"list": property.NewList(box),
	}
}

// TestLikeTheRecordedRun declares what the Pulumi YAML host declares for the same program, as its state shows.
func TestLikeTheRecordedRun(t *testing.T) {
	t.Parallel()
	r := &runner{
		deployment: &deployment{outputsFn: pets},
		config:     map[string]string{"demo:token": "s3cret", "demo:words": "3"}, secrets: []string{"demo:token"},
	}
	r.mustRun(t, `
name: demo
runtime: yaml
config:
  token: {type: string, secret: true}
  words: {type: integer, default: 2}
outputs:
  name: ${second.id}
  password: ${password.secretResult}
resources:
  second:
    type: test:Pet
    properties: {prefix: "${first.id}"}
    options: {dependsOn: ["${first}"]}
  first:
    type: test:Pet
    properties: {length: "${words}"}
  password:
    type: test:Pet
    properties: {length: 20, tags: {token: "${token}"}}
`)
	if r.order[0] != "demo-dev" || slices.Index(r.order, "first") > slices.Index(r.order, "second") {
		t.Errorf("order %v", r.order)
	}
	first, second, password := r.byName["first"], r.byName["second"], r.byName["password"]
	if got := showMap(r.inputs(t, "first")); got != `{kind: "pet", length: 3}` {
		t.Errorf("first %s", got)
	}
	if got := showMap(r.inputs(t, "password")); got != `{kind: "pet", length: 20, tags: {token: secret("s3cret")}}` {
		t.Errorf("password %s", got)
	}
	if got := names(second.GetDependencies()); !cmp.Equal(got, []string{"first"}) {
		t.Errorf("dependencies %v", got)
	}
	if got := names(second.GetPropertyDependencies()["prefix"].GetUrns()); !cmp.Equal(got, []string{"first"}) {
		t.Errorf("property dependencies %v", got)
	}
	for _, k := range []string{"length", "tags"} {
		deps, ok := password.GetPropertyDependencies()[k]
		if !ok || len(deps.GetUrns()) > 0 {
			t.Errorf("%s: %v, %v", k, deps, ok)
		}
	}
	if got := password.GetAdditionalSecretOutputs(); !cmp.Equal(got, []string{"secretResult"}) {
		t.Errorf("secret outputs %v", got)
	}
	if got := first.GetAliases()[0].GetSpec().GetType(); got != "test:index/cat:Pet" {
		t.Errorf("alias %v", got)
	}
	if p := first.GetSourcePosition(); !strings.HasPrefix(p.GetUri(), "file:///") || !strings.HasSuffix(p.GetUri(), "/Pulumi.yaml") ||
		p.GetLine() != 15 || p.GetColumn() != 3 {
		t.Errorf("position %v", p)
	}
	if first.GetType() != "test:index/pet:Pet" || !first.GetCustom() || first.GetVersion() != "" || first.Protect != nil ||
		!strings.HasSuffix(first.GetParent(), "::demo-dev") {
		t.Errorf("got %v", first)
	}
	if got := showMap(r.stackOutputs()); got != `{name: "second-id", password: secret("hush")}` {
		t.Errorf("outputs %s", got)
	}
}

func TestOptionsReachTheMonitor(t *testing.T) {
	t.Parallel()
	r := &runner{deployment: &deployment{outputsFn: pets}}
	r.mustRun(t, `
name: demo
resources:
  prov: {type: "pulumi:providers:test", properties: {key: k}, options: {version: 1.2.3, pluginDownloadURL: "https://x", envVarMappings: {A: B}}}
  other: {type: test:Pet}
  res:
    type: test:index:Pet
    name: named
    properties: {length: 1}
    options:
      additionalSecretOutputs: [result]
      aliases: ["urn:pulumi:dev::demo::a:b:C::d", {name: old, type: "t:t:T", noParent: true}, {parent: "${other}"}, {stack: s, project: p}]
      customTimeouts: {create: 5m, update: 1h, delete: 30s, read: 1m}
      deleteBeforeReplace: false
      dependsOn: ${other}
      ignoreChanges: [length, "tags[*]"]
      import: some-id
      parent: ${other}
      protect: true
      provider: ${prov}
      replaceOnChanges: ["*"]
      retainOnDelete: false
      deletedWith: ${other}
      replaceWith: ["${other}"]
      hideDiffs: [tags]
      replacementTrigger: ["${other.result}", 1]
      version: 4.5.6
      pluginDownloadURL: https://y
`)
	p, q := r.byName["prov"], r.byName["named"]
	if p.GetVersion() != "1.2.3" || p.GetPluginDownloadURL() != "https://x" || p.GetEnvVarMappings()["A"] != "B" || p.GetProvider() != "" {
		t.Errorf("provider %v", p)
	}
	if got := showMap(r.inputs(t, "prov")); got != `{key: secret("k")}` {
		t.Errorf("provider inputs %s", got)
	}
	other := "urn:pulumi:dev::demo::test:index/pet:Pet::other"
	for name, ok := range map[string]bool{
		"secretOutputs": cmp.Equal(q.GetAdditionalSecretOutputs(), []string{"result", "secretResult"}),
		"alias urn":     q.GetAliases()[0].GetUrn() == "urn:pulumi:dev::demo::a:b:C::d",
		"alias spec": q.GetAliases()[1].GetSpec().GetName() == "old" && q.GetAliases()[1].GetSpec().GetType() == "t:t:T" &&
			q.GetAliases()[1].GetSpec().GetNoParent(),
		"alias parent":  q.GetAliases()[2].GetSpec().GetParentUrn() == other,
		"alias stack":   q.GetAliases()[3].GetSpec().GetStack() == "s" && q.GetAliases()[3].GetSpec().GetProject() == "p",
		"timeouts":      q.GetCustomTimeouts().GetCreate() == "5m0s" && q.GetCustomTimeouts().GetDelete() == "30s" && q.GetCustomTimeouts().GetRead() == "1m0s",
		"dbr":           q.GetDeleteBeforeReplaceDefined() && !q.GetDeleteBeforeReplace(),
		"dependsOn":     cmp.Equal(q.GetDependencies(), []string{other}),
		"ignore":        cmp.Equal(q.GetIgnoreChanges(), []string{"length", "tags[*]"}),
		"import":        q.GetImportId() == "some-id",
		"parent":        q.GetParent() == other,
		"protect":       q.Protect != nil && *q.Protect,
		"provider":      q.GetProvider() == "urn:pulumi:dev::demo::pulumi:providers:test::prov::prov-id",
		"replace":       cmp.Equal(q.GetReplaceOnChanges(), []string{"*"}),
		"retain":        q.RetainOnDelete != nil && !*q.RetainOnDelete,
		"deletedWith":   q.GetDeletedWith() == other,
		"replaceWith":   cmp.Equal(q.GetReplaceWith(), []string{other}),
		"hide":          cmp.Equal(q.GetHideDiffs(), []string{"tags"}),
		"trigger":       q.GetReplacementTrigger().GetListValue().GetValues()[0].GetStringValue() == "other-result",
		"version":       q.GetVersion() == "4.5.6" && q.GetPluginDownloadURL() == "https://y",
		"partial":       q.GetSupportsPartialValues() && q.GetSupportsResultReporting() && q.GetAcceptSecrets() && q.GetAcceptResources(),
		"result report": q.GetAliasSpecs(),
	} {
		if !ok {
			t.Errorf("%s: %v", name, q)
		}
	}
}

func TestDefaultProvider(t *testing.T) {
	t.Parallel()
	r := &runner{deployment: &deployment{outputsFn: pets, invokeFn: func(string, property.Map) (property.Map, error) {
		return property.MapOf(map[string]property.Value{"found": property.String("f")}), nil
	}}}
	r.mustRun(t, `
name: demo
variables:
  looked: {"fn::test:lookup": {name: x}}
resources:
  pet: {type: test:Pet}
  mine: {type: test:Pet, options: {provider: "${explicit}"}}
  prov: {type: "pulumi:providers:test", defaultProvider: true}
  explicit: {type: "pulumi:providers:test"}
outputs: {o: "${looked.found}"}
`)
	def := "urn:pulumi:dev::demo::pulumi:providers:test::prov::prov-id"
	if got := r.byName["pet"].GetProvider(); got != def {
		t.Errorf("pet %s", got)
	}
	if got := r.byName["mine"].GetProvider(); !strings.Contains(got, "explicit") {
		t.Errorf("mine %s", got)
	}
	if got := r.invokes[0].GetProvider(); got != def {
		t.Errorf("invoke %s", got)
	}
}

func TestPreviewKnowsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	r := &runner{deployment: &deployment{preview: true, outputsFn: pets}}
	r.mustRun(t, `
name: demo
variables:
  v: {fn::invoke: {function: test:lookup, arguments: {name: "${a.result}"}, return: found}}
resources:
  a: {type: test:Pet, properties: {length: 1}}
  b:
    type: test:Pet
    properties:
      prefix: ${a.list[0].name}
      tags: {x: "pre-${a.id}", y: "${a.length}", z: {fn::toJSON: ["${a.tags.q}"]}}
      anything: ["${a.list[7].inner.inner.size}", "${v}"]
outputs:
  urn: ${a.urn}
  known: ${a.length}
  unknown: ${a.result}
  missing: ${a.tags}
`)
	if len(r.invokes) != 0 {
		t.Error("a function was called with an unknown argument")
	}
	want := `{anything: [unknown, unknown], kind: "pet", prefix: unknown, tags: {x: unknown, y: 1, z: unknown}}`
	if got := showMap(r.inputs(t, "b")); got != want {
		t.Errorf("b %s", got)
	}
	for _, k := range []string{"prefix", "tags", "anything"} {
		if got := names(r.byName["b"].GetPropertyDependencies()[k].GetUrns()); !cmp.Equal(got, []string{"a"}) {
			t.Errorf("%s depends on %v", k, got)
		}
	}
	want = `{known: 1, missing: unknown, unknown: unknown, urn: "urn:pulumi:dev::demo::test:index/pet:Pet::a"}`
	if got := showMap(r.stackOutputs()); got != want {
		t.Errorf("outputs %s", got)
	}
}

func TestReads(t *testing.T) {
	t.Parallel()
	r := &runner{deployment: &deployment{outputsFn: pets}}
	r.mustRun(t, `
name: demo
resources:
  a: {type: test:Pet}
  got: {type: test:Pet, get: {id: "x-${a.result}", state: {length: 3}}}
  ref: {type: "pulumi:pulumi:StackReference", properties: {name: org/other/prod}}
  bare: {type: "pulumi:pulumi:StackReference"}
outputs:
  id: ${got.id}
  read: ${got}
  one: ${ref.outputs.plain}
  two: ${ref.outputs["hidden"]}
  three: {fn::stackReference: [org/other/prod, hidden]}
  four: {fn::stackReference: [org/other/prod, plain]}
`)
	got := r.reads["got"]
	if got.GetId() != "x-a-result" || got.GetProperties().GetFields()["length"].GetNumberValue() != 3 ||
		len(got.GetDependencies()) > 0 {
		t.Errorf("read %v", got)
	}
	if r.reads["bare"].GetId() != "bare" || r.reads["ref"].GetId() != "org/other/prod" || r.reads["org/other/prod"] == nil {
		t.Errorf("stack references %v", r.reads)
	}
	want := `{four: "p", id: "x-a-result", one: "p", read: resource(got), three: secret("h"), two: secret("h")}`
	if got := showMap(r.stackOutputs()); got != want {
		t.Errorf("outputs %s", got)
	}
}

func TestInvoke(t *testing.T) {
	t.Parallel()
	r := &runner{deployment: &deployment{outputsFn: pets, invokeFn: func(token string, args property.Map) (property.Map, error) {
		if token == "test:index:count" {
			return property.MapOf(map[string]property.Value{"resource": property.Number(7)}), nil
		}
		return property.MapOf(map[string]property.Value{
			"found": property.String("found " + show(args.Get("name"))), "secret": property.String("s").MakeSecret(),
		}), nil
	}}}
	r.mustRun(t, `
name: demo
resources:
  a: {type: test:Pet, properties: {tags: {got: "${dep}"}}}
  prov: {type: "pulumi:providers:test"}
variables:
  whole: {fn::invoke: {function: test:lookup, arguments: {name: n}}}
  one: {fn::invoke: {function: "test:index/lookup:lookup", arguments: {name: n}, return: found, options: {provider: "${prov}", version: 1.0.0}}}
  dep: {fn::invoke: {function: test:lookup, arguments: {name: m}, return: found, options: {dependsOn: ["${prov}"], parent: "${prov}"}}}
  hidden: {fn::invoke: {function: test:lookup, arguments: {name: {fn::secret: x}}, return: found}}
  count: {"fn::test:index:count": {}}
outputs: {whole: "${whole}", one: "${one}", hidden: "${hidden}", count: "${count}"}
`)
	want := `{count: 7, hidden: secret("found \"x\""), one: "found \"n\"", whole: {found: "found \"n\"", secret: secret("s")}}`
	if got := showMap(r.stackOutputs()); got != want {
		t.Errorf("outputs %s", got)
	}
	if got := names(r.byName["a"].GetPropertyDependencies()["tags"].GetUrns()); !cmp.Equal(got, []string{"prov"}) {
		t.Errorf("dependencies %v", got)
	}
	i := slices.IndexFunc(r.invokes, func(q *pulumirpc.ResourceInvokeRequest) bool { return q.GetProvider() != "" })
	if i < 0 || r.invokes[i].GetVersion() != "1.0.0" || !strings.HasSuffix(r.invokes[i].GetProvider(), "::prov::prov-id") {
		t.Errorf("invokes %v", r.invokes)
	}
}

func TestOneFailureDoesNotHideOthers(t *testing.T) {
	t.Parallel()
	r := &runner{deployment: &deployment{outputsFn: pets, failFn: func(q *pulumirpc.RegisterResourceRequest) error {
		switch q.GetName() {
		case "refused":
			return status.Error(codes.InvalidArgument, "not this one")
		case "reported":
			return status.Error(codes.Internal, "resource registration failed")
		default:
			return nil
		}
	}}}
	err := r.run(t, `
name: demo
resources:
  refused: {type: test:Pet}
  reported: {type: test:Pet}
  dependent: {type: test:Pet, properties: {prefix: "${refused.result}"}}
  fine: {type: test:Pet}
  bad: {type: test:Pet, properties: {prefix: {fn::readFile: ./none}}}
outputs: {fine: "${fine.result}", gone: "${dependent.result}"}
`)
	if !errors.Is(err, langhost.ErrBail) || r.ended {
		t.Errorf("got %v, ended %v", err, r.ended)
	}
	text := r.diags.Error()
	if len(r.diags) != 2 || !strings.Contains(text, "Pulumi.yaml:4:3: resource refused: not this one") ||
		!strings.Contains(text, "Pulumi.yaml:8:61: Error reading file at path ./none: no such file or directory") {
		t.Errorf("got %d: %s", len(r.diags), text)
	}
	if _, ok := r.byName["dependent"]; ok {
		t.Error("the dependent was declared")
	}
	if got := showMap(r.stackOutputs()); got != `{fine: "fine-result"}` {
		t.Errorf("outputs %s", got)
	}
}

func TestMixedFileNames(t *testing.T) {
	t.Parallel()
	r := &runner{files: map[string]string{"Main.json": `{"outputs": {"from": "json", "cwd": "${pulumi.cwd}"}}`}}
	r.mustRun(t, "name: demo\noutputs: {from: yaml}\n")
	if got := showMap(r.stackOutputs()); got != `{cwd: "`+r.dir+`", from: "json"}` {
		t.Errorf("outputs %s", got)
	}
}

func TestDeclaredPackages(t *testing.T) {
	t.Parallel()
	r := &runner{files: map[string]string{
		"sdks/other.yaml": "packageDeclarationVersion: 1\nname: base\nversion: 2.0.0\nparameterization: {name: other, version: 3.0.0, value: aGk=}\n",
	}}
	r.schemas = schemas(t)
	base := *r.schemas["test"]
	base.Name = "other"
	r.schemas["base"] = &base
	base.Resources = map[string]resourceSchema{"other:index:Thing": {}}
	r.mustRun(t, "name: demo\nresources: {thing: {type: 'other:Thing'}}\n")
	if len(r.packs) != 1 || r.packs[0].GetName() != "base" || string(r.packs[0].GetParameterization().GetValue()) != "hi" {
		t.Errorf("packages %v", r.packs)
	}
	if got := r.byName["thing"].GetPackageRef(); got != "ref-base" {
		t.Errorf("reference %q", got)
	}
}

// TestTextsOfNumbers: a number in a place for text keeps how it is written; elsewhere it is a number.
func TestTextsOfNumbers(t *testing.T) {
	t.Parallel()
	r := &runner{deployment: &deployment{outputsFn: pets}}
	r.mustRun(t, `
name: demo
config: {c: {type: string, default: 1.10}}
resources:
  r:
    type: test:Pet
    properties: {prefix: 1.10, names: [0012, 5], tags: {t: 2022e1, c: "${c}"}, anything: 1.10, length: 0x10}
`)
	want := `{anything: 1.1, kind: "pet", length: 16, names: ["0012", 5], prefix: "1.10", tags: {c: "1.10", t: "2022e1"}}`
	if got := showMap(r.inputs(t, "r")); got != want {
		t.Errorf("got %s", got)
	}
}

// versioned is an engine that is older than everything.
type versioned struct {
	pulumirpc.UnimplementedEngineServer
}

func (versioned) RequirePulumiVersion(
	context.Context, *pulumirpc.RequirePulumiVersionRequest,
) (*pulumirpc.RequirePulumiVersionResponse, error) {
	return nil, status.Error(codes.FailedPrecondition, "Pulumi CLI version 1.0.0 does not satisfy the version range \">=2\"")
}

func TestRequiredVersion(t *testing.T) {
	t.Parallel()
	r := &runner{deployment: &deployment{engine: versioned{}}}
	err := r.run(t, "name: demo\npulumi:\n  requiredVersion: '>=2'\n")
	if !errors.Is(err, langhost.ErrBail) || !strings.Contains(r.diags.Error(), "Pulumi.yaml:3:20: Pulumi CLI version 1.0.0 does not satisfy") ||
		len(r.order) > 0 {
		t.Errorf("got %v, %v", err, r.diags)
	}
}

func TestNoMonitor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir+"/Pulumi.yaml", "name: demo\n")
	err := yaml.New().Run(t.Context(), langhost.RunRequest{
		Program: langhost.Program{Root: dir, Directory: dir}, Project: "demo", Stack: "dev", MonitorAddress: "127.0.0.1:1",
		Report: func(diag.Diagnostic) {},
	})
	if err == nil || errors.Is(err, langhost.ErrBail) {
		t.Errorf("got %v", err)
	}
}

// TestPropertiesFromAValue: properties may be any expression that gives an object.
func TestPropertiesFromAValue(t *testing.T) {
	t.Parallel()
	r := &runner{deployment: &deployment{outputsFn: pets}, config: map[string]string{
		"demo:bad": `{"nope": 1}`, "demo:props": `{"length": 3}`,
	}}
	err := r.run(t, `
name: demo
config: {bad: {type: object}, props: {type: object}}
variables:
  hidden: {fn::secret: {prefix: p, token: t}}
resources:
  a: {type: test:Pet, properties: "${hidden}"}
  b: {type: test:Pet, properties: "${props}"}
  c: {type: test:Pet, properties: "${bad}"}
`)
	if !errors.Is(err, langhost.ErrBail) || !strings.Contains(r.diags.Error(), "Property nope does not exist on Resource test:index/pet:Pet") {
		t.Errorf("got %v, %v", err, r.diags)
	}
	if got := showMap(r.inputs(t, "a")); got != `{kind: "pet", prefix: secret("p"), token: secret("t")}` {
		t.Errorf("a %s", got)
	}
	if got := showMap(r.inputs(t, "b")); got != `{kind: "pet", length: 3}` {
		t.Errorf("b %s", got)
	}
}

func TestPreviewOfUnknownProperties(t *testing.T) {
	t.Parallel()
	r := &runner{deployment: &deployment{preview: true, outputsFn: pets}}
	r.mustRun(t, `
name: demo
resources:
  a: {type: test:Pet}
  b: {type: test:Pet, properties: "${a.tags}"}
  c: {type: test:Pet, get: {id: "${a.id}"}}
  d: {type: test:Pet, properties: {prefix: "${c.result}"}, options: {parent: "${c}"}}
`)
	if got := showMap(r.inputs(t, "b")); !strings.Contains(got, "length: unknown") || !strings.Contains(got, "tags: unknown") {
		t.Errorf("b %s", got)
	}
	if got := r.byName["d"].GetParent(); got != "urn:pulumi:dev::demo::test:index/pet:Pet::c" || len(r.reads) > 0 {
		t.Errorf("parent %s, reads %v", got, r.reads)
	}
}

func TestInvokeProblems(t *testing.T) {
	t.Parallel()
	r := &runner{deployment: &deployment{outputsFn: pets, invokeFn: func(token string, args property.Map) (property.Map, error) {
		if token == "test:index:count" {
			return property.MapOf(map[string]property.Value{"a": property.Null(), "b": property.Null()}), nil
		}
		if show(args.Get("name")) == `"bad"` {
			return property.Map{}, status.Error(codes.Unknown, "refused")
		}
		return property.MapOf(map[string]property.Value{"other": property.Null()}), nil
	}}, config: map[string]string{"demo:text": "x"}}
	err := r.run(t, `
name: demo
config: {text: {type: string}}
variables:
  a: {"fn::test:count": {}}
  b: {fn::invoke: {function: test:lookup, arguments: {name: bad}}}
  c: {fn::invoke: {function: test:lookup, arguments: {name: good}, return: found}}
  d: {fn::invoke: {function: test:lookup, arguments: "${text}"}}
`)
	if !errors.Is(err, langhost.ErrBail) || len(r.diags) != 4 {
		t.Errorf("got %v, %v", err, r.diags)
	}
	for _, want := range []string{
		"invoke of test:count gave 2 values instead of one", "invoke of test:index/lookup:lookup: refused",
		"did not contain a property 'found' in the returned value", "function arguments must be an object, not a string",
	} {
		if !strings.Contains(r.diags.Error(), want) {
			t.Errorf("no %q in %v", want, r.diags)
		}
	}
}
