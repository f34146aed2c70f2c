package display

import (
	"strings"
	"unicode"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/event"
)

// prefix is what goes in front of a message of a severity: "error: ". Information has none.
func prefix(s diag.Severity) string {
	switch s {
	case diag.Error, diag.Warning, diag.Debug:
		return string(s) + ": "
	case diag.Info, diag.InfoErr:
		return ""
	default:
		return ""
	}
}

func severityStyle(s diag.Severity) palette.Style {
	switch s {
	case diag.Error:
		return palette.Error
	case diag.Warning:
		return palette.Warning
	case diag.Debug, diag.Info, diag.InfoErr:
		return palette.Plain
	default:
		return palette.Plain
	}
}

// messageText is the message with the place it is about, unless it names the place itself.
func messageText(d event.Diagnostic) string {
	at := d.Position.String()
	if at == "" || strings.Contains(d.Message, at) {
		return d.Message
	}
	return at + ": " + d.Message
}

// diagnosticText is a message as text views show it, without white space at its end; "" when it is not shown.
func (o Options) diagnosticText(d event.Diagnostic, withPrefix bool) string {
	if d.Severity == diag.Debug && !o.Show.Debug {
		return ""
	}
	text := o.Palette.Markup(messageText(d))
	if withPrefix {
		text = o.Palette.Paint(severityStyle(d.Severity), prefix(d.Severity)) + text
	}
	return strings.TrimRightFunc(text, unicode.IsSpace)
}

// messageLines splits a text into lines without white space at their ends and without blank lines at its end.
func messageLines(text string) []string {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRightFunc(line, unicode.IsSpace)
	}
	return lines
}
