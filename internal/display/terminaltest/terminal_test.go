package terminaltest_test

import (
	"testing"

	"github.com/cairn-iac/cairn/internal/display/terminaltest"
)

func write(t testing.TB, term *terminaltest.Terminal, text string) {
	t.Helper()
	if _, err := term.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, screen, everything string }{
		"scrolls":            {"a\nb\nc\nd\n", "c\nd\n", "a\nb\nc\nd\n"},
		"wraps":              {"123456789", "12345678\n9\n", "12345678\n9\n"},
		"fills a line":       {"12345678\n9", "12345678\n9\n", "12345678\n9\n"},
		"cuts":               {"\x1b[?7l123456789\x1b[?7h", "12345679\n", "12345679\n"},
		"wraps wide":         {"1234567日", "1234567\n日\n", "1234567\n日\n"},
		"moves up":           {"a\nb\n\x1b[2Ac", "c\nb\n", "c\nb\n"},
		"stops at the top":   {"a\nb\nc\nd\n\x1b[9Ax", "x\nd\n", "a\nb\nx\nd\n"},
		"erases":             {"abc\rx\x1b[K\n", "x\n", "x\n"},
		"erases below":       {"abc\nde\n\x1b[1A\x1b[J", "abc\n", "abc\n"},
		"combines":           {"e\u0301\x1b[1mx\x1b[0m", "e\u0301<1>x<>\n", "e\u0301<1>x<>\n"},
		"overwrites in part": {"\x1b[31mabc\x1b[0m\rx", "x<31>bc<>\n", "x<31>bc<>\n"},
	} {
		term := terminaltest.New(terminaltest.Options{Cols: 8, Rows: 3, Colours: true})
		write(t, term, c.in)
		if got := term.Screen(); got != c.screen {
			t.Errorf("%s: screen %q, want %q", name, got, c.screen)
		}
		if got := term.Everything(); got != c.everything {
			t.Errorf("%s: everything %q, want %q", name, got, c.everything)
		}
		if err := term.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []string{"\x07", "\x1b[J", "\x1b[2J", "\x1bc", "\u009b", "\xff", "\x1b[?7l", "\x1b[1m", "\x1b[?25l"} {
		term := terminaltest.New(terminaltest.Options{Cols: 8, Rows: 3})
		write(t, term, bad)
		if term.Err() == nil {
			t.Errorf("%q passed", bad)
		}
	}
}

func TestResize(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		crop             bool
		cols, rows       int
		narrow, narrowed string
		row, col         int
		widened          string
	}{
		"wraps": {
			cols: 4, rows: 3,
			narrow: "ef\n12\n", narrowed: "abcd\nef\n12\n", row: 2, col: 0, widened: "abcdef\n12\n",
		},
		"cuts": {
			crop: true, cols: 4, rows: 3,
			narrow: "abcd\n12\n", narrowed: "abcd\n12\n", row: 2, col: 0, widened: "abcd\n12\n",
		},
		"gets lower": {cols: 8, rows: 2, narrow: "12\n", narrowed: "abcdef\n12\n", row: 1, col: 0, widened: "abcdef\n12\n"},
	} {
		term := terminaltest.New(terminaltest.Options{Cols: 8, Rows: 5, Crop: c.crop})
		write(t, term, "abcdef\n12\n")
		term.Resize(c.cols, c.rows)
		if got := term.Screen(); got != c.narrow {
			t.Errorf("%s: screen %q, want %q", name, got, c.narrow)
		}
		if got := term.Everything(); got != c.narrowed {
			t.Errorf("%s: everything %q, want %q", name, got, c.narrowed)
		}
		if row, col := term.Cursor(); row != c.row || col != c.col {
			t.Errorf("%s: the cursor is at %d,%d, want %d,%d", name, row, col, c.row, c.col)
		}
		term.Resize(8, 5)
		if got := term.Screen(); got != c.widened {
			t.Errorf("%s: screen %q after widening, want %q", name, got, c.widened)
		}
	}
}
