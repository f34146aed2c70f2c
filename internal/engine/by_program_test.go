package engine_test

import (
	"slices"
	"testing"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
)

// ofProvider is a program of an explicit provider with a token, and resources of it.
func ofProvider(token string, names ...string) func(*program) error {
	return func(p *program) error {
		prov, err := p.monitor.Register(p.t.Context(), engine.Registration{
			Type: "pulumi:providers:fp", Name: "prov", Custom: true,
			Inputs: property.MapOf(props("token", token)), Options: resource.Options{Parent: p.stack},
		})
		if err != nil {
			return err
		}
		for _, n := range names {
			_, err := p.thing(n, props("v", "1"), func(r *engine.Registration) {
				id := string(prov.ID)
				if id == "" {
					id = unknownID
				}
				r.Provider = string(prov.URN) + "::" + id
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// tokens are those of the last run that providers were configured with.
func (w *world) tokens() []string {
	var out []string
	for _, c := range w.cloud.configs {
		text, _ := c.Get("token").AsString()
		out = append(out, text)
	}
	w.cloud.configs = nil
	slices.Sort(out)
	return slices.Compact(out)
}

func (w *world) wantTokens(want ...string) {
	w.t.Helper()
	if got := w.tokens(); !slices.Equal(got, want) {
		w.t.Errorf("providers were configured with %v, want %v", got, want)
	}
}

// TestByProgram rotates a provider's credentials: where the program can be run, the new ones count.
func TestByProgram(t *testing.T) {
	t.Parallel()
	setUp := func(t *testing.T) *world {
		w := newWorld(t)
		w.run(runOptions{}, ofProvider("old", "a", "b"))
		w.wantSuccess()
		w.cloud.configs = nil
		return w
	}
	t.Run("refresh", func(t *testing.T) {
		t.Parallel()
		w := setUp(t)
		w.cloud.gone[string(w.find("b").ID)] = true
		w.run(runOptions{kind: engine.Refresh, loose: true, Options: engine.Options{ByProgram: true}}, ofProvider("new", "a", "b", "c"))
		w.wantSuccess()
		w.wantTokens("new")
		w.wantCalls("read a", "read b")
		if w.find("b") != nil || w.find("c") != nil || w.find("a") == nil {
			t.Error("what is gone, or was never there, is recorded")
		}
	})
	t.Run("refresh of what is not registered any more", func(t *testing.T) {
		t.Parallel()
		w := setUp(t)
		w.run(runOptions{kind: engine.Refresh, Options: engine.Options{ByProgram: true}}, ofProvider("new", "a"))
		w.wantSuccess()
		w.wantCalls("read a", "read b")
		w.wantOps(map[string]int{"same": 3, "update": 1}) // of the provider
		if w.find("b") == nil {
			t.Error("b is not recorded any more")
		}
	})
	t.Run("update", func(t *testing.T) {
		t.Parallel()
		w := setUp(t)
		gone := string(w.find("b").ID)
		w.cloud.remove(gone)
		w.run(runOptions{Options: engine.Options{ByProgram: true, Refresh: true}}, ofProvider("new", "a", "b"))
		w.wantSuccess()
		w.wantTokens("new")
		w.wantCalls("read a", "read b", "create b")
	})
	t.Run("destroy", func(t *testing.T) {
		t.Parallel()
		for _, preview := range []bool{true, false} {
			w := setUp(t)
			w.run(runOptions{kind: engine.Destroy, preview: preview, Options: engine.Options{ByProgram: true}}, ofProvider("new", "a", "c"))
			w.wantSuccess()
			if preview {
				w.wantCalls()
				continue
			}
			w.wantTokens("new")
			w.wantCalls("delete a", "delete b")
			if len(w.base.Resources) > 0 {
				t.Errorf("%d resources are left", len(w.base.Resources))
			}
		}
	})
	t.Run("refresh that cannot read", func(t *testing.T) {
		t.Parallel()
		w := setUp(t)
		w.troubleWith("read", fails)
		w.run(runOptions{kind: engine.Refresh, Options: engine.Options{ByProgram: true}}, ofProvider("new", "a", "b"))
		w.wantCalls("read a", "read b")
		if w.result.Err == nil || w.find("a") == nil || w.find("b") == nil {
			t.Errorf("error %v, recorded %v", w.result.Err, w.base.Resources)
		}
	})
}

// TestRefreshByProgramDeletesNothing has the program replace a provider, which an update would do by deleting first.
func TestRefreshByProgramDeletesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := func(region string) func(*program) error {
		return func(p *program) error {
			prov, err := p.monitor.Register(p.t.Context(), engine.Registration{
				Type: "pulumi:providers:fp", Name: "prov", Custom: true,
				Inputs: property.MapOf(props("region", region, "dbr", true)), Options: resource.Options{Parent: p.stack},
			})
			if err == nil {
				_, err = p.thing("a", props("v", "1"), func(r *engine.Registration) { r.Provider = string(prov.URN) + "::" + string(prov.ID) })
			}
			return err
		}
	}
	w.run(runOptions{}, body("1"))
	w.wantSuccess()
	w.run(runOptions{kind: engine.Refresh, Options: engine.Options{ByProgram: true}}, body("2"))
	w.wantSuccess()
	w.wantCalls("read a")
	w.run(runOptions{}, body("2"))
	w.wantSuccess()
}
