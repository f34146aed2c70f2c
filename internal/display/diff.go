package display

import (
	"io"
	"strings"

	"github.com/cairn-iac/cairn/internal/display/difftext"
	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/display/verb"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Diff shows a run resource by resource with the properties that differ, nested as the resources are.
type Diff struct {
	opts Options
	out  *out
	text *diffText
	// failed counts failed steps.
	failed int
	diag   io.Writer
}

// NewDiff makes a diff view and writes its headline.
func NewDiff(w io.Writer, opts Options) *Diff {
	d := &Diff{opts: opts, out: newOut(w, opts), text: newDiffText(opts), diag: opts.Diagnostics}
	if d.diag == nil {
		d.diag = w
	}
	d.out.print(headline(opts))
	return d
}

// Handle shows an event.
func (d *Diff) Handle(e event.Event) {
	switch e := e.(type) {
	case event.Prelude:
		d.out.print(d.opts.configText(e))
	case event.Diagnostic:
		if text := d.opts.diagnosticText(e, true); text != "" {
			d.out.printTo(d.diag, text+"\n")
		}
	case event.StepStarted:
		d.out.print(d.text.started(e))
	case event.StepDone:
		d.out.print(d.text.done(e))
	case event.StepFailed:
		if !e.Step.Internal {
			d.failed++
		}
	case event.Summary:
		d.out.print(d.opts.summaryText(e, d.failed))
	case event.Finished:
	}
}

// Close ends the view.
func (d *Diff) Close() error { return d.out.close() }

// Details is the diff of a preview that a person asks for before deciding, in short: only what changes.
func Details(events []event.Event, opts Options) string {
	t := newDiffText(opts)
	t.summary = true
	var b strings.Builder
	for _, e := range events {
		switch e := e.(type) {
		case event.StepStarted:
			b.WriteString(t.started(e))
		case event.StepDone:
			b.WriteString(t.done(e))
		default:
		}
	}
	return strings.TrimSpace(b.String())
}

// diffText makes the text of one step after the other.
type diffText struct {
	opts Options
	// summary leaves out what is the same.
	summary bool
	// seen are the steps that have begun, by resource.
	seen map[urn.URN]event.Step
}

func newDiffText(opts Options) *diffText {
	return &diffText{opts: opts, seen: map[urn.URN]event.Step{}}
}

func (t *diffText) started(e event.StepStarted) string {
	if e.Step.Internal {
		return ""
	}
	t.seen[e.Step.URN] = e.Step
	// What a refresh or an import finds is known when it is done.
	if e.Step.Op == resource.OpRefresh || e.Step.Op == resource.OpImport || !t.shown(e.Step) {
		return ""
	}
	return t.step(e.Step, false)
}

func (t *diffText) done(e event.StepDone) string {
	if e.Step.Internal || !t.shown(e.Step) {
		return ""
	}
	begun, ok := t.seen[e.Step.URN]
	refresh := ok && begun.Op == resource.OpRefresh
	if e.Step.Op == resource.OpImport || refresh && e.Step.Op == resource.OpUpdate {
		return t.step(e.Step, refresh)
	}
	indent := t.indent(e.Step)
	text := t.opts.outputsText(e.Step, outputsAt{indent: indent + 1, refresh: refresh})
	var b strings.Builder
	if refresh && (e.Step.Op != resource.OpRefresh || text != "" || isRoot(e.Step.URN)) {
		b.WriteString(t.header(e.Step, indent))
	}
	if text != "" && !t.opts.Suppress.Outputs {
		title := strings.Repeat("    ", indent+1) + "--outputs:--"
		b.WriteString(t.opts.Palette.Paint(verb.Of(e.Step.Op).Style, title) + "\n" + text)
	}
	return b.String()
}

func (t *diffText) shown(s event.Step) bool { return isRoot(s.URN) || t.opts.shown(s, true) }

// indent is how deep a step's resource lies below those that are shown.
func (t *diffText) indent(s event.Step) int {
	depth := 0
	passed := map[urn.URN]bool{}
	for u := parentOf(s); u != "" && !passed[u]; {
		passed[u] = true
		parent, ok := t.seen[u]
		if !ok {
			break
		}
		if t.shown(parent) {
			depth++
		}
		u = parentOf(parent)
	}
	return depth
}

func (t *diffText) step(s event.Step, refresh bool) string {
	indent := t.indent(s)
	text := t.header(s, indent)
	if s.Op == resource.OpSame {
		return text
	}
	return text + t.properties(s, propertiesAt{indent: indent + 1, refresh: refresh})
}

type propertiesAt struct {
	indent  int
	refresh bool
}

func (o Options) manner() difftext.Manner {
	return difftext.Manner{
		Palette: o.Palette, Planning: o.Phase.Preview, Truncate: o.Suppress.FullOutput, ShowSecrets: o.Show.Secrets,
	}
}

// properties shows the properties of a step: all of a resource that comes or goes, else what differs.
func (t *diffText) properties(s event.Step, at propertiesAt) string {
	manner := t.opts.manner()
	manner.Summary = t.summary
	var b strings.Builder
	changes := difftext.NewPrinter(&b, manner, at.indent, s.Op).Marked(true)
	whole := difftext.NewPrinter(&b, manner, at.indent, s.Op)
	rules := t.opts.rules(s)
	switch {
	case s.DetailedDiff != nil && s.Old != nil && s.New != nil:
		fields, hidden := t.opts.detailed(s, at.refresh)
		if fields == nil {
			t.unchanged(&b, manner, at.indent).Object(s.Old.Inputs)
			break
		}
		changes.Hidden(hidden)
		changes.Changes(fields, nil)
	case s.Old == nil && s.New != nil:
		if s.New.Outputs.Len() > 0 {
			whole.Object(s.New.Outputs)
		} else {
			whole.Object(s.New.Inputs)
		}
	case s.New == nil && s.Old != nil:
		if !t.summary {
			whole.Object(s.Old.Inputs)
		}
	case s.New == nil:
	default:
		older, newer, include := s.Old.Inputs, s.New.Inputs, s.Diffs
		if s.New.Outputs.Len() > 0 && s.Op != resource.OpImport && s.Op != resource.OpImportReplacement {
			older, newer, include = s.Old.Outputs, s.New.Outputs, nil
		}
		fields, hidden := difftext.Compare(older, newer, rules)
		if fields == nil && len(hidden) == 0 {
			t.unchanged(&b, manner, at.indent).Object(newer)
			break
		}
		changes.Hidden(hidden)
		changes.Changes(fields, include)
	}
	return b.String()
}

// unchanged prints properties of a step that changes none of them.
func (t *diffText) unchanged(b *strings.Builder, m difftext.Manner, indent int) difftext.Printer {
	return difftext.NewPrinter(b, m, indent, resource.OpSame).Marked(true)
}

// header is the type, the operation, and what identifies the resource.
func (t *diffText) header(s event.Step, indent int) string {
	var b strings.Builder
	margin, pal := strings.Repeat("    ", indent), t.opts.Palette
	style := verb.Of(s.Op).Style
	name := string(s.Type())
	if t.opts.Show.URNs {
		name = string(s.URN)
	}
	op := string(s.Op)
	if retains(s) {
		op += "[retain]"
	}
	b.WriteString(margin + pal.Paint(style, verb.Of(s.Op).Mark+palette.Escape(name)+": ("+op+")"+lock(s)) + "\n")
	plain := style
	if !comesOrGoes(s.Op) {
		plain = palette.Plain
	}
	detail := func(style palette.Style, text string) {
		b.WriteString(pal.Paint(style, margin+"    ["+text+"]") + "\n")
	}
	if s.Old != nil && s.Old.ID != "" {
		detail(plain, "id="+palette.Escape(string(s.Old.ID)))
	}
	if !t.opts.Show.URNs {
		detail(plain, "urn="+palette.Escape(string(s.URN)))
	}
	if text, changed := providerText(s); changed {
		detail(palette.Change, text)
	} else if text != "" {
		detail(plain, text)
	}
	if s.Why != "" {
		detail(palette.Replace, "reason="+palette.Escape(s.Why))
	}
	return b.String()
}

// comesOrGoes says whether all lines of a step take its colour.
func comesOrGoes(op resource.Op) bool {
	switch op {
	case resource.OpCreate, resource.OpDelete, resource.OpDeleteReplaced, resource.OpDiscard, resource.OpDiscardReplaced:
		return true
	default:
		return false
	}
}

// lock marks resources that are protected, or are about to be no longer.
func lock(s event.Step) string {
	older, newer := s.Old != nil && s.Old.Protect, s.New != nil && s.New.Protect
	switch {
	case older && s.New != nil && !newer:
		return " 🔓"
	case older || newer:
		return " 🔒"
	default:
		return ""
	}
}

// providerText names the provider unless it is the default one, and says when it changes.
func providerText(s event.Step) (text string, changed bool) {
	state := s.State()
	if state == nil || state.Provider.IsZero() {
		return "", false
	}
	if s.Old != nil && s.New != nil && s.Old.Provider != s.New.Provider {
		return "provider: " + providerRef(s.Old.Provider) + " => " + providerRef(s.New.Provider), true
	}
	if state.Provider.URN.Name() == "default" {
		return "", false
	}
	return "provider=" + providerRef(state.Provider), false
}

// unknownID is the id of a provider that a preview would create.
const unknownID = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

func providerRef(r urn.ProviderRef) string {
	if r.ID == unknownID {
		r.ID = "[unknown]"
	}
	return r.String()
}
