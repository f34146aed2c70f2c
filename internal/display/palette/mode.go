package palette

import "fmt"

// Mode says what becomes of styles; the texts are the values of the --color flag.
type Mode string

// The modes. Raw keeps styles as markup (<{%fg 1%}>), which consumers of engine events turn into colours themselves.
const (
	Never  Mode = "never"
	Always Mode = "always"
	Raw    Mode = "raw"
	Auto   Mode = "auto"
)

// ParseMode reads the value of the --color flag.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case Never, Always, Raw, Auto:
		return m, nil
	default:
		return "", fmt.Errorf("unsupported color option: %q; supported values are: always, never, raw, auto", s)
	}
}

// Terminal is what auto depends on.
type Terminal struct {
	// Attached says whether the output is a terminal.
	Attached bool
	// NoColor says whether the user asked for none (NO_COLOR).
	NoColor bool
}

// Resolve turns Auto into Always or Never; the other modes stay.
func (m Mode) Resolve(t Terminal) Mode {
	switch {
	case m != Auto && m != "":
		return m
	case t.Attached && !t.NoColor:
		return Always
	default:
		return Never
	}
}
