package fakeprovidertest_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
)

func TestHandshakeSchemaAndConfiguration(t *testing.T) {
	t.Parallel()
	kit := setup(t)
	p := launch(t, kit)

	handshake, err := p.Handshake(t.Context(), &pulumirpc.ProviderHandshakeRequest{EngineAddress: "127.0.0.1:1"})
	must(t, err)
	if !handshake.AcceptSecrets || !handshake.AcceptResources || !handshake.AcceptOutputs {
		t.Errorf("handshake refuses values: %v", handshake)
	}
	info, err := p.GetPluginInfo(t.Context(), &emptypb.Empty{})
	must(t, err)
	if info.Version != "2.3.4" {
		t.Errorf("version %q is not that of the plugin folder", info.Version)
	}
	schema, err := p.GetSchema(t.Context(), &pulumirpc.GetSchemaRequest{})
	must(t, err)
	var parsed struct {
		Name, Version string
		Resources     map[string]struct{ IsComponent bool }
		Functions     map[string]any
	}
	must(t, json.Unmarshal([]byte(schema.Schema), &parsed))
	if parsed.Name != "fp" || parsed.Version != "2.3.4" || !parsed.Resources[fakeprovidertest.TypeComp].IsComponent ||
		parsed.Functions[fakeprovidertest.TokenInvoke] == nil {
		t.Errorf("schema misses something: %+v", parsed)
	}

	must(t, kit.Control(fakeprovidertest.Control{AcceptTokens: []string{"new"}}))
	for _, test := range []struct {
		name string
		args map[string]any
		code codes.Code
	}{
		{"accepted secret token", map[string]any{"token": secret("new")}, codes.OK},
		{"old token", map[string]any{"token": "old"}, codes.Unauthenticated},
		{"no token", nil, codes.InvalidArgument},
	} {
		_, err := p.Configure(t.Context(), &pulumirpc.ConfigureRequest{Args: object(t, test.args)})
		if status.Code(err) != test.code {
			t.Errorf("%s: %v, want code %v", test.name, err, test.code)
		}
	}
	if got := calls(t, kit, "Configure"); len(got) != 3 || got[1].Properties("args")["token"] != "old" {
		t.Errorf("the log does not tell the tokens: %+v", got)
	}
	diff, err := p.DiffConfig(t.Context(), &pulumirpc.DiffRequest{
		OldInputs: object(t, map[string]any{"account": "a", "token": "t"}),
		News:      object(t, map[string]any{"account": "b", "token": "u"}),
	})
	must(t, err)
	if !slices.Equal(diff.Replaces, []string{"account"}) || !slices.Equal(diff.Diffs, []string{"account", "token"}) {
		t.Errorf("provider diff: %v", diff)
	}
}

