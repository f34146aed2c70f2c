package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

func (w *world) wantOps(want map[string]int) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.ops()); diff != "" {
		w.t.Errorf("operations (-want +got):\n%s\nerrors: %v", diff, w.errors())
	}
}

func (w *world) wantCalls(want ...string) {
	w.t.Helper()
	got := w.cloud.takeCalls()
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("provider calls (-want +got):\n%s", diff)
	}
}

func (w *world) wantSuccess() {
	w.t.Helper()
	if w.result.Outcome != event.Succeeded {
		w.t.Fatalf("outcome %s, error %v, told %v", w.result.Outcome, w.result.Err, w.errors())
	}
}

// pair registers a and b, where b depends on a.
func pair(a, b map[string]property.Value) func(*program) error {
	return func(p *program) error {
		first, err := p.thing("a", a)
		if err != nil {
			return err
		}
		b := props("v", b["v"], "force", b["force"], "ref", first.Outputs.Get("serial").WithDependencies([]urn.URN{first.URN}))
		for k, v := range b {
			if v.IsNull() {
				delete(b, k)
			}
		}
		second, err := p.thing("b", b)
		if err != nil {
			return err
		}
		return p.monitor.RegisterOutputs(p.t.Context(), p.stack, property.MapOf(map[string]property.Value{
			"id": str(string(second.ID)),
		}))
	}
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := pair(props("v", "1"), props("v", "1"))

	w.run(runOptions{preview: true}, body)
	w.wantSuccess()
	w.wantOps(map[string]int{"create": 3})
	w.wantCalls()

	w.run(runOptions{}, body)
	w.wantSuccess()
	w.wantOps(map[string]int{"create": 3})
	w.wantCalls("create a", "create b")
	if got := w.find("b").Dependencies; len(got) != 1 || got[0].Name() != "a" {
		t.Errorf("b's dependencies: %v", got)
	}

	w.run(runOptions{}, body)
	w.wantSuccess()
	w.wantOps(map[string]int{"same": 3})
	w.wantCalls()

	w.run(runOptions{}, pair(props("v", "2"), props("v", "1")))
	w.wantSuccess()
	w.wantOps(map[string]int{"same": 2, "update": 1})
	w.wantCalls("update a")

	w.run(runOptions{}, pair(props("v", "2", "force", "x"), props("v", "1")))
	w.wantSuccess()
	w.wantOps(map[string]int{"same": 1, "replace": 1, "update": 1})
	w.wantCalls("create a", "update b", "delete a")

	w.run(runOptions{kind: engine.Refresh}, nil)
	w.wantSuccess()
	w.wantOps(map[string]int{"same": 3})
	w.wantCalls("read a", "read b")

	w.run(runOptions{kind: engine.Destroy, preview: true}, nil)
	w.wantSuccess()
	w.wantOps(map[string]int{"delete": 3})

	w.run(runOptions{kind: engine.Destroy}, nil)
	w.wantSuccess()
	w.wantOps(map[string]int{"delete": 3})
	if got := w.cloud.takeCalls(); !slices.Equal(got, []string{"delete b", "delete a"}) {
		t.Errorf("delete order: %v", got)
	}
	if len(w.base.Resources) != 0 {
		t.Errorf("left in state: %v", w.base.Resources[0].URN)
	}
}

func TestDeleteBeforeReplaceTakesOnlyDependentsThatNeedIt(t *testing.T) {
	t.Parallel()
	build := func(force string) func(*program) error {
		return func(p *program) error {
			a, err := p.thing("a", props("dbr", true, "force", force))
			if err != nil {
				return err
			}
			ref := a.Outputs.Get("serial").WithDependencies([]urn.URN{a.URN})
			if _, err := p.thing("inplace", props("ref", ref)); err != nil {
				return err
			}
			_, err = p.thing("hard", props("force", ref))
			return err
		}
	}
	w := newWorld(t)
	w.run(runOptions{}, build("1"))
	w.wantSuccess()
	w.run(runOptions{}, build("2"))
	w.wantSuccess()
	calls := w.cloud.takeCalls()
	want := []string{"delete hard", "delete a", "create a", "update inplace", "create hard"}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	w.run(runOptions{}, build("2"))
	w.wantOps(map[string]int{"same": 4})
}

func TestFailedCreateAfterDeleteKeepsTheRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{}, pair(props("dbr", true, "force", "1"), props("v", "1")))
	w.wantSuccess()
	w.cloud.failures["create a"] = 2
	for range 2 {
		w.run(runOptions{}, pair(props("dbr", true, "force", "2"), props("v", "1")))
		if w.result.Outcome != event.Failed {
			t.Fatalf("outcome %s", w.result.Outcome)
		}
		if a := w.find("a"); a == nil || !a.PendingReplacement {
			t.Fatalf("a must stay, marked: %+v", a)
		}
	}
	w.run(runOptions{}, pair(props("dbr", true, "force", "2"), props("v", "1")))
	w.wantSuccess()
	w.wantCalls("create a", "update b")
}

