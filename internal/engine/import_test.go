package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// exists puts something into the cloud that nobody manages.
func (w *world) exists(id string, inputs map[string]property.Value) {
	w.cloud.resources[id] = property.MapOf(inputs).With("name", str("name of "+id))
}

func imported(id string) func(*engine.Registration) {
	return func(r *engine.Registration) { r.Options.ImportID = id }
}

// one is a program of a single resource.
func one(inputs map[string]property.Value, edit ...func(*engine.Registration)) func(*program) error {
	return func(p *program) error {
		_, err := p.thing("a", inputs, edit...)
		return err
	}
}

func (w *world) wantImported(id string) {
	w.t.Helper()
	a := w.find("a")
	if a == nil || a.ID != resource.ID(id) || a.ImportID != id || a.External || a.Outputs.Get("serial").IsNull() {
		w.t.Errorf("recorded %+v, want what %s is", a, id)
	}
}

func TestImport(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		before  func(*world)
		inputs  map[string]property.Value
		ops     map[string]int
		calls   []string
		failure string
	}{
		"as the program wants it": {
			inputs: props("v", "1"), ops: map[string]int{"create": 1, "import": 1}, calls: []string{"read a"},
		},
		"and updated": {
			inputs: props("v", "2"), ops: map[string]int{"create": 1, "import": 1, "update": 1},
			calls: []string{"read a", "update a"},
		},
		"not well, and mended": {
			before: func(w *world) { w.troubleWith("read", partial) },
			inputs: props("v", "1"), ops: map[string]int{"create": 1, "import": 1, "update": 1},
			calls: []string{"read a", "update a"},
		},
		"but the update fails": {
			before: func(w *world) { w.troubleWith("update", fails) },
			inputs: props("v", "2"), ops: map[string]int{"create": 1, "import": 1},
			calls: []string{"read a", "update a"}, failure: "model failure of update",
		},
		"but would be replaced": {
			inputs: props("v", "1", "force", "1"), ops: map[string]int{"create": 1, "import": 1},
			calls: []string{"read a"}, failure: "remove the `import` option from a, or give it the inputs",
		},
		"in place of a managed one": {
			before: func(w *world) { w.run(runOptions{loose: true}, one(props("v", "1"))) },
			inputs: props("v", "1"), ops: map[string]int{"same": 1, "replace": 1},
			calls: []string{"read a", "delete a"},
		},
		"in place of one that was read": {
			before: func(w *world) {
				w.run(runOptions{loose: true}, func(p *program) error {
					_, err := p.monitor.Read(t.Context(), engine.ReadRegistration{
						Type: "fp:index:Thing", Name: "a", ID: str("ext"), Options: resource.Options{Parent: p.stack},
					})
					return err
				})
			},
			inputs: props("v", "1"), ops: map[string]int{"same": 1, "replace": 1},
			calls: []string{"read a"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.exists("ext", props("v", "1"))
			if c.before != nil {
				c.before(w)
			}
			body := one(c.inputs, imported("ext"))
			w.run(runOptions{preview: true}, body)
			predicted := w.ops()
			w.run(runOptions{loose: true}, body)
			w.wantOps(c.ops)
			w.wantCalls(c.calls...)
			if c.failure == "" {
				w.wantSuccess()
				if got := len(predicted); got != len(c.ops) {
					t.Errorf("the preview said %v", predicted)
				}
			} else if told := strings.Join(w.errors(), "\n"); !strings.Contains(told, c.failure) {
				t.Errorf("told %q", told)
			}
			w.wantImported("ext")
			if w.cloud.hook = nil; strings.Contains(name, "replaced") {
				return
			}
			w.run(runOptions{loose: true}, body)
			w.run(runOptions{loose: true}, body)
			w.wantSuccess()
			w.wantOps(map[string]int{"same": 2})
		})
	}
}

// troubleWith makes all calls of a kind go wrong.
func (w *world) troubleWith(kind string, f fault) {
	w.cloud.hook = func(call string, _ urn.URN) fault {
		if call == kind {
			return f
		}
		return healthy
	}
}

func TestImportRefusals(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		body func(*program) error
		want string
	}{
		"nothing there": {one(nil, imported("nowhere")), "resource 'nowhere' does not exist"},
		"a provider": {func(p *program) error {
			_, err := p.monitor.Register(t.Context(), engine.Registration{
				Type: "pulumi:providers:fp", Name: "a", Custom: true,
				Options: resource.Options{Parent: p.stack, ImportID: "ext"},
			})
			return err
		}, "provider resources cannot be imported"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, preview := range []bool{true, false} {
				w.run(runOptions{preview: preview}, c.body)
				if told := strings.Join(w.errors(), "\n"); w.result.Outcome != event.Failed || !strings.Contains(told, c.want) {
					t.Errorf("outcome %s, told %q", w.result.Outcome, told)
				}
			}
			if w.find("a") != nil {
				t.Error("it is recorded")
			}
		})
	}
}

// TestImportKeepsSecrets imports with a provider that knows nothing of secrets.
func TestImportKeepsSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cloud.blind = true
	w.exists("ext", props("v", "1"))
	w.run(runOptions{}, one(props("v", str("1").MakeSecret()), imported("ext")))
	w.wantSuccess()
	if a := w.find("a"); !a.Inputs.Get("v").Secret() || !a.Outputs.Get("v").Secret() {
		t.Errorf("recorded inputs %v, outputs %v", a.Inputs, a.Outputs)
	}
}

