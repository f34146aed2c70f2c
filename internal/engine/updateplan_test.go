package engine_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
	"github.com/cairn-iac/cairn/internal/state/updateplan"
	"github.com/cairn-iac/cairn/internal/urn"
)

// plan previews body and gives the plan, after a way through a file.
func (w *world) plan(body func(*program) error) *updateplan.Plan {
	w.t.Helper()
	w.run(runOptions{preview: true, Options: engine.Options{MakePlan: true}}, body)
	w.wantSuccess()
	secrets := deploymentjson.NewSecrets(nil, deploymentjson.SecretsOptions{})
	var text bytes.Buffer
	if err := deploymentjson.EncodePlan(w.t.Context(), &text, w.result.Plan, secrets); err != nil {
		w.t.Fatal(err)
	}
	p, err := deploymentjson.DecodePlan(w.t.Context(), text.Bytes(), secrets)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

func held(p *updateplan.Plan) runOptions { return runOptions{Options: engine.Options{Plan: p}} }

// wantRefused wants an update that failed for one reason and told what to do.
func (w *world) wantRefused(why string) {
	w.t.Helper()
	told := strings.Join(w.errors(), "\n")
	if w.result.Outcome != event.Failed || !strings.Contains(told, why) {
		w.t.Errorf("outcome %s; want it refused since %q, told:\n%s", w.result.Outcome, why, told)
	}
	advised := slices.ContainsFunc(w.events, func(e event.Event) bool {
		d, ok := e.(event.Diagnostic)
		return ok && strings.Contains(d.Message, "pulumi preview --save-plan")
	})
	if !advised {
		w.t.Errorf("nothing says what to do")
	}
}

func steps(p *updateplan.Plan) map[string]string {
	out := map[string]string{}
	for u, r := range p.Resources {
		if !u.Type().IsProvider() && u.Type() != urn.StackType {
			var ops []string
			for _, op := range r.Steps {
				ops = append(ops, string(op))
			}
			out[u.Name()] = strings.Join(ops, " ")
		}
	}
	return out
}

// trio is a program of a, b and, where gone is false, c; b depends on a.
func trio(a, b map[string]property.Value, c ...map[string]property.Value) func(*program) error {
	return func(p *program) error {
		for i, inputs := range c {
			if _, err := p.thing(string(rune('c'+i)), inputs); err != nil {
				return err
			}
		}
		return pair(a, b)(p)
	}
}

func TestPlanOfEachKindOfStep(t *testing.T) {
	t.Parallel()
	one := props("v", "1", "force", "1")
	first := trio(one, props("v", "1"), one, props("v", "1", "force", "1", "dbr", true))
	for _, c := range []struct {
		name  string
		next  func(*program) error
		want  map[string]string
		calls []string
	}{
		{
			"nothing", first, map[string]string{"a": "same", "b": "same", "c": "same", "d": "same"}, nil,
		},
		{
			"update, replace and delete", trio(props("v", "2", "force", "1"), props("v", "1"), props("v", "1", "force", "2")),
			map[string]string{"a": "update", "b": "same", "c": "create-replacement replace delete-replaced", "d": "delete"},
			[]string{"update a", "create c", "delete c", "delete d"},
		},
		{
			"delete before replace", trio(one, props("v", "1"), one, props("v", "1", "force", "2", "dbr", true)),
			map[string]string{"a": "same", "b": "same", "c": "same", "d": "delete-replaced replace create-replacement"},
			[]string{"delete d", "create d"},
		},
		{
			"create", trio(one, props("v", "1"), one, props("v", "1", "force", "1", "dbr", true), props("v", "new")),
			map[string]string{"a": "same", "b": "same", "c": "same", "d": "same", "e": "create"}, []string{"create e"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.run(runOptions{}, first)
			w.wantSuccess()
			p := w.plan(c.next)
			if diff := cmp.Diff(c.want, steps(p)); diff != "" {
				t.Errorf("planned (-want +got):\n%s", diff)
			}
			// A plan holds a preview, the update, and an update after it that has nothing left to do.
			o := held(p)
			o.preview = true
			w.run(o, c.next)
			w.wantSuccess()
			w.run(held(p), c.next)
			w.wantSuccess()
			w.wantCalls(c.calls...)
			w.run(held(p), c.next)
			w.wantSuccess()
			w.wantCalls()
		})
	}
}

func TestPlanRefusesWhatItDoesNotHave(t *testing.T) {
	t.Parallel()
	one := props("v", "1", "force", "1")
	first := trio(one, props("v", "1"), props("v", "1"))
	planned := trio(props("v", "2", "force", "1"), props("v", "1"), props("v", "1"), props("v", "d"))
	for _, c := range []struct {
		name string
		next func(*program) error
		why  string
		// also is another text that is told.
		also string
	}{
		{"another value", trio(props("v", "3", "force", "1"), props("v", "1"), props("v", "1"), props("v", "d")),
			"violates plan: properties changed: ~~v[{2}!={3}]", "v: planned to become {2}, is now {3}"},
		{"no change where one was planned", trio(one, props("v", "1"), props("v", "1"), props("v", "d")),
			"properties changed: ~=v[{2}!={1}]", ""},
		{"a property more", trio(props("v", "2", "force", "1", "x", "y"), props("v", "1"), props("v", "1"), props("v", "d")),
			"properties changed: =+x[{y}]", "x: planned to stay as it is, is now {y}"},
		{"a property less", trio(props("v", "2", "force", "1"), props("v", "1"), props(), props("v", "d")),
			"properties changed: =-v", "v: planned to stay as it is, is now missing"},
		{"another replacement", trio(props("v", "2", "force", "2"), props("v", "1"), props("v", "1"), props("v", "d")),
			"properties changed: =~force[{2}]", ""},
		{"a resource more", trio(props("v", "2", "force", "1"), props("v", "1"), props("v", "1"), props("v", "d"), props("v", "e")),
			"create is not allowed by the plan: no steps were expected for this resource", ""},
		{"a resource less", trio(props("v", "2", "force", "1"), props("v", "1")),
			"delete is not allowed by the plan: this resource is constrained to same", ""},
		{"a planned resource is missing", trio(props("v", "2", "force", "1"), props("v", "1"), props("v", "1")),
			"Thing::d but none were seen", "the program did not register it"},
		{"protected", func(p *program) error {
			_, err := p.thing("c", props("v", "1"), func(r *engine.Registration) { r.Options.Protect, r.Set.Protect = true, true })
			return err
		}, "protect changed (expected false)", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.run(runOptions{}, first)
			p := w.plan(planned)
			o := held(p)
			o.preview = true
			w.run(o, c.next)
			w.wantRefused(c.why)
			w.run(held(p), c.next)
			w.wantRefused(c.why)
			if told := strings.Join(w.errors(), "\n"); !strings.Contains(told, c.also) {
				t.Errorf("told:\n%s\nwant %q", told, c.also)
			}
			for _, call := range w.cloud.takeCalls() {
				if strings.HasPrefix(call, "delete") || call == "create e" {
					t.Errorf("done though it was not planned: %s", call)
				}
			}
		})
	}
}

