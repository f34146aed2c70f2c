package display

import (
	"strings"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/urn"
)

// diagnosticsSection lists the messages of each resource, those of one output stream together.
func (p *Progress) diagnosticsSection() string {
	var b strings.Builder
	for _, r := range p.rows {
		headed := false
		for _, s := range r.messages.streams {
			lines := p.streamLines(s)
			if len(lines) == 0 {
				continue
			}
			if b.Len() == 0 {
				b.WriteString(p.opts.Palette.Paint(palette.Headline, "Diagnostics:") + "\n")
			}
			if !headed {
				headed = true
				b.WriteString("  " + p.opts.Palette.Paint(palette.Resource, p.resourceHeader(r.step.URN)) + "\n")
			}
			for _, line := range lines {
				b.WriteString(strings.TrimRight("    "+line, " ") + "\n")
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func (p *Progress) resourceHeader(u urn.URN) string {
	if p.opts.Show.URNs {
		return palette.Escape(string(u)) + ":"
	}
	if u == "" {
		return string(urn.StackType) + " (" + palette.Escape(p.opts.Phase.rootName()) + "):"
	}
	return palette.Escape(u.Type().Short()) + " (" + palette.Escape(u.Name()) + "):"
}

func (p *Progress) streamLines(s stream) []string {
	if s.id == 0 {
		var lines []string
		for _, d := range s.list {
			if !d.Ephemeral {
				lines = append(lines, messageLines(p.opts.diagnosticText(d, true))...)
			}
		}
		return lines
	}
	var whole strings.Builder
	first := s.list[0]
	if first.Ephemeral {
		return nil
	}
	for _, d := range s.list {
		if d.Severity != diag.Debug || p.opts.Show.Debug {
			whole.WriteString(lastLineEnd(d.Message))
		}
	}
	first.Message = whole.String()
	return messageLines(p.opts.diagnosticText(first, true))
}

// outputsSection shows the stack's outputs: all of them after an update, what changes in a preview.
func (p *Progress) outputsSection() string {
	r, ok := p.byURN[p.root]
	if p.opts.Suppress.Outputs || p.root == "" || !ok {
		return ""
	}
	text := p.opts.outputsText(r.step, outputsAt{indent: 1})
	if text == "" {
		return ""
	}
	return p.opts.Palette.Paint(palette.Headline, "Outputs:") + "\n" + text + "\n"
}
