package config

import (
	"encoding/base64"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/config/document"
)

// secureKey is the one key of a mapping that stands for a secret: `{secure: <ciphertext>}`.
const secureKey = "secure"

// FromNode reads the value of a node that a [document.Document] holds.
func FromNode(doc *document.Document, n *yaml.Node) Value {
	v := fromNode(doc, document.Resolve(n))
	v.at = doc.Position(n)
	return v
}

func fromNode(doc *document.Document, n *yaml.Node) Value {
	switch n.Kind {
	case yaml.SequenceNode:
		v := Value{kind: List, items: make([]Value, len(n.Content))}
		for i, child := range n.Content {
			v.items[i] = FromNode(doc, child)
		}
		return v
	case yaml.MappingNode:
		pairs := document.Pairs(n)
		v := Value{kind: Object, entries: make([]Entry, len(pairs))}
		for i, p := range pairs {
			v.entries[i] = Entry{Name: p.Name, Value: FromNode(doc, p.Value)}
		}
		if ciphertext, ok := ciphertextOf(v); ok {
			return NewCiphertext(ciphertext)
		}
		return v
	default:
		return fromScalar(n)
	}
}

func ciphertextOf(v Value) (string, bool) {
	if len(v.entries) == 1 && v.entries[0].Name == secureKey && v.entries[0].Value.kind == String {
		return v.entries[0].Value.text, true
	}
	return "", false
}

func fromScalar(n *yaml.Node) Value {
	v := Value{kind: String, text: n.Value}
	switch n.ShortTag() {
	case "!!null":
		return Value{kind: Null, text: n.Value}
	case "!!bool":
		if lower := strings.ToLower(n.Value); lower == "true" || lower == "false" {
			v.kind = Bool
		}
	case "!!int", "!!float":
		if plain, ok := plainNumber(n.Value); ok {
			v.kind = Int
			if strings.ContainsAny(plain, ".eE") {
				v.kind = Float
			}
		}
	case "!!binary":
		if raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.Value), "")); err == nil {
			v.text = string(raw)
		}
	}
	return v
}

// toNode makes a fresh node.
func toNode(v Value) *yaml.Node {
	switch v.kind {
	case Null:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	case Bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: v.ProgramText()}
	case Int, Float:
		// Without a tag the text stands as it is, and reads as the number it is.
		return &yaml.Node{Kind: yaml.ScalarNode, Value: v.text}
	case Ciphertext:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		document.Put(n, secureKey, document.Text(v.text))
		return n
	case List:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range v.items {
			n.Content = append(n.Content, toNode(item))
		}
		return flowIfEmpty(n)
	case Object:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, e := range v.entries {
			n.Content = append(n.Content, document.Text(e.Name), toNode(e.Value))
		}
		return flowIfEmpty(n)
	case String:
		return document.Text(v.text)
	default:
		return document.Text(v.text)
	}
}

func flowIfEmpty(n *yaml.Node) *yaml.Node {
	if len(n.Content) == 0 {
		n.Style = yaml.FlowStyle
	}
	return n
}

// reconcile gives a node that means v, made out of the old node: what did not change keeps its node, with comments, order,
// quoting and style. The old node may be changed by it.
func reconcile(doc *document.Document, old *yaml.Node, v Value) *yaml.Node {
	if FromNode(doc, old).Equal(v) {
		return old
	}
	if old.Kind == yaml.AliasNode {
		old = document.Copy(old)
	}
	oldValue := FromNode(doc, old)
	switch {
	case old.Kind == yaml.MappingNode && v.kind == Object && oldValue.kind == Object:
		reconcileObject(doc, old, v)
		return old
	case old.Kind == yaml.MappingNode && v.kind == Ciphertext && oldValue.kind == Ciphertext:
		document.Put(old, secureKey, restyle(document.Text(v.text), valueOf(old, secureKey)))
		return old
	case old.Kind == yaml.SequenceNode && v.kind == List:
		reconcileList(doc, old, v)
		return old
	default:
		return restyle(toNode(v), old)
	}
}

