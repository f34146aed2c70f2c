package palette_test

import (
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/display/palette"
)

func TestWidth(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "abc": 3, "ünï": 3, "日本": 4, "🚀": 2, "e\u0301": 1, "├─ x": 4, "👍🏽": 2,
	} {
		if got := palette.Width(text); got != want {
			t.Errorf("Width(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text              string
		width             int
		want, wantAtStart string
	}{
		{"abcdef", 6, "abcdef", "abcdef"},
		{"abcdef", 4, "abc…", "…def"},
		{"abcdef", 1, "…", "…"},
		{"abcdef", 0, "", ""},
		{"日本語", 6, "日本語", "日本語"},
		{"日本語", 5, "日本…", "…本語"},
		{"日本語", 4, "日…", "…語"},
		{"日本語", 2, "…", "…"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…", "…e\u0301"},
	} {
		painted := palette.New(palette.Never).PaintText(palette.Styled(palette.Bold, c.text).Cut(c.width))
		if painted != c.want {
			t.Errorf("%q cut to %d is %q, want %q", c.text, c.width, painted, c.want)
		}
		if got := palette.CutStart(c.text, c.width); got != c.wantAtStart {
			t.Errorf("%q cut at its start to %d is %q, want %q", c.text, c.width, got, c.wantAtStart)
		}
	}
	long := palette.JoinText("; ", palette.Styled(palette.Error, "one"), palette.Styled(palette.Plain, "two"))
	for width, want := range map[int]string{
		8: "<{%fg 1%}>one<{%reset%}>; two", 7: "<{%fg 1%}>one<{%reset%}>; t…", 5: "<{%fg 1%}>one<{%reset%}>;…",
		4: "<{%fg 1%}>one<{%reset%}>…", 3: "<{%fg 1%}>on…<{%reset%}>",
	} {
		if got := palette.New(palette.Raw).PaintText(long.Cut(width)); got != want {
			t.Errorf("cut to %d: %q, want %q", width, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, plain, styled string }{
		{"one\n\ttwo\n", "one\n\ttwo\n", "one\n\ttwo\n"},
		{"\x1b[31mred\x1b[0m", "red", "\x1b[31mred\x1b[0m\x1b[0m"},
		{"\x1b[38;5;1mred", "red", "\x1b[38;5;1mred\x1b[0m"},
		{"\x1b[2Jgone", `\x1b[2Jgone`, `\x1b[2Jgone`},
		{"\x1b]0;title\x07", `\x1b]0;title\a`, `\x1b]0;title\a`},
		{"\x1b", `\x1b`, `\x1b`},
		{"\x1b[3", `\x1b[3`, `\x1b[3`},
		{"10%\r20%\r\nend\r\n", "20%\nend\n", "20%\nend\n"},
		{"a\u009b2Jb\u202ec\x00\xff", `a\u009b2Jb\u202ec\x00\xff`, `a\u009b2Jb\u202ec\x00\xff`},
		{"日本 🚀", "日本 🚀", "日本 🚀"},
	} {
		if got := palette.Clean(c.in, false); got != c.plain {
			t.Errorf("%q is %q, want %q", c.in, got, c.plain)
		}
		if got := palette.Clean(c.in, true); got != c.styled {
			t.Errorf("%q with styles is %q, want %q", c.in, got, c.styled)
		}
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "\n \n": "", "\n one\ttab\ntwo": "one tab", "\x1b[1mbold\x1b[0m\x07": `bold\a`,
	} {
		if got := palette.OneLine(in); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", in, got, want)
		}
	}
	if got := palette.OneLine(strings.Repeat("日", 1<<20)); len(got) > 5000 {
		t.Errorf("a long line stays %d bytes long", len(got))
	}
}

// FuzzClean: nothing that a terminal would take for a command is left, and cleaning twice changes nothing more.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{"a\x1b[31mb", "\x1b[\x1b[m2J", "\r\n\r", "\xff\u009b", "\x1b[38;5m\x1b]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := palette.Clean(text, false)
		for _, r := range got {
			if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
				t.Fatalf("%q became %q", text, got)
			}
		}
		if again := palette.Clean(got, false); again != got {
			t.Fatalf("%q became %q and then %q", text, got, again)
		}
	})
}
