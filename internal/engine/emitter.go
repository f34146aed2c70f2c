package engine

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
)

// emitter makes events out of steps, with secrets masked, and counts them. It is the one place where values leave the
// engine for the eyes of people.
type emitter struct {
	preview bool
	show    bool
	refresh bool
	sink    func(event.Event)
	now     func() time.Time
	scrub   *scrubber
	// config knows the secrets of the configuration only: they are masked wherever they turn up in plain values, as when
	// a command prints what it was given.
	config *scrubber

	mu    sync.Mutex
	count map[resource.Op]int
}

func newEmitter(op Operation, deps Deps) *emitter {
	e := &emitter{
		preview: op.Preview, show: op.Options.ShowSecrets, refresh: op.Kind == Refresh,
		sink: deps.Emit, now: deps.Now, scrub: newScrubber(), config: newScrubber(), count: map[resource.Op]int{},
	}
	for _, k := range op.Stack.SecretKeys {
		e.scrub.learn(property.String(op.Stack.Config[k]).MakeSecret())
		e.config.learn(property.String(op.Stack.Config[k]).MakeSecret())
	}
	return e
}

// send passes one event on; events are serialized.
func (e *emitter) send(v event.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sink(v)
}

func (e *emitter) prelude(s Stack) {
	config := maps.Clone(s.Config)
	for _, k := range s.SecretKeys {
		if !e.show {
			config[k] = property.Mask
		}
	}
	e.send(event.Prelude{Config: config})
}

// learn notes secrets that messages are not to show.
func (e *emitter) learn(values ...property.Map) {
	for _, m := range values {
		e.scrub.learnMap(m)
	}
}

// scrubbed masks known secrets, and those of a resource, in what its provider says.
func (e *emitter) scrubbed(text string, s *resource.State) string {
	e.learn(s.Inputs, s.Outputs)
	return e.scrub.clean(text)
}

// diagnostic passes a message on, with every known secret in it masked.
func (e *emitter) diagnostic(m event.Diagnostic) {
	if !e.show {
		m.Message = e.scrub.clean(m.Message)
	}
	e.send(m)
}

func (e *emitter) diag(d diag.Diagnostic) {
	message := d.Summary
	if d.Detail != "" {
		message += "\n" + d.Detail
	}
	e.diagnostic(event.Diagnostic{
		URN: d.Subject.URN, Severity: d.Severity, Message: message, Position: d.Subject.Position,
	})
}

func (e *emitter) started(s plan.Step) {
	e.send(event.StepStarted{Step: e.step(s, unfinished(s)), Planning: e.preview, At: e.now()})
}

// unfinished is the new state of a step that only begins: what a step takes over from the old state is not told yet.
func unfinished(s plan.Step) *resource.State {
	if s.New == nil || s.Op != resource.OpSame && s.Op != resource.OpUpdate {
		return s.New
	}
	c := *s.New
	c.ID, c.Outputs = "", property.Map{}
	return &c
}

// done tells that a step succeeded and counts it. now is the resulting state. A component's outputs are not there yet:
// its event follows when they are.
func (e *emitter) done(s plan.Step, now *resource.State) {
	if now != nil && now != s.Old {
		e.learn(now.Inputs, now.Outputs)
	}
	op := s.Op
	if e.refresh && op == resource.OpRefresh {
		op = refreshResult(s, now)
	}
	view := e.step(s, now)
	if !view.Internal && e.counted(s, now) {
		e.mu.Lock()
		e.count[op]++
		e.mu.Unlock()
	}
	if !e.preview && !s.State().Custom && s.Op != resource.OpRefresh && s.Op != resource.OpDelete {
		return
	}
	if e.preview || e.refresh {
		view.Op = op
	}
	e.send(event.StepDone{Step: view, Planning: e.preview, At: e.now()})
}

// counted says whether a step is one of the changes people are told the number of. A read is one only if it found
// something new, a refresh only where it is all that was asked for.
func (e *emitter) counted(s plan.Step, now *resource.State) bool {
	switch s.Op {
	case resource.OpRead:
		return s.Old != nil && now != nil && !s.Old.Outputs.EqualPlain(now.Outputs)
	case resource.OpRefresh:
		return e.refresh
	default:
		return s.Logical()
	}
}

// completed tells the outputs of a component.
func (e *emitter) completed(s plan.Step, now *resource.State) {
	e.send(event.StepDone{Step: e.step(s, now), Planning: e.preview, At: e.now()})
}

type failure struct {
	uncertain bool
}

func (e *emitter) failed(s plan.Step, f failure) {
	e.send(event.StepFailed{Step: e.step(s, s.New), Planning: e.preview, At: e.now(), Unknown: f.uncertain})
}

func (e *emitter) counts() map[resource.Op]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.count)
}

// refreshResult is what a refresh came to, as people count it.
func refreshResult(s plan.Step, now *resource.State) resource.Op {
	switch {
	case now == nil:
		return resource.OpDelete
	case now == s.Old, s.Undrifted, s.Old.Outputs.EqualPlain(now.Outputs) && s.Old.Inputs.EqualPlain(now.Inputs):
		return resource.OpSame
	default:
		return resource.OpUpdate
	}
}

func (e *emitter) step(s plan.Step, now *resource.State) event.Step {
	out := event.Step{
		Op: s.Op, URN: s.URN(), Keys: s.Keys, Diffs: s.Diffs, DetailedDiff: s.DetailedDiff, Why: s.Why,
		Logical: s.Logical() && s.Op != resource.OpRefresh, Internal: s.URN().IsDefaultProvider() || s.Op == resource.OpRemovePendingReplace,
		Old: e.mask(s.Old), New: e.mask(now),
	}
	if s.Old != nil && now != nil && !e.show {
		out.SecretChanges = secretChanges(s.Old.Inputs, now.Inputs)
	}
	return out
}

func (e *emitter) mask(s *resource.State) *resource.State {
	if s == nil {
		return nil
	}
	if e.show {
		return s
	}
	c := *s
	c.Inputs, c.Outputs = e.maskMap(s.Inputs), e.maskMap(s.Outputs)
	c.ReplacementTrigger = s.ReplacementTrigger.Redact()
	c.InitErrors = make([]string, 0, len(s.InitErrors))
	for _, r := range s.InitErrors {
		c.InitErrors = append(c.InitErrors, e.scrub.clean(r))
	}
	return &c
}

// maskMap masks secret values, and secrets of the configuration within plain ones.
func (e *emitter) maskMap(m property.Map) property.Map {
	if m.ContainsSecret() {
		m = m.Redact()
	}
	if e.config.isEmpty() {
		return m
	}
	return m.Transform(func(v property.Value) property.Value {
		text, ok := v.AsString()
		if !ok || v.Secret() {
			return v
		}
		if clean := e.config.clean(text); clean != text {
			return property.String(clean)
		}
		return v
	})
}

// secretChanges lists the places where values differ behind the mask. Once either side is secret, both are masked.
func secretChanges(older, newer property.Map) []string {
	if !older.ContainsSecret() && !newer.ContainsSecret() {
		return nil
	}
	var out []string
	for _, c := range property.Changes(older, newer) {
		if at, ok := secretAt(c.Path, property.FromMap(older), property.FromMap(newer)); ok {
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// secretAt is the outermost secret place on the way to p, in either value.
func secretAt(p property.Path, values ...property.Value) (string, bool) {
	for n := range len(p) + 1 {
		for _, v := range values {
			if at, ok := p[:n].Get(v); ok && at.Secret() {
				return p[:n].String(), true
			}
		}
	}
	return "", false
}
