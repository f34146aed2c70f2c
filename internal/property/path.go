package property

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Segment is one step of a path: a map key, a list index, or "*" for all of them.
type Segment struct {
	key      string
	index    int
	isIndex  bool
	wildcard bool
}

// Key is a step into a map.
func Key(k string) Segment { return Segment{key: k} }

// Index is a step into a list.
func Index(i int) Segment { return Segment{index: i, isIndex: true} }

// Wildcard is a step into every entry of a map or list.
func Wildcard() Segment { return Segment{wildcard: true} }

// IsWildcard says whether s stands for every entry.
func (s Segment) IsWildcard() bool { return s.wildcard }

// AsKey gives the map key of s.
func (s Segment) AsKey() (string, bool) { return s.key, !s.isIndex && !s.wildcard }

// AsIndex gives the list index of s.
func (s Segment) AsIndex() (int, bool) { return s.index, s.isIndex }

// matches says whether s, which may be a wildcard, covers o.
func (s Segment) matches(o Segment) bool { return s.wildcard || s == o }

// Path leads from a map of properties to a value within it.
type Path []Segment

// Append gives a new path with s at the end.
func (p Path) Append(s Segment) Path { return append(slices.Clip(p), s) }

// ParsePath reads the grammar of the ignoreChanges and replaceOnChanges options: a.b, a["b.c"], a[0], a[*], a.*.
func ParsePath(text string) (Path, error) {
	var p Path
	rest := text
	for first := true; rest != "" || first; first = false {
		seg, after, err := parseSegment(rest, first)
		if err != nil {
			return nil, fmt.Errorf("property path %q: %w at %q", text, err, rest)
		}
		p, rest = append(p, seg), after
	}
	return p, nil
}

func parseSegment(rest string, first bool) (Segment, string, error) {
	if strings.HasPrefix(rest, "[") {
		return parseBracket(rest[1:])
	}
	if !first {
		var ok bool
		if rest, ok = strings.CutPrefix(rest, "."); !ok {
			return Segment{}, "", fmt.Errorf("expected . or [")
		}
	}
	end := strings.IndexAny(rest, ".[")
	if end < 0 {
		end = len(rest)
	}
	name := rest[:end]
	if name == "" {
		return Segment{}, "", fmt.Errorf("expected a name")
	}
	if strings.ContainsAny(name, "]\"") {
		return Segment{}, "", fmt.Errorf("names with ] or quotes are written [\"...\"]")
	}
	if name == "*" {
		return Wildcard(), rest[end:], nil
	}
	return Key(name), rest[end:], nil
}

func parseBracket(rest string) (Segment, string, error) {
	if strings.HasPrefix(rest, `"`) {
		quoted, err := quotedPrefix(rest)
		if err != nil {
			return Segment{}, "", err
		}
		after, ok := strings.CutPrefix(rest[len(quoted):], "]")
		if !ok {
			return Segment{}, "", fmt.Errorf("missing ] after a quoted name")
		}
		return Key(unquote(quoted)), after, nil
	}
	inner, after, ok := strings.Cut(rest, "]")
	if !ok {
		return Segment{}, "", fmt.Errorf("missing ]")
	}
	if inner == "*" {
		return Wildcard(), after, nil
	}
	i, err := strconv.Atoi(inner)
	if err != nil || i < 0 {
		return Segment{}, "", fmt.Errorf("expected a list index, * or a quoted name in []")
	}
	return Index(i), after, nil
}

// quotedPrefix gives the quoted text s starts with. Only \" and \\ are escapes.
func quotedPrefix(s string) (string, error) {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return s[:i+1], nil
		}
	}
	return "", fmt.Errorf("missing closing quote")
}

func unquote(quoted string) string {
	var b strings.Builder
	inner := quoted[1 : len(quoted)-1]
	for i := 0; i < len(inner); i++ {
		if inner[i] == '\\' && i+1 < len(inner) && (inner[i+1] == '"' || inner[i+1] == '\\') {
			i++
		}
		b.WriteByte(inner[i])
	}
	return b.String()
}

func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case s.wildcard:
			b.WriteString("[*]")
		case s.isIndex:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case s.key != "" && s.key != "*" && !strings.ContainsAny(s.key, `.[]"\`):
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.key)
		default:
			r := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
			b.WriteString(`["` + r.Replace(s.key) + `"]`)
		}
	}
	return b.String()
}

// Contains says whether o is p or lies below it. A wildcard in p covers any step of o.
func (p Path) Contains(o Path) bool {
	if len(o) < len(p) {
		return false
	}
	for i, s := range p {
		if !s.matches(o[i]) {
			return false
		}
	}
	return true
}

// Get gives the value at a path without wildcards.
func (p Path) Get(v Value) (Value, bool) {
	for _, s := range p {
		next, ok := v.step(s)
		if !ok {
			return Value{}, false
		}
		v = next
	}
	return v, true
}

func (v Value) step(s Segment) (Value, bool) {
	if i, ok := s.AsIndex(); ok {
		l, ok := v.AsList()
		if !ok || i >= l.Len() {
			return Value{}, false
		}
		return l.At(i), true
	}
	k, ok := s.AsKey()
	if !ok {
		return Value{}, false
	}
	m, ok := v.AsMap()
	if !ok {
		return Value{}, false
	}
	return m.Lookup(k)
}

// Expand lists the paths without wildcards that p covers in v, in order.
func (p Path) Expand(v Value) []Path { return p.expand(nil, v) }

func (p Path) expand(at Path, v Value) []Path {
	if len(p) == 0 {
		return []Path{at}
	}
	if !p[0].wildcard {
		next, _ := v.step(p[0])
		return p[1:].expand(at.Append(p[0]), next)
	}
	var out []Path
	if l, ok := v.AsList(); ok {
		for i, e := range l.All() {
			out = append(out, p[1:].expand(at.Append(Index(i)), e)...)
		}
	}
	if m, ok := v.AsMap(); ok {
		for k, e := range m.All() {
			out = append(out, p[1:].expand(at.Append(Key(k)), e)...)
		}
	}
	return out
}

// Set gives v with the value at p replaced; missing maps on the way are made. It fails where the path leads through
// something that is neither map nor list, or beyond the end of a list.
func (p Path) Set(v, to Value) (Value, bool) {
	if len(p) == 0 {
		return to, true
	}
	if i, ok := p[0].AsIndex(); ok {
		l, isList := v.AsList()
		if !isList || i >= l.Len() {
			return v, false
		}
		e, ok := p[1:].Set(l.At(i), to)
		if !ok {
			return v, false
		}
		items := l.Slice()
		items[i] = e
		return Value{v: List{items: items}, m: v.m}, true
	}
	k, ok := p[0].AsKey()
	m, isMap := v.AsMap()
	if !ok || !isMap && !v.IsNull() {
		return v, false
	}
	e, ok := p[1:].Set(m.Get(k), to)
	if !ok {
		return v, false
	}
	return Value{v: m.With(k, e), m: v.m}, true
}

// Delete gives v without the map entry at p. Elements of lists are not removed: that would move the others.
func (p Path) Delete(v Value) (Value, bool) {
	if len(p) == 0 {
		return v, false
	}
	last := p[len(p)-1]
	k, ok := last.AsKey()
	if !ok {
		return v, false
	}
	parent := p[:len(p)-1]
	holder, ok := parent.Get(v)
	if !ok {
		return v, true
	}
	m, ok := holder.AsMap()
	if !ok {
		return v, false
	}
	return parent.Set(v, Value{v: m.Without(k), m: holder.m})
}
