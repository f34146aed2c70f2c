package palette

import (
	"strconv"
	"strings"
)

// Style is a list of directives joined by ";": bold, underline, "fg N" and "bg N" of the 256-colour table.
type Style string

// The styles. Plain leaves text alone.
const (
	Plain       Style = ""
	Bold        Style = "bold"
	Headline    Style = "fg 13;bold"
	Heading     Style = "underline;fg 12"
	Resource    Style = "fg 12"
	Info        Style = "fg 5"
	Error       Style = "fg 1"
	Warning     Style = "fg 3"
	Add         Style = "fg 2"
	Delete      Style = "fg 1"
	Change      Style = "fg 3"
	Replace     Style = "fg 13"
	Replacement Style = "fg 10"
	Replaced    Style = "fg 9"
	Read        Style = "fg 14"
	Current     Style = "fg 5;bold"
	OnAdd       Style = "bg 2;fg 0"
	OnDelete    Style = "bg 1;fg 0"
	OnChange    Style = "bg 3;fg 0"
	OnSame      Style = "bg 4;fg 0"
)

// Strong is s in bold.
func (s Style) Strong() Style {
	if s == Plain {
		return Bold
	}
	return Bold + ";" + s
}

// Palette paints text. The zero Palette paints nothing.
type Palette struct{ mode Mode }

// New makes the palette of a mode; Auto must have been resolved and counts as Never.
func New(m Mode) Palette { return Palette{mode: m} }

// Mode is what the palette was made for: Always, Raw or Never.
func (p Palette) Mode() Mode {
	if p.Coloured() {
		return p.mode
	}
	return Never
}

// Coloured says whether painting leaves anything in the text.
func (p Palette) Coloured() bool { return p.mode == Always || p.mode == Raw }

// Paint gives text in a style.
func (p Palette) Paint(s Style, text string) string {
	if !p.Coloured() || s == Plain || text == "" {
		return text
	}
	var b strings.Builder
	for d := range strings.SplitSeq(string(s), ";") {
		b.WriteString(p.directive(d))
	}
	b.WriteString(text)
	b.WriteString(p.directive("reset"))
	return b.String()
}

// Markup turns the directives that a message brings along (<{%fg 1%}>) into what the mode makes of them. Text that only
// looks like one stays.
func (p Palette) Markup(text string) string {
	if p.mode == Raw || !strings.Contains(text, open) {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, open)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, closing)
		switch code := ansi(name); {
		case !closed || code == "":
			b.WriteString(open)
			text = rest
		default:
			b.WriteString(p.directive(name))
			text = after
		}
	}
}

const (
	open    = "<{%"
	closing = "%}>"
)

func (p Palette) directive(name string) string {
	switch p.mode {
	case Raw:
		return open + name + closing
	case Always:
		return "\x1b[" + ansi(name) + "m"
	case Never, Auto:
		return ""
	default:
		return ""
	}
}

// ansi is the escape code of a directive, "" for a name that is none.
func ansi(name string) string {
	switch name {
	case "reset":
		return "0"
	case "bold":
		return "1"
	case "underline":
		return "4"
	}
	layer, number, _ := strings.Cut(name, " ")
	if n, err := strconv.Atoi(number); err != nil || n < 0 || n > 255 {
		return ""
	}
	switch layer {
	case "fg":
		return "38;5;" + number
	case "bg":
		return "48;5;" + number
	default:
		return ""
	}
}
