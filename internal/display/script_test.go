package display_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/display"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// A script is a run in short, one event a line:
//
//	prelude {"p:key": "value"}
//	know TYPE NAME                   for parents that are heard of after their children
//	start OP TYPE NAME {details}     the step begins
//	done OP TYPE NAME {details}      the step succeeded
//	step OP TYPE NAME {details}      both
//	fail OP TYPE NAME {details}      the step failed
//	say {"on": NAME, "as": SEVERITY, "text": ..., "stream": 1, "ephemeral": true}
//	wait DURATION                    time goes by
//	screen NAME                      what a terminal shows by now is compared with the section of that name
//	resize COLUMNS ROWS              the terminal gets another size
//	print TEXT                       somebody else writes to the terminal
//	press TEXT                       keys are pressed and show up on the terminal
//	summary {"same": 7}              with the number of changes
//	failed {...}, canceled {...}     summaries of runs that ended so
//	end
//
// TYPE "stack" is the root resource and needs no NAME. Details are old and new states (stateDetails), and what is known of
// the difference. The strings "<secret>", "<unknown>", "<unknown secret>" and "<shown:one>" (a secret that the producer was
// told to show) stand for such values. Empty lines and # lines are skipped.
type script struct {
	phase  display.Phase
	now    time.Time
	events []timed
	known  map[string]urn.URN
}

// timed is an event and when it comes, or what is done to the terminal then.
type timed struct {
	event event.Event
	at    time.Time
	act   []string
}

type stepDetails struct {
	Old, New      *stateDetails
	Parent        string
	Component     bool
	Diffs, Keys   []string
	Detailed      map[string]string
	Logical       *bool
	Why           string
	SecretChanges []string
	Unknown       bool
}

type stateDetails struct {
	In, Out        map[string]any
	ID             resource.ID
	Provider       string
	Protect        bool
	Retain, Delete bool
	Hide           []string
	InitErrors     []string
}

func parseScript(t testing.TB, phase display.Phase, text string) *script {
	t.Helper()
	s := &script{
		phase: phase, now: time.Date(2026, 11, 30, 21, 17, 30, 0, time.UTC),
		known: map[string]urn.URN{},
	}
	s.known["stack"] = urn.New(phase.Stack, phase.Project, "", urn.StackType, phase.Project+"-"+phase.Stack)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			s.line(t, line)
		}
	}
	return s
}

func (s *script) add(e event.Event) { s.events = append(s.events, timed{event: e, at: s.now}) }

func (s *script) line(t testing.TB, line string) {
	t.Helper()
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "prelude":
		var config map[string]string
		unmarshal(t, rest, &config)
		s.add(event.Prelude{Config: config})
	case "know":
		typ, name, _ := strings.Cut(rest, " ")
		s.name(t, name, urn.Type(typ), stepDetails{})
	case "start":
		s.add(event.StepStarted{Step: s.step(t, rest), Planning: s.phase.Preview, At: s.now})
	case "done":
		s.add(event.StepDone{Step: s.step(t, rest), Planning: s.phase.Preview, At: s.now})
	case "step":
		s.line(t, "start "+rest)
		s.line(t, "done "+rest)
	case "fail":
		s.add(event.StepFailed{Step: s.step(t, rest), Planning: s.phase.Preview, At: s.now})
	case "say":
		s.add(s.message(t, rest))
	case "wait":
		d, err := time.ParseDuration(rest)
		if err != nil {
			t.Fatal(err)
		}
		s.now = s.now.Add(d)
	case "screen", "resize", "print", "press":
		s.events = append(s.events, timed{at: s.now, act: []string{verb, rest}})
	case "summary", "failed", "canceled":
		s.summary(t, verb, rest)
	case "end":
		s.add(event.Finished{})
	default:
		t.Fatalf("script line %q", line)
	}
}

func (s *script) summary(t testing.TB, verb, rest string) {
	e := event.Summary{
		Preview: s.phase.Preview, Result: event.Result(verb),
		Duration: s.now.Sub(time.Date(2026, 11, 30, 21, 17, 30, 0, time.UTC)),
	}
	if verb == "summary" {
		e.Result = event.Succeeded
	}
	unmarshal(t, rest, &e.Changes)
	s.add(e)
}

func (s *script) message(t testing.TB, rest string) event.Diagnostic {
	var m struct {
		On, As, Text, At string
		Line, Column     int
		Stream           int32
		Ephemeral        bool
	}
	unmarshal(t, rest, &m)
	d := event.Diagnostic{
		Severity: diag.Severity(m.As), Message: m.Text, StreamID: m.Stream, Ephemeral: m.Ephemeral,
		Position: diag.Position{File: m.At, Line: m.Line, Column: m.Column},
	}
	if d.Severity == "" {
		d.Severity = diag.Info
	}
	if m.On != "" {
		d.URN = s.known[m.On]
		if d.URN == "" {
			t.Fatalf("nothing is called %q so far", m.On)
		}
	}
	return d
}

