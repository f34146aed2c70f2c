package document

import (
	"slices"

	"gopkg.in/yaml.v3"
)

// Resolve follows aliases to the node they stand for. A parsed document has no circles.
func Resolve(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// Pair is one key of a mapping with its value. Key and Value may be aliases; Name is the key's text.
type Pair struct {
	Name       string
	Key, Value *yaml.Node
	// Inherited says that the pair comes out of a merge key (`<<`) and does not stand in the mapping itself.
	Inherited bool
}

// Pairs lists a mapping's keys in the file's order, merge keys unfolded: a key of the mapping itself wins over an inherited
// one, an earlier merged mapping over a later one. Anything but a mapping has no pairs.
func Pairs(n *yaml.Node) []Pair {
	n = Resolve(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	var own, inherited []Pair
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if isMerge(n.Content[i]) {
			continue
		}
		name := Resolve(n.Content[i]).Value
		seen[name] = true
		own = append(own, Pair{Name: name, Key: n.Content[i], Value: n.Content[i+1]})
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !isMerge(n.Content[i]) {
			continue
		}
		for _, source := range mergeSources(n.Content[i+1]) {
			for _, p := range Pairs(source) {
				if !seen[p.Name] {
					seen[p.Name] = true
					p.Inherited = true
					inherited = append(inherited, p)
				}
			}
		}
	}
	return slices.Concat(inherited, own)
}

// mergeSources are the mappings that a merge key's value names: one, or a list of them.
func mergeSources(n *yaml.Node) []*yaml.Node {
	if n = Resolve(n); n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return []*yaml.Node{n}
}

func isMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Value == "<<" && key.ShortTag() == "!!merge"
}

// Lookup finds a key of a mapping.
func Lookup(n *yaml.Node, name string) (Pair, bool) {
	for _, p := range Pairs(n) {
		if p.Name == name {
			return p, true
		}
	}
	return Pair{}, false
}

// Put replaces the value of a key of the mapping itself, or appends the pair.
func Put(n *yaml.Node, name string, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !isMerge(n.Content[i]) && Resolve(n.Content[i]).Value == name {
			n.Content[i+1] = value
			return
		}
	}
	n.Content = append(n.Content, Text(name), value)
	if len(n.Content) == 2 {
		// An empty mapping is written as {}, which is no wish to have its first key in braces.
		n.Style &^= yaml.FlowStyle
	}
}

// Delete takes a key out of the mapping itself.
func Delete(n *yaml.Node, name string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !isMerge(n.Content[i]) && Resolve(n.Content[i]).Value == name {
			n.Content = slices.Delete(n.Content, i, i+2)
			return
		}
	}
}

// Unmerge writes a mapping's inherited pairs out into the mapping and drops its merge keys, so that single pairs can go.
func Unmerge(n *yaml.Node) {
	var content []*yaml.Node
	for _, p := range Pairs(n) {
		if p.Inherited {
			content = append(content, Copy(p.Key), Copy(p.Value))
		} else {
			content = append(content, p.Key, p.Value)
		}
	}
	n.Content = content
}

// Copy is a deep copy of what a node stands for, without anchors and aliases.
func Copy(n *yaml.Node) *yaml.Node {
	out := *Resolve(n)
	out.Anchor = ""
	out.Content = make([]*yaml.Node, len(out.Content))
	for i, child := range Resolve(n).Content {
		out.Content[i] = Copy(child)
	}
	return &out
}

// Text makes a scalar that reads back as exactly this string, quoted where a plain one would read as something else.
func Text(s string) *yaml.Node {
	var n yaml.Node
	if err := n.Encode(s); err == nil && n.Kind == yaml.ScalarNode && n.Value == s && n.ShortTag() == "!!str" && readsBack(&n) {
		return &n
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: yaml.DoubleQuotedStyle}
}

// readsBack tries a scalar in the place where the emitter's block styles have their weak spots: as a value that is indented.
func readsBack(n *yaml.Node) bool {
	text, err := yaml.Marshal(map[string][]*yaml.Node{"k": {n}})
	if err != nil {
		return false
	}
	var back map[string][]string
	return yaml.Unmarshal(text, &back) == nil && len(back["k"]) == 1 && back["k"][0] == n.Value
}

// Describe names what a node holds, for a message: "a list", "a mapping", "a text", "a number", "true or false", "nothing".
func Describe(n *yaml.Node) string {
	n = Resolve(n)
	if n == nil {
		return "nothing"
	}
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "true or false"
	case "!!int", "!!float":
		return "a number"
	default:
		return "a text"
	}
}
