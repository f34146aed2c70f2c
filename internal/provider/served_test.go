package provider_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/providertest"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// fake is a provider in domain types. A call without a function fails as one that is not implemented.
type fake struct {
	CheckConfigFn func(plugin.CheckRequest) (plugin.CheckResponse, error)
	DiffConfigFn  func(plugin.DiffRequest) (plugin.DiffResponse, error)
	ConfigureFn   func(plugin.ConfigureRequest) error
	CheckFn       func(plugin.CheckRequest) (plugin.CheckResponse, error)
	DiffFn        func(plugin.DiffRequest) (plugin.DiffResponse, error)
	CreateFn      func(plugin.CreateRequest) (plugin.CreateResponse, error)
	UpdateFn      func(plugin.UpdateRequest) (plugin.UpdateResponse, error)
	DeleteFn      func(plugin.DeleteRequest) error
	ReadFn        func(plugin.ReadRequest) (plugin.ReadResponse, error)
	InvokeFn      func(plugin.InvokeRequest) (plugin.InvokeResponse, error)
	CallFn        func(plugin.CallRequest) (plugin.CallResponse, error)
	ConstructFn   func(plugin.ConstructRequest) (plugin.ConstructResponse, error)
	SchemaFn      func() ([]byte, error)
	CancelFn      func() error
}

func ask[Q, R any](f func(Q) (R, error), q Q) (R, error) {
	if f == nil {
		var none R
		return none, plugin.ErrUnimplemented
	}
	return f(q)
}

func (f *fake) CheckConfig(_ context.Context, q plugin.CheckRequest) (plugin.CheckResponse, error) {
	return ask(f.CheckConfigFn, q)
}

func (f *fake) DiffConfig(_ context.Context, q plugin.DiffRequest) (plugin.DiffResponse, error) {
	return ask(f.DiffConfigFn, q)
}

func (f *fake) Configure(_ context.Context, q plugin.ConfigureRequest) error {
	if f.ConfigureFn == nil {
		return nil
	}
	return f.ConfigureFn(q)
}

func (f *fake) Check(_ context.Context, q plugin.CheckRequest) (plugin.CheckResponse, error) {
	return ask(f.CheckFn, q)
}

func (f *fake) Diff(_ context.Context, q plugin.DiffRequest) (plugin.DiffResponse, error) {
	return ask(f.DiffFn, q)
}

func (f *fake) Create(_ context.Context, q plugin.CreateRequest) (plugin.CreateResponse, error) {
	return ask(f.CreateFn, q)
}

func (f *fake) Update(_ context.Context, q plugin.UpdateRequest) (plugin.UpdateResponse, error) {
	return ask(f.UpdateFn, q)
}

func (f *fake) Delete(_ context.Context, q plugin.DeleteRequest) error {
	if f.DeleteFn == nil {
		return plugin.ErrUnimplemented
	}
	return f.DeleteFn(q)
}

func (f *fake) Read(_ context.Context, q plugin.ReadRequest) (plugin.ReadResponse, error) {
	return ask(f.ReadFn, q)
}

func (f *fake) Invoke(_ context.Context, q plugin.InvokeRequest) (plugin.InvokeResponse, error) {
	return ask(f.InvokeFn, q)
}

func (f *fake) Call(_ context.Context, q plugin.CallRequest) (plugin.CallResponse, error) {
	return ask(f.CallFn, q)
}

func (f *fake) Construct(_ context.Context, q plugin.ConstructRequest) (plugin.ConstructResponse, error) {
	return ask(f.ConstructFn, q)
}

func (f *fake) Schema(context.Context) ([]byte, error) {
	if f.SchemaFn == nil {
		return []byte(`{"name":"pkg"}`), nil
	}
	return f.SchemaFn()
}

func (f *fake) Info(context.Context) (plugin.Info, error) {
	return plugin.Info{Version: "1.2.3", SupportsPreview: true}, nil
}

func (f *fake) Cancel(context.Context) error {
	if f.CancelFn == nil {
		return nil
	}
	return f.CancelFn()
}

func (f *fake) Close() error { return nil }

// served reaches f across a connection, configured.
func served(t *testing.T, f *fake) plugin.Provider {
	t.Helper()
	p := providertest.Serve(t, f)
	configure(t, p, property.Map{})
	return p
}

// everyKind has a value of every kind, with every mark that a custom resource sees.
func everyKind() property.Map {
	return props(
		"null", property.Null(), "bool", property.Bool(true), "number", property.Number(1e300), "string", "ü", "bytes", "\xff\x00",
		"list", property.NewList(property.Null(), secretOf("x")), "secret", property.NewMap(map[string]property.Value{"a": property.Number(1)}).MakeSecret(),
		"asset", property.FromAsset(property.Asset{Source: property.SourceText, Location: "t", Hash: "h"}),
		"archive", property.FromArchive(property.Archive{Source: property.SourceAssets, Hash: "h", Assets: props(
			"f", property.FromAsset(property.Asset{Source: property.SourcePath, Location: "p", Hash: "h2"}),
		)}),
		"resource", property.FromReference(property.Reference{URN: thing, ID: property.String("i"), HasID: true}),
		"component", property.FromReference(property.Reference{URN: thing}),
		"__meta", "internal",
	)
}

