package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/event"
)

// TestGuardMissing refreshes a stack of ten, of which the first one is protected.
func TestGuardMissing(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		guard      *int
		gone       []int
		byProgram  bool
		wantFailed bool
	}{
		"no guard":              {nil, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, false, false},
		"few":                   {new(20), []int{3, 4}, false, false},
		"too many":              {new(20), []int{3, 4, 5}, false, true},
		"protected":             {new(100), []int{0}, false, true},
		"all but protected":     {new(100), []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, false, false},
		"none may be":           {new(0), []int{7}, false, true},
		"too many, one by one":  {new(20), []int{3, 4, 5}, true, true},
		"protected, one by one": {new(90), []int{0}, true, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			body := func(p *program) error {
				for i := range 10 {
					_, err := p.thing(fmt.Sprint("n", i), props("v", "1"), func(r *engine.Registration) {
						r.Options.Protect, r.Set.Protect = i == 0, true
					})
					if err != nil {
						return err
					}
				}
				return nil
			}
			w.run(runOptions{}, body)
			for _, i := range c.gone {
				delete(w.cloud.resources, string(w.find(fmt.Sprint("n", i)).ID))
			}
			refresh := runOptions{kind: engine.Refresh, loose: true}
			refresh.GuardMissing, refresh.ByProgram = c.guard, c.byProgram
			preview := refresh
			preview.preview = true
			w.run(preview, body)
			w.wantSuccess()
			told := ""
			for _, e := range w.events {
				if d, ok := e.(event.Diagnostic); ok {
					told += d.Message
				}
			}
			if strings.Contains(told, "would stop here") != c.wantFailed {
				t.Errorf("the preview told %q", told)
			}
			w.run(refresh, body)
			if failed := w.result.Outcome == event.Failed; failed != c.wantFailed {
				t.Fatalf("outcome %s", w.result.Outcome)
			}
			last := w.find(fmt.Sprint("n", c.gone[len(c.gone)-1]))
			if (last != nil) != c.wantFailed {
				t.Errorf("recorded afterwards: %v", last)
			}
			if text := strings.Join(w.errors(), "\n"); c.wantFailed && !strings.Contains(text, "--guard-missing=off") {
				t.Errorf("told %s", text)
			}
		})
	}
}
