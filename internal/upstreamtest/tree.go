package upstreamtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Rules say how to normalise. The zero value takes the names from the document itself.
type Rules struct {
	// Names are known beforehand, from an export of the stack for instance. A text has no others.
	Names *Names
	// KeepValues leaves ids and random outputs alone, for runs that go on with the same stack.
	KeepValues bool
}

// Document normalises one JSON document: an export, a checkpoint file, a preview, a history, any --json output.
func (r Rules) Document(document []byte) (any, error) {
	rows, err := r.rows(document)
	if err != nil {
		return nil, err
	}
	if len(rows) != 1 {
		return nil, fmt.Errorf("%d JSON documents instead of one", len(rows))
	}
	return rows[0], nil
}

// rows decodes a sequence of documents and normalises each with the names of all.
func (r Rules) rows(document []byte) ([]any, error) {
	rows, err := decodeAll(document)
	if err != nil {
		return nil, err
	}
	rewrite := rewriter{keep: r.KeepValues}
	names := &Names{}
	if !r.KeepValues {
		names = r.Names.clone()
	}
	for i, row := range rows {
		rows[i] = sortRows(row)
		if !r.KeepValues {
			names.collect(rows[i])
		}
	}
	rewrite.names = names.replacer()
	for i, row := range rows {
		rows[i] = rewrite.value(row)
	}
	return rows, nil
}

func decodeAll(document []byte) ([]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var rows []any
	for {
		var row any
		err := decoder.Decode(&row)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("JSON document %d: %w", len(rows)+1, err)
		}
		rows = append(rows, row)
	}
}

// sortRows sorts every array of things with a URN, stably.
func sortRows(tree any) any {
	switch v := tree.(type) {
	case map[string]any:
		for key := range v {
			v[key] = sortRows(v[key])
		}
	case []any:
		for i := range v {
			v[i] = sortRows(v[i])
		}
		if len(v) > 0 && !slices.ContainsFunc(v, func(e any) bool { return urnOf(e) == "" }) {
			slices.SortStableFunc(v, func(a, b any) int { return strings.Compare(urnOf(a), urnOf(b)) })
		}
	}
	return tree
}

func urnOf(v any) string {
	object, _ := v.(map[string]any)
	urn, _ := object["urn"].(string)
	return urn
}

// isState recognises a resource's state in a checkpoint, a preview or an event.
func isState(object map[string]any) bool {
	_, hasURN := object["urn"].(string)
	_, hasType := object["type"].(string)
	_, isStep := object["op"]
	return hasURN && hasType && !isStep
}

// The signature of a secret envelope, and what stands for a masked value.
const (
	signatureKey    = "4dabf18193072939515e22adb298388d"
	secretSignature = "1b47061264138c4ac30d75fd1eb44270"
	masked          = "[secret]"
)

// reveal is the value in a secret envelope with plaintext; anything else stays.
func reveal(v any) any {
	object, ok := v.(map[string]any)
	if !ok || object[signatureKey] != secretSignature {
		return v
	}
	text, ok := object["plaintext"].(string)
	if !ok {
		return object["ciphertext"]
	}
	rows, err := decodeAll([]byte(text))
	if err != nil || len(rows) != 1 {
		return text
	}
	return rows[0]
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
