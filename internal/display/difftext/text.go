package difftext

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/resource"
)

// Beyond these sizes texts are not compared piece by piece: the cost grows with the square of what differs.
const (
	maxComparedBytes = 64 << 10
	maxComparedLines = 20_000
)

func valid(a, b string) bool { return utf8.ValidString(a) && utf8.ValidString(b) }

// textChange writes how one text became another, and ends the line.
func (p Printer) textChange(o, n string) {
	switch {
	case p.encodedChange(o, n):
	case oneLine(o, n):
		p.characters(o, n)
	default:
		p.in(1).lines(o, n)
	}
}

// encodedChange compares two JSON or YAML texts by what they say. Texts that say the same are compared as texts.
func (p Printer) encodedChange(o, n string) bool {
	older, from, ok := decode(o)
	if !ok {
		return false
	}
	newer, to, ok := decode(n)
	if !ok {
		return false
	}
	if older.EqualPlain(newer) {
		p.textChange(strconv.Quote(o), strconv.Quote(n))
		return true
	}
	if from == to {
		p.text("(" + from + ") ")
	} else {
		p.text("(" + from + " => " + to + ") ")
	}
	c := (&comparison{rules: Rules{ShowSecrets: true}}).update(nil, older, newer)
	if c.Kind == Same {
		p.as(resource.OpSame).value(older)
		return true
	}
	p.as(resource.OpUpdate).Marked(true).update(func(Printer) {}, c)
	return true
}

// characters writes "old" => "new" with the pieces that differ in colour. Without colour there are no pieces to find.
func (p Printer) characters(o, n string) {
	pieces := []diffmatchpatch.Diff{
		{Type: diffmatchpatch.DiffDelete, Text: o},
		{Type: diffmatchpatch.DiffInsert, Text: n},
	}
	if p.manner.Palette.Coloured() && len(o)+len(n) <= maxComparedBytes {
		differ := newDiffer()
		pieces = differ.DiffCleanupEfficiency(differ.DiffMain(o, n, false))
	}
	side := func(op diffmatchpatch.Operation, as resource.Op) {
		p.text(`"`)
		for _, piece := range pieces {
			if piece.Type == op {
				p.as(as).text(quoted(piece.Text))
			} else if piece.Type == diffmatchpatch.DiffEqual {
				p.as(resource.OpSame).text(quoted(piece.Text))
			}
		}
		p.text(`"`)
	}
	side(diffmatchpatch.DiffDelete, resource.OpDelete)
	p.text(" => ")
	side(diffmatchpatch.DiffInsert, resource.OpCreate)
	p.text("\n")
}

func newDiffer() *diffmatchpatch.DiffMatchPatch {
	d := diffmatchpatch.New()
	// A time limit would make the result depend on how busy the machine is.
	d.DiffTimeout = 0
	return d
}

// contextLines is how many lines around a change are written.
const contextLines = 2

// lines writes the lines that went and came, with some of their surroundings. Blank lines are left out.
func (p Printer) lines(o, n string) {
	p.text("\n")
	chunks := lineChunks(o, n)
	for i, c := range chunks {
		switch c.op {
		case resource.OpSame:
			p.surroundings(c.lines, i == 0, i == len(chunks)-1)
		default:
			p.as(c.op).Marked(true).plainLines(c.lines)
		}
	}
}

type chunk struct {
	op    resource.Op
	lines []string
}

func lineChunks(o, n string) []chunk {
	if strings.Count(o, "\n")+strings.Count(n, "\n") > maxComparedLines {
		return []chunk{{resource.OpDelete, textLines(o)}, {resource.OpCreate, textLines(n)}}
	}
	differ := newDiffer()
	a, b, all := differ.DiffLinesToChars(o, n)
	var out []chunk
	for _, d := range differ.DiffCharsToLines(differ.DiffMain(a, b, false), all) {
		c := chunk{op: resource.OpSame, lines: textLines(d.Text)}
		switch d.Type {
		case diffmatchpatch.DiffInsert:
			c.op = resource.OpCreate
		case diffmatchpatch.DiffDelete:
			c.op = resource.OpDelete
		case diffmatchpatch.DiffEqual:
		}
		out = append(out, c)
	}
	return out
}

// textLines are the lines of a text that are not blank.
func textLines(s string) []string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		if strings.TrimSpace(line) != "" {
			out = append(out, line)
		}
	}
	return out
}

func (p Printer) plainLines(lines []string) {
	for _, line := range lines {
		p.line(escapeLine(line))
		p.out.WriteString("\n")
	}
}

// escapeLine keeps tabs, which belong to texts of several lines, and escapes other control characters.
func escapeLine(line string) string {
	parts := strings.Split(strings.TrimSuffix(line, "\r"), "\t")
	for i, part := range parts {
		parts[i] = palette.Escape(part)
	}
	return strings.Join(parts, "\t")
}

func (p Printer) surroundings(lines []string, first, last bool) {
	p = p.as(resource.OpSame).Marked(false)
	before, after := contextLines, contextLines
	switch {
	case first:
		before = 0
	case last:
		after = 0
	}
	if len(lines) <= before+after+1 {
		p.plainLines(lines)
		return
	}
	p.plainLines(lines[:before])
	p.line("...\n")
	p.plainLines(lines[len(lines)-after:])
}
