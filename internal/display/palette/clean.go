package palette

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes a message safe to show on a terminal. Lines and tabs stay; of a line that was written over with carriage
// returns only the last state does. Escape codes for colours stay where styles is true and end with the text, else they
// go; everything else that could move the cursor or hide text becomes an escape such as \x1b.
func Clean(text string, styles bool) string {
	if !strings.ContainsFunc(text, suspicious) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	styled := false
	for line := range strings.Lines(text) {
		body, broken := strings.CutSuffix(line, "\n")
		for rest := overwritten(body); rest != ""; {
			if n := sgr(rest); n > 0 {
				if styles {
					b.WriteString(rest[:n])
					styled = true
				}
				rest = rest[n:]
				continue
			}
			n := plainLength(rest)
			b.WriteString(escapeAllButTabs(rest[:n]))
			rest = rest[n:]
		}
		if broken {
			b.WriteByte('\n')
		}
	}
	if styled {
		b.WriteString("\x1b[0m")
	}
	return b.String()
}

func suspicious(r rune) bool { return r != '\n' && r != '\t' && unseen(r) }

// overwritten is what is left to be seen of a line with carriage returns.
func overwritten(line string) string {
	line = strings.TrimRight(line, "\r")
	return line[strings.LastIndexByte(line, '\r')+1:]
}

// sgr is the length of the colour code that text starts with, 0 for none.
func sgr(text string) int {
	rest, ok := strings.CutPrefix(text, "\x1b[")
	if !ok {
		return 0
	}
	for i := range len(rest) {
		switch c := rest[i]; {
		case c == 'm':
			return len("\x1b[") + i + 1
		case c >= '0' && c <= '9', c == ';', c == ':':
		default:
			return 0
		}
	}
	return 0
}

// plainLength is how far it is to the next escape character, at least one byte.
func plainLength(text string) int {
	if i := strings.IndexByte(text[1:], '\x1b'); i >= 0 {
		return 1 + i
	}
	return len(text)
}

func escapeAllButTabs(text string) string {
	parts := strings.Split(text, "\t")
	for i, part := range parts {
		parts[i] = Escape(part)
	}
	return strings.Join(parts, "\t")
}

// OneLine is the first line with anything on it of a message, cleaned, without styles, and of limited length.
func OneLine(text string) string {
	const limit = 4 << 10
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	text, _, _ = strings.Cut(text[:min(len(text), limit)], "\n")
	return strings.ReplaceAll(Clean(text, false), "\t", " ")
}
