package engine_test

import (
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/urn"
)

func alias(specs ...engine.AliasSpec) func(*engine.Registration) {
	return func(r *engine.Registration) { r.AliasSpecs = append(r.AliasSpecs, specs...) }
}

// family registers a component with a child, and something that refers to the child in every way.
func family(component, child string, edits ...func(*engine.Registration)) func(*program) error {
	return func(p *program) error {
		c, err := p.component(component, edits...)
		if err != nil {
			return err
		}
		k, err := p.thing(child, props("v", "1"), parent(c.URN))
		if err != nil {
			return err
		}
		_, err = p.thing("user", props("v", "1"), dependsOn(k.URN, c.URN), func(r *engine.Registration) {
			r.Options.DeletedWith, r.Options.ReplaceWith = k.URN, []urn.URN{k.URN}
		})
		return err
	}
}

func TestRenamedComponentTakesItsChildrenAlong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{}, family("old", "old-child"))
	w.wantSuccess()
	ids := w.cloud.ids()
	body := family("new", "new-child", alias(engine.AliasSpec{Name: "old"}))
	w.run(runOptions{preview: true}, body)
	w.wantSuccess()
	w.wantOps(map[string]int{"same": 4})
	for range 2 {
		w.run(runOptions{}, body)
		w.wantSuccess()
		w.wantOps(map[string]int{"same": 4})
		w.wantCalls()
	}
	if got := w.cloud.ids(); strings.Join(got, " ") != strings.Join(ids, " ") {
		t.Errorf("cloud %v, was %v", got, ids)
	}
	for _, s := range w.base.Resources {
		for _, e := range s.Edges() {
			if strings.HasPrefix(e.To.Name(), "old") {
				t.Errorf("%s still refers to %s by %s", s.URN, e.To, e.Kind)
			}
		}
	}
}

func TestAliasForms(t *testing.T) {
	t.Parallel()
	const stack = urn.URN("urn:pulumi:dev::proj::pulumi:pulumi:Stack::proj-dev")
	group := urn.URN("urn:pulumi:dev::proj::my:index:Group::g")
	cases := map[string]struct{ before, after func(p *program) error }{
		"type": {
			func(p *program) error {
				_, err := p.thing("a", nil, func(r *engine.Registration) { r.Type = "fp:index:Old" })
				return err
			},
			func(p *program) error {
				_, err := p.thing("a", nil, alias(engine.AliasSpec{Type: "fp:index:Old"}))
				return err
			},
		},
		"into a component": {
			func(p *program) error { _, err := p.thing("a", nil); return err },
			func(p *program) error {
				c, err := p.component("g")
				if err != nil {
					return err
				}
				_, err = p.thing("a", nil, parent(c.URN), alias(engine.AliasSpec{NoParent: true}))
				return err
			},
		},
		"out of a component": {
			func(p *program) error {
				c, err := p.component("g")
				if err != nil {
					return err
				}
				_, err = p.thing("a", nil, parent(c.URN))
				return err
			},
			func(p *program) error {
				_, err := p.thing("a", nil, alias(engine.AliasSpec{ParentURN: group}))
				return err
			},
		},
		"whole URN": {
			func(p *program) error { _, err := p.thing("b", nil); return err },
			func(p *program) error {
				_, err := p.thing("a", nil, func(r *engine.Registration) {
					r.Options.Aliases = []urn.URN{urn.New("dev", "proj", stack.QualifiedType(), "fp:index:Thing", "b")}
				})
				return err
			},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.run(runOptions{}, c.before)
			w.wantSuccess()
			w.run(runOptions{}, c.after)
			w.wantSuccess()
			w.wantCalls()
			if a := w.find("a"); a == nil || a.ID == "" {
				t.Errorf("a: %+v", a)
			}
		})
	}
}

func TestAliasOfAnotherResourceIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(runOptions{}, func(p *program) error { _, err := p.thing("a", nil); return err })
	for _, body := range []func(p *program) error{
		func(p *program) error {
			if _, err := p.thing("a", nil); err != nil {
				return err
			}
			_, err := p.thing("b", nil, alias(engine.AliasSpec{Name: "a"}))
			return err
		},
		func(p *program) error {
			if _, err := p.thing("b", nil, alias(engine.AliasSpec{Name: "a"})); err != nil {
				return err
			}
			_, err := p.thing("a", nil)
			return err
		},
	} {
		probe := newWorld(t)
		probe.cloud, probe.base = w.cloud, w.base
		probe.run(runOptions{preview: true}, body)
		if told := strings.Join(probe.errors(), "\n"); probe.result.Outcome != event.Failed || !strings.Contains(told, "conflicting with alias") {
			t.Errorf("outcome %s, told %q", probe.result.Outcome, told)
		}
	}
}
