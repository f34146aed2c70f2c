package palette

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Text is text that knows its styles but is not painted yet, so that it can still be measured and cut.
type Text []Span

// Span is a piece of text in one style.
type Span struct {
	Style Style
	Text  string
}

// Styled is text in one style.
func Styled(s Style, text string) Text { return Text{{Style: s, Text: text}} }

// JoinText puts sep between texts.
func JoinText(sep string, texts ...Text) Text {
	var out Text
	for i, t := range texts {
		if i > 0 {
			out = append(out, Span{Text: sep})
		}
		out = append(out, t...)
	}
	return out
}

// PaintText paints each span in its style.
func (p Palette) PaintText(t Text) string {
	if len(t) == 1 {
		return p.Paint(t[0].Style, t[0].Text)
	}
	var b strings.Builder
	for _, s := range t {
		b.WriteString(p.Paint(s.Style, s.Text))
	}
	return b.String()
}

// Width is how many cells of a terminal the text takes.
func (t Text) Width() int {
	w := 0
	for _, s := range t {
		w += Width(s.Text)
	}
	return w
}

// Cut leaves at most width cells of the text, the last of them an ellipsis where something is missing.
func (t Text) Cut(width int) Text {
	if t.Width() <= width {
		return t
	}
	if width <= 0 {
		return nil
	}
	left := width - 1
	var out Text
	for _, s := range t {
		head, used := start(s.Text, left)
		left -= used
		out = append(out, Span{s.Style, head})
		if len(head) < len(s.Text) {
			out[len(out)-1].Text += ellipsis
			break
		}
	}
	return out
}

const ellipsis = "…"

// Width is how many cells of a terminal a text takes that has no control characters.
func Width(text string) int {
	if ascii(text) {
		return len(text)
	}
	return uniseg.StringWidth(text)
}

// start is as much of a text as fits into width cells, and how many of them it takes.
func start(text string, width int) (head string, used int) {
	if ascii(text) {
		n := min(len(text), max(width, 0))
		return text[:n], n
	}
	state, rest := -1, text
	for rest != "" {
		_, after, w, next := uniseg.FirstGraphemeClusterInString(rest, state)
		if used+w > width {
			break
		}
		used, rest, state = used+w, after, next
	}
	return text[:len(text)-len(rest)], used
}

// CutStart leaves at most width cells at the end of a text, the first of them an ellipsis where something is missing.
func CutStart(text string, width int) string {
	whole := Width(text)
	if whole <= width {
		return text
	}
	if width <= 0 {
		return ""
	}
	// What goes may end within a wide character, which then goes as well.
	head, used := start(text, whole-width+1)
	rest := text[len(head):]
	if used < whole-width+1 {
		next, _ := start(rest, 2)
		rest = rest[len(next):]
	}
	return ellipsis + rest
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
