package difftext

import (
	"strings"
	"unicode/utf8"

	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/display/verb"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
)

// Manner is how properties are written.
type Manner struct {
	Palette palette.Palette
	// Planning shows values of a preview.
	Planning bool
	// Summary leaves out what is the same.
	Summary bool
	// Truncate shortens long strings.
	Truncate bool
	// ShowSecrets writes what secrets hold.
	ShowSecrets bool
	// ShowUnknown writes secrets that are not known yet as unknown.
	ShowUnknown bool
}

// Printer writes properties into a builder. It is a value: methods that change the indentation or the operation give a
// new one that writes into the same builder.
type Printer struct {
	out    *strings.Builder
	manner Manner
	indent int
	op     resource.Op
	// marked lines carry the mark of the operation before their text.
	marked bool
}

// NewPrinter makes a printer at an indentation (of four columns each) for an operation.
func NewPrinter(out *strings.Builder, manner Manner, indent int, op resource.Op) Printer {
	return Printer{out: out, manner: manner, indent: indent, op: op}
}

// Marked gives a printer whose lines carry the mark of the operation.
func (p Printer) Marked(marked bool) Printer {
	p.marked = marked
	return p
}

// Object writes the entries of a map, one property a line, keys aligned.
func (p Printer) Object(m property.Map) {
	keys := m.Keys()
	width := widest(keys)
	for _, k := range keys {
		if !IsInternal(k) {
			p.Property(k, m.Get(k), width)
		}
	}
}

// Property writes one entry whose key takes width columns.
func (p Printer) Property(key string, v property.Value, width int) {
	p.title(key, width)
	p.value(v)
}

// Hidden writes a line for each place that is not shown.
func (p Printer) Hidden(places []property.Path) {
	line := p.as(resource.OpUpdate).Marked(true)
	for _, place := range places {
		line.line(place.String() + " (hidden)\n")
	}
}

// Widest is the width that aligns the keys.
func Widest(keys []string) int { return widest(keys) }

func widest(keys []string) int {
	w := 0
	for _, k := range keys {
		w = max(w, utf8.RuneCountInString(palette.Escape(k)))
	}
	return w
}

func (p Printer) in(levels int) Printer {
	p.indent += levels
	return p
}

func (p Printer) as(op resource.Op) Printer {
	p.op = op
	return p
}

// text writes s in the colour of the operation, where the line has come to.
func (p Printer) text(s string) {
	p.out.WriteString(p.manner.Palette.Paint(verb.Of(p.op).Style, s))
}

// line writes s after the indentation, with the operation's mark if the printer marks.
func (p Printer) line(s string) { p.text(p.margin() + s) }

// unmarked writes s after the indentation, without a mark.
func (p Printer) unmarked(s string) { p.Marked(false).line(s) }

func (p Printer) margin() string {
	spaces := strings.Repeat("    ", max(p.indent, 0))
	if !p.marked || len(spaces) < 2 {
		return spaces
	}
	return spaces[:len(spaces)-2] + verb.Of(p.op).Mark
}

func (p Printer) title(key string, width int) {
	key = palette.Escape(key)
	if p.manner.Truncate {
		key = shorten(key)
	}
	pad := max(width-utf8.RuneCountInString(key), 0)
	p.line(key + strings.Repeat(" ", pad) + ": ")
}

// shorten cuts a string to three lines of 150 bytes.
func shorten(s string) string {
	const maxLines, maxLength = 3, 150
	lines, cut := strings.Split(s, "\n"), false
	shown := lines[:min(len(lines), maxLines)]
	for i, line := range shown {
		if len(line) > maxLength {
			end := maxLength
			for end > 0 && !utf8.RuneStart(line[end]) {
				end--
			}
			shown[i], cut = line[:end]+"...", true
		}
	}
	switch {
	case len(lines) > maxLines:
		return strings.Join(shown, "\n") + "\n..."
	case cut:
		return strings.Join(shown, "\n")
	default:
		return s
	}
}
