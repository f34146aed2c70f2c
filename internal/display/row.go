package display

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/display/difftext"
	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/display/verb"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// row is what the progress view knows of one resource.
type row struct {
	step event.Step
	// ended are the steps that came to an end.
	ended []event.Step
	// visible rows are printed; a row becomes visible once and stays so.
	visible bool
	failed  bool
	// begun and end are the times of the current step; end is zero while it runs.
	begun, end time.Time

	messages messages
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

// text is the row as a line: mark, type, name, status, info, one space between them.
func (p *Progress) rowText(r *row) string {
	u := r.step.URN
	if u == "" {
		u = urn.New(p.opts.Phase.Stack, p.opts.Phase.Project, "", urn.StackType, p.opts.Phase.rootName())
	}
	v := verb.Of(r.step.Op)
	style := v.Style
	if !r.done(p.over) {
		style = style.Strong()
	}
	columns := []string{"", p.opts.Palette.Paint(style, v.Mark)}
	if p.opts.Show.URNs {
		columns = append(columns, palette.Escape(string(u)))
	} else {
		columns = append(columns, palette.Escape(u.Type().Short()), palette.Escape(u.Name()))
	}
	columns = append(columns, p.status(r), p.info(r))
	return strings.Join(columns, " ") + "\n"
}

func (p *Progress) status(r *row) string {
	text := p.statusWords(r)
	if retains(r.step) {
		text += "[retain]"
	}
	return text
}

func (p *Progress) statusWords(r *row) string {
	v := verb.Of(r.step.Op)
	failed := r.failed || r.messages.errors > 0
	switch {
	case !failed && r.interrupted(p.over):
		return p.opts.Palette.Paint(palette.Warning, v.Doing+" (interrupted)")
	case r.done(p.over) && p.opts.Phase.Preview:
		return p.opts.Palette.Paint(v.Style, v.Planned)
	case r.done(p.over) && failed:
		return p.opts.Palette.Paint(palette.Error, "**"+v.Failed+took(r)+"**")
	case r.done(p.over):
		return p.opts.Palette.Paint(v.Style, v.Done+took(r))
	case isRoot(r.step.URN) && r.step.Op == resource.OpSame:
		return "running"
	case p.opts.Phase.Preview:
		return p.opts.Palette.Paint(v.Style.Strong(), v.Plan)
	default:
		return p.opts.Palette.Paint(v.Style.Strong(), v.Doing+p.takes(r))
	}
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
func (p *Progress) takes(r *row) string {
	if r.step.Op == resource.OpSame || r.begun.IsZero() {
		return ""
	}
	return fmt.Sprintf(" (%ds)", max(int(p.opts.Clock.Now().Sub(r.begun).Seconds()), 0))
}

// info is what differs, and then the last message while the run goes on, or how many there were. It is one line.
func (p *Progress) info(r *row) string {
	var parts []string
	if changes := p.opts.changedKeys(infoStep(r)); changes != "" {
		parts = append(parts, "["+changes+"]")
	}
	if p.over {
		parts = append(parts, p.messageCounts(r)...)
	} else if last := r.messages.last; last != nil {
		if text := p.opts.diagnosticText(*last, true); text != "" {
			parts = append(parts, text)
		}
	}
	line, _, _ := strings.Cut(strings.Join(parts, "; "), "\n")
	return line
}

// infoStep is the step that says most about what differs: for the steps of a replacement the replacement itself.
func infoStep(r *row) event.Step {
	step := r.step
	for _, s := range r.ended {
		switch r.step.Op {
		case resource.OpCreateReplacement, resource.OpDeleteReplaced:
			if s.Op == resource.OpReplace {
				step = s
			}
		case resource.OpImport, resource.OpImportReplacement:
			if s.Op == r.step.Op {
				step = s
			}
		default:
		}
	}
	return step
}

func (p *Progress) messageCounts(r *row) []string {
	var parts []string
	count := func(n int, word string, s palette.Style) {
		if n == 0 {
			return
		}
		if n > 1 {
			word += "s"
		}
		parts = append(parts, fmt.Sprintf("%d %s", n, p.opts.Palette.Paint(s, word)))
	}
	count(r.messages.errors, "error", palette.Error)
	count(r.messages.warnings, "warning", palette.Warning)
	count(r.messages.infos, "message", palette.Info)
	count(r.messages.debugs, "debug", palette.Plain)
	return parts
}

// changedKeys lists the top-level properties that differ: "diff: +added-deleted~updated".
func (o Options) changedKeys(s event.Step) string {
	if s.Old == nil || s.New == nil {
		return ""
	}
	var fields difftext.Fields
	switch {
	case s.Op == resource.OpSame:
		// What is recorded about it may differ, but the resource does not.
	case s.DetailedDiff != nil:
		fields, _ = o.detailed(s, false)
	default:
		rules := o.rules(s)
		rules.Hidden = nil
		fields, _ = difftext.Compare(s.Old.Inputs, s.New.Inputs, rules)
	}
	fields = withMetadata(fields, s)
	if fields == nil {
		return ""
	}
	text := "diff: "
	for _, list := range []struct {
		kind difftext.Kind
		op   resource.Op
	}{{difftext.Added, resource.OpCreate}, {difftext.Deleted, resource.OpDelete}, {difftext.Updated, resource.OpUpdate}} {
		keys := fields.OfKind(list.kind)
		if len(s.Diffs) > 0 {
			keys = slices.DeleteFunc(keys, func(k string) bool { return !slices.Contains(s.Diffs, k) })
		}
		if len(keys) > 0 {
			v := verb.Of(list.op)
			for i, k := range keys {
				keys[i] = palette.Escape(k)
			}
			text += o.Palette.Paint(v.Style, strings.TrimSpace(v.Mark)+strings.Join(keys, ","))
		}
	}
	return text
}

// withMetadata adds changes of provider, protection and taint, which no property shows.
func withMetadata(fields difftext.Fields, s event.Step) difftext.Fields {
	mark := func(name string, differs bool) {
		if !differs {
			return
		}
		if fields == nil {
			fields = difftext.Fields{}
		}
		fields[name] = difftext.Change{Kind: difftext.Updated, Old: property.Null(), New: property.Null()}
	}
	mark("provider", s.Old.Provider != s.New.Provider)
	mark("protect", s.Old.Protect != s.New.Protect)
	mark("taint", s.Old.Taint != s.New.Taint)
	return fields
}
