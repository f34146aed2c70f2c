package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

func TestPlanWithContinueOnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{}, trio(props("v", "1"), props("v", "1"), props("v", "1")))
	p := w.plan(trio(props("v", "2"), props("v", "2")))
	o := held(p)
	o.ContinueOnError = true
	accept := func(r *engine.Registration) { r.AcceptsResultReporting = true }
	w.run(o, func(p *program) error {
		for _, name := range []string{"a", "b"} {
			_, err := p.thing(name, map[string]map[string]property.Value{"a": props("v", "3"), "b": props("v", "x")}[name], accept)
			if err != nil {
				return err
			}
		}
		_, err := p.thing("new", props("v", "1"), accept)
		return err
	})
	w.wantRefused("create is not allowed by the plan: no steps were expected for this resource")
	if told := strings.Join(w.errors(), "\n"); strings.Count(told, "violates plan") != 2 {
		t.Errorf("told:\n%s", told)
	}
	w.wantCalls("delete c")
}

func TestPlanOfAReplacementWithDependents(t *testing.T) {
	t.Parallel()
	build := func(force string) func(*program) error {
		return func(p *program) error {
			a, err := p.thing("a", props("dbr", true, "force", force))
			if err != nil {
				return err
			}
			ref := a.Outputs.Get("serial").WithDependencies([]urn.URN{a.URN})
			_, err = p.thing("hard", props("force", ref))
			return err
		}
	}
	w := newWorld(t)
	w.run(runOptions{}, build("1"))
	p := w.plan(build("2"))
	want := "delete-replaced replace create-replacement"
	if diff := cmp.Diff(map[string]string{"a": want, "hard": want}, steps(p)); diff != "" {
		t.Errorf("planned (-want +got):\n%s", diff)
	}
	same := w.plan(build("1"))
	w.run(held(same), build("2"))
	w.wantRefused("properties changed: =~force[{2}]")
	w.wantCalls()
	w.run(held(p), build("2"))
	w.wantSuccess()
	w.wantCalls("delete hard", "delete a", "create a", "create hard")
}

func TestPlanOfAnImportAndAnAlias(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{}, func(p *program) error {
		_, err := p.thing("old", props("v", "1"))
		return err
	})
	w.cloud.resources["found"] = property.MapOf(props("v", "1", "name", "found"))
	next := func(as string) func(*program) error {
		return func(p *program) error {
			_, err := p.thing("new", props("v", "1"), func(r *engine.Registration) {
				r.AliasSpecs = []engine.AliasSpec{{Name: as}}
			})
			if err != nil {
				return err
			}
			_, err = p.thing("imported", props("v", "1", "name", "found"), func(r *engine.Registration) { r.Options.ImportID = "found" })
			return err
		}
	}
	p := w.plan(next("old"))
	o := held(p)
	o.loose = true // what is not imported yet
	w.run(o, next("other"))
	w.wantRefused("aliases changed: added { other     false}; deleted { old     false}")
	w.wantCalls()
	w.run(held(p), next("old"))
	w.wantSuccess()
	w.run(held(w.plan(next("old"))), next("nobody")) // nothing is recorded under either
	w.wantSuccess()
}