func valueOf(n *yaml.Node, name string) *yaml.Node {
	p, _ := document.Lookup(n, name)
	return p.Value
}

// restyle carries comments, and the quotes of a text, from the old node to the new one.
func restyle(fresh, old *yaml.Node) *yaml.Node {
	fresh.HeadComment, fresh.LineComment, fresh.FootComment = old.HeadComment, old.LineComment, old.FootComment
	quotes := old.Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle)
	if fresh.Kind == yaml.ScalarNode && old.Kind == yaml.ScalarNode && fresh.ShortTag() == "!!str" && quotes != 0 &&
		!strings.ContainsFunc(fresh.Value, func(r rune) bool { return r < ' ' || r == 0x85 || r > 0x7e }) {
		fresh.Style = quotes
	}
	return fresh
}

func reconcileObject(doc *document.Document, old *yaml.Node, v Value) {
	for _, p := range document.Pairs(old) {
		if _, keep := v.entry(p.Name); !keep && p.Inherited {
			document.Unmerge(old)
			break
		}
	}
	for _, p := range document.Pairs(old) {
		entry, keep := v.entry(p.Name)
		switch {
		case !keep:
			document.Delete(old, p.Name)
		case p.Inherited && !FromNode(doc, p.Value).Equal(entry):
			document.Put(old, p.Name, reconcile(doc, document.Copy(p.Value), entry))
		case !p.Inherited:
			put(old, p, reconcile(doc, p.Value, entry))
		}
	}
	for _, e := range v.entries {
		if _, there := document.Lookup(old, e.Name); !there {
			document.Put(old, e.Name, toNode(e.Value))
		}
	}
	if len(old.Content) == 0 {
		old.Style |= yaml.FlowStyle
	}
}

// put replaces the value of a pair that stands in the mapping itself, and keeps its line comment on the line of its key: the
// emitter writes the comment of a block behind the block's last line, and cannot write `{}` behind the comment of a key.
func put(mapping *yaml.Node, p document.Pair, value *yaml.Node) {
	document.Put(mapping, p.Name, value)
	isBlock := value.Kind != yaml.ScalarNode && value.Kind != yaml.AliasNode && value.Style&yaml.FlowStyle == 0 && len(value.Content) > 0
	switch {
	case isBlock && value.LineComment != "" && p.Key.LineComment == "" && mapping.Style&yaml.FlowStyle == 0:
		p.Key.LineComment, value.LineComment = value.LineComment, ""
	case !isBlock && p.Key.LineComment != "" && value.LineComment == "":
		value.LineComment, p.Key.LineComment = p.Key.LineComment, ""
	}
}

// reconcileList matches elements from both ends, so that one element added, changed or taken out leaves the others alone.
func reconcileList(doc *document.Document, old *yaml.Node, v Value) {
	nodes, items := old.Content, v.items
	var head, tail []*yaml.Node
	for len(nodes) > 0 && len(items) > 0 && FromNode(doc, nodes[0]).Equal(items[0]) {
		head, nodes, items = append(head, nodes[0]), nodes[1:], items[1:]
	}
	for len(nodes) > 0 && len(items) > 0 && FromNode(doc, nodes[len(nodes)-1]).Equal(items[len(items)-1]) {
		tail, nodes, items = append(tail, nodes[len(nodes)-1]), nodes[:len(nodes)-1], items[:len(items)-1]
	}
	slices.Reverse(tail)
	middle := make([]*yaml.Node, len(items))
	for i, item := range items {
		if i < len(nodes) {
			middle[i] = reconcile(doc, nodes[i], item)
		} else {
			middle[i] = toNode(item)
		}
	}
	wasEmpty := len(old.Content) == 0
	old.Content = slices.Concat(head, middle, tail)
	switch {
	case len(old.Content) == 0:
		old.Style |= yaml.FlowStyle
	case wasEmpty:
		old.Style &^= yaml.FlowStyle
	}
}
