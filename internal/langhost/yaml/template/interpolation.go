package template

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-iac/cairn/internal/property"
)

// The grammar of strings:
//
//	string  = { text | "$$" | "${" access "}" }     "$$" stands for "$"
//	access  = ( name | quoted ) { "." name | "[" digits "]" | quoted }
//	quoted  = "[" ( '"' ... '"' | "'" ... "'" ) "]"   \ escapes the quote and itself
//	name    = any characters but . [ ] { } " ' and control characters, without spaces around

// grammarError is where and why a string does not follow the grammar.
type grammarError struct {
	// offset is that of the "${", in bytes.
	offset         int
	reason, remedy string
}

// scanString splits a string into parts.
func scanString(text string) ([]Part, []int, *grammarError) {
	var parts []Part
	var offsets []int
	var b strings.Builder
	for i := 0; i < len(text); {
		switch {
		case strings.HasPrefix(text[i:], "$$"):
			b.WriteByte('$')
			i += 2
		case strings.HasPrefix(text[i:], "${"):
			access, n, err := scanAccess(text[i+2:])
			if err != nil {
				err.offset = i
				return nil, nil, err
			}
			parts, offsets = append(parts, Part{Text: b.String(), Access: access}), append(offsets, i)
			b.Reset()
			i += 2 + n
		default:
			b.WriteByte(text[i])
			i++
		}
	}
	if b.Len() > 0 {
		parts, offsets = append(parts, Part{Text: b.String()}), append(offsets, 0)
	}
	return parts, offsets, nil
}

const escapeRemedy = "To write a literal ${, write $${."

// scanAccess reads what follows "${", including the "}", and says how long it is.
func scanAccess(text string) (*Access, int, *grammarError) {
	out := &Access{}
	for i := 0; ; {
		rest := text[i:]
		switch {
		case rest == "":
			return nil, 0, &grammarError{reason: "${ is not closed by }", remedy: escapeRemedy}
		case rest[0] == '}':
			if i == 0 {
				return nil, 0, &grammarError{reason: "${} is empty", remedy: escapeRemedy}
			}
			return out, i + 1, nil
		}
		seg, n, err := scanStep(rest, i == 0)
		if err != nil {
			return nil, 0, err
		}
		if i > 0 {
			out.Path = append(out.Path, seg)
		} else if key, ok := seg.AsKey(); ok {
			out.Root = key
		} else {
			return nil, 0, &grammarError{reason: "${ must begin with a name, not a list index"}
		}
		i += n
	}
}

func scanStep(rest string, first bool) (property.Segment, int, *grammarError) {
	if rest[0] == '[' {
		return scanBracket(rest)
	}
	start := 0
	if !first {
		if rest[0] != '.' {
			return property.Segment{}, 0, &grammarError{reason: fmt.Sprintf("expected . or [ or } before %q in ${...}", clip(rest))}
		}
		start = 1
	}
	end := start
	for end < len(rest) {
		r, size := utf8.DecodeRuneInString(rest[end:])
		if strings.ContainsRune(".[]{}\"'", r) || unicode.IsControl(r) {
			break
		}
		end += size
	}
	name := rest[start:end]
	switch {
	case end < len(rest) && !strings.ContainsRune(".[}", rune(rest[end])):
		return property.Segment{}, 0, &grammarError{
			reason: fmt.Sprintf("unexpected %q in ${...}", clip(rest[end:])),
			remedy: `Accesses do not nest. Names with special characters are written ["..."]. ` + escapeRemedy,
		}
	case name == "" && end < len(rest):
		return property.Segment{}, 0, &grammarError{reason: "a name is missing in ${...}"}
	case name != strings.TrimSpace(name):
		return property.Segment{}, 0, &grammarError{
			reason: fmt.Sprintf("the name %q in ${...} has spaces around it", name), remedy: escapeRemedy,
		}
	}
	return property.Key(name), end, nil
}

func scanBracket(rest string) (property.Segment, int, *grammarError) {
	if len(rest) > 1 && (rest[1] == '"' || rest[1] == '\'') {
		return scanQuoted(rest)
	}
	inner, _, ok := strings.Cut(rest[1:], "]")
	if !ok {
		return property.Segment{}, 0, &grammarError{reason: "[ is not closed by ] in ${...}"}
	}
	i, err := strconv.Atoi(inner)
	if err != nil || i < 0 || strconv.Itoa(i) != inner {
		return property.Segment{}, 0, &grammarError{
			reason: fmt.Sprintf("%q is not a list index in ${...}", inner),
			remedy: `An index is a whole number; names are written ["..."].`,
		}
	}
	return property.Index(i), len(inner) + 2, nil
}

func scanQuoted(rest string) (property.Segment, int, *grammarError) {
	quote := rest[1]
	var b strings.Builder
	for i := 2; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '\\' && i+1 < len(rest) && (rest[i+1] == quote || rest[i+1] == '\\'):
			i++
			b.WriteByte(rest[i])
		case c == quote:
			if i+1 >= len(rest) || rest[i+1] != ']' {
				return property.Segment{}, 0, &grammarError{reason: "a quoted name is not followed by ] in ${...}"}
			}
			return property.Key(b.String()), i + 2, nil
		default:
			b.WriteByte(c)
		}
	}
	return property.Segment{}, 0, &grammarError{reason: "a quoted name is not closed in ${...}"}
}

func clip(s string) string {
	if r := []rune(s); len(r) > 12 {
		return string(r[:12]) + "..."
	}
	return s
}

// String writes the access as it stands between ${ and }.
func (a *Access) String() string {
	var b strings.Builder
	writeStep(&b, a.Root, true)
	for _, s := range a.Path {
		if i, ok := s.AsIndex(); ok {
			b.WriteString("[" + strconv.Itoa(i) + "]")
		} else if k, ok := s.AsKey(); ok {
			writeStep(&b, k, false)
		}
	}
	return b.String()
}

func writeStep(b *strings.Builder, name string, first bool) {
	plain := name != "" && name == strings.TrimSpace(name) && !strings.ContainsAny(name, ".[]{}\"'") &&
		strings.IndexFunc(name, unicode.IsControl) < 0
	switch {
	case !plain:
		b.WriteString(`["` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"]`)
	case first:
		b.WriteString(name)
	default:
		b.WriteString("." + name)
	}
}

// String writes the string as it stands in a program.
func (x *Interpolated) String() string {
	var b strings.Builder
	for _, p := range x.Parts {
		b.WriteString(strings.ReplaceAll(p.Text, "$", "$$"))
		if p.Access != nil {
			b.WriteString("${" + p.Access.String() + "}")
		}
	}
	return b.String()
}