func TestFailedDeleteBeforeReplaceDoesNotMark(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{}, pair(props("dbr", true, "force", "1"), props("v", "1")))
	w.cloud.failures["delete a"] = 1
	w.run(runOptions{}, pair(props("dbr", true, "force", "2"), props("v", "1")))
	if a := w.find("a"); w.result.Outcome != event.Failed || a.PendingReplacement {
		t.Errorf("outcome %s, marked %v", w.result.Outcome, a.PendingReplacement)
	}
}

func TestEverySingleFaultConverges(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"create a", "create b", "update a", "update b", "delete a", "delete b"} {
		for _, next := range []map[string]property.Value{props("v", "2"), props("v", "1", "force", "2"), props("dbr", true, "v", "1", "force", "2")} {
			w := newWorld(t)
			w.run(runOptions{}, pair(props("v", "1", "force", "1"), props("v", "1")))
			w.wantSuccess()
			w.cloud.failures[fault] = 1
			w.run(runOptions{}, pair(next, props("v", "2", "force", "9")))
			w.cloud.failures = map[string]int{}
			w.run(runOptions{}, pair(next, props("v", "2", "force", "9")))
			w.wantSuccess()
			w.run(runOptions{}, pair(next, props("v", "2", "force", "9")))
			w.wantOps(map[string]int{"same": 3})
			w.cloud.failures[fault] = 1
			w.run(runOptions{kind: engine.Destroy}, nil)
			w.run(runOptions{kind: engine.Destroy}, nil)
			w.wantSuccess()
			if n := len(w.cloud.ids()); n != 0 {
				t.Errorf("%s: %d resources left", fault, n)
			}
		}
	}
}

func TestProtectAndRetain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	guarded := func(p *program) error {
		_, err := p.thing("a", props("v", "1"), func(r *engine.Registration) { r.Options.Protect, r.Set.Protect = true, true })
		return err
	}
	empty := func(*program) error { return nil }
	w.run(runOptions{}, guarded)
	w.wantSuccess()
	for _, o := range []runOptions{{preview: true}, {}} {
		w.run(o, empty)
		if w.result.Outcome != event.Failed || !strings.Contains(strings.Join(w.errors(), "\n"), "cannot be deleted\nbecause it is protected") {
			t.Errorf("a protected resource: outcome %s, told %v", w.result.Outcome, w.errors())
		}
	}
	w.run(runOptions{}, func(p *program) error {
		_, err := p.thing("a", props("v", "1"), func(r *engine.Registration) {
			r.Options.RetainOnDelete, r.Set.RetainOnDelete = true, true
		})
		return err
	})
	w.wantSuccess()
	w.run(runOptions{kind: engine.Refresh}, nil)
	w.cloud.takeCalls()
	before := w.cloud.ids()
	w.t = &testing.T{} // what is retained is in the cloud and no longer recorded: the id check does not apply
	w.run(runOptions{}, empty)
	if !slices.Equal(before, w.cloud.ids()) || w.result.Outcome != event.Succeeded {
		t.Errorf("retained resource: cloud %v, outcome %s", w.cloud.ids(), w.result.Outcome)
	}
}

func TestFailingRunKeepsTheLastGoodOutputs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	outputs := func(value string, fail bool) func(*program) error {
		return func(p *program) error {
			err := p.monitor.RegisterOutputs(p.t.Context(), p.stack, property.MapOf(props("o", value)))
			if fail {
				return engine.ErrReported
			}
			return err
		}
	}
	w.run(runOptions{}, outputs("good", false))
	w.wantSuccess()
	w.run(runOptions{}, outputs("half", true))
	if w.result.Outcome != event.Failed {
		t.Fatalf("outcome %s", w.result.Outcome)
	}
	if got, _ := w.find("proj-dev").Outputs.Get("o").AsString(); got != "good" {
		t.Errorf("output is %q", got)
	}
}

func TestSecretMarkAloneChangesStateOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := func(v property.Value) func(*program) error {
		return func(p *program) error {
			_, err := p.thing("a", props("v", v), func(r *engine.Registration) { r.Options.ReplaceOnChanges = []string{"v"} })
			return err
		}
	}
	for _, secret := range []bool{false, true, false} {
		w.run(runOptions{}, body(str("hunter22").WithSecret(secret)))
		w.wantSuccess()
		a := w.find("a")
		if a.Inputs.Get("v").Secret() != secret || a.Outputs.Get("v").Secret() != secret {
			t.Errorf("secret %v: inputs %v outputs %v", secret, a.Inputs.Get("v").Secret(), a.Outputs.Get("v").Secret())
		}
	}
	if got := w.cloud.takeCalls(); len(got) != 0 {
		t.Errorf("calls: %v", got)
	}
}

func TestIgnoreChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := func(v property.Value, ignore ...string) func(*program) error {
		return func(p *program) error {
			_, err := p.thing("a", props("v", v), func(r *engine.Registration) { r.Options.IgnoreChanges = ignore })
			return err
		}
	}
	w.run(runOptions{}, body(str("old-secret").MakeSecret()))
	w.run(runOptions{}, body(str("new-value"), "v"))
	w.wantSuccess()
	w.wantOps(map[string]int{"same": 2})
	got := w.find("a").Inputs.Get("v")
	if text, _ := got.AsString(); text != "old-secret" || !got.Secret() {
		t.Errorf("input is %q, secret %v", text, got.Secret())
	}
}

func TestComponentsAreDeletedAfterWhatDependsOnThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{}, func(p *program) error {
		c1, err := p.component("c1")
		if err != nil {
			return err
		}
		if _, err := p.thing("zchild", props("v", "1"), parent(c1.URN)); err != nil {
			return err
		}
		c2, err := p.component("c2", dependsOn(c1.URN))
		if err != nil {
			return err
		}
		_, err = p.thing("achild", props("v", "1"), parent(c2.URN), dependsOn(c1.URN))
		return err
	})
	w.wantSuccess()
	w.run(runOptions{kind: engine.Destroy}, nil)
	if got := w.cloud.takeCalls(); !slices.Equal(got, []string{"delete achild", "delete zchild"}) {
		t.Errorf("order: %v", got)
	}
}

func TestDefaultProviderGetsConfigAndMissingPluginIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{config: map[string]string{"fp:region": "north", "fp:token": "hunter22"}, secrets: []string{"fp:token"}},
		pair(props("v", "1"), props("v", "1")))
	w.wantSuccess()
	got := w.cloud.configs[0]
	if region, _ := got.Get("region").AsString(); region != "north" || !got.Get("token").Secret() {
		t.Errorf("configured with %v", got.Keys())
	}
	w.run(runOptions{}, func(p *program) error {
		_, err := p.thing("x", nil, func(r *engine.Registration) { r.Type = "nosuch:index:Thing" })
		return err
	})
	if told := strings.Join(w.errors(), "\n"); !strings.Contains(told, "no resource plugin 'pulumi-resource-nosuch' found") {
		t.Errorf("told: %s", told)
	}
}

func TestInvalidRegistrationsAreTold(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		body func(p *program) error
		want string
	}{
		"duplicate": {func(p *program) error {
			_, _ = p.thing("a", nil)
			_, err := p.thing("a", nil)
			return err
		}, "Duplicate resource URN"},
		"parent": {func(p *program) error {
			_, err := p.thing("a", nil, parent("urn:pulumi:dev::proj::x:y:Z::nobody"))
			return err
		}, "could not find parent resource"},
		"check": {func(p *program) error {
			_, err := p.thing("a", props("invalid", "1"))
			return err
		}, "property invalid value {1} has a problem: must not be set"},
		"token": {func(p *program) error {
			_, err := p.thing("a", nil, func(r *engine.Registration) { r.Type = "nonsense" })
			return err
		}, "must have three parts"},
		"hooks": {func(p *program) error {
			_, err := p.thing("a", nil, func(r *engine.Registration) { r.Options.Hooks = map[string][]string{"BeforeCreate": {"h"}} })
			return err
		}, "hooks option is not supported yet"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.run(runOptions{}, c.body)
			if told := strings.Join(w.errors(), "\n"); w.result.Outcome != event.Failed || !strings.Contains(told, c.want) {
				t.Errorf("outcome %s, told %q", w.result.Outcome, told)
			}
		})
	}
}

func TestTwoEnginesSideBySide(t *testing.T) {
	t.Parallel()
	done := make(chan *world)
	for range 2 {
		go func() {
			w := newWorld(t)
			for range 5 {
				w.run(runOptions{}, pair(props("v", "1"), props("v", "1")))
				w.run(runOptions{kind: engine.Destroy}, nil)
			}
			done <- w
		}()
	}
	for range 2 {
		if w := <-done; len(w.cloud.ids()) != 0 || w.result.Outcome != event.Succeeded {
			t.Errorf("outcome %s, cloud %v", w.result.Outcome, w.cloud.ids())
		}
	}
}
