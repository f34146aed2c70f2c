package command

import (
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/property"
)

// shortestMasked is the length in bytes below which a secret is not looked for in texts: every other word would match.
const shortestMasked = 3

// redactor masks the secrets of one run in what people and logs see.
type redactor struct{ texts []string }

// add takes the strings within v that are secret, or all of them when v itself is. A text of several lines is also
// masked line by line, because that is how output is shown.
func (r *redactor) add(v property.Value) { r.walk(v, false) }

func (r *redactor) walk(v property.Value, within bool) {
	within = within || v.Secret()
	if s, ok := v.AsString(); ok && within {
		r.addText(s)
	}
	if l, ok := v.AsList(); ok {
		for _, e := range l.All() {
			r.walk(e, within)
		}
	}
	if m, ok := v.AsMap(); ok {
		for _, e := range m.All() {
			r.walk(e, within)
		}
	}
}

func (r *redactor) addText(s string) {
	for _, part := range append(strings.Split(s, "\n"), s) {
		if part = strings.TrimSpace(part); len(part) >= shortestMasked {
			r.texts = append(r.texts, part)
		}
	}
}

// replacer masks the longest match first, so that no rest of a longer secret stays behind.
func (r *redactor) replacer() *strings.Replacer {
	slices.SortFunc(r.texts, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(r.texts))
	for _, s := range slices.Compact(r.texts) {
		pairs = append(pairs, s, property.Mask)
	}
	return strings.NewReplacer(pairs...)
}
