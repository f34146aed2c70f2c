package project

import (
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/config"
	"github.com/cairn-iac/cairn/internal/config/document"
	"github.com/cairn-iac/cairn/internal/diag"
)

// reader takes typed values out of nodes and collects what is wrong with them. `what` names the place in messages.
type reader struct {
	doc      *document.Document
	problems diag.Diagnostics
}

func (r *reader) problem(n *yaml.Node, format string, args ...any) {
	r.problems = append(r.problems, r.doc.Problem(n, format, args...))
}

func (r *reader) warning(n *yaml.Node, format string, args ...any) {
	d := r.doc.Problem(n, format, args...)
	d.Severity = diag.Warning
	r.problems = append(r.problems, d)
}

func isNull(n *yaml.Node) bool {
	n = document.Resolve(n)
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// mapping lists the pairs of a mapping; null has none, anything else is a problem.
func (r *reader) mapping(n *yaml.Node, what string) []document.Pair {
	if document.Resolve(n).Kind == yaml.MappingNode {
		return document.Pairs(n)
	}
	if !isNull(n) {
		r.problem(n, "%s must be a mapping, not %s", what, document.Describe(n))
	}
	return nil
}

// record is a mapping that takes certain keys only.
func (r *reader) record(n *yaml.Node, what string, keys ...string) map[string]*yaml.Node {
	out := map[string]*yaml.Node{}
	for _, p := range r.mapping(n, what) {
		known := false
		for _, key := range keys {
			known = known || key == p.Name
		}
		if !known {
			r.unknown(p, what, keys)
			continue
		}
		out[p.Name] = p.Value
	}
	return out
}

func (r *reader) unknown(p document.Pair, what string, keys []string) {
	hint := "it takes '" + strings.Join(keys, "', '") + "'"
	if meant := document.Closest(p.Name, keys); meant != "" {
		hint = "did you mean '" + meant + "'?"
	}
	r.problem(p.Key, "%s has no attribute '%s'; %s", what, p.Name, hint)
}

// text reads a text; nil and null are empty.
func (r *reader) text(n *yaml.Node, what string) string {
	if n == nil || isNull(n) {
		return ""
	}
	if v := document.Resolve(n); v.Kind == yaml.ScalarNode && config.FromNode(r.doc, v).Kind() == config.String {
		return config.FromNode(r.doc, v).SourceText()
	}
	r.problem(n, "%s must be a text, not %s; put it in quotes if it is one", what, document.Describe(n))
	return ""
}

// flag reads true or false; nil and null are false.
func (r *reader) flag(n *yaml.Node, what string) bool {
	if n == nil || isNull(n) {
		return false
	}
	v := config.FromNode(r.doc, n)
	if v.Kind() != config.Bool {
		r.problem(n, "%s must be true or false, not %s", what, document.Describe(n))
	}
	return v.ProgramText() == "true"
}

// percent reads a whole number from 0 to 100; nil and null are none.
func (r *reader) percent(n *yaml.Node, what string) *int {
	if n == nil || isNull(n) {
		return nil
	}
	if v := document.Resolve(n); v.Kind == yaml.ScalarNode {
		if share, err := strconv.Atoi(v.Value); err == nil && share >= 0 && share <= 100 {
			return &share
		}
	}
	r.problem(n, "%s must be a whole number from 0 to 100, a share in percent", what)
	return nil
}

// list gives the elements of a list; nil and null have none.
func (r *reader) list(n *yaml.Node, what string) []*yaml.Node {
	if n == nil || isNull(n) {
		return nil
	}
	if v := document.Resolve(n); v.Kind == yaml.SequenceNode {
		return v.Content
	}
	r.problem(n, "%s must be a list, not %s", what, document.Describe(n))
	return nil
}

func (r *reader) texts(n *yaml.Node, what string) []string {
	var out []string
	for i, item := range r.list(n, what) {
		out = append(out, r.text(item, fmt.Sprintf("%s[%d]", what, i)))
	}
	return out
}

// textMap reads a mapping of texts.
func (r *reader) textMap(n *yaml.Node, what string) map[string]string {
	if n == nil {
		return nil
	}
	var out map[string]string
	for _, p := range r.mapping(n, what) {
		if out == nil {
			out = map[string]string{}
		}
		out[p.Name] = r.text(p.Value, what+"."+p.Name)
	}
	return out
}

// plain decodes a node into plain Go values.
func (r *reader) plain(n *yaml.Node, what string) any {
	v := document.Resolve(n)
	switch v.Kind {
	case yaml.MappingNode:
		out := map[string]any{}
		for _, p := range document.Pairs(v) {
			out[p.Name] = r.plain(p.Value, what+"."+p.Name)
		}
		return out
	case yaml.SequenceNode:
		out := make([]any, len(v.Content))
		for i, item := range v.Content {
			out[i] = r.plain(item, fmt.Sprintf("%s[%d]", what, i))
		}
		return out
	default:
	}
	value := config.FromNode(r.doc, v)
	switch value.Kind() {
	case config.Null, config.Bool, config.Int, config.Float:
		var out any
		if err := v.Decode(&out); err != nil {
			r.problem(n, "%s cannot be read: %v", what, err)
		}
		return out
	case config.String, config.Ciphertext, config.List, config.Object:
		return value.SourceText()
	default:
		return value.SourceText()
	}
}
