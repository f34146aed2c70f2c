package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/diag"
)

// maxDepth bounds nested JSON, as the YAML parser bounds its own.
const maxDepth = 1_000

// parseJSON builds the same nodes that a YAML file gives: JSON text is not quite YAML (surrogate pairs, the slash escape).
func (d *Document) parseJSON(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	r := &jsonReader{data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	r.dec.UseNumber()
	root, err := r.value(0)
	end := r.dec.InputOffset()
	if err == nil {
		if _, extra := r.dec.Token(); !errors.Is(extra, io.EOF) {
			end, err = r.start(end), errors.New("there is text after the end of the value")
		}
	}
	if err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			end = syntax.Offset
		}
		at := r.position(end)
		at.File = d.Path
		return d.refuse(at, "the file is not valid JSON: "+err.Error())
	}
	d.Root = root
	return nil
}

type jsonReader struct {
	data []byte
	dec  *json.Decoder
}

func (r *jsonReader) value(depth int) (*yaml.Node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("it is nested more than %d deep", maxDepth)
	}
	before := r.dec.InputOffset()
	token, err := r.dec.Token()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	n := &yaml.Node{Kind: yaml.ScalarNode}
	at := r.position(r.start(before))
	n.Line, n.Column = at.Line, at.Column
	switch v := token.(type) {
	case json.Delim:
		return n, r.container(n, v, depth)
	case nil:
		n.Tag, n.Value = "!!null", "null"
	case bool:
		n.Tag, n.Value = "!!bool", fmt.Sprint(v)
	case json.Number:
		n.Tag, n.Value = "!!int", v.String()
		if bytes.ContainsAny([]byte(n.Value), ".eE") {
			n.Tag = "!!float"
		}
	case string:
		n.Tag, n.Value, n.Style = "!!str", v, yaml.DoubleQuotedStyle
	}
	return n, nil
}

func (r *jsonReader) container(n *yaml.Node, open json.Delim, depth int) error {
	n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
	if open == '{' {
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
	}
	for r.dec.More() {
		child, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.Content = append(n.Content, child)
	}
	_, err := r.dec.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// start skips what stands between two tokens.
func (r *jsonReader) start(offset int64) int64 {
	for offset < int64(len(r.data)) && bytes.IndexByte([]byte(" \t\r\n,:"), r.data[offset]) >= 0 {
		offset++
	}
	return offset
}

func (r *jsonReader) position(offset int64) diag.Position {
	before := r.data[:min(offset, int64(len(r.data)))]
	lastLine := before[bytes.LastIndexByte(before, '\n')+1:]
	return diag.Position{Line: bytes.Count(before, []byte("\n")) + 1, Column: utf8.RuneCount(lastLine) + 1}
}

// encodeJSON writes with four spaces of indentation and a newline at the end, as every Pulumi CLI does.
func (d *Document) encodeJSON() ([]byte, error) {
	if d.Root == nil {
		return d.blank, nil
	}
	flat, err := appendJSON(nil, d.Root)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", d.Path, err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, flat, "", "    "); err != nil {
		return nil, fmt.Errorf("write %s: %w", d.Path, err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

func appendJSON(b []byte, n *yaml.Node) ([]byte, error) {
	n = Resolve(n)
	switch n.Kind {
	case yaml.MappingNode:
		b = append(b, '{')
		for i, p := range Pairs(n) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, p.Name), ':')
			var err error
			if b, err = appendJSON(b, p.Value); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	case yaml.SequenceNode:
		b = append(b, '[')
		for i, child := range n.Content {
			if i > 0 {
				b = append(b, ',')
			}
			var err error
			if b, err = appendJSON(b, child); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	default:
	}
	switch n.ShortTag() {
	case "!!null", "!!bool", "!!int", "!!float":
		if !json.Valid([]byte(n.Value)) {
			return nil, fmt.Errorf("line %d: JSON has no way to write %q without quotes", n.Line, n.Value)
		}
		return append(b, n.Value...), nil
	default:
		return appendString(b, n.Value), nil
	}
}

// appendString quotes without escaping what only matters in HTML.
func appendString(b []byte, s string) []byte {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	// A string always encodes.
	_ = encoder.Encode(s)
	return append(b, bytes.TrimRight(quoted.Bytes(), "\n")...)
}
