package display_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/display"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// handClock is a clock that the test winds.
type handClock struct {
	mu    sync.Mutex
	now   time.Time
	ticks chan time.Time
}

func newHandClock() *handClock {
	return &handClock{now: time.Unix(1_800_000_000, 0), ticks: make(chan time.Time)}
}

func (c *handClock) clock() display.Clock {
	return display.Clock{
		Now: func() time.Time {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.now
		},
		Ticker: func(time.Duration) (<-chan time.Time, func()) { return c.ticks, func() {} },
	}
}

// pass lets time go by, with a tick each second. A further tick makes sure that the last one was dealt with.
func (c *handClock) pass(seconds int) {
	for range seconds {
		c.mu.Lock()
		c.now = c.now.Add(time.Second)
		c.mu.Unlock()
		c.ticks <- time.Time{}
	}
	c.ticks <- time.Time{}
}

func heartbeatPhase() display.Phase {
	return display.Phase{Kind: display.Update, Stack: "dev", Project: "p"}
}

// TestHeartbeat: a dot for each ten seconds of silence, on a line of its own.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	c := newHandClock()
	var out bytes.Buffer
	v := display.NewProgress(&out, display.Options{Clock: c.clock(), Phase: heartbeatPhase()})
	v.Handle(event.Prelude{})
	c.pass(9)
	v.Handle(event.Diagnostic{Message: "hello", Severity: "info"})
	c.pass(35)
	v.Handle(event.Diagnostic{Message: "still here", Severity: "info"})
	c.pass(12)
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"Updating (dev):", "",
		"    pulumi:pulumi:Stack p-dev  hello",
		"@ updating......",
		"    pulumi:pulumi:Stack p-dev  still here",
		"@ updating....",
		"    pulumi:pulumi:Stack p-dev  2 messages",
		"Diagnostics:", "  pulumi:pulumi:Stack (p-dev):", "    hello", "    still here", "", "",
	}, "\n")
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// TestNoHeartbeat: suppressed, there is no ticker at all.
func TestNoHeartbeat(t *testing.T) {
	t.Parallel()
	opts := display.Options{Phase: heartbeatPhase(), Suppress: display.Suppress{Progress: true}, Clock: display.Clock{
		Now:    time.Now,
		Ticker: func(time.Duration) (<-chan time.Time, func()) { panic("no ticks are wanted") },
	}}
	for _, v := range []display.View{display.NewProgress(&bytes.Buffer{}, opts), display.NewDiff(&bytes.Buffer{}, opts)} {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestTee: views side by side number and date events alike, although each looks at the clock.
func TestTee(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Unix(1_800_000_000, 0)
	clock := display.Clock{Now: func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}}
	var all, shown, text bytes.Buffer
	opts := display.Options{Clock: clock, Phase: heartbeatPhase()}
	s := parseScript(t, heartbeatPhase(), `
prelude {}
step create pulumi:providers:x default {"new":{}}
step create x:y:Z a {"new":{}}
summary {"create":1}
end
`)
	v := display.Tee(clock, display.NewEventLog(&all, opts), display.NewEventStream(&shown, opts), display.NewProgress(&text, opts))
	for _, e := range s.plainEvents() {
		v.Handle(e)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for line := range strings.Lines(all.String()) {
		if !strings.Contains(line, "pulumi:providers:x::default\",\"type") {
			want.WriteString(line)
		}
	}
	if d := cmp.Diff(want.String(), shown.String()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if n := strings.Count(all.String(), "\n"); n != 7 || strings.Count(shown.String(), "\n") != 5 {
		t.Errorf("%d events in the log, want 7, 2 of them internal", n)
	}
	if !strings.Contains(text.String(), "Resources:") {
		t.Error("the text view was left out")
	}
}

// failingWriter fails after some bytes.
type failingWriter struct{ left int }

var errFull = errors.New("no space left")

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left < len(p) {
		return 0, errFull
	}
	w.left -= len(p)
	return len(p), nil
}

// TestWriteError: every view tells at its end that it could not write.
func TestWriteError(t *testing.T) {
	t.Parallel()
	s := parseScript(t, heartbeatPhase(), `
prelude {}
step create x:y:Z a {"new":{}}
summary {"create":1}
end
`)
	for _, room := range []int{0, 100} {
		views := map[string]func(*failingWriter, display.Options) display.View{
			"progress": func(w *failingWriter, o display.Options) display.View { return display.NewProgress(w, o) },
			"tree": func(w *failingWriter, o display.Options) display.View {
				return display.NewTree(w, o, display.Terminal{Size: func() (int, int) { return 80, 24 }})
			},
			"diff":    func(w *failingWriter, o display.Options) display.View { return display.NewDiff(w, o) },
			"json":    func(w *failingWriter, o display.Options) display.View { return display.NewPreviewJSON(w, o) },
			"log":     func(w *failingWriter, o display.Options) display.View { return display.NewEventLog(w, o) },
			"summary": func(w *failingWriter, o display.Options) display.View { return display.NewSummaryJSON(w, o) },
		}
		for name, newView := range views {
			v := newView(&failingWriter{left: room}, display.Options{Clock: frozen(), Phase: heartbeatPhase()})
			for _, e := range s.plainEvents() {
				v.Handle(e)
			}
			if err := v.Close(); !errors.Is(err, errFull) {
				t.Errorf("%s with room for %d bytes: %v", name, room, err)
			}
		}
	}
}

// TestUnfinished: a run that breaks off without a summary still shows what is known.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	s := parseScript(t, heartbeatPhase(), `
prelude {}
start create stack {"new":{}}
start create x:y:Z a {"new":{}}
say {"as":"error","text":"the engine broke"}
`)
	got := s.view(t, "progress", display.Options{Phase: s.phase})
	for _, want := range []string{"creating (interrupted)", "error: the engine broke", "1 error"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// TestCanary: even where a producer forgot to mask secrets, no view shows them unless told to.
func TestCanary(t *testing.T) {
	t.Parallel()
	const canary = "C4n4ry"
	secret := property.String("x" + canary).MakeSecret()
	deep := property.NewMap(map[string]property.Value{"list": property.NewList(property.NewMap(map[string]property.Value{
		"password": secret, "sealed": property.Sealed("v1:" + canary),
		"json": property.String(`{"a":"` + canary + `"}`).MakeSecret(),
	}))})
	plain := property.NewMap(map[string]property.Value{"list": property.NewList(property.NewMap(map[string]property.Value{
		"password": property.String("was plain " + canary), "sealed": property.Null(), "json": property.String("{}"),
	}))})
	whole := property.NewMap(map[string]property.Value{"a": property.String(canary)}).MakeSecret()
	u := urn.New("dev", "p", "", "x:y:Z", "a")
	state := func(v property.Value) *resource.State {
		m := property.MapOf(map[string]property.Value{"deep": v, "whole": whole})
		return &resource.State{URN: u, Type: "x:y:Z", Custom: true, Inputs: m, Outputs: m}
	}
	for _, op := range []resource.Op{resource.OpCreate, resource.OpUpdate, resource.OpDelete, resource.OpReplace, resource.OpRefresh} {
		for _, detailed := range []map[string]event.PropertyDiff{nil, {
			"deep.list[0].password": {Kind: event.DiffUpdate}, "deep.list[0].json": {Kind: event.DiffUpdate, InputDiff: true},
			"whole.a": {Kind: event.DiffDelete},
		}} {
			step := event.Step{Op: op, URN: u, New: state(deep), Old: state(plain), Logical: true, DetailedDiff: detailed}
			s := &script{phase: heartbeatPhase()}
			s.add(event.StepStarted{Step: step})
			s.add(event.StepDone{Step: step})
			s.add(event.Summary{})
			for _, name := range []string{"progress", "tree", "diff", "messages", "json", "log", "stream", "summary", "details"} {
				if got := s.view(t, name, display.Options{Phase: s.phase}); strings.Contains(got, canary) {
					t.Errorf("%s of %s (detailed: %t):\n%s", name, op, detailed != nil, got)
				}
			}
		}
	}
}

// BenchmarkProgress is what a no-op of many resources costs.
func BenchmarkProgress(b *testing.B) {
	var text strings.Builder
	text.WriteString("prelude {}\nstart same stack {\"old\":{},\"new\":{}}\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "step same x:y:Z r%d {\"old\":{\"in\":{\"a\":1}},\"new\":{\"in\":{\"a\":1}}}\n", i)
	}
	events := parseScript(b, heartbeatPhase(), text.String()).plainEvents()
	for b.Loop() {
		show(b, display.NewProgress(&bytes.Buffer{}, display.Options{Clock: frozen(), Phase: heartbeatPhase()}), events)
	}
}
