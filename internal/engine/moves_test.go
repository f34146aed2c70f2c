package engine_test

import (
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/urn"
)

// TestLooksLikeAMove changes parents and names without aliases.
func TestLooksLikeAMove(t *testing.T) {
	t.Parallel()
	const top, in = "urn:pulumi:dev::proj::fp:index:Thing::", "urn:pulumi:dev::proj::my:index:Group$fp:index:Thing::"
	under := func(group string, names ...string) func(*program) error {
		return func(p *program) error {
			at := p.stack
			if group != "" {
				g, err := p.component(group)
				if err != nil {
					return err
				}
				at = g.URN
			}
			for _, n := range names {
				if _, err := p.thing(n, props("v", n[len(n)-1:]), parent(at)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	cases := map[string]struct {
		before, after func(*program) error
		want          map[string]string // new to former URN
	}{
		"into a component":   {under("", "a"), under("g", "a"), map[string]string{in + "a": top + "a"}},
		"out of a component": {under("g", "g-a"), under("", "g-a"), map[string]string{top + "g-a": in + "g-a"}},
		"a component with children": {under("old", "old-1", "old-2"), under("new", "new-1", "new-2"), map[string]string{
			"urn:pulumi:dev::proj::my:index:Group::new": "urn:pulumi:dev::proj::my:index:Group::old",
		}},
		"a name":                  {under("", "old-1"), under("", "new-1"), map[string]string{top + "new-1": top + "old-1"}},
		"a name, with inputs":     {under("", "old-1"), under("", "new-2"), nil},
		"which one is not clear":  {under("", "old-1"), under("", "new-1", "newer-1"), nil},
		"nothing that is deleted": {under("", "a"), under("", "a", "b"), nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.run(runOptions{}, c.before)
			w.run(runOptions{preview: true}, c.after)
			w.wantSuccess()
			told := map[string]string{}
			for _, e := range w.events {
				if d, ok := e.(event.Diagnostic); ok && strings.Contains(d.Message, "looks like a move of ") {
					_, rest, _ := strings.Cut(d.Message, "move of ")
					told[string(d.URN)], _, _ = strings.Cut(rest, ",")
				}
			}
			if len(told) != len(c.want) {
				t.Errorf("told %v, want %v", told, c.want)
			}
			for to, from := range c.want {
				if told[to] != from {
					t.Errorf("told %v, want %v", told, c.want)
				}
			}
			w.run(runOptions{}, c.after)
			w.wantSuccess()
		})
	}
}

// TestProtectedResourceIsNotDeletedByAMove moves a protected resource three times: under a component, with the component
// to another name, and back.
func TestProtectedResourceIsNotDeletedByAMove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := func(group string, spec *engine.AliasSpec) func(*program) error {
		return func(p *program) error {
			edits := []func(*engine.Registration){func(r *engine.Registration) { r.Options.Protect, r.Set.Protect = true, true }}
			if group != "" {
				g, err := p.component(group, func(r *engine.Registration) {
					if spec != nil && spec.Name != "" {
						r.AliasSpecs = []engine.AliasSpec{*spec}
					}
				})
				if err != nil {
					return err
				}
				edits = append(edits, parent(g.URN))
			}
			if spec != nil && spec.Name == "" {
				edits = append(edits, alias(*spec))
			}
			_, err := p.thing("a", props("name", "fixed", "v", "1"), edits...)
			return err
		}
	}
	w.run(runOptions{}, body("", nil))
	w.wantSuccess()
	id := w.find("a").ID
	steps := []struct {
		group string
		alias *engine.AliasSpec
		same  bool // the URN, which has only the type of the parent
	}{
		{"g", &engine.AliasSpec{ParentURN: urn.New("dev", "proj", "", urn.StackType, "proj-dev")}, false},
		{"h", &engine.AliasSpec{Name: "g"}, true},
		{"", &engine.AliasSpec{ParentURN: urn.New("dev", "proj", "", "my:index:Group", "h")}, false},
	}
	for _, s := range steps {
		w.run(runOptions{preview: true}, body(s.group, nil))
		told := ""
		for _, e := range w.events {
			if d, ok := e.(event.Diagnostic); ok {
				told += d.Message
			}
		}
		if !s.same && (w.result.Outcome != event.Failed || !strings.Contains(told, "looks like a move") || !strings.Contains(told, "protected")) {
			t.Errorf("without an alias: outcome %s, told %s", w.result.Outcome, told)
		}
		w.run(runOptions{}, body(s.group, s.alias))
		w.wantSuccess()
		w.wantCalls()
		if got := w.find("a").ID; got != id {
			t.Errorf("%s became %s", id, got)
		}
	}
}
