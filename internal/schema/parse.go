package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ParseError tells where a schema document is wrong.
type ParseError struct {
	// Path leads to the wrong value, e.g. resources["random:index/randomPet:RandomPet"].inputProperties.length.
	Path   string
	Reason string
}

func (e *ParseError) Error() string {
	if e.Path == "" {
		return "package schema: " + e.Reason
	}
	return fmt.Sprintf("package schema: at %s: %s", e.Path, e.Reason)
}

// Parse reads a package schema. Keys it does not know are skipped, as the format grows. Errors are *ParseError.
func Parse(data []byte) (*Package, error) {
	var p Package
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, explain(data, err)
	}
	if err := p.validate(); err != nil {
		return nil, err
	}
	return &p, nil
}

func explain(data []byte, err error) error {
	var typeErr *json.UnmarshalTypeError
	if errors.As(err, &typeErr) {
		return &ParseError{
			Path:   pathAt(data, typeErr.Offset),
			Reason: fmt.Sprintf("expected %s, found a JSON %s", jsonName(typeErr.Type.Kind().String()), typeErr.Value),
		}
	}
	var syntaxErr *json.SyntaxError
	if errors.As(err, &syntaxErr) {
		line := 1 + bytes.Count(data[:min(int(syntaxErr.Offset), len(data))], []byte("\n"))
		return &ParseError{
			Path:   pathAt(data, syntaxErr.Offset),
			Reason: fmt.Sprintf("not valid JSON on line %d: %v", line, err),
		}
	}
	return &ParseError{Reason: err.Error()}
}

// jsonName says a Go kind in words of JSON.
func jsonName(kind string) string {
	switch kind {
	case "struct", "map":
		return "an object"
	case "slice", "array":
		return "an array"
	case "bool":
		return "a boolean"
	case "string":
		return "a string"
	default:
		return "a " + kind
	}
}

func (p *Package) validate() error {
	if p.Name == "" {
		return &ParseError{Path: "name", Reason: "a package needs a name"}
	}
	for _, token := range slices.Sorted(maps.Keys(p.Resources)) {
		for i, a := range p.Resources[token].Aliases {
			if a.malformed {
				return &ParseError{
					Path:   fmt.Sprintf("resources[%q].aliases[%d]", token, i),
					Reason: `expected a string or an object with "type"`,
				}
			}
		}
	}
	return nil
}

// pathAt names the value that the document holds at offset.
func pathAt(data []byte, offset int64) string {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var at []step
	for {
		tok, err := dec.Token()
		if err != nil {
			// The syntax error itself, or the end of the document.
			return render(at, errors.Is(err, io.EOF))
		}
		at = advance(at, tok)
		if dec.InputOffset() >= offset && len(at) > 0 {
			return render(at, false)
		}
	}
}

// step is one open object or array on the way, with the key or index being read.
type step struct {
	array   bool
	index   int
	key     string
	haveKey bool
}

func advance(at []step, tok json.Token) []step {
	if d, ok := tok.(json.Delim); ok {
		switch d {
		case '{':
			return append(begin(at), step{})
		case '[':
			return append(begin(at), step{array: true, index: -1})
		default:
			return end(at[:len(at)-1])
		}
	}
	if len(at) == 0 {
		return at
	}
	top := &at[len(at)-1]
	if !top.array && !top.haveKey {
		top.key, top.haveKey = fmt.Sprint(tok), true
		return at
	}
	return end(begin(at))
}

// begin notes that a value starts.
func begin(at []step) []step {
	if n := len(at); n > 0 && at[n-1].array {
		at[n-1].index++
	}
	return at
}

// end notes that a value is complete: the next token of an object is a key. The old key stays readable for render.
func end(at []step) []step {
	if n := len(at); n > 0 && !at[n-1].array {
		at[n-1].haveKey = false
	}
	return at
}

func render(at []step, whole bool) string {
	if whole {
		return ""
	}
	var b strings.Builder
	for _, s := range at {
		switch {
		case s.array && s.index >= 0:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case s.array || s.key == "":
		case isWord(s.key):
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.key)
		default:
			b.WriteString("[" + strconv.Quote(s.key) + "]")
		}
	}
	return b.String()
}

func isWord(key string) bool {
	for _, r := range key {
		if r != '_' && r != '$' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return true
}