// requests compares messages that hold values.
func requests(t *testing.T, want, got any) {
	t.Helper()
	values := cmp.Comparer(func(a, b property.Map) bool { return a.Equal(b) })
	value := cmp.Comparer(func(a, b property.Value) bool { return a.Equal(b) })
	if diff := cmp.Diff(want, got, values, value); diff != "" {
		t.Error(diff)
	}
}

func TestResourceCallsAcrossTheWire(t *testing.T) {
	t.Parallel()
	var got any
	m := everyKind()
	unknowns := m.With("unknown", property.NewList(property.Unknown().MakeSecret()))
	failures := []plugin.CheckFailure{{Property: "a.b", Reason: "no"}}
	diff := plugin.DiffResponse{
		Changes: plugin.ChangesSome, ReplaceKeys: []string{"a"}, StableKeys: []string{"b"}, ChangedKeys: []string{"a", "c"},
		DetailedDiff: map[string]event.PropertyDiff{"a": {Kind: event.DiffDeleteReplace, InputDiff: true}}, DeleteBeforeReplace: true,
	}
	p := served(t, &fake{
		CheckConfigFn: func(q plugin.CheckRequest) (plugin.CheckResponse, error) {
			got = q
			return plugin.CheckResponse{Inputs: q.News}, nil
		},
		CheckFn: func(q plugin.CheckRequest) (plugin.CheckResponse, error) {
			got = q
			return plugin.CheckResponse{Inputs: q.News, Failures: failures}, nil
		},
		DiffFn: func(q plugin.DiffRequest) (plugin.DiffResponse, error) {
			got = q
			return diff, nil
		},
		CreateFn: func(q plugin.CreateRequest) (plugin.CreateResponse, error) {
			got = q
			return plugin.CreateResponse{ID: "x", Outputs: q.Inputs, RefreshBeforeUpdate: true}, nil
		},
		UpdateFn: func(q plugin.UpdateRequest) (plugin.UpdateResponse, error) {
			got = q
			return plugin.UpdateResponse{Outputs: q.News, RefreshBeforeUpdate: true}, nil
		},
		DeleteFn: func(q plugin.DeleteRequest) error {
			got = q
			return nil
		},
		ReadFn: func(q plugin.ReadRequest) (plugin.ReadResponse, error) {
			got = q
			return plugin.ReadResponse{ID: "y", Inputs: &q.Inputs, Outputs: q.State, RefreshBeforeUpdate: true}, nil
		},
		InvokeFn: func(q plugin.InvokeRequest) (plugin.InvokeResponse, error) {
			got = q
			return plugin.InvokeResponse{Return: q.Args, Failures: failures}, nil
		},
	})
	ctx := t.Context()
	elided := m.With("asset", property.FromAsset(property.Asset{Hash: "h"})).With("archive", property.FromArchive(property.Archive{Hash: "h"}))

	check := plugin.CheckRequest{
		URN: thing, Olds: m, News: unknowns, RandomSeed: []byte("seed"), Preview: true,
		Autonaming: &plugin.Autonaming{ProposedName: "n", Mode: "enforce"},
	}
	checked, err := p.Check(ctx, check)
	requests(t, check, got)
	requests(t, plugin.CheckResponse{Inputs: unknowns, Failures: failures}, checked)
	if err != nil {
		t.Error(err)
	}

	compare := plugin.DiffRequest{URN: thing, ID: "x", OldInputs: m, OldOutputs: m, News: m, IgnoreChanges: []string{"a"}}
	compared, err := p.Diff(ctx, compare)
	compare.OldInputs, compare.OldOutputs, compare.News = elided, elided, elided
	requests(t, compare, got)
	requests(t, diff, compared)
	if err != nil {
		t.Error(err)
	}

	create := plugin.CreateRequest{URN: thing, Inputs: m, Timeout: 90 * time.Second}
	created, err := p.Create(ctx, create)
	requests(t, create, got)
	requests(t, plugin.CreateResponse{ID: "x", Outputs: m, RefreshBeforeUpdate: true}, created)
	if err != nil {
		t.Error(err)
	}
	create = plugin.CreateRequest{URN: thing, Inputs: unknowns, Preview: true}
	created, err = p.Create(ctx, create)
	requests(t, create, got)
	requests(t, plugin.CreateResponse{Outputs: unknowns, RefreshBeforeUpdate: true}, created)
	if err != nil {
		t.Error(err)
	}

	update := plugin.UpdateRequest{
		URN: thing, ID: "x", OldInputs: m, OldOutputs: m, News: m, IgnoreChanges: []string{"a"}, Timeout: time.Minute,
	}
	updated, err := p.Update(ctx, update)
	update.OldInputs, update.OldOutputs = elided, elided
	requests(t, update, got)
	requests(t, plugin.UpdateResponse{Outputs: m, RefreshBeforeUpdate: true}, updated)
	if err != nil {
		t.Error(err)
	}

	remove := plugin.DeleteRequest{URN: thing, ID: "x", Inputs: m, Outputs: m, Timeout: time.Minute}
	err = p.Delete(ctx, remove)
	remove.Inputs, remove.Outputs = elided, elided
	requests(t, remove, got)
	if err != nil {
		t.Error(err)
	}

	read := plugin.ReadRequest{URN: thing, ID: "x", Inputs: m, State: m, Timeout: time.Minute}
	seen, err := p.Read(ctx, read)
	read.Inputs, read.State = elided, elided
	requests(t, read, got)
	requests(t, plugin.ReadResponse{ID: "y", Inputs: &m, Outputs: m, RefreshBeforeUpdate: true}, seen)
	if err != nil {
		t.Error(err)
	}

	invoke := plugin.InvokeRequest{Token: "pkg:index:f", Args: m, Preview: true}
	result, err := p.Invoke(ctx, invoke)
	requests(t, invoke, got)
	requests(t, plugin.InvokeResponse{Return: m, Failures: failures}, result)
	if err != nil {
		t.Error(err)
	}
}