func TestPlanForAStateThatChanged(t *testing.T) {
	t.Parallel()
	one := props("v", "1", "force", "1")
	w := newWorld(t)
	w.run(runOptions{}, trio(one, props("v", "1")))
	next := trio(props("v", "2", "force", "1"), props("v", "1"), props("v", "new", "name", "c"))
	p := w.plan(next)
	// Somebody else has done a part of it already: less is left, and that is no violation.
	w.run(runOptions{}, trio(one, props("v", "1"), props("v", "new", "name", "c")))
	w.run(held(p), next)
	w.wantSuccess()
	w.wantCalls("update a")
	// Somebody else has done something that the plan does not undo.
	p = w.plan(trio(props("v", "3", "force", "1"), props("v", "1"), props("v", "new", "name", "c")))
	w.run(runOptions{}, trio(props("v", "2", "force", "1"), props("v", "other"), props("v", "new", "name", "c")))
	w.run(held(p), trio(props("v", "3", "force", "1"), props("v", "1"), props("v", "new", "name", "c")))
	w.wantRefused("properties changed: =~v[{1}]")
}

func TestPlanIsTakenUpAfterAFailure(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"create a", "delete a", "create d", "delete d", "update b", "delete c"} {
		for _, first := range []bool{false, true} {
			w := newWorld(t)
			w.run(runOptions{}, trio(props("v", "1", "force", "1"), props("v", "1"), props("v", "1"), props("force", "1", "dbr", true)))
			next := func(p *program) error {
				if _, err := p.thing("d", props("force", "2", "dbr", true)); err != nil {
					return err
				}
				return pair(props("v", "1", "force", "2"), props("v", "2"))(p)
			}
			p := w.plan(next)
			w.cloud.failures[fault] = 1
			w.run(runOptions{Options: engine.Options{Plan: p, ContinueOnError: first}}, next)
			w.cloud.failures = map[string]int{}
			w.run(held(p), next)
			if w.result.Outcome != event.Succeeded {
				t.Errorf("%s: %v", fault, w.errors())
			}
			w.run(runOptions{}, next)
			w.wantOps(map[string]int{"same": 4})
		}
	}
}

