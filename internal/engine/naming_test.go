package engine_test

import (
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/event"
)

// TestAutonaming gives rules for the names of resources.
func TestAutonaming(t *testing.T) {
	t.Parallel()
	one := func(force string) func(*program) error {
		return func(p *program) error {
			_, err := p.thing("a", props("force", force))
			return err
		}
	}
	with := func(rules string) runOptions { return runOptions{config: map[string]string{plan.AutonamingKey: rules}} }

	t.Run("a fixed name goes before it comes", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		rules := with(`{"pattern": "${stack}-${name}"}`)
		w.run(rules, one("1"))
		w.run(rules, one("2"))
		w.wantSuccess()
		w.wantCalls("delete a", "create a")
		if name, _ := w.find("a").Inputs.Get("name").AsString(); name != "dev-a" {
			t.Errorf("the name is %q", name)
		}
	})
	t.Run("a random name comes first", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		rules := with(`{"pattern": "${name}-${hex(8)}"}`)
		w.run(rules, one("1"))
		before := w.find("a").Inputs.Get("name")
		w.run(rules, one("2"))
		w.wantSuccess()
		w.wantCalls("create a", "delete a")
		if after := w.find("a").Inputs.Get("name"); after.EqualPlain(before) {
			t.Errorf("the name is still %v", after)
		}
	})
	t.Run("no names are made up", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.run(with(`{"mode": "disabled"}`), one("1"))
		if w.result.Outcome != event.Failed || !strings.Contains(strings.Join(w.errors(), "\n"), "is required") {
			t.Errorf("outcome %s, told %v", w.result.Outcome, w.errors())
		}
	})
	t.Run("rules with a mistake", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.run(with(`{"mode": "loud"}`), one("1"))
		if w.result.Outcome != event.Failed || !strings.Contains(strings.Join(w.errors(), "\n"), "none of default, verbatim and disabled") {
			t.Errorf("outcome %s, told %v", w.result.Outcome, w.errors())
		}
		if len(w.cloud.ids()) != 0 {
			t.Errorf("%v were created", w.cloud.ids())
		}
	})
	t.Run("a provider without rules", func(t *testing.T) {
		t.Parallel()
		for rules, want := range map[string]int{
			`{"pattern": "${name}"}`:                        0,
			`{"pattern": "${name}", "enforce": true}`:       1,
			`{"providers": {"fp": {"pattern": "${name}"}}}`: 1,
		} {
			w := newWorld(t)
			w.cloud.unruly, w.cloud.unnamed = true, true
			w.run(with(rules), one("1"))
			w.wantSuccess()
			told := 0
			for _, e := range w.events {
				if d, ok := e.(event.Diagnostic); ok && strings.Contains(d.Message, "does not support autonaming") {
					told++
				}
			}
			if told != want {
				t.Errorf("%s: told %d times, want %d", rules, told, want)
			}
		}
	})
}
