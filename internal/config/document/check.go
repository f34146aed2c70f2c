package document

import (
	"gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/diag"
)

// maxNodes bounds what a file unfolds to when every alias is followed. No file of a person comes near it; a few lines of
// aliases of aliases would otherwise fill the memory.
const maxNodes = 1_000_000

// check walks the whole content, aliases followed, and refuses what later readers could not rely on.
func (d *Document) check() error {
	if d.Root == nil {
		return nil
	}
	c := checker{d: d, open: map[*yaml.Node]bool{}, seen: map[*yaml.Node]bool{}}
	c.walk(d.Root)
	return c.problems.Err()
}

type checker struct {
	d        *Document
	visited  int
	open     map[*yaml.Node]bool // anchors that are being walked
	seen     map[*yaml.Node]bool // mappings whose keys were looked at
	problems diag.Diagnostics
}

func (c *checker) walk(n *yaml.Node) {
	if c.visited++; c.visited > maxNodes {
		if c.visited == maxNodes+1 {
			c.add(n, "the file's aliases unfold to more than a million values; write the values out or use fewer of them")
		}
		return
	}
	switch n.Kind {
	case yaml.AliasNode:
		if c.open[n.Alias] {
			c.add(n, "the anchor %q contains itself", n.Value)
			return
		}
		c.walk(n.Alias)
		return
	case yaml.MappingNode:
		c.keys(n)
	default:
	}
	if n.Anchor != "" {
		c.open[n] = true
		defer delete(c.open, n)
	}
	for _, child := range n.Content {
		c.walk(child)
	}
}

func (c *checker) keys(n *yaml.Node) {
	if c.seen[n] {
		return
	}
	c.seen[n] = true
	first := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := Resolve(n.Content[i])
		if key.Kind != yaml.ScalarNode {
			c.add(n.Content[i], "a key must be a text, not %s", Describe(key))
			continue
		}
		if isMerge(n.Content[i]) {
			c.merge(n.Content[i+1])
			continue
		}
		if other, twice := first[key.Value]; twice {
			c.add(n.Content[i], "the key %q stands twice: it is in line %d already", key.Value, other.Line)
			continue
		}
		first[key.Value] = n.Content[i]
	}
}

func (c *checker) merge(value *yaml.Node) {
	if r := Resolve(value); r.Kind != yaml.MappingNode && r.Kind != yaml.SequenceNode {
		c.add(value, "a merge key (<<) takes a mapping, not %s", Describe(value))
	}
}

func (c *checker) add(n *yaml.Node, format string, args ...any) {
	c.problems = append(c.problems, c.d.Problem(n, format, args...))
}