func TestPlanHoldsOutputs(t *testing.T) {
	t.Parallel()
	body := func(stack, group string) func(*program) error {
		return func(p *program) error {
			g, err := p.component("g")
			if err != nil {
				return err
			}
			out := func(v string) property.Map { return property.MapOf(props("out", v)) }
			if err := p.monitor.RegisterOutputs(p.t.Context(), g.URN, out(group)); err != nil {
				return err
			}
			return p.monitor.RegisterOutputs(p.t.Context(), p.stack, out(stack))
		}
	}
	w := newWorld(t)
	w.run(runOptions{}, body("1", "1"))
	p := w.plan(body("2", "1"))
	w.run(held(p), body("2", "2"))
	w.wantRefused("resource violates plan: properties changed: =~out[{2}]")
	w.run(held(p), body("3", "1"))
	w.wantRefused("resource violates plan: properties changed: ~~out[{2}!={3}]")
	w.run(held(p), body("2", "1"))
	w.wantSuccess()
}

func TestPlanOfAnotherStack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := &updateplan.Plan{Resources: map[urn.URN]*updateplan.Resource{
		"urn:pulumi:prod::proj::pulumi:pulumi:Stack::proj-prod": {},
	}}
	w.run(held(p), pair(props("v", "1"), props("v", "1")))
	w.wantRefused("the plan is one for stack prod of project proj, and this is stack dev of project proj")
}

func TestPlanWithTargets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{}, trio(props("v", "1"), props("v", "1"), props("v", "1")))
	next := trio(props("v", "2"), props("v", "2"))
	p := w.plan(next)
	o := held(p)
	o.Targets = []string{"**::a"}
	w.run(o, next) // less than the plan
	w.wantSuccess()
	w.wantCalls("update a")
	w.run(held(p), next)
	w.wantSuccess()
	w.wantCalls("update b", "delete c")
}

func TestPlanKeepsTheSeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := pair(props("v", "1"), props("v", "1"))
	p := w.plan(body)
	for u, r := range p.Resources {
		if len(r.Seed) != 32 {
			t.Errorf("%s has a seed of %d bytes", u, len(r.Seed))
		}
	}
	again := runOptions{preview: true, Options: engine.Options{Plan: p, MakePlan: true}}
	w.run(again, body)
	w.wantSuccess()
	for u, r := range w.result.Plan.Resources {
		if !bytes.Equal(r.Seed, p.Resources[u].Seed) {
			t.Errorf("%s got another seed", u)
		}
	}
}

func TestPlanMasksSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret := func(s string) map[string]property.Value {
		return map[string]property.Value{"v": property.String(s).MakeSecret()}
	}
	w.run(runOptions{preview: true, Options: engine.Options{MakePlan: true}}, pair(secret("planned-secret"), props("v", "1")))
	p := w.result.Plan
	for _, next := range []map[string]property.Value{secret("other-secret"), props("v", "planned-secret"), props("v", "in planned-secret")} {
		w.run(held(p), pair(next, props("v", "1")))
		w.wantRefused("properties changed: ++v[{[secret]}!={[secret]}]")
		for _, e := range w.events {
			if d, ok := e.(event.Diagnostic); ok && strings.Contains(d.Message, "-secret") {
				t.Errorf("told: %s", d.Message)
			}
		}
	}
	if _, err := deploymentjson.DecodePlan(context.Background(), []byte("{}"), nil); err == nil {
		t.Error("an empty object is taken for a plan")
	}
}
