package palette

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape makes a name safe to show: control characters, line breaks and bytes that are no text become escapes such as
// \n, everything that can be seen stays as it is. Programs may name resources as they like.
func Escape(name string) string {
	if !strings.ContainsFunc(name, unseen) && utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		text := name[i : i+size]
		if unseen(r) || r == utf8.RuneError && size == 1 {
			quoted := strconv.QuoteToGraphic(text)
			text = quoted[1 : len(quoted)-1]
		}
		b.WriteString(text)
		i += size
	}
	return b.String()
}

func unseen(r rune) bool { return !unicode.IsGraphic(r) }
