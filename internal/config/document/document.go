package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/diag"
)

// Document is one parsed file.
type Document struct {
	// Path names the file in positions; its extension chose the format.
	Path string
	// Root is the content: usually a mapping. It is nil in an empty file.
	Root *yaml.Node

	json  bool
	crlf  bool
	outer *yaml.Node // the document node around Root, which keeps comments before and after
	blank []byte     // what an empty file held: perhaps comments
}

// Parse reads data, as JSON when the path ends in .json and as YAML otherwise. Its error is [diag.Diagnostics].
func Parse(path string, data []byte) (*Document, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	d := &Document{Path: path, json: strings.EqualFold(filepath.Ext(path), ".json"), crlf: bytes.Contains(data, []byte("\r\n"))}
	parse := d.parseYAML
	if d.json {
		parse = d.parseJSON
	}
	if err := parse(data); err != nil {
		return nil, err
	}
	if d.Root == nil {
		d.blank = bytes.TrimRight(data, " \t\r\n")
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Document) parseYAML(data []byte) (err error) {
	defer func() {
		// The parser is not ours; whatever input makes it stumble is still only bad input.
		if r := recover(); r != nil {
			err = d.refuse(diag.Position{File: d.Path}, fmt.Sprintf("the file is not valid YAML: %v", r))
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var outer, second yaml.Node
	switch err := decoder.Decode(&outer); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return d.syntax(err)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return d.refuse(d.Position(&second), "the file holds more than one YAML document; keep one and remove the `---` line")
	case !errors.Is(err, io.EOF):
		return d.syntax(err)
	}
	if outer.Kind != yaml.DocumentNode || len(outer.Content) != 1 {
		return nil
	}
	d.outer = &outer
	if root := outer.Content[0]; !isEmpty(root) {
		d.Root = root
	}
	return nil
}

// isEmpty knows the null that stands for a file without content.
func isEmpty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.ShortTag() == "!!null"
}

// Position is where a node stands.
func (d *Document) Position(n *yaml.Node) diag.Position {
	if n == nil {
		return diag.Position{File: d.Path}
	}
	return diag.Position{File: d.Path, Line: n.Line, Column: n.Column}
}

// Problem makes an error diagnostic at a node.
func (d *Document) Problem(n *yaml.Node, format string, args ...any) diag.Diagnostic {
	return diag.Diagnostic{
		Severity: diag.Error, Summary: fmt.Sprintf(format, args...), Subject: diag.Subject{Position: d.Position(n)},
	}
}

// IsJSON says whether the file is JSON.
func (d *Document) IsJSON() bool { return d.json }

func (d *Document) refuse(at diag.Position, summary string) error {
	return diag.Diagnostics{{Severity: diag.Error, Summary: summary, Subject: diag.Subject{Position: at}}}
}

// Mapping gives the root as a mapping, making one in an empty file. It is an error when the root is something else.
func (d *Document) Mapping() (*yaml.Node, error) {
	if d.Root == nil {
		d.Root = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	}
	root := Resolve(d.Root)
	if root.Kind != yaml.MappingNode {
		return nil, diag.Diagnostics{d.Problem(d.Root, "the file must hold keys and values, not %s", Describe(d.Root))}
	}
	return root, nil
}

// Encode gives the file's text with all edits of its nodes. A file that stays empty keeps its text.
func (d *Document) Encode() ([]byte, error) {
	if d.json {
		return d.encodeJSON()
	}
	if d.Root == nil {
		return d.blank, nil
	}
	outer := &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{d.Root}}
	if d.outer != nil {
		outer.HeadComment, outer.LineComment, outer.FootComment = d.outer.HeadComment, d.outer.LineComment, d.outer.FootComment
	}
	var b bytes.Buffer
	if len(d.blank) > 0 {
		b.Write(append(bytes.Clone(d.blank), '\n'))
	}
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(outer); err != nil {
		return nil, fmt.Errorf("write %s: %w", d.Path, err)
	}
	if err := encoder.Close(); err != nil {
		return nil, fmt.Errorf("write %s: %w", d.Path, err)
	}
	if d.crlf {
		return bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte("\r\n")), nil
	}
	return b.Bytes(), nil
}
