package screen

import (
	"fmt"
	"io"
	"strings"

	"github.com/cairn-iac/cairn/internal/display/palette"
)

// Control codes.
const (
	lineStart = "\r"
	eraseLine = "\x1b[K"
	// eraseBelow erases the line of the cursor and those below it, of which there must be one. Where that is the whole
	// screen some terminals would keep it in their scrollback; so it is done in two parts.
	eraseBelow = eraseLine + "\n\x1b[J\x1b[1A"
	// Without wrapping, a character that is wider than was thought is cut off at the margin and breaks nothing.
	wrapOff = "\x1b[?7l"
	wrapOn  = "\x1b[?7h"
)

// Screen is the lines at the end of a terminal. The cursor rests at the start of the line below them. It is not safe for
// concurrent use.
type Screen struct {
	w       io.Writer
	palette palette.Palette
	measure func() (cols, rows int)

	lines []line
	// drawn is the size of the terminal when the lines were drawn.
	drawn size
	err   error
}

type line struct {
	painted string
	width   int
}

type size struct{ cols, rows int }

// New makes a screen on a terminal. measure is asked before each drawing; what it does not know (0) counts as that of a
// terminal of 80 columns and 24 rows. Where there is but one row nothing is drawn, and what was drawn stays behind. Markup is not for terminals: a palette that leaves any paints nothing.
func New(w io.Writer, p palette.Palette, measure func() (cols, rows int)) *Screen {
	if p.Mode() == palette.Raw {
		p = palette.New(palette.Never)
	}
	return &Screen{w: w, palette: p, measure: measure}
}

// Draw replaces the lines. compose is told how many cells a line and how many lines there are; what is more is cut off.
func (s *Screen) Draw(compose func(cells, lines int) []palette.Text) {
	now := s.size()
	var b strings.Builder
	if now != s.drawn {
		s.erase(&b, now)
	}
	cells, rows := now.cols-1, now.rows-1 // one is the cursor's
	if rows < 1 {
		return
	}
	texts := compose(cells, rows)
	texts = texts[:min(len(texts), rows)]
	next := make([]line, len(texts))
	for i, t := range texts {
		t = t.Cut(cells)
		next[i] = line{painted: s.palette.PaintText(t), width: t.Width()}
	}
	s.replace(&b, next)
	s.flush(&b)
}

// Cells is how many cells a line has. The last one of the terminal stays free: terminals differ in where the cursor is
// after it.
func (s *Screen) Cells() int { return s.size().cols - 1 }

// Above calls print with the lines out of the way, and puts them back below what it printed, which must end a line.
func (s *Screen) Above(print func() error) error {
	now, lines, drawn := s.size(), s.lines, s.drawn
	var b strings.Builder
	s.erase(&b, now)
	s.flush(&b)
	err := print()
	// Lines that were made for another size wait for the next drawing.
	if now == drawn {
		s.replace(&b, lines)
		s.flush(&b)
	}
	return err
}

// Clear takes the lines away.
func (s *Screen) Clear() {
	var b strings.Builder
	s.erase(&b, s.size())
	s.flush(&b)
}

// Print writes text in place of the lines; what follows comes below it.
func (s *Screen) Print(text string) {
	s.Clear()
	s.write(text)
}

// Forget leaves the lines where they are, because the cursor is no longer near them; the next drawing is done anew.
func (s *Screen) Forget() { s.lines = nil }

// Err is the first error of writing, after which nothing more was written.
func (s *Screen) Err() error { return s.err }

func (s *Screen) size() size {
	cols, rows := s.measure()
	if cols <= 0 {
		cols = 80
	}
	if rows <= 0 {
		rows = 24
	}
	return size{cols, rows}
}

// erase removes the lines from a terminal that may have another size by now than when they were drawn.
func (s *Screen) erase(b *strings.Builder, now size) {
	up := 0
	for _, l := range s.lines {
		up += max(1, (l.width+now.cols-1)/now.cols)
	}
	if len(s.lines) > 0 && now.rows > 1 {
		move(b, min(up, now.rows-1), 0)
		b.WriteString(eraseBelow)
	}
	s.lines, s.drawn = nil, now
}

// replace writes the lines that differ.
func (s *Screen) replace(b *strings.Builder, next []line) {
	at := len(s.lines)
	for i, l := range next {
		if i < len(s.lines) && s.lines[i] == l {
			continue
		}
		move(b, at, i)
		b.WriteString(l.painted + eraseLine)
		at = i
	}
	switch {
	case len(next) < len(s.lines):
		move(b, at, len(next))
		b.WriteString(eraseBelow)
	case at != len(next):
		move(b, at, len(next))
		// Keys that were pressed may have left traces there.
		b.WriteString(eraseLine)
	}
	s.lines = next
}

// move goes from one line to the start of another one. A line feed moves like cursor down, and makes new lines where
// there are none yet.
func move(b *strings.Builder, from, to int) {
	b.WriteString(lineStart)
	if to < from {
		fmt.Fprintf(b, "\x1b[%dA", from-to)
		return
	}
	b.WriteString(strings.Repeat("\n", to-from))
}

func (s *Screen) flush(b *strings.Builder) {
	if b.Len() > 0 {
		s.write(wrapOff + b.String() + wrapOn)
		b.Reset()
	}
}

func (s *Screen) write(text string) {
	if s.err == nil {
		_, s.err = io.WriteString(s.w, text)
	}
}
