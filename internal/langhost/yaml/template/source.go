package template

import (
	"strings"

	"github.com/cairn-iac/cairn/internal/diag"
)

// Source is the text of one file, for showing the line that a message is about.
type Source struct {
	Name  string
	lines []string
	// hidden holds the numbers of lines with literal secrets, which are never shown.
	hidden map[int]bool
}

func newSource(name, text string) *Source {
	return &Source{Name: name, lines: strings.Split(text, "\n"), hidden: map[int]bool{}}
}

// Line is the text of line n, counted from 1; "" when there is none or when it holds a literal secret.
func (s *Source) Line(n int) string {
	if n < 1 || n > len(s.lines) || s.hidden[n] {
		return ""
	}
	return strings.TrimRight(s.lines[n-1], "\r")
}

// Locate adds the source line to a diagnostic about this file.
func (s *Source) Locate(d diag.Diagnostic) diag.Diagnostic {
	if d.Subject.Position.File == s.Name {
		d.Subject.Source = s.Line(d.Subject.Position.Line)
	}
	return d
}

// hide keeps the lines from first to last from being shown.
func (s *Source) hide(first, last int) {
	for n := first; n <= last; n++ {
		s.hidden[n] = true
	}
}

// find gives the position of the n-th occurrence (from 0) of text at or after a position; the position itself when
// the text does not appear literally, as within escapes of a quoted scalar.
func (s *Source) find(from diag.Position, text string, n int) diag.Position {
	for line := from.Line; line <= len(s.lines) && line >= 1; line++ {
		runes := []rune(s.lines[line-1])
		start := 0
		if line == from.Line {
			start = min(max(from.Column-1, 0), len(runes))
		}
		rest := string(runes[start:])
		for column := start; ; n-- {
			i := strings.Index(rest, text)
			if i < 0 {
				break
			}
			column += len([]rune(rest[:i]))
			if n == 0 {
				return diag.Position{File: from.File, Line: line, Column: column + 1}
			}
			rest = rest[i+len(text):]
			column += len([]rune(text))
		}
	}
	return from
}

// problems collects diagnostics.
type problems struct {
	list diag.Diagnostics
}

func (p *problems) add(d diag.Diagnostic) { p.list = append(p.list, d) }

func (p *problems) errorAt(at diag.Position, summary, detail string) {
	p.add(diag.Diagnostic{
		Severity: diag.Error, Summary: summary, Detail: detail, Subject: diag.Subject{Position: at},
	})
}

func (p *problems) warnAt(at diag.Position, summary, detail string) {
	p.add(diag.Diagnostic{
		Severity: diag.Warning, Summary: summary, Detail: detail, Subject: diag.Subject{Position: at},
	})
}
