package terminaltest

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Options are what terminals differ in.
type Options struct {
	Cols, Rows int
	// Crop makes a terminal that cuts lines off when it gets narrower; others wrap them anew.
	Crop bool
	// Colours keeps colours in what is seen, as markup: <31>red<>.
	Colours bool
}

// Terminal is safe for concurrent use.
type Terminal struct {
	mu   sync.Mutex
	opts Options
	// rows are the scrollback and, from top on, the screen.
	rows []row
	top  int
	// y counts from the start of the scrollback. full is true after the last cell of a row was written.
	y, x   int
	full   bool
	noWrap bool
	style  string
	rest   string
	errs   []string
	writes []string
}

// row is a line of cells; the second cell of a wide character is empty.
type row struct {
	cells []cell
	// wrapped rows go on in the next one.
	wrapped bool
}

type cell struct{ text, style string }

// New makes a terminal.
func New(opts Options) *Terminal { return &Terminal{opts: opts, rows: make([]row, 1)} }

// Size gives columns and rows.
func (t *Terminal) Size() (cols, rows int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.opts.Cols, t.opts.Rows
}

// Write shows text; line feeds also return to the start of the line, as the driver of a terminal makes them do.
func (t *Terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writes = append(t.writes, string(p))
	t.rest += string(p)
	for t.rest != "" {
		t.next()
	}
	return len(p), nil
}

// Echo shows keys that are pressed: ^C, or a line break.
func (t *Terminal) Echo(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rest = text
	for t.rest != "" {
		t.next()
	}
}

// Writes are the writes since it was asked last.
func (t *Terminal) Writes() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.writes
	t.writes = nil
	return w
}

// Err tells of control codes that were not understood, and of settings that were not set back.
func (t *Terminal) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	errs := t.errs
	if t.noWrap {
		errs = append(errs, "wrapping is still off")
	}
	if t.style != "" {
		errs = append(errs, "the colour is still "+t.style)
	}
	if len(errs) > 0 {
		return fmt.Errorf("terminal: %s", strings.Join(errs, "; "))
	}
	return nil
}

// Screen is what can be seen, without white space at the ends of lines and empty lines at the end.
func (t *Terminal) Screen() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.show(t.rows[t.top:])
}

// Everything is what can be seen and what was scrolled away.
func (t *Terminal) Everything() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.show(t.rows)
}

// Cursor is the row on the screen and the column of the cursor, from 0.
func (t *Terminal) Cursor() (row, col int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.y - t.top, t.x
}

func (t *Terminal) show(rows []row) string {
	var b strings.Builder
	for _, r := range rows {
		var l strings.Builder
		style := ""
		for _, c := range r.cells {
			if t.opts.Colours && c.style != style {
				style = c.style
				l.WriteString("<" + style + ">")
			}
			l.WriteString(c.text)
		}
		if t.opts.Colours && style != "" {
			l.WriteString("<>")
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func (t *Terminal) next() {
	switch t.rest[0] {
	case '\r':
		t.rest = t.rest[1:]
		t.x, t.full = 0, false
	case '\n':
		t.rest = t.rest[1:]
		t.x, t.full = 0, false
		t.feed()
	case '\t':
		t.rest = strings.Repeat(" ", 8-t.x%8) + t.rest[1:]
	case '\x1b':
		t.control()
	default:
		t.put()
	}
}

func (t *Terminal) put() {
	r, size := utf8.DecodeRuneInString(t.rest)
	text := t.rest[:size]
	t.rest = t.rest[size:]
	if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == utf8.RuneError && size == 1 {
		t.errs = append(t.errs, fmt.Sprintf("control character %q", text))
		return
	}
	w := uniseg.StringWidth(text)
	if w == 0 {
		if t.x > 0 {
			t.rows[t.y].cells[t.x-1].text += text
		}
		return
	}
	if t.full || t.x+w > t.opts.Cols {
		if t.noWrap {
			t.x = t.opts.Cols - w
		} else {
			t.rows[t.y].wrapped = true
			t.x = 0
			t.feed()
		}
	}
	line := &t.rows[t.y]
	for len(line.cells) < t.x+w {
		line.cells = append(line.cells, cell{text: " "})
	}
	line.cells[t.x] = cell{text, t.style}
	if w == 2 {
		line.cells[t.x+1] = cell{"", t.style}
	}
	t.x += w
	t.full = t.x == t.opts.Cols
	if t.full {
		t.x--
	}
}

// feed goes one line down, and scrolls at the end of the screen.
func (t *Terminal) feed() {
	t.full = false
	t.y++
	if t.y == len(t.rows) {
		t.rows = append(t.rows, row{})
	}
	t.top = max(t.top, t.y-t.opts.Rows+1)
}

func (t *Terminal) control() {
	body, ok := strings.CutPrefix(t.rest, "\x1b[")
	end := strings.IndexFunc(body, func(r rune) bool { return r >= '@' && r <= '~' })
	if !ok || end < 0 {
		t.errs = append(t.errs, fmt.Sprintf("control code %q", t.rest[:min(len(t.rest), 10)]))
		t.rest = t.rest[1:]
		return
	}
	arg, name := body[:end], body[end]
	t.rest = body[end+1:]
	switch {
	case name == 'A':
		n := 0
		if _, err := fmt.Sscanf(arg, "%d", &n); err != nil {
			t.errs = append(t.errs, "cursor up by "+arg)
		}
		t.y, t.full = max(t.y-max(n, 1), t.top), false
	case name == 'K' && arg == "":
		t.rows[t.y].cells = t.rows[t.y].cells[:min(t.x, len(t.rows[t.y].cells))]
		t.rows[t.y].wrapped = false
	case name == 'J' && arg == "":
		if t.y == t.top && t.x == 0 {
			t.errs = append(t.errs, "the whole screen is erased, which some terminals take for scrolling it away")
		}
		t.rows[t.y].cells = t.rows[t.y].cells[:min(t.x, len(t.rows[t.y].cells))]
		t.rows = t.rows[:t.y+1]
		t.rows[t.y].wrapped = false
	case name == 'm':
		t.setStyle(arg)
	case name == 'l' && arg == "?7":
		t.noWrap = true
	case name == 'h' && arg == "?7":
		t.noWrap = false
	default:
		t.errs = append(t.errs, fmt.Sprintf("control code %q", "\x1b["+arg+string(name)))
	}
}

func (t *Terminal) setStyle(arg string) {
	switch {
	case arg == "" || arg == "0":
		t.style = ""
	case t.style == "":
		t.style = arg
	default:
		t.style += ";" + arg
	}
}
