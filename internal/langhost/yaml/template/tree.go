package template

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	yaml "gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/diag"
)

// maxNodes bounds what aliases may expand to.
const maxNodes = 1_000_000

// node is one value of the document, with aliases and merge keys resolved and keys checked.
type node struct {
	kind nodeKind
	pos  diag.Position
	// last is the last line that the node covers, as far as it is known.
	last    int
	scalar  scalar
	items   []*node
	entries []entry
}

type entry struct{ key, value *node }

type nodeKind int

const (
	nodeScalar nodeKind = iota
	nodeList
	nodeMap
)

func (n *node) String() string {
	switch n.kind {
	case nodeList:
		return "a list"
	case nodeMap:
		return "an object"
	default:
		return n.scalar.kind.article()
	}
}

// treeReader turns a YAML document into nodes.
type treeReader struct {
	*problems
	file  string
	count int
	// open holds the nodes being expanded, to find aliases that contain themselves.
	open map[*yaml.Node]bool
	full bool
}

// readTree parses text, which holds one document. It gives nil when there is nothing to go on with.
func readTree(src *Source, text string, p *problems) *node {
	dec := yaml.NewDecoder(strings.NewReader(text))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return &node{kind: nodeMap, pos: diag.Position{File: src.Name, Line: 1, Column: 1}}
		}
		p.errorAt(syntaxPosition(src.Name, err), "the file is not valid YAML: "+syntaxReason(err), "")
		return nil
	}
	var second yaml.Node
	switch err := dec.Decode(&second); {
	case err == nil:
		p.errorAt(diag.Position{File: src.Name, Line: second.Line, Column: second.Column},
			"the file holds a second document", "A program is one document: remove the --- before this line.")
	case !errors.Is(err, io.EOF):
		p.errorAt(syntaxPosition(src.Name, err), "the file is not valid YAML: "+syntaxReason(err), "")
		return nil
	}
	r := &treeReader{problems: p, file: src.Name, open: map[*yaml.Node]bool{}}
	return r.read(doc.Content[0])
}

func syntaxPosition(file string, err error) diag.Position {
	at := diag.Position{File: file}
	if m := regexp.MustCompile(`line (\d+)`).FindStringSubmatch(err.Error()); m != nil {
		if line, err := strconv.Atoi(m[1]); err == nil {
			at.Line = line
		}
	}
	return at
}

func syntaxReason(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	return regexp.MustCompile(`^line \d+: `).ReplaceAllString(text, "")
}

func (r *treeReader) at(n *yaml.Node) diag.Position {
	return diag.Position{File: r.file, Line: n.Line, Column: n.Column}
}

func (r *treeReader) read(n *yaml.Node) *node {
	out := &node{pos: r.at(n), last: n.Line}
	if r.count++; r.count > maxNodes {
		if !r.full {
			r.full = true
			r.errorAt(out.pos, fmt.Sprintf("the file expands to more than %d values", maxNodes), "Use fewer aliases.")
		}
		return out
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.alias(n)
	case yaml.SequenceNode:
		out.kind = nodeList
		for _, c := range n.Content {
			item := r.read(c)
			out.items, out.last = append(out.items, item), max(out.last, item.last)
		}
	case yaml.MappingNode:
		out.kind = nodeMap
		r.mapping(out, n)
	default:
		out.scalar = r.scalar(n)
		out.last += strings.Count(n.Value, "\n")
	}
	return out
}

func (r *treeReader) alias(n *yaml.Node) *node {
	target := n.Alias
	if r.open[target] {
		r.errorAt(r.at(n), fmt.Sprintf("the alias *%s contains itself", n.Value), "")
		return &node{pos: r.at(n), last: n.Line}
	}
	r.open[target] = true
	defer delete(r.open, target)
	return r.read(target)
}

func (r *treeReader) mapping(out *node, n *yaml.Node) {
	r.open[n] = true
	defer delete(r.open, n)
	seen := map[string]diag.Position{}
	var merged []entry
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind == yaml.ScalarNode && k.ShortTag() == "!!merge" {
			merged = append(merged, r.merge(n.Content[i+1])...)
			continue
		}
		key, value := r.read(k), r.read(n.Content[i+1])
		out.last = max(out.last, value.last)
		if key.kind != nodeScalar || key.scalar.kind == scalarNull {
			r.errorAt(key.pos, "mapping keys must be strings, not "+key.String(), "")
			continue
		}
		key.scalar.kind = scalarString
		if first, ok := seen[key.scalar.text]; ok {
			r.errorAt(key.pos, fmt.Sprintf("duplicate key %q", key.scalar.text),
				fmt.Sprintf("It is first set on line %d.", first.Line))
			continue
		}
		seen[key.scalar.text] = key.pos
		out.entries = append(out.entries, entry{key, value})
	}
	for _, e := range merged {
		if _, ok := seen[e.key.scalar.text]; !ok {
			seen[e.key.scalar.text] = e.key.pos
			out.entries = append(out.entries, e)
		}
	}
}

// merge gives the entries that a merge key brings in: of one mapping, or of a list of them.
func (r *treeReader) merge(n *yaml.Node) []entry {
	value := r.read(n)
	switch value.kind {
	case nodeMap:
		return value.entries
	case nodeList:
		var out []entry
		for _, item := range value.items {
			if item.kind != nodeMap {
				r.errorAt(item.pos, "<< needs an object or a list of objects, not "+item.String(), "")
			}
			out = append(out, item.entries...)
		}
		return out
	default:
		r.errorAt(value.pos, "<< needs an object or a list of objects, not "+value.String(), "")
		return nil
	}
}
