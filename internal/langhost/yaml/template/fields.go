package template

import (
	"fmt"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/cairn-iac/cairn/internal/schema"
)

// field is one key that an object may have.
type field struct {
	name  string
	parse func(*node)
}

// fieldSet describes an object with fixed keys.
type fieldSet struct {
	// owner names the object in messages.
	owner  string
	fields []field
	// open accepts keys that are not listed; those that look like a listed one with a warning.
	open bool
	// ignored are other keys that are accepted and mean nothing here.
	ignored []string
	// elsewhere says where a key that is not listed belongs, "" if nowhere.
	elsewhere func(key string) string
}

func (s fieldSet) names() []string {
	var out []string
	for _, f := range s.fields {
		out = append(out, f.name)
	}
	return out
}

// fields parses the entries of n by the set. Keys in another case are accepted with a warning; others are errors.
func (p *parser) fields(n *node, set fieldSet) {
	for _, e := range n.entries {
		key := e.key.scalar.text
		if f, ok := set.find(key); ok {
			p.checkCase(e.key, f.name)
			f.parse(e.value)
			continue
		}
		if set.ignores(key) {
			continue
		}
		if set.open {
			p.doubt(e.key, set)
			continue
		}
		detail := suggestion(key, set.names(), "")
		if set.elsewhere != nil {
			if place := set.elsewhere(key); place != "" {
				detail = place
			}
		}
		p.errorAt(e.key.pos, fmt.Sprintf("%s has no key %q", set.owner, key), detail)
	}
}

// doubt warns of a key that means nothing but is close to one that does.
func (p *parser) doubt(key *node, set fieldSet) {
	if meant := schema.Suggest(key.scalar.text, append(set.names(), set.ignored...)); len(meant) > 0 {
		p.warnAt(key.pos, fmt.Sprintf("%s has no key %q: what is under it is left out", set.owner, key.scalar.text),
			"Did you mean "+orList(meant, "")+"?")
	}
}

func (s fieldSet) find(key string) (field, bool) {
	for _, f := range s.fields {
		if strings.EqualFold(f.name, key) {
			return f, true
		}
	}
	return field{}, false
}

func (s fieldSet) ignores(key string) bool {
	for _, name := range s.ignored {
		if strings.EqualFold(name, key) {
			return true
		}
	}
	return false
}

func (p *parser) checkCase(key *node, want string) {
	if key.scalar.text != want {
		p.warnAt(key.pos, fmt.Sprintf("'%s' looks like a miscapitalization of '%s'", key.scalar.text, want),
			fmt.Sprintf("Write %s.", want))
	}
}

// suggestion says which names a person may have meant, or lists all.
func suggestion(name string, known []string, prefix string) string {
	if found := schema.Suggest(name, known); len(found) > 0 {
		return "Did you mean " + orList(found, prefix) + "?"
	}
	return "There are: " + prefix + strings.Join(known, ", "+prefix) + "."
}

func orList(names []string, prefix string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = prefix + n
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}

func (p *parser) isMap(n *node, what string) bool {
	if n.kind == nodeMap {
		return true
	}
	if n.kind != nodeScalar || n.scalar.kind != scalarNull {
		p.errorAt(n.pos, fmt.Sprintf("%s must be an object, not %s", what, n), "")
	}
	return false
}

// text reads a literal string; the zero Text and an error otherwise. A literal number or bool is taken as written.
func (p *parser) text(what string, n *node) Text {
	if n.kind != nodeScalar || n.scalar.kind == scalarNull {
		p.errorAt(n.pos, fmt.Sprintf("%s must be a string, not %s", what, n), "")
		return Text{}
	}
	if n.scalar.kind != scalarString {
		return Text{n.scalar.text, n.pos}
	}
	text, ok := literalText(p.stringExpr(n))
	if !ok {
		p.errorAt(n.pos, fmt.Sprintf("%s must be a literal string, without ${...}", what), "")
		return Text{}
	}
	return Text{text, n.pos}
}

// version reads a literal semantic version, with or without a v, and gives it in its canonical form.
func (p *parser) version(n *node) Text {
	text := p.text("version", n)
	if text.Value == "" {
		return text
	}
	v, err := semver.ParseTolerant(text.Value)
	if err != nil {
		p.errorAt(n.pos, fmt.Sprintf("the version %q is not a semantic version", text.Value), "Write it like 1.2.3.")
		return text
	}
	text.Value = v.String()
	return text
}

func (p *parser) texts(what string, n *node) []Text {
	if n.kind != nodeList {
		p.errorAt(n.pos, fmt.Sprintf("%s must be a list of strings, not %s", what, n), "")
		return nil
	}
	var out []Text
	for i, item := range n.items {
		out = append(out, p.text(fmt.Sprintf("%s[%d]", what, i), item))
	}
	return out
}

// boolean reads a literal bool; nil and an error otherwise.
func (p *parser) boolean(what string, n *node) *bool {
	if n.kind != nodeScalar || n.scalar.kind != scalarBool {
		p.errorAt(n.pos, fmt.Sprintf("%s must be true or false, not %s", what, n), "")
		return nil
	}
	return &n.scalar.bool
}