func TestComponentCallsAcrossTheWire(t *testing.T) {
	t.Parallel()
	var got any
	deps := []urn.URN{thing}
	m := everyKind().With("dep", property.String("x").WithDependencies(deps)).With("later", property.Unknown().WithDependencies(deps))
	environment := plugin.Environment{
		Organization: "o", Project: "p", Stack: "dev", Config: map[string]string{"p:a": "b"}, ConfigSecretKeys: []string{"p:a"},
		Preview: true, Parallel: 7, MonitorAddress: "m:1",
	}
	later := true
	p := served(t, &fake{
		ConstructFn: func(q plugin.ConstructRequest) (plugin.ConstructResponse, error) {
			got = q
			return plugin.ConstructResponse{URN: thing, State: q.Inputs, StateDependencies: q.InputDependencies}, nil
		},
		CallFn: func(q plugin.CallRequest) (plugin.CallResponse, error) {
			got = q
			return plugin.CallResponse{
				Return: q.Args, ReturnDependencies: q.ArgDependencies, Failures: []plugin.CheckFailure{{Reason: "no"}},
			}, nil
		},
	})
	construct := plugin.ConstructRequest{
		Type: "pkg:index:Comp", Name: "c", Inputs: m, InputDependencies: map[string][]urn.URN{"dep": deps},
		Providers: map[string]string{"pkg": string(providerURN) + "::id"}, Environment: environment,
		Options: resource.Options{
			Parent: thing, Protect: true, RetainOnDelete: true, DeleteBeforeReplace: &later, Dependencies: deps, DeletedWith: thing,
			ReplaceWith: deps, IgnoreChanges: []string{"a"}, ReplaceOnChanges: []string{"b"}, AdditionalSecretOutputs: []string{"c"},
			Aliases: deps, Timeouts: resource.Timeouts{Create: time.Minute, Read: time.Second},
			Hooks: map[string][]string{"BeforeCreate": {"h"}, "OnError": {"e"}}, ReplacementTrigger: secretOf("t"),
		},
	}
	made, err := p.Construct(t.Context(), construct)
	requests(t, construct, got)
	requests(t, plugin.ConstructResponse{URN: thing, State: m, StateDependencies: construct.InputDependencies}, made)
	if err != nil || !cmp.Equal(made.State.Get("dep").Dependencies(), deps) || !cmp.Equal(made.State.Get("later").Dependencies(), deps) {
		t.Errorf("%v, %v", made.State.Get("dep").Dependencies(), err)
	}
	call := plugin.CallRequest{Token: "pkg:index:Comp/f", Args: m, ArgDependencies: construct.InputDependencies, Environment: environment}
	result, err := p.Call(t.Context(), call)
	requests(t, call, got)
	requests(t, plugin.CallResponse{
		Return: m, ReturnDependencies: construct.InputDependencies, Failures: []plugin.CheckFailure{{Reason: "no"}},
	}, result)
	if err != nil {
		t.Error(err)
	}
}

