package display

import (
	"fmt"
	"slices"
	"time"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/display/verb"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// row is what text views know of one resource.
type row struct {
	step event.Step
	// ended are the steps that came to an end.
	ended []event.Step
	// index is the row's place in the order in which resources were first heard of.
	index int
	// visible rows are printed; a row becomes visible once and stays so.
	visible bool
	failed  bool
	// begun and end are the times of the current step; end is zero while it runs.
	begun, end time.Time

	messages messages
	node     node
}

// messages are the diagnostics of one row.
type messages struct {
	last                            *event.Diagnostic
	streams                         []stream
	errors, warnings, infos, debugs int
}

// stream holds the messages of one output stream in order; those of stream 0 stand for themselves.
type stream struct {
	id   int32
	list []event.Diagnostic
}

func (m *messages) add(d event.Diagnostic) {
	m.last = &d
	i := slices.IndexFunc(m.streams, func(s stream) bool { return s.id == d.StreamID })
	if i < 0 {
		i = len(m.streams)
		m.streams = append(m.streams, stream{id: d.StreamID})
	}
	m.streams[i].list = append(m.streams[i].list, d)
	if d.Ephemeral {
		return
	}
	switch d.Severity {
	case diag.Error:
		m.errors++
	case diag.Warning:
		m.warnings++
	case diag.Info, diag.InfoErr:
		m.infos++
	case diag.Debug:
		m.debugs++
	}
}

func (r *row) hasEnded(op resource.Op) bool {
	return slices.ContainsFunc(r.ended, func(s event.Step) bool { return s.Op == op })
}

// hasFailed says whether the step failed or anything was reported as an error.
func (r *row) hasFailed() bool { return r.failed || r.messages.errors > 0 }

// done says whether the row's step is over. The root resource's is when the run is.
func (r *row) done(runOver bool) bool {
	switch {
	case r.failed || runOver:
		return true
	case isRoot(r.step.URN):
		return false
	default:
		return r.hasEnded(r.step.Op)
	}
}

// interrupted says whether the run ended while the provider was still at work.
func (r *row) interrupted(runOver bool) bool {
	state := r.step.State()
	if !runOver || state == nil || !state.Custom {
		return false
	}
	switch r.step.Op {
	case resource.OpSame, resource.OpRemovePendingReplace:
		return false
	default:
		return !r.hasEnded(r.step.Op)
	}
}

// status is what the row's status column says.
func (b *board) status(r *row) palette.Text {
	text := palette.Text{b.statusWords(r)}
	if retains(r.step) {
		text = append(text, palette.Span{Text: "[retain]"})
	}
	return text
}

func (b *board) statusWords(r *row) palette.Span {
	v := verb.Of(r.step.Op)
	failed := r.hasFailed()
	switch {
	case !failed && r.interrupted(b.over):
		return palette.Span{Style: palette.Warning, Text: v.Doing + " (interrupted)"}
	case r.done(b.over) && b.opts.Phase.Preview:
		return palette.Span{Style: v.Style, Text: v.Planned}
	case r.done(b.over) && failed:
		return palette.Span{Style: palette.Error, Text: "**" + v.Failed + took(r) + "**"}
	case r.done(b.over):
		return palette.Span{Style: v.Style, Text: v.Done + took(r)}
	case isRoot(r.step.URN) && r.step.Op == resource.OpSame:
		return palette.Span{Text: "running"}
	case b.opts.Phase.Preview:
		return palette.Span{Style: v.Style.Strong(), Text: v.Plan}
	default:
		return palette.Span{Style: v.Style.Strong(), Text: v.Doing + b.takes(r)}
	}
}

// mark is the sign of what is done to the resource, strong while it is being done.
func (b *board) mark(r *row) palette.Text {
	v := verb.Of(r.step.Op)
	style := v.Style
	if !r.done(b.over) {
		style = style.Strong()
	}
	return palette.Styled(style, v.Mark)
}

// urnOf is the URN of the row's resource; that of the root resource can be told before it is known.
func (b *board) urnOf(r *row) urn.URN {
	if r.step.URN != "" {
		return r.step.URN
	}
	p := b.opts.Phase
	return urn.New(p.Stack, p.Project, "", urn.StackType, p.rootName())
}

// took is how long a step took: hundredths below a second, else whole seconds.
func took(r *row) string {
	if r.step.Op == resource.OpSame || r.begun.IsZero() || r.end.IsZero() {
		return ""
	}
	seconds := r.end.Sub(r.begun).Seconds()
	if seconds < 1 {
		return fmt.Sprintf(" (%.2fs)", seconds)
	}
	return fmt.Sprintf(" (%ds)", int(seconds))
}

// takes is how long a step has been running, in whole seconds.
func (b *board) takes(r *row) string {
	if r.step.Op == resource.OpSame || r.begun.IsZero() {
		return ""
	}
	return fmt.Sprintf(" (%ds)", max(int(b.opts.Clock.Now().Sub(r.begun).Seconds()), 0))
}
