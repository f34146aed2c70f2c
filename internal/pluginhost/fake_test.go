package pluginhost_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

// fakeCloud is a world whose plugin is the fake provider, which shares no code with the client.
func fakeCloud(t *testing.T, c fakeprovidertest.Control) (*world, *fakeprovidertest.Kit, *pluginhost.Host) {
	t.Helper()
	w := newWorld(t, "ok")
	kit, err := fakeprovidertest.Setup(w.path("cloud"))
	if err != nil {
		t.Fatal(err)
	}
	if err := kit.Control(c); err != nil {
		t.Fatal(err)
	}
	if _, err := kit.Link(w.path("bin")); err != nil {
		t.Fatal(err)
	}
	return w, kit, w.host(w.options(kit.Env()...))
}

func fakeURN(name string) urn.URN { return urn.New("dev", "proj", "", "fp:index:Thing", name) }

func values(kv ...any) property.Map {
	m := map[string]property.Value{}
	for i := 0; i < len(kv); i += 2 {
		v, ok := kv[i+1].(property.Value)
		if !ok {
			v = property.String(kv[i+1].(string))
		}
		m[kv[i].(string)] = v
	}
	return property.MapOf(m)
}

func cloudIDs(t *testing.T, kit *fakeprovidertest.Kit) []string {
	t.Helper()
	ids, err := kit.IDs()
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestLifeAcrossAProcessBoundary(t *testing.T) {
	t.Parallel()
	for name, control := range map[string]fakeprovidertest.Control{
		"modern": {}, "blind to secrets": {SecretsBlind: true}, "old": {NoPreview: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, kit, h := fakeCloud(t, control)
			p := w.mustLoad(h, plugin.Package{Name: "fp"}, plugin.LoadOptions{})
			ctx, u := t.Context(), fakeURN("a")
			const canary = "canary-4711-secret"
			news := values("v", "1", "echo", property.String(canary).MakeSecret())
			checked, err := p.Check(ctx, plugin.CheckRequest{URN: u, News: news, RandomSeed: make([]byte, 32)})
			if err != nil || len(checked.Failures) > 0 {
				t.Fatalf("Check: %v, %v", checked, err)
			}
			if _, err := p.Create(ctx, plugin.CreateRequest{URN: u, Inputs: checked.Inputs, Preview: true}); err != nil || len(cloudIDs(t, kit)) != 0 {
				t.Errorf("preview: %v, %v", cloudIDs(t, kit), err)
			}
			made, err := p.Create(ctx, plugin.CreateRequest{URN: u, Inputs: checked.Inputs})
			if err != nil || len(cloudIDs(t, kit)) != 1 || string(made.ID) != cloudIDs(t, kit)[0] {
				t.Fatalf("Create: %v, %v", cloudIDs(t, kit), err)
			}
			hidden(t, "outputs", made.Outputs, canary)
			diff, err := p.Diff(ctx, plugin.DiffRequest{
				URN: u, ID: made.ID, OldInputs: checked.Inputs, OldOutputs: made.Outputs, News: news.With("force", property.String("x")),
			})
			if err != nil || !diff.Replace() {
				t.Errorf("Diff: %+v, %v", diff, err)
			}
			changed, err := p.Update(ctx, plugin.UpdateRequest{
				URN: u, ID: made.ID, OldInputs: checked.Inputs, OldOutputs: made.Outputs, News: news.With("v", property.String("2")),
			})
			if err != nil {
				t.Fatal(err)
			}
			hidden(t, "changed outputs", changed.Outputs, canary)
			read, err := p.Read(ctx, plugin.ReadRequest{URN: u, ID: made.ID, Inputs: news, State: changed.Outputs})
			if err != nil || read.ID != made.ID {
				t.Errorf("Read: %+v, %v", read, err)
			}
			hidden(t, "read outputs", read.Outputs, canary)
			if err := p.Delete(ctx, plugin.DeleteRequest{URN: u, ID: made.ID, Inputs: news, Outputs: read.Outputs}); err != nil || len(cloudIDs(t, kit)) != 0 {
				t.Errorf("Delete: %v, %v", cloudIDs(t, kit), err)
			}
			if gone, err := p.Read(ctx, plugin.ReadRequest{URN: u, ID: made.ID}); err != nil || gone.ID != "" {
				t.Errorf("Read of what is gone: %+v, %v", gone, err)
			}
		})
	}
}

// hidden checks that no text of m that holds the canary is in the open.
func hidden(t *testing.T, what string, m property.Map, canary string) {
	t.Helper()
	m.Redact().Transform(func(v property.Value) property.Value {
		if s, _ := v.AsString(); strings.Contains(s, canary) {
			t.Errorf("%s show a secret", what)
		}
		return v
	})
}

