package display

import (
	"fmt"
	"time"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// board is what the text views with a row for each resource know of a run. It takes events and draws nothing.
type board struct {
	opts Options
	// rows are in the order in which resources were first heard of.
	rows  []*row
	byURN map[urn.URN]*row
	// root is the URN of the root resource, "" until an event of its own comes before any other resource's. The row of
	// "" is shown in its place.
	root    urn.URN
	summary *event.Summary
	// over is true once the engine has nothing more to say.
	over bool
	// clean, if any, makes a message fit for the place where it is shown.
	clean func(string) string
}

func newBoard(opts Options) *board { return &board{opts: opts, byURN: map[urn.URN]*row{}} }

// change is what an event did to a row. A change without news is one that a line of its own is not worth writing for.
type change struct {
	row  *row
	news bool
}

// take takes an event in and tells which row it changes, if any.
func (b *board) take(e event.Event) change {
	switch e := e.(type) {
	case event.Diagnostic:
		return b.diagnostic(e)
	case event.StepStarted:
		return b.started(e)
	case event.StepDone:
		return b.ended(e)
	case event.StepFailed:
		return b.failed(e)
	case event.Summary:
		b.summary = &e
	case event.Prelude, event.Finished:
	}
	return change{}
}

func (b *board) diagnostic(d event.Diagnostic) change {
	if b.opts.diagnosticText(d, true) == "" {
		return change{}
	}
	u := d.URN
	if u == "" {
		u = b.root
	}
	r := b.rowOf(u, nil)
	r.messages.add(d)
	return change{r, true}
}

func (b *board) started(e event.StepStarted) change {
	if c, hidden := b.hidden(e.Step); hidden {
		return c
	}
	r := b.rowOf(e.Step.URN, &e.Step)
	r.step, r.begun, r.end = e.Step, b.time(e.At), time.Time{}
	return change{r, true}
}

func (b *board) ended(e event.StepDone) change {
	if c, hidden := b.hidden(e.Step); hidden {
		return c
	}
	r := b.rowOf(e.Step.URN, &e.Step)
	refreshed := r.step.Op == resource.OpRefresh
	r.step, r.end = e.Step, b.time(e.At)
	r.ended = append(r.ended, e.Step)
	state := e.Step.State()
	custom := state != nil && state.Custom
	// In a preview, and for what only groups others or does not change, the line would say nothing new.
	return change{r, refreshed || !b.opts.Phase.Preview && custom && e.Step.Op != resource.OpSame}
}

func (b *board) failed(e event.StepFailed) change {
	if c, hidden := b.hidden(e.Step); hidden {
		return c
	}
	r := b.rowOf(e.Step.URN, &e.Step)
	r.failed = true
	return change{r, true}
}

// hidden says whether a step has no row: internal ones, and those that only read unless reads are to be shown. The
// stack's row tells of a read, which is the change.
func (b *board) hidden(s event.Step) (change, bool) {
	switch {
	case s.Internal:
		return change{}, true
	case b.opts.Show.Reads:
		return change{}, false
	}
	switch s.Op {
	case resource.OpRead:
		return b.diagnostic(event.Diagnostic{
			Severity: diag.Info, Ephemeral: true,
			Message: fmt.Sprintf("read %s %s", palette.Escape(s.Type().Short()), palette.Escape(s.URN.Name())),
		}), true
	case resource.OpDiscard, resource.OpReadReplacement:
		return change{}, true
	default:
		return change{}, false
	}
}

// rowOf gives the row of a resource, making it when it is new, and decides whether the event makes it visible.
func (b *board) rowOf(u urn.URN, s *event.Step) *row {
	// Whether u is the root is asked before its row may make it so: the first event of an unchanged root shows nothing.
	wasRoot := u == b.root
	r := b.findRow(u, s)
	if s == nil || wasRoot || b.opts.shown(*s, false) {
		r.visible = true
	}
	return r
}

func (b *board) findRow(u urn.URN, s *event.Step) *row {
	if r, ok := b.byURN[u]; ok {
		b.expectParent(s)
		return r
	}
	if isRoot(u) {
		b.root = u
		if r, ok := b.byURN[""]; ok {
			delete(b.byURN, "")
			b.byURN[u] = r
			r.step = firstStep(u, s)
			return r
		}
	}
	r := b.addRow(u, s)
	b.expectParent(s)
	if _, ok := b.byURN[b.root]; !ok {
		b.addRow(b.root, nil).visible = true
	}
	return r
}

func (b *board) addRow(u urn.URN, s *event.Step) *row {
	r := &row{step: firstStep(u, s), index: len(b.rows)}
	b.rows = append(b.rows, r)
	b.byURN[u] = r
	return r
}

func firstStep(u urn.URN, s *event.Step) event.Step {
	if s == nil {
		return event.Step{URN: u, Op: resource.OpSame}
	}
	return *s
}

// expectParent makes a row for the parent of a resource that is heard of first, as in a destroy.
func (b *board) expectParent(s *event.Step) {
	if s == nil {
		return
	}
	parent := parentOf(*s)
	if parent == "" || parent == b.root {
		return
	}
	if _, ok := b.byURN[parent]; !ok {
		b.addRow(parent, nil)
	}
}

func (b *board) time(at time.Time) time.Time {
	if at.IsZero() {
		return b.opts.Clock.Now()
	}
	return at
}

// erred counts the rows with errors.
func (b *board) erred() int {
	n := 0
	for _, r := range b.rows {
		if r.messages.errors > 0 {
			n++
		}
	}
	return n
}