func TestErrorsAcrossTheWire(t *testing.T) {
	t.Parallel()
	var err error
	f := &fake{
		CreateFn:    func(plugin.CreateRequest) (plugin.CreateResponse, error) { return plugin.CreateResponse{}, err },
		ConfigureFn: func(plugin.ConfigureRequest) error { return err },
	}
	p := served(t, f)
	create := func(e error) error {
		err = e
		_, got := p.Create(t.Context(), plugin.CreateRequest{URN: thing})
		return got
	}
	in := props("i", secretOf("x"))
	want := &plugin.InitError{ID: "x", Inputs: &in, Outputs: everyKind(), Reasons: []string{"a", "b"}, RefreshBeforeUpdate: true}
	var unhealthy *plugin.InitError
	if got := create(want); !errors.As(got, &unhealthy) {
		t.Errorf("got %v", got)
	}
	requests(t, want, unhealthy)
	var uncertain *plugin.UncertainError
	if got := create(&plugin.UncertainError{Err: errors.New("who knows")}); !errors.As(got, &uncertain) || got.Error() != "who knows" {
		t.Errorf("got %v", got)
	}
	for _, plain := range []error{errors.New("no"), context.Canceled, context.DeadlineExceeded} {
		if got := create(plain); errors.As(got, &uncertain) || got.Error() != plain.Error() {
			t.Errorf("got %v", got)
		}
	}
	if got := create(plugin.ErrUnimplemented); !errors.Is(got, plugin.ErrUnimplemented) || got.Error() != plugin.ErrUnimplemented.Error() {
		t.Errorf("got %v", got)
	}
	wrong := &plugin.InputError{Message: "bad", Failures: []plugin.CheckFailure{{Property: "a", Reason: "r"}}}
	var input *plugin.InputError
	if got := create(wrong); !errors.As(got, &input) || !cmp.Equal(input, wrong) {
		t.Errorf("got %v", got)
	}
	err = &plugin.MissingConfigError{Keys: []plugin.MissingKey{{Name: "pkg:a", Description: "d"}}}
	got := p.Configure(t.Context(), plugin.ConfigureRequest{URN: providerURN})
	var missing *plugin.MissingConfigError
	if !errors.As(got, &missing) || !cmp.Equal(error(missing), err) {
		t.Errorf("got %v", got)
	}
	if _, got := p.Check(t.Context(), plugin.CheckRequest{URN: "nonsense"}); got == nil || !strings.Contains(got.Error(), "not a URN") {
		t.Errorf("got %v", got)
	}
}

// The suite itself, with a provider that keeps the contract.
func TestContract(t *testing.T) {
	t.Parallel()
	const thingType = urn.Type("pkg:index:Thing")
	known := func(u urn.URN) error {
		if u.Type() != thingType {
			return errors.New("no such type")
		}
		return nil
	}
	providertest.Run(t, providertest.Subject{
		Package: "pkg", Version: "1.2.3",
		New: func(*testing.T) plugin.Provider {
			return &fake{
				CheckFn: func(q plugin.CheckRequest) (plugin.CheckResponse, error) {
					if q.News.Has("bad") {
						return plugin.CheckResponse{Failures: []plugin.CheckFailure{{Property: "bad", Reason: "unknown property"}}}, nil
					}
					return plugin.CheckResponse{Inputs: q.News}, nil
				},
				DiffFn: func(q plugin.DiffRequest) (plugin.DiffResponse, error) {
					if q.OldInputs.Equal(q.News) {
						return plugin.DiffResponse{Changes: plugin.ChangesNone}, nil
					}
					return plugin.DiffResponse{Changes: plugin.ChangesSome, ChangedKeys: []string{"v"}}, nil
				},
				CreateFn: func(q plugin.CreateRequest) (plugin.CreateResponse, error) {
					resp := plugin.CreateResponse{Outputs: q.Inputs}
					if !q.Preview {
						resp.ID = "x"
					}
					return resp, known(q.URN)
				},
				UpdateFn: func(q plugin.UpdateRequest) (plugin.UpdateResponse, error) {
					return plugin.UpdateResponse{Outputs: q.News}, nil
				},
				DeleteFn: func(plugin.DeleteRequest) error { return nil },
				ReadFn: func(q plugin.ReadRequest) (plugin.ReadResponse, error) {
					return plugin.ReadResponse{ID: q.ID, Inputs: &q.Inputs, Outputs: q.State}, nil
				},
				InvokeFn: func(q plugin.InvokeRequest) (plugin.InvokeResponse, error) {
					if q.Token != "pkg:index:f" {
						return plugin.InvokeResponse{}, errors.New("no such function")
					}
					return plugin.InvokeResponse{}, nil
				},
			}
		},
		Resources: []providertest.Resource{{
			Type: thingType, Inputs: props("v", secretOf("1")), Changed: props("v", "2"), Invalid: props("bad", "x"),
		}},
		Functions: []providertest.Function{{Token: "pkg:index:f", Args: props("a", "b")}},
	})
}
