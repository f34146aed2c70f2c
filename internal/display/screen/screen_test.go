package screen_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/display/screen"
	"github.com/cairn-iac/cairn/internal/display/terminaltest"
)

func plain(lines ...string) []palette.Text {
	out := make([]palette.Text, len(lines))
	for i, l := range lines {
		out[i] = palette.Styled(palette.Plain, l)
	}
	return out
}

func draw(s *screen.Screen, lines ...string) {
	s.Draw(func(int, int) []palette.Text { return plain(lines...) })
}

// TestDraw: a drawing is one write, of the lines that differ only.
func TestDraw(t *testing.T) {
	t.Parallel()
	term := terminaltest.New(terminaltest.Options{Cols: 20, Rows: 5})
	s := screen.New(term, palette.New(palette.Always), term.Size)
	for _, c := range []struct {
		lines []string
		want  []string
	}{
		{[]string{"one", "two"}, []string{"\x1b[?7l\rone\x1b[K\r\ntwo\x1b[K\r\n\x1b[K\x1b[?7h"}},
		{[]string{"one", "two"}, nil},
		{[]string{"ONE", "two"}, []string{"\x1b[?7l\r\x1b[2AONE\x1b[K\r\n\n\x1b[K\x1b[?7h"}},
		{[]string{"ONE", "two", "three"}, []string{"\x1b[?7l\rthree\x1b[K\r\n\x1b[K\x1b[?7h"}},
		{[]string{"ONE"}, []string{"\x1b[?7l\r\x1b[2A\x1b[K\n\x1b[J\x1b[1A\x1b[?7h"}},
		{nil, []string{"\x1b[?7l\r\x1b[1A\x1b[K\n\x1b[J\x1b[1A\x1b[?7h"}},
	} {
		draw(s, c.lines...)
		if d := cmp.Diff(c.want, term.Writes()); d != "" {
			t.Errorf("%q, -want +got:\n%s", c.lines, d)
		}
		if got := term.Screen(); got != strings.Join(c.lines, "\n")+"\n" {
			t.Errorf("%q shows as %q", c.lines, got)
		}
	}
}

// TestOneRow: a terminal without room is left alone.
func TestOneRow(t *testing.T) {
	t.Parallel()
	term := terminaltest.New(terminaltest.Options{Cols: 20, Rows: 5})
	rows := 5
	s := screen.New(term, palette.New(palette.Never), func() (int, int) { return 20, rows })
	draw(s, "one", "two")
	rows = 1
	term.Writes()
	draw(s, "one", "three")
	s.Print("end\n")
	if d := cmp.Diff([]string{"end\n"}, term.Writes()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// TestUnknownSize: a terminal of unknown size is taken for one of 80 columns and 24 rows; markup does not reach it.
func TestUnknownSize(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s := screen.New(&out, palette.New(palette.Raw), func() (int, int) { return 0, 0 })
	s.Draw(func(cells, lines int) []palette.Text {
		return []palette.Text{palette.Styled(palette.Error, fmt.Sprintf("%d x %d", cells, lines))}
	})
	if !strings.Contains(out.String(), "\r79 x 23\x1b[K") {
		t.Errorf("%q", out.String())
	}
}

type brokenPipe struct{ writes int }

func (b *brokenPipe) Write([]byte) (int, error) {
	b.writes++
	return 0, io.ErrClosedPipe
}

// TestWriteError: the first error is kept and ends writing, but not what others print.
func TestWriteError(t *testing.T) {
	t.Parallel()
	var w brokenPipe
	s := screen.New(&w, palette.New(palette.Never), func() (int, int) { return 20, 5 })
	draw(s, "one")
	draw(s, "two")
	other := errors.New("other")
	if err := s.Above(func() error { return other }); !errors.Is(err, other) {
		t.Error(err)
	}
	if err := s.Err(); !errors.Is(err, io.ErrClosedPipe) || w.writes != 1 {
		t.Errorf("%v after %d writes", err, w.writes)
	}
}

// TestAnything: whatever is drawn, printed and pressed in whatever order on a terminal of whatever size, the lines drawn
// last are those above the cursor, and nothing that was printed is lost where lines are wrapped.
func TestAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		crop := rapid.Bool().Draw(r, "crop")
		term := terminaltest.New(terminaltest.Options{
			Cols: rapid.IntRange(4, 30).Draw(r, "cols"), Rows: rapid.IntRange(2, 10).Draw(r, "rows"), Crop: crop,
		})
		s := screen.New(term, palette.New(palette.Always), term.Size)
		line := rapid.StringMatching(`[a-z日]{0,35}`)
		var printed []string
		for i := range rapid.IntRange(1, 20).Draw(r, "steps") {
			switch rapid.SampledFrom([]string{"draw", "print", "resize"}).Draw(r, "what") {
			case "print":
				text := fmt.Sprintf("<%d>", i)
				printed = append(printed, text)
				if err := s.Above(func() error { _, err := io.WriteString(term, text+"\n"); return err }); err != nil {
					r.Fatal(err)
				}
			case "resize":
				term.Resize(rapid.IntRange(4, 30).Draw(r, "cols"), rapid.IntRange(2, 10).Draw(r, "rows"))
			}
			lines := rapid.SliceOfN(line, 0, 12).Draw(r, "lines")
			if rapid.Bool().Draw(r, "press") {
				term.Echo("^C")
				lines = append([]string{fmt.Sprintf("%d", i)}, lines...) // something must change
			}
			draw(s, lines...)
			cols, rows := term.Size()
			var want []string
			for _, l := range lines[:min(len(lines), rows-1)] {
				want = append(want, palette.New(palette.Never).PaintText(palette.Styled(palette.Plain, l).Cut(cols-1)))
			}
			y, x := term.Cursor()
			got := strings.Split(term.Screen()+strings.Repeat("\n", rows), "\n")
			if len(want) > 0 && (x != 0 || y < len(want) || !slices.Equal(got[y-len(want):y], want)) {
				r.Fatalf("the cursor is at %d,%d of\n%s\nwant above it %q", y, x, term.Screen(), want)
			}
			if len(want) > 0 && strings.TrimSpace(strings.Join(got[y:], "")) != "" {
				r.Fatalf("there is something below the cursor at %d:\n%s", y, term.Screen())
			}
		}
		s.Clear()
		everything := strings.ReplaceAll(term.Everything(), "\n", "")
		for _, text := range printed {
			if !crop && !strings.Contains(everything, text) {
				r.Fatalf("%q is lost:\n%s", text, everything)
			}
		}
		if err := term.Err(); err != nil {
			r.Fatal(err)
		}
	})
}