// Whether a failed create may have taken effect is told right, whatever the failure.
func TestCreatesThatFail(t *testing.T) {
	t.Parallel()
	rule := func(r fakeprovidertest.Rule) fakeprovidertest.Control {
		r.Method = "Create"
		return fakeprovidertest.Control{Rules: []fakeprovidertest.Rule{r}}
	}
	cases := map[string]struct {
		control   fakeprovidertest.Control
		made      int
		uncertain bool
	}{
		"refused":         {rule(fakeprovidertest.Rule{Fail: fakeprovidertest.Before, Code: codes.InvalidArgument}), 0, false},
		"unknown, before": {rule(fakeprovidertest.Rule{Fail: fakeprovidertest.Before}), 0, true},
		"unknown, after":  {rule(fakeprovidertest.Rule{Fail: fakeprovidertest.After}), 1, true},
		"crash before":    {rule(fakeprovidertest.Rule{Crash: fakeprovidertest.Before}), 0, true},
		"crash after":     {rule(fakeprovidertest.Rule{Crash: fakeprovidertest.After}), 1, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, kit, h := fakeCloud(t, c.control)
			p := w.mustLoad(h, plugin.Package{Name: "fp"}, plugin.LoadOptions{})
			_, err := p.Create(t.Context(), plugin.CreateRequest{URN: fakeURN("a"), Inputs: values("v", "1")})
			var uncertain *plugin.UncertainError
			if err == nil || errors.As(err, &uncertain) != c.uncertain || len(cloudIDs(t, kit)) != c.made {
				t.Errorf("made %v: %v", cloudIDs(t, kit), err)
			}
		})
	}
}

func TestInitErrorsOfTheFakeProvider(t *testing.T) {
	t.Parallel()
	w, kit, h := fakeCloud(t, fakeprovidertest.Control{Rules: []fakeprovidertest.Rule{{Method: "Create", InitError: []string{"no pods"}}}})
	p := w.mustLoad(h, plugin.Package{Name: "fp"}, plugin.LoadOptions{})
	_, err := p.Create(t.Context(), plugin.CreateRequest{URN: fakeURN("a"), Inputs: values("v", "1")})
	var unhealthy *plugin.InitError
	if !errors.As(err, &unhealthy) || string(unhealthy.ID) != cloudIDs(t, kit)[0] || unhealthy.Reasons[0] != "no pods" {
		t.Errorf("got %v", err)
	}
}

// The first interrupt reaches a provider that works: its call ends with its own answer, not with a cut.
func TestCancelEndsACallGracefully(t *testing.T) {
	t.Parallel()
	w, kit, h := fakeCloud(t, fakeprovidertest.Control{Rules: []fakeprovidertest.Rule{{Method: "Create", Sleep: 3600_000}}})
	p := w.mustLoad(h, plugin.Package{Name: "fp"}, plugin.LoadOptions{})
	failed := make(chan error)
	go func() {
		_, err := p.Create(t.Context(), plugin.CreateRequest{URN: fakeURN("a"), Inputs: values("v", "1")})
		failed <- err
	}()
	for {
		calls, err := kit.Calls()
		if err != nil {
			t.Fatal(err)
		}
		if len(fakeprovidertest.CallsOf(calls, "Create")) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err := h.Cancel(t.Context()); err != nil {
		t.Error(err)
	}
	var uncertain *plugin.UncertainError
	if err := <-failed; err == nil || errors.As(err, &uncertain) || len(cloudIDs(t, kit)) != 0 {
		t.Errorf("got %v", err)
	}
}

func TestEveryCallFails(t *testing.T) {
	t.Parallel()
	w, kit, h := fakeCloud(t, fakeprovidertest.Control{})
	p := w.mustLoad(h, plugin.Package{Name: "fp"}, plugin.LoadOptions{})
	if err := kit.Control(fakeprovidertest.Control{ErrorAll: codes.Internal, IgnoreInterrupt: true}); err != nil {
		t.Fatal(err)
	}
	u := fakeURN("a")
	_, create := p.Create(t.Context(), plugin.CreateRequest{URN: u})
	_, check := p.Check(t.Context(), plugin.CheckRequest{URN: u})
	_, read := p.Read(t.Context(), plugin.ReadRequest{URN: u, ID: "x"})
	_, schema := p.Schema(t.Context())
	for what, err := range map[string]error{
		"create": create, "check": check, "read": read, "schema": schema,
		"delete": p.Delete(t.Context(), plugin.DeleteRequest{URN: u, ID: "x"}), "cancel": p.Cancel(t.Context()),
	} {
		if err == nil {
			t.Errorf("%s succeeded", what)
		}
	}
}
