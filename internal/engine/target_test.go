package engine_test

import (
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

func TestTargets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{}, pair(props("v", "1"), props("v", "1")))
	w.run(runOptions{Options: engine.Options{Targets: []string{"**::a"}}}, pair(props("v", "2"), props("v", "2")))
	w.wantSuccess()
	w.wantOps(map[string]int{"same": 2, "update": 1})
	w.wantCalls("update a")
	w.run(runOptions{Options: engine.Options{Targets: []string{"urn:pulumi:dev::proj::fp:index:Thing::nobody"}}},
		pair(props("v", "2"), props("v", "2")))
	if told := strings.Join(w.errors(), "\n"); !strings.Contains(told, "could not be found in the stack") {
		t.Errorf("told %q", told)
	}
	for _, kind := range []engine.Kind{engine.Refresh, engine.Destroy} {
		w.run(runOptions{kind: kind, Options: engine.Options{Targets: []string{"urn:pulumi:dev::proj::fp:index:Thing::nobody"}}}, nil)
		if told := strings.Join(w.errors(), "\n"); !strings.Contains(told, "could not be found in the stack. Did you forget to escape $") {
			t.Errorf("told %q", told)
		}
	}
	w.run(runOptions{kind: engine.Destroy, Options: engine.Options{Targets: []string{"**::a"}}}, nil)
	if w.result.Outcome != event.Failed || len(w.cloud.ids()) != 2 {
		t.Errorf("a destroy that leaves a dependent: outcome %s, cloud %v", w.result.Outcome, w.cloud.ids())
	}
	w.run(runOptions{kind: engine.Destroy, Options: engine.Options{Targets: []string{"**::a"}, TargetDependents: true}}, nil)
	w.wantSuccess()
	if len(w.cloud.ids()) != 0 {
		t.Errorf("cloud %v", w.cloud.ids())
	}
}

func TestTargetedDestroyOfWhatOthersNeed(t *testing.T) {
	t.Parallel()
	link := map[string]func(*engine.Registration, urn.URN){
		"dependency": func(r *engine.Registration, to urn.URN) { r.Options.Dependencies = []urn.URN{to} },
		"property": func(r *engine.Registration, to urn.URN) {
			r.Options.PropertyDependencies = map[string][]urn.URN{"v": {to}}
			r.Options.Dependencies = []urn.URN{to}
		},
		"deletedWith": func(r *engine.Registration, to urn.URN) { r.Options.DeletedWith = to },
	}
	for name, by := range link {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.run(runOptions{}, func(p *program) error {
				last := urn.URN("")
				for _, n := range []string{"d", "s", "i"} {
					r, err := p.thing(n, props("v", "1"), func(r *engine.Registration) {
						if last != "" {
							by(r, last)
						}
					})
					if err != nil {
						return err
					}
					last = r.URN
				}
				return nil
			})
			w.wantSuccess()
			w.run(runOptions{kind: engine.Destroy, Options: engine.Options{Targets: []string{"**::d"}}}, nil)
			if w.result.Outcome != event.Failed || len(w.cloud.ids()) != 3 {
				t.Errorf("without dependents: outcome %s, cloud %v", w.result.Outcome, w.cloud.ids())
			}
			w.cloud.attach = nil
			w.run(runOptions{
				kind: engine.Destroy, loose: name == "deletedWith",
				Options: engine.Options{Targets: []string{"**::d"}, TargetDependents: true},
			}, nil)
			w.wantSuccess()
			if w.find("d") != nil || w.find("s") != nil || w.find("i") != nil {
				t.Errorf("with dependents: %d resources are left", len(w.base.Resources))
			}
		})
	}
}

func TestTargetsLeaveAComponentOutAsAWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{}, things(1, "1"))
	body := func(p *program) error {
		if err := things(1, "2")(p); err != nil {
			return err
		}
		c, err := p.component("group")
		if err != nil {
			return err
		}
		provider, err := p.monitor.Register(t.Context(), engine.Registration{
			Type: "pulumi:providers:fp", Name: "own", Custom: true, Options: resource.Options{Parent: c.URN},
		})
		if err != nil {
			return err
		}
		_, err = p.thing("inside", props("v", "1"), parent(c.URN), func(r *engine.Registration) {
			r.Provider = string(provider.URN) + "::" + string(provider.ID)
			if provider.ID == "" {
				r.Provider += unknownID
			}
		})
		return err
	}
	w.run(runOptions{Options: engine.Options{Targets: []string{"**::n0"}}}, body)
	w.wantSuccess()
	w.wantCalls("update n0")
	if w.find("group") != nil || w.find("own") != nil || w.find("inside") != nil {
		t.Errorf("a part of the component is recorded")
	}
	w.run(runOptions{}, body)
	w.wantSuccess()
	w.wantCalls("create inside")
}

func TestTargetDependentsAreWhatDependsOnTheTarget(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := func(v string, more bool) func(*program) error {
		return func(p *program) error {
			first, err := p.thing("t1", props("v", v))
			if err != nil {
				return err
			}
			if _, err := p.thing("t2", props("v", v)); err != nil {
				return err
			}
			if !more {
				return nil
			}
			between, err := p.thing("between", props("v", v), dependsOn(first.URN))
			if err != nil {
				return err
			}
			_, err = p.thing("far", props("v", v), dependsOn(between.URN))
			return err
		}
	}
	w.run(runOptions{}, body("1", false))
	o := engine.Options{Targets: []string{"**::t1"}, TargetDependents: true}
	w.run(runOptions{Options: o}, body("2", true))
	w.wantSuccess()
	w.wantCalls("update t1", "create between", "create far")
	w.run(runOptions{kind: engine.Destroy, Options: engine.Options{Excludes: []string{"**::between"}}}, nil)
	w.wantSuccess()
	w.wantCalls("delete far", "delete t2") // t1 is needed
}