func (s *script) step(t testing.TB, rest string) event.Step {
	t.Helper()
	fields := strings.SplitN(rest, " {", 2)
	words := strings.Fields(fields[0])
	var d stepDetails
	if len(fields) == 2 {
		unmarshal(t, "{"+fields[1], &d)
	}
	op, typ, name := resource.Op(words[0]), urn.StackType, "stack"
	if words[1] != "stack" {
		typ = urn.Type(words[1])
		if err := json.Unmarshal([]byte(strings.Join(words[2:], " ")), &name); err != nil {
			name = strings.Join(words[2:], " ")
		}
	}
	s.name(t, name, typ, d)
	step := event.Step{
		Op: op, URN: s.known[name], Keys: d.Keys, Diffs: d.Diffs, Why: d.Why, SecretChanges: d.SecretChanges,
		Logical:  op != resource.OpCreateReplacement && op != resource.OpDeleteReplaced,
		Internal: typ.IsProvider() && name == "default",
	}
	if d.Logical != nil {
		step.Logical = *d.Logical
	}
	if d.Detailed != nil {
		step.DetailedDiff = map[string]event.PropertyDiff{}
		for path, kind := range d.Detailed {
			kind, input := strings.CutSuffix(kind, " input")
			step.DetailedDiff[path] = event.PropertyDiff{Kind: event.DiffKind(kind), InputDiff: input}
		}
	}
	component := d.Component || typ == urn.StackType
	step.Old, step.New = s.state(t, step, d.Old, component), s.state(t, step, d.New, component)
	for _, state := range []*resource.State{step.Old, step.New} {
		if state != nil && typ != urn.StackType {
			state.Parent = s.known["stack"]
			if d.Parent != "" {
				state.Parent = s.known[d.Parent]
			}
		}
	}
	return step
}

func (s *script) name(t testing.TB, name string, typ urn.Type, d stepDetails) {
	if _, ok := s.known[name]; ok {
		return
	}
	parentType := urn.Type("")
	if d.Parent != "" {
		parent, ok := s.known[d.Parent]
		if !ok {
			t.Fatalf("the parent %q is not known", d.Parent)
		}
		parentType = parent.QualifiedType()
	}
	s.known[name] = urn.New(s.phase.Stack, s.phase.Project, parentType, typ, name)
}

func (s *script) state(t testing.TB, step event.Step, d *stateDetails, component bool) *resource.State {
	if d == nil {
		return nil
	}
	state := &resource.State{
		URN: step.URN, Type: step.Type(), Custom: !component, ID: d.ID, Delete: d.Delete, InitErrors: d.InitErrors,
		Inputs: s.properties(t, d.In), Outputs: s.properties(t, d.Out),
	}
	state.Protect, state.RetainOnDelete, state.HideDiffs = d.Protect, d.Retain, d.Hide
	if !component && !step.Type().IsProvider() {
		name, id, _ := strings.Cut(d.Provider, "::")
		if d.Provider == "" {
			name, id = "default", "0000"
		}
		pkg := urn.ProviderType(step.Type().Package())
		state.Provider = urn.ProviderRef{URN: urn.New(s.phase.Stack, s.phase.Project, "", pkg, name), ID: id}
	}
	return state
}

func (s *script) properties(t testing.TB, m map[string]any) property.Map {
	return properties(t, m).Transform(func(v property.Value) property.Value {
		switch text, _ := v.AsString(); text {
		case "<secret>":
			return property.String(property.Mask).MakeSecret()
		case "<unknown>":
			return property.Unknown()
		case "<unknown secret>":
			return property.Unknown().MakeSecret()
		case "<shown:one>", "<shown:two>", "<shown:x>":
			return property.String("plain " + strings.Trim(text, "<>")).MakeSecret()
		default:
			return v
		}
	})
}

func unmarshal(t testing.TB, text string, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// clock is one that stands at the time of the event last shown.
func (s *script) show(t testing.TB, make func(display.Clock) display.View) {
	t.Helper()
	at := time.Date(2026, 11, 30, 21, 17, 30, 0, time.UTC)
	v := make(display.Clock{Now: func() time.Time { return at }})
	for _, e := range s.events {
		at = e.at
		v.Handle(e.event)
		if tree, ok := v.(*display.Tree); ok {
			tree.Draw()
		}
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
}

func (s *script) plainEvents() []event.Event {
	var out []event.Event
	for _, e := range s.events {
		if e.event != nil {
			out = append(out, e.event)
		}
	}
	return out
}

func phaseOf(t testing.TB, words string) display.Phase {
	t.Helper()
	p := display.Phase{Stack: "dev"}
	for _, w := range strings.Fields(words) {
		switch w {
		case "preview":
			p.Preview = true
		case "update", "refresh", "destroy", "import":
			p.Kind = display.Kind(w)
		default:
			if p.Project != "" {
				t.Fatalf("phase %q", words)
			}
			p.Project = w
		}
	}
	return p
}