func TestLifeOfAThing(t *testing.T) {
	t.Parallel()
	kit := setup(t)
	p := launch(t, kit)

	inputs := map[string]any{"v": 1, "name": "fixed", "echo": secret("hush"), "more": []any{true, nil}}
	check, err := p.Check(t.Context(), &pulumirpc.CheckRequest{Urn: urn("a"), News: object(t, inputs)})
	must(t, err)
	if diff := cmp.Diff(object(t, inputs).AsMap(), check.Inputs.AsMap()); diff != "" || len(check.Failures) > 0 {
		t.Errorf("check changed the inputs: %s %v", diff, check.Failures)
	}

	preview, err := p.Create(t.Context(), &pulumirpc.CreateRequest{
		Urn: urn("a"), Properties: object(t, map[string]any{"v": unknown, "echo": "x"}), Preview: true,
	})
	must(t, err)
	wantPreview := map[string]any{"v": unknown, "echo": "x", "echoed": unknown, "serial": unknown}
	if diff := cmp.Diff(wantPreview, preview.Properties.AsMap()); diff != "" || preview.Id != "" {
		t.Errorf("preview of create, id %q: %s", preview.Id, diff)
	}
	if got := ids(t, kit); len(got) != 0 {
		t.Fatalf("a preview made %v", got)
	}

	created, err := create(t, p, "a", inputs)
	must(t, err)
	if !regexp.MustCompile(`^fixed-[0-9a-f]{8}$`).MatchString(created.Id) {
		t.Errorf("id %q", created.Id)
	}
	want := object(t, inputs).AsMap()
	want["serial"] = 1.0
	want["echoed"] = map[string]any{"list": []any{secret("hush")}, "json": secret(`"hush"`), "upper": secret("HUSH")}
	if diff := cmp.Diff(want, created.Properties.AsMap()); diff != "" {
		t.Errorf("outputs: %s", diff)
	}

	must(t, kit.Drift(created.Id, map[string]any{"v": 5}))
	for _, key := range []string{created.Id, "fixed"} { // by id, and as an import does by its name
		read, err := p.Read(t.Context(), &pulumirpc.ReadRequest{Id: key, Urn: urn("a")})
		must(t, err)
		if read.Id != created.Id || read.Inputs.AsMap()["v"] != 5.0 || read.Properties.AsMap()["v"] != 5.0 {
			t.Errorf("read of %s: %v", key, read)
		}
	}

	updated, err := p.Update(t.Context(), &pulumirpc.UpdateRequest{
		Id: created.Id, Urn: urn("a"), News: object(t, map[string]any{"v": 2, "name": "other"}),
	})
	must(t, err)
	if diff := cmp.Diff(map[string]any{"v": 2.0, "name": "other", "serial": 2.0}, updated.Properties.AsMap()); diff != "" {
		t.Errorf("updated outputs: %s", diff)
	}

	for range 2 { // what is gone is deleted
		_, err = p.Delete(t.Context(), &pulumirpc.DeleteRequest{Id: created.Id, Urn: urn("a")})
		must(t, err)
	}
	read, err := p.Read(t.Context(), &pulumirpc.ReadRequest{Id: created.Id, Urn: urn("a")})
	must(t, err)
	if read.Id != "" || len(ids(t, kit)) != 0 {
		t.Errorf("deleted, yet read says %v and the ledger %v", read, ids(t, kit))
	}
	effects, err := kit.Effects()
	must(t, err)
	var kinds []fakeprovidertest.EffectKind
	for _, e := range effects {
		kinds = append(kinds, e.Kind)
	}
	if diff := cmp.Diff([]fakeprovidertest.EffectKind{"create", "update", "update", "delete"}, kinds); diff != "" {
		t.Errorf("effects: %s", diff)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	kit := setup(t)
	p := launch(t, kit)
	for _, test := range []struct {
		name string
		call func() error
		code codes.Code
	}{
		{"a type it does not have", func() error {
			_, err := p.Create(t.Context(), &pulumirpc.CreateRequest{Type: "fp:index:Nothing"})
			return err
		}, codes.InvalidArgument},
		{"an unknown value in a real create", func() error {
			_, err := create(t, p, "a", map[string]any{"deep": []any{map[string]any{"x": unknown}}})
			return err
		}, codes.InvalidArgument},
		{"an update of nothing", func() error {
			_, err := p.Update(t.Context(), &pulumirpc.UpdateRequest{Urn: urn("a"), Id: "none"})
			return err
		}, codes.NotFound},
		{"a method it does not have", func() error {
			_, err := p.GetMapping(t.Context(), &pulumirpc.GetMappingRequest{Key: "terraform"})
			return err
		}, codes.Unimplemented},
		{"a function it does not have", func() error {
			_, err := p.Invoke(t.Context(), &pulumirpc.InvokeRequest{Tok: "fp:index:nothing"})
			return err
		}, codes.InvalidArgument},
	} {
		if err := test.call(); status.Code(err) != test.code {
			t.Errorf("%s: %v, want code %v", test.name, err, test.code)
		}
	}
	if got := calls(t, kit, "GetMapping"); len(got) != 1 || got[0].Code != "Unimplemented" {
		t.Errorf("log of GetMapping: %+v", got)
	}
	check, err := p.Check(t.Context(), &pulumirpc.CheckRequest{Urn: urn("a"), News: object(t, map[string]any{"name": 1})})
	must(t, err)
	if len(check.Failures) != 1 || check.Failures[0].Property != "name" {
		t.Errorf("a number for a name: %v", check.Failures)
	}
}

func TestFixedNamesAndNumbersAreSharedByProcesses(t *testing.T) {
	t.Parallel()
	kit := setup(t)
	one, two := launch(t, kit), launch(t, kit)
	first, err := create(t, one, "a", map[string]any{"name": "only"})
	must(t, err)
	if _, err := create(t, two, "a", map[string]any{"name": "only"}); status.Code(err) != codes.AlreadyExists {
		t.Fatalf("a second thing of the same name: %v", err)
	}
	if got := ids(t, kit); !slices.Equal(got, []string{first.Id}) {
		t.Errorf("ids %v, want %v", got, first.Id)
	}
	got := calls(t, kit, "Create")
	if len(got) != 2 || got[0].Number != 1 || got[1].Number != 2 || got[0].PID == got[1].PID || !got[1].Done {
		t.Errorf("calls: %+v", got)
	}
}

func TestInvoke(t *testing.T) {
	t.Parallel()
	p := launch(t, setup(t))
	for _, test := range []struct{ value, upper any }{
		{"x", "X"}, {secret("x"), secret("X")}, {unknown, unknown}, {1.0, nil},
	} {
		response, err := p.Invoke(t.Context(), &pulumirpc.InvokeRequest{
			Tok: fakeprovidertest.TokenInvoke, Args: object(t, map[string]any{"value": test.value}),
		})
		must(t, err)
		want := map[string]any{"value": test.value}
		if test.upper != nil {
			want["upper"] = test.upper
		}
		if diff := cmp.Diff(want, response.Return.AsMap()); diff != "" {
			t.Errorf("invoke of %v: %s", test.value, diff)
		}
	}
	response, err := p.Invoke(t.Context(), &pulumirpc.InvokeRequest{
		Tok: fakeprovidertest.TokenInvoke, Args: object(t, map[string]any{"fail": "no"}),
	})
	must(t, err)
	if len(response.Failures) != 1 || response.Failures[0].Reason != "no" {
		t.Errorf("failures: %v", response.Failures)
	}
}
