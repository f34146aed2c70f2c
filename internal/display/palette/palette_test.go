package palette_test

import (
	"testing"

	"github.com/cairn-iac/cairn/internal/display/palette"
)

func TestPaint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode        palette.Mode
		style       palette.Style
		text, want  string
		markup, got string
	}{
		{palette.Never, palette.Error, "x", "x", "<{%fg 1%}>x<{%reset%}>", "x"},
		{palette.Auto, palette.Error, "x", "x", "<{%fg 1%}>x<{%reset%}>", "x"},
		{palette.Raw, palette.Headline, "x", "<{%fg 13%}><{%bold%}>x<{%reset%}>", "<{%fg 1%}>x<{%reset%}>", "<{%fg 1%}>x<{%reset%}>"},
		{palette.Always, palette.Headline, "x", "\x1b[38;5;13m\x1b[1mx\x1b[0m", "a<{%bg 2%}>x<{%reset%}>", "a\x1b[48;5;2mx\x1b[0m"},
		{palette.Always, palette.Plain, "x", "x", "<{%nothing%}> <{% <{%fg 999%}> <{%bold", "<{%nothing%}> <{% <{%fg 999%}> <{%bold"},
		{palette.Always, palette.Error, "", "", "", ""},
		{palette.Always, palette.Plain.Strong(), "x", "\x1b[1mx\x1b[0m", "<{%underline%}>", "\x1b[4m"},
	} {
		p := palette.New(c.mode)
		if got := p.Paint(c.style, c.text); got != c.want {
			t.Errorf("%s: Paint(%q, %q) = %q, want %q", c.mode, c.style, c.text, got, c.want)
		}
		if got := p.Markup(c.markup); got != c.got {
			t.Errorf("%s: Markup(%q) = %q, want %q", c.mode, c.markup, got, c.got)
		}
	}
}

func TestMode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]palette.Mode{"never": palette.Never, "raw": palette.Raw, "auto": palette.Auto} {
		if got, err := palette.ParseMode(text); err != nil || got != want {
			t.Errorf("ParseMode(%q) = %q, %v", text, got, err)
		}
	}
	if _, err := palette.ParseMode("sometimes"); err == nil {
		t.Error("a colour mode that does not exist was taken")
	}
	for _, c := range []struct {
		mode     palette.Mode
		terminal palette.Terminal
		want     palette.Mode
	}{
		{palette.Auto, palette.Terminal{Attached: true}, palette.Always},
		{palette.Auto, palette.Terminal{Attached: true, NoColor: true}, palette.Never},
		{palette.Auto, palette.Terminal{}, palette.Never},
		{"", palette.Terminal{Attached: true}, palette.Always},
		{palette.Always, palette.Terminal{NoColor: true}, palette.Always},
		{palette.Raw, palette.Terminal{}, palette.Raw},
	} {
		if got := c.mode.Resolve(c.terminal); got != c.want {
			t.Errorf("%q on %+v is %q, want %q", c.mode, c.terminal, got, c.want)
		}
	}
}

func TestEscape(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":           "plain",
		"":                "",
		"ünï 🚀 \"q\" \\":  "ünï 🚀 \"q\" \\",
		"a\nb\tc":         `a\nb\tc`,
		"\x1b[31m\x00":    `\x1b[31m\x00`,
		"bad\xffbyte":     `bad\xffbyte`,
		"right\u202eleft": `right\u202eleft`,
		"\ufffd":          "\ufffd",
	} {
		if got := palette.Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}
