package provider_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/provider"
)

func TestHandshakeTellsEverything(t *testing.T) {
	t.Parallel()
	var got *pulumirpc.ProviderHandshakeRequest
	r := &raw{HandshakeFn: func(q *pulumirpc.ProviderHandshakeRequest) (*pulumirpc.ProviderHandshakeResponse, error) {
		got = q
		return modern(q)
	}}
	c, _ := connection(t, r)
	c.Path = "/some/folder/pulumi-resource-pkg"
	if _, err := provider.Connect(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	dir, mapper, loader := "/some/folder", "mapper:2", "loader:3"
	want := &pulumirpc.ProviderHandshakeRequest{
		EngineAddress: "engine:1", RootDirectory: &dir, ProgramDirectory: &dir, ConfigureWithUrn: true,
		SupportsRefreshBeforeUpdate: true, InvokeWithPreview: true, MapperTarget: &mapper, LoaderTarget: &loader,
		AcceptsByteString: true, AcceptsOutputsInInvoke: true, AcceptsOutputsInCall: true,
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
}

func TestHandshakeWaitsAndFails(t *testing.T) {
	t.Parallel()
	tries := 0
	r := &raw{HandshakeFn: func(q *pulumirpc.ProviderHandshakeRequest) (*pulumirpc.ProviderHandshakeResponse, error) {
		if tries++; tries < 3 {
			return nil, status.Error(codes.Unavailable, "warming up")
		}
		return modern(q)
	}}
	connect(t, r)
	bad := &raw{HandshakeFn: func(*pulumirpc.ProviderHandshakeRequest) (*pulumirpc.ProviderHandshakeResponse, error) {
		return nil, status.Error(codes.Internal, "broken")
	}}
	c, _ := connection(t, bad)
	if _, err := provider.Connect(t.Context(), c); err == nil || !strings.Contains(err.Error(), "failed to handshake with the provider: broken") {
		t.Errorf("got %v", err)
	}
}

func TestConfigureNegotiatesWithOldProviders(t *testing.T) {
	t.Parallel()
	var sent *pulumirpc.ConfigureRequest
	created := 0
	r := &raw{
		ConfigureFn: func(q *pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
			sent = q
			return &pulumirpc.ConfigureResponse{AcceptSecrets: true}, nil
		},
		CreateFn: func(_ context.Context, q *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
			created++
			return &pulumirpc.CreateResponse{Id: "x", Properties: q.GetProperties()}, nil
		},
	}
	p := connect(t, r)
	if _, err := p.Create(t.Context(), plugin.CreateRequest{URN: thing}); err == nil || !strings.Contains(err.Error(), "before it is configured") {
		t.Errorf("got %v", err)
	}
	configure(t, p, props(
		"version", "1.2.3", "region", "eu", "token", secretOf("s3cret"),
		"tags", property.NewMap(map[string]property.Value{"a": property.NewList(property.Number(1), secretOf("b"))}),
	))
	wantVariables := map[string]string{
		"pkg:config:region": "eu", "pkg:config:token": "s3cret", "pkg:config:tags": `{"a":[1,"b"]}`,
	}
	if diff := cmp.Diff(wantVariables, sent.GetVariables()); diff != "" {
		t.Error(diff)
	}
	if sent.GetUrn() != string(providerURN) || sent.GetName() != "default" || sent.GetType() != "pulumi:providers:pkg" ||
		sent.GetId() != "id" || !sent.GetAcceptSecrets() || !sent.GetAcceptResources() || !sent.GetSendsOldInputs() ||
		!sent.GetSendsOldInputsToDelete() {
		t.Errorf("got %v", sent)
	}
	if s := sent.GetArgs().GetFields()["token"].GetStructValue(); s.GetFields()["value"].GetStringValue() != "s3cret" {
		t.Errorf("args hold no secret: %v", sent.GetArgs())
	}
	// It does not support previews: outputs are predicted to be inputs, without asking.
	in := props("a", secretOf("x"))
	resp, err := p.Create(t.Context(), plugin.CreateRequest{URN: thing, Inputs: in, Preview: true})
	if err != nil || created != 0 || !resp.Outputs.Equal(in) {
		t.Errorf("got %+v, %v, %d calls", resp, err, created)
	}
	if info, err := p.Info(t.Context()); !errors.Is(err, plugin.ErrUnimplemented) || info.SupportsPreview {
		t.Errorf("got %+v, %v", info, err)
	}
}

func TestUnknownConfigurationIsNotSent(t *testing.T) {
	t.Parallel()
	// Nothing but the handshake is implemented: a call that is sent fails.
	r := &raw{HandshakeFn: modern, ConfigureFn: func(*pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
		return nil, status.Error(codes.Internal, "must not be sent")
	}}
	p := connect(t, r)
	ctx := t.Context()
	configure(t, p, props("a", property.NewList(property.Unknown().MakeSecret())))
	in := props("x", "y")
	if resp, err := p.Check(ctx, plugin.CheckRequest{URN: thing, News: in, Preview: true}); err != nil || !resp.Inputs.Equal(in) {
		t.Errorf("Check: %v, %v", resp, err)
	}
	if resp, err := p.Diff(ctx, plugin.DiffRequest{URN: thing, News: in}); err != nil || !strings.Contains(resp.Unavailable, "not known during preview") {
		t.Errorf("Diff: %v, %v", resp, err)
	}
	if resp, err := p.Create(ctx, plugin.CreateRequest{URN: thing, Inputs: in, Preview: true}); err != nil || resp.Outputs.Len() != 0 {
		t.Errorf("Create: %v, %v", resp, err)
	}
	if resp, err := p.Update(ctx, plugin.UpdateRequest{URN: thing, News: in, Preview: true}); err != nil || resp.Outputs.Len() != 0 {
		t.Errorf("Update: %v, %v", resp, err)
	}
	if resp, err := p.Read(ctx, plugin.ReadRequest{URN: thing, ID: "i", State: in}); err != nil || resp.ID != "i" || !resp.Outputs.Equal(in) {
		t.Errorf("Read: %v, %v", resp, err)
	}
	if resp, err := p.Invoke(ctx, plugin.InvokeRequest{Token: "f"}); err != nil || resp.Return.Len() != 0 {
		t.Errorf("Invoke: %v, %v", resp, err)
	}
	if resp, err := p.Call(ctx, plugin.CallRequest{Token: "f"}); err != nil || resp.Return.Len() != 0 {
		t.Errorf("Call: %v, %v", resp, err)
	}
	for what, err := range map[string]error{
		"create": func() error { _, err := p.Create(ctx, plugin.CreateRequest{URN: thing}); return err }(),
		"update": func() error { _, err := p.Update(ctx, plugin.UpdateRequest{URN: thing}); return err }(),
		"delete": p.Delete(ctx, plugin.DeleteRequest{URN: thing}),
	} {
		if err == nil || !strings.Contains(err.Error(), "cannot "+what) || !strings.Contains(err.Error(), "not known") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestConfigChecksOfOldProviders(t *testing.T) {
	t.Parallel()
	p := connect(t, &raw{HandshakeFn: modern})
	if _, err := p.CheckConfig(t.Context(), plugin.CheckRequest{URN: providerURN}); !errors.Is(err, plugin.ErrUnimplemented) {
		t.Errorf("CheckConfig: %v", err)
	}
	if resp, err := p.DiffConfig(t.Context(), plugin.DiffRequest{URN: providerURN}); err != nil || resp.Changes != plugin.ChangesUnknown || resp.Replace() {
		t.Errorf("DiffConfig: %+v, %v", resp, err)
	}
}

func TestConfigIsCheckedWithoutSecrets(t *testing.T) {
	t.Parallel()
	r := &raw{HandshakeFn: modern, CheckConfigFn: func(q *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
		if q.GetNews().GetFields()["token"].GetStringValue() != "s3cret" {
			return nil, status.Errorf(codes.InvalidArgument, "token is %v", q.GetNews().GetFields()["token"])
		}
		return &pulumirpc.CheckResponse{Inputs: q.GetNews()}, nil
	}}
	resp, err := connect(t, r).CheckConfig(t.Context(), plugin.CheckRequest{URN: providerURN, News: props("token", secretOf("s3cret"))})
	if err != nil || !resp.Inputs.Get("token").Secret() {
		t.Errorf("got %v, %v", resp, err)
	}
}

// A provider that does not understand secrets copies one to the same place, to others, into a list and into JSON.
func TestSecretsComeBackFromBlindProviders(t *testing.T) {
	t.Parallel()
	const canary = `canary "4711"`
	echo := map[string]any{
		"token": canary, "copy": canary, "open": "nothing", "list": []any{"a", canary}, "json": `{"x":"canary \"4711\""}`,
		"nested": map[string]any{"deep": canary, "open": "x"}, "short": "ab",
	}
	inputs := props(
		"token", secretOf(canary), "short", "ab", "set", property.NewList(property.String("p"), secretOf("ab")),
		"nested", property.NewMap(map[string]property.Value{"deep": secretOf("other"), "open": property.String("x")}),
	)
	r := &raw{
		HandshakeFn: blind,
		CheckFn: func(*pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
			return &pulumirpc.CheckResponse{Inputs: object(t, echo)}, nil
		},
		CreateFn: func(_ context.Context, q *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
			if strings.Contains(q.String(), "1b47061264138c4ac30d75fd1eb44270") {
				return nil, status.Error(codes.InvalidArgument, "got a secret")
			}
			return &pulumirpc.CreateResponse{Id: "x", Properties: object(t, echo)}, nil
		},
		UpdateFn: func(*pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
			return &pulumirpc.UpdateResponse{Properties: object(t, echo)}, nil
		},
		ReadFn: func(*pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
			return &pulumirpc.ReadResponse{Id: "x", Properties: object(t, echo), Inputs: object(t, echo)}, nil
		},
		InvokeFn: func(*pulumirpc.InvokeRequest) (*pulumirpc.InvokeResponse, error) {
			return &pulumirpc.InvokeResponse{Return: object(t, map[string]any{"all": "of it"})}, nil
		},
	}
	p := ready(t, r)
	ctx := t.Context()
	answers := map[string]property.Map{}
	checked, err := p.Check(ctx, plugin.CheckRequest{URN: thing, News: inputs})
	made, err2 := p.Create(ctx, plugin.CreateRequest{URN: thing, Inputs: inputs})
	changed, err3 := p.Update(ctx, plugin.UpdateRequest{URN: thing, News: inputs})
	read, err4 := p.Read(ctx, plugin.ReadRequest{URN: thing, ID: "x", Inputs: inputs, State: made.Outputs})
	imported, err5 := p.Read(ctx, plugin.ReadRequest{URN: thing, ID: "x", State: props("token", secretOf(canary))})
	if err := errors.Join(err, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	answers["check"], answers["create"], answers["update"] = checked.Inputs, made.Outputs, changed.Outputs
	answers["read"], answers["read inputs"], answers["import"] = read.Outputs, *read.Inputs, imported.Outputs
	for what, m := range answers {
		plain := m.Redact()
		if s := property.FromMap(plain); strings.Contains(textOf(s), "canary") {
			t.Errorf("%s: a secret shows: %s", what, textOf(s))
		}
		for _, k := range []string{"open", "short"} {
			if m.Get(k).Secret() {
				t.Errorf("%s: %s became secret", what, k)
			}
		}
	}
	if n, _ := made.Outputs.Get("nested").AsMap(); n.Get("open").Secret() || !n.Get("deep").Secret() || made.Outputs.Get("nested").Secret() {
		t.Errorf("nested: %v", n)
	}
	result, err := p.Invoke(ctx, plugin.InvokeRequest{Token: "f", Args: inputs})
	if err != nil || !result.Return.Get("all").Secret() {
		t.Errorf("Invoke: %v, %v", result, err)
	}
}

func textOf(v property.Value) string {
	var b strings.Builder
	v.Transform(func(v property.Value) property.Value {
		if s, ok := v.AsString(); ok {
			b.WriteString(s + "\n")
		}
		return v
	})
	return b.String()
}

func TestAssetContentsAreElidedAndRestored(t *testing.T) {
	t.Parallel()
	const sig, assetSig = "4dabf18193072939515e22adb298388d", "c44067f5952c0a294b673a41bacd8c17"
	elided := map[string]any{"file": map[string]any{sig: assetSig, "hash": "h"}}
	r := &raw{
		HandshakeFn: modern,
		DeleteFn: func(q *pulumirpc.DeleteRequest) error {
			if strings.Contains(q.String(), "contents") {
				return status.Error(codes.InvalidArgument, "contents were sent")
			}
			return nil
		},
		ReadFn: func(*pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
			return &pulumirpc.ReadResponse{Id: "x", Properties: object(t, elided), Inputs: object(t, elided)}, nil
		},
	}
	p := ready(t, r)
	in := props("file", property.FromAsset(property.Asset{Source: property.SourceText, Location: "contents", Hash: "h"}))
	if err := p.Delete(t.Context(), plugin.DeleteRequest{URN: thing, ID: "x", Inputs: in, Outputs: in}); err != nil {
		t.Error(err)
	}
	read, err := p.Read(t.Context(), plugin.ReadRequest{URN: thing, ID: "x", Inputs: in, State: in})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []property.Map{read.Outputs, *read.Inputs} {
		if a, _ := m.Get("file").AsAsset(); a.Location != "contents" {
			t.Errorf("got %+v", a)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	var sent *pulumirpc.ReadRequest
	answer := &pulumirpc.ReadResponse{}
	p := ready(t, &raw{HandshakeFn: modern, ReadFn: func(q *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
		sent = q
		return answer, nil
	}})
	resp, err := p.Read(t.Context(), plugin.ReadRequest{URN: thing, ID: "x", Timeout: 90 * time.Second})
	if err != nil || resp.ID != "" {
		t.Errorf("gone: %+v, %v", resp, err)
	}
	if sent.GetInputs() != nil || sent.GetProperties() == nil || sent.GetTimeout() != 90 {
		t.Errorf("an import sends no inputs, and an empty state: %v", sent)
	}
	answer.Id = "y"
	if resp, err := p.Read(t.Context(), plugin.ReadRequest{URN: thing, ID: "x"}); err != nil || resp.ID != "" {
		t.Errorf("without properties: %+v, %v", resp, err)
	}
	answer.Properties = object(t, nil)
	if resp, err := p.Read(t.Context(), plugin.ReadRequest{URN: thing, ID: "x"}); err != nil || resp.ID != "y" || resp.Inputs != nil {
		t.Errorf("renamed: %+v, %v", resp, err)
	}
}

func TestParameterize(t *testing.T) {
	t.Parallel()
	var subpackage string
	r := &raw{
		HandshakeFn: modern,
		ParameterizeFn: func(q *pulumirpc.ParameterizeRequest) (*pulumirpc.ParameterizeResponse, error) {
			v := q.GetValue()
			if string(v.GetValue()) != "value" {
				return nil, status.Error(codes.InvalidArgument, "no value")
			}
			return &pulumirpc.ParameterizeResponse{Name: v.GetName(), Version: v.GetVersion()}, nil
		},
		SchemaFn: func(q *pulumirpc.GetSchemaRequest) (*pulumirpc.GetSchemaResponse, error) {
			subpackage = q.GetSubpackageName() + "@" + q.GetSubpackageVersion()
			return &pulumirpc.GetSchemaResponse{Schema: `{"name":"sub","version":"9.9.9"}`}, nil
		},
	}
	c, _ := connection(t, r)
	c.Package = plugin.Package{
		Name: "pkg", Version: "0.0.0-xabc", DownloadURL: "git://example.com/o/r",
		Parameterization: &plugin.Parameterization{Name: "sub", Version: "1.0.0", Value: []byte("value")},
	}
	p, err := provider.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := p.Schema(t.Context())
	if err != nil || subpackage != "sub@1.0.0" || !strings.Contains(string(schema), `"0.0.0-xabc"`) {
		t.Errorf("got %s, %s, %v", schema, subpackage, err)
	}
	if info, err := p.Info(t.Context()); err != nil || info.Version != "0.0.0-xabc" {
		t.Errorf("got %+v, %v", info, err)
	}
	c.Package.Parameterization.Value = nil
	if _, err := provider.Connect(t.Context(), c); err == nil || !strings.Contains(err.Error(), "into package sub: no value") {
		t.Errorf("got %v", err)
	}
}
