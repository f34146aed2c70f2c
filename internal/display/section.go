package display

import (
	"strings"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/urn"
)

// sections are what a run ends with: messages, outputs, counts.
func (b *board) sections() string {
	text := b.diagnosticsSection() + b.outputsSection()
	if b.summary != nil {
		text += b.opts.summaryText(*b.summary, b.erred()) + "\n"
	}
	return text
}

// diagnosticsSection lists the messages of each resource, those of one output stream together.
func (b *board) diagnosticsSection() string {
	var text strings.Builder
	for _, r := range b.rows {
		headed := false
		for _, s := range r.messages.streams {
			lines := b.streamLines(s)
			if len(lines) == 0 {
				continue
			}
			if text.Len() == 0 {
				text.WriteString(b.opts.Palette.Paint(palette.Headline, "Diagnostics:") + "\n")
			}
			if !headed {
				headed = true
				text.WriteString("  " + b.opts.Palette.Paint(palette.Resource, b.resourceHeader(r.step.URN)) + "\n")
			}
			for _, line := range lines {
				text.WriteString(strings.TrimRight("    "+line, " ") + "\n")
			}
			text.WriteString("\n")
		}
	}
	return text.String()
}

func (b *board) resourceHeader(u urn.URN) string {
	if b.opts.Show.URNs {
		return palette.Escape(string(u)) + ":"
	}
	if u == "" {
		return string(urn.StackType) + " (" + palette.Escape(b.opts.Phase.rootName()) + "):"
	}
	return palette.Escape(u.Type().Short()) + " (" + palette.Escape(u.Name()) + "):"
}

func (b *board) streamLines(s stream) []string {
	if s.id == 0 {
		var lines []string
		for _, d := range s.list {
			if !d.Ephemeral {
				lines = append(lines, b.messageLines(d)...)
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
		if d.Severity != diag.Debug || b.opts.Show.Debug {
			whole.WriteString(lastLineEnd(d.Message))
		}
	}
	first.Message = whole.String()
	return b.messageLines(first)
}

func (b *board) messageLines(d event.Diagnostic) []string {
	if b.clean != nil {
		d.Message = b.clean(d.Message)
	}
	return messageLines(b.opts.diagnosticText(d, true))
}

// outputsSection shows the stack's outputs: all of them after an update, what changes in a preview.
func (b *board) outputsSection() string {
	r, ok := b.byURN[b.root]
	if b.opts.Suppress.Outputs || b.root == "" || !ok {
		return ""
	}
	text := b.opts.outputsText(r.step, outputsAt{indent: 1})
	if text == "" {
		return ""
	}
	return b.opts.Palette.Paint(palette.Headline, "Outputs:") + "\n" + text + "\n"
}