// TestImportedUnderAnotherURN moves an imported resource without an alias: what is managed under its new URN is not
// deleted under the old one.
func TestImportedUnderAnotherURN(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exists("ext", props("v", "1"))
	w.run(runOptions{}, one(props("v", "1"), imported("ext")))
	w.wantSuccess()
	moved := func(p *program) error {
		group, err := p.component("group")
		if err == nil {
			_, err = p.thing("a", props("v", "1"), imported("ext"), parent(group.URN))
		}
		return err
	}
	w.run(runOptions{preview: true}, moved)
	w.wantOps(map[string]int{"same": 1, "create": 1, "import": 1, "discard": 1})
	w.run(runOptions{}, moved)
	w.wantSuccess()
	w.wantOps(map[string]int{"same": 1, "create": 1, "import": 1, "discard": 1})
	w.wantCalls("read a")
	w.wantImported("ext")
}

// TestImportOfDeletedDependent deletes a dependent of a replaced resource, and imports another one in its place.
func TestImportOfDeletedDependent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := func(force string, edit ...func(*engine.Registration)) func(*program) error {
		return func(p *program) error {
			first, err := p.thing("first", props("force", force, "dbr", true))
			if err == nil {
				ref := first.Outputs.Get("serial").WithDependencies([]urn.URN{first.URN})
				_, err = p.thing("a", props("force", ref), edit...)
			}
			return err
		}
	}
	w.run(runOptions{}, body("1"))
	w.wantSuccess()
	w.exists("ext", props("force", property.Number(2)))
	w.run(runOptions{}, body("2", imported("ext")))
	w.wantImported("ext")
}

// asFound is what a bulk import registers.
func asFound(id string, properties ...string) func(*engine.Registration) {
	return func(r *engine.Registration) {
		r.AsFound, r.Options.ImportID, r.Options.Protect = &resource.AsFound{Properties: properties}, id, true
		r.Set.Protect = true
	}
}

// importing runs an import into a stack that has the resource "old" and the component "group".
func importing(t *testing.T, body func(p *program, group urn.URN) error) *world {
	w := newWorld(t)
	var group urn.URN
	w.run(runOptions{}, func(p *program) error {
		if _, err := p.thing("old", props("v", "1")); err != nil {
			return err
		}
		g, err := p.component("group", func(r *engine.Registration) {
			r.Options.RetainOnDelete, r.Set.RetainOnDelete = true, true
		})
		group = g.URN
		return err
	})
	w.wantSuccess()
	w.exists("ext", props("v", "1", "w", "2"))
	bulk := func(p *program) error { return body(p, group) }
	o := runOptions{kind: engine.Import, loose: true, Options: engine.Options{ContinueOnError: true}}
	for _, o.preview = range []bool{true, false} {
		w.run(o, bulk)
	}
	return w
}

func TestBulkImport(t *testing.T) {
	t.Parallel()
	w := importing(t, func(p *program, group urn.URN) error {
		_, err := p.thing("a", props("x", "given", "v", "given"), asFound("ext"), parent(group))
		return err
	})
	w.wantSuccess()
	w.wantCalls("read a")
	w.wantOps(map[string]int{"same": 1, "import": 1})
	a := w.find("a")
	want := property.MapOf(props("v", "1", "w", "2", "x", "given", "name", "name of ext"))
	if a.ImportID != "" || !a.Protect || !a.Inputs.Equal(want) || !a.RetainOnDelete || w.find("old") == nil {
		t.Errorf("recorded %+v", a)
	}
}

func TestBulkImportOfARemoteComponent(t *testing.T) {
	t.Parallel()
	w := importing(t, func(p *program, group urn.URN) error {
		_, local := p.component("local", asFound(""))
		_, remote := p.component("remote", func(r *engine.Registration) {
			r.Type, r.AsFound = "fp:index:Comp", &resource.AsFound{Remote: true}
		})
		return errors.Join(local, remote)
	})
	w.wantSuccess()
	w.wantCalls()
	if r := w.find("remote"); r.Custom || r.Provider != w.find("old").Provider || !w.find("local").Provider.IsZero() {
		t.Errorf("recorded %+v", r)
	}
}

func TestBulkImportAgain(t *testing.T) {
	t.Parallel()
	body := func(p *program, group urn.URN) error {
		if _, err := p.thing("old", nil, asFound("old-1")); err != nil {
			return err
		}
		_, err := p.component("group", asFound(""))
		return err
	}
	w := importing(t, body)
	w.wantSuccess()
	w.wantCalls()
	w.wantOps(map[string]int{"same": 3})
}

func TestBulkImportTrouble(t *testing.T) {
	t.Parallel()
	w := importing(t, func(p *program, group urn.URN) error {
		_, taken := p.thing("old", nil, asFound("ext"))
		_, missing := p.thing("b", nil, asFound("nowhere"))
		_, nobody := p.thing("c", nil, asFound("ext"), parent("urn:pulumi:dev::proj::my:index:Group::nobody"))
		_, err := p.thing("a", props("invalid", true), asFound("ext", "v", "invalid"))
		if taken == nil || missing == nil || nobody == nil {
			return nil
		}
		return err
	})
	told := strings.Join(w.errors(), "\n")
	for _, want := range []string{"already exists", "'nowhere' does not exist", "could not find parent"} {
		if !strings.Contains(told, want) {
			t.Errorf("not told: %s; told\n%s", want, told)
		}
	}
	a := w.find("a")
	if a == nil || !a.Inputs.Equal(property.MapOf(props("v", "1", "invalid", true))) || w.find("b") != nil || w.find("old").ID == "ext" {
		t.Errorf("recorded %v", a)
	}
	warned := false
	for _, e := range w.events {
		d, ok := e.(event.Diagnostic)
		warned = warned || ok && d.Severity == "warning" && strings.Contains(d.Message, "must not be set")
	}
	if !warned {
		t.Error("what the provider thinks of the inputs was not told")
	}
}
