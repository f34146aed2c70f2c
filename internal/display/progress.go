package display

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Progress shows a run as rows: one line for each time that something happened to a resource, and sections with
// messages, outputs and counts at the end.
type Progress struct {
	opts Options
	out  *out

	// rows are in the order in which resources were first heard of.
	rows  []*row
	byURN map[urn.URN]*row
	// root is the URN of the root resource, "" until an event of its own comes before any other resource's. The row of
	// "" is shown in its place.
	root    urn.URN
	summary *event.Summary
	// over is true once the engine has nothing more to say.
	over bool
}

// NewProgress makes a progress view and writes its headline.
func NewProgress(w io.Writer, opts Options) *Progress {
	p := &Progress{opts: opts, out: newOut(w, opts), byURN: map[urn.URN]*row{}}
	p.out.print(headline(opts))
	return p
}

func headline(opts Options) string {
	return opts.Palette.Paint(palette.Headline, opts.Phase.Headline()) + "\n"
}

// Handle shows an event.
func (p *Progress) Handle(e event.Event) {
	switch e := e.(type) {
	case event.Prelude:
		p.out.print(p.opts.configText(e) + "\n")
	case event.Diagnostic:
		p.diagnostic(e)
	case event.StepStarted:
		p.started(e)
	case event.StepDone:
		p.ended(e)
	case event.StepFailed:
		if !e.Step.Internal && !p.isRead(e.Step) {
			r := p.rowOf(e.Step.URN, &e.Step)
			r.failed = true
			p.print(r)
		}
	case event.Summary:
		p.summary = &e
	case event.Finished:
		p.finish()
	}
}

// Close ends the view.
func (p *Progress) Close() error {
	p.finish()
	return p.out.close()
}

func (p *Progress) diagnostic(d event.Diagnostic) {
	if p.opts.diagnosticText(d, true) == "" {
		return
	}
	u := d.URN
	if u == "" {
		u = p.root
	}
	r := p.rowOf(u, nil)
	r.messages.add(d)
	p.print(r)
}

func (p *Progress) started(e event.StepStarted) {
	if e.Step.Internal || p.isRead(e.Step) {
		return
	}
	r := p.rowOf(e.Step.URN, &e.Step)
	r.step, r.begun, r.end = e.Step, p.time(e.At), time.Time{}
	p.print(r)
}

func (p *Progress) ended(e event.StepDone) {
	if e.Step.Internal || p.isRead(e.Step) {
		return
	}
	r := p.rowOf(e.Step.URN, &e.Step)
	refreshed := r.step.Op == resource.OpRefresh
	r.step, r.end = e.Step, p.time(e.At)
	r.ended = append(r.ended, e.Step)
	state := e.Step.State()
	custom := state != nil && state.Custom
	// In a preview, and for what only groups others or does not change, the line would say nothing new.
	if refreshed || !p.opts.Phase.Preview && custom && e.Step.Op != resource.OpSame {
		p.print(r)
	}
}

// isRead says whether a step only reads. Unless reads are to be shown, the stack's row tells of it.
func (p *Progress) isRead(s event.Step) bool {
	if p.opts.Show.Reads {
		return false
	}
	switch s.Op {
	case resource.OpRead:
		p.diagnostic(event.Diagnostic{
			Severity: diag.Info, Ephemeral: true,
			Message: fmt.Sprintf("read %s %s", palette.Escape(s.Type().Short()), palette.Escape(s.URN.Name())),
		})
		return true
	case resource.OpDiscard, resource.OpReadReplacement:
		return true
	default:
		return false
	}
}

// rowOf gives the row of a resource, making it when it is new, and decides whether the event makes it visible.
func (p *Progress) rowOf(u urn.URN, s *event.Step) *row {
	// Whether u is the root is asked before its row may make it so: the first event of an unchanged root shows nothing.
	wasRoot := u == p.root
	r := p.findRow(u, s)
	if s == nil || wasRoot || p.opts.shown(*s, false) {
		r.visible = true
	}
	return r
}

func (p *Progress) findRow(u urn.URN, s *event.Step) *row {
	if r, ok := p.byURN[u]; ok {
		p.expectParent(s)
		return r
	}
	if isRoot(u) {
		p.root = u
		if r, ok := p.byURN[""]; ok {
			delete(p.byURN, "")
			p.byURN[u] = r
			r.step = firstStep(u, s)
			return r
		}
	}
	r := p.addRow(u, s)
	p.expectParent(s)
	if _, ok := p.byURN[p.root]; !ok {
		p.addRow(p.root, nil).visible = true
	}
	return r
}

func (p *Progress) addRow(u urn.URN, s *event.Step) *row {
	r := &row{step: firstStep(u, s)}
	p.rows = append(p.rows, r)
	p.byURN[u] = r
	return r
}

func firstStep(u urn.URN, s *event.Step) event.Step {
	if s == nil {
		return event.Step{URN: u, Op: resource.OpSame}
	}
	return *s
}

// expectParent makes a row for the parent of a resource that is heard of first, as in a destroy.
func (p *Progress) expectParent(s *event.Step) {
	if s == nil {
		return
	}
	parent := parentOf(*s)
	if parent == "" || parent == p.root {
		return
	}
	if _, ok := p.byURN[parent]; !ok {
		p.addRow(parent, nil)
	}
}

func (p *Progress) print(r *row) {
	if r.visible {
		p.out.print(p.rowText(r))
	}
}

func (p *Progress) time(at time.Time) time.Time {
	if at.IsZero() {
		return p.opts.Clock.Now()
	}
	return at
}

// finish prints the rows that were still open, and the sections.
func (p *Progress) finish() {
	if p.over {
		return
	}
	var open []*row
	for _, r := range p.rows {
		if !r.done(false) {
			open = append(open, r)
		}
	}
	p.over = true
	slices.SortStableFunc(open, func(a, b *row) int { return rank(a) - rank(b) })
	for _, r := range open {
		p.print(r)
	}
	p.out.print(p.diagnosticsSection())
	p.out.print(p.outputsSection())
	if p.summary != nil {
		p.out.print(p.opts.summaryText(*p.summary, p.erred()) + "\n")
	}
}

// rank puts the root's row last.
func rank(r *row) int {
	switch {
	case r.step.URN == "":
		return 2
	case isRoot(r.step.URN):
		return 1
	default:
		return 0
	}
}

// erred counts the rows with errors.
func (p *Progress) erred() int {
	n := 0
	for _, r := range p.rows {
		if r.messages.errors > 0 {
			n++
		}
	}
	return n
}

// configText is the configuration, if it is to be shown.
func (o Options) configText(e event.Prelude) string {
	if !o.Show.Config {
		return ""
	}
	text := "Configuration:\n"
	for _, k := range slices.Sorted(maps.Keys(e.Config)) {
		text += fmt.Sprintf("    %s: %s\n", k, e.Config[k])
	}
	return text
}
