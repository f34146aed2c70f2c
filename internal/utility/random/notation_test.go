package random_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/cairn-iac/cairn/internal/property"
)

// The files in testdata hold values as JSON, with {"$secret": x} for a secret and {"$unknown": true} for an unknown.

func fromNotation(v any) property.Value {
	switch x := v.(type) {
	case string:
		return property.String(x)
	case bool:
		return property.Bool(x)
	case float64:
		return property.Number(x)
	case []any:
		items := make([]property.Value, len(x))
		for i, e := range x {
			items[i] = fromNotation(e)
		}
		return property.NewList(items...)
	case map[string]any:
		if secret, ok := x["$secret"]; ok {
			return fromNotation(secret).MakeSecret()
		}
		if _, ok := x["$unknown"]; ok {
			return property.Unknown()
		}
		return property.FromMap(mapOf(x))
	default:
		return property.Null()
	}
}

func mapOf(m map[string]any) property.Map {
	out := make(map[string]property.Value, len(m))
	for k, e := range m {
		out[k] = fromNotation(e)
	}
	return property.MapOf(out)
}

func toNotation(v property.Value) any {
	if v.Secret() {
		return map[string]any{"$secret": toNotation(v.Plain())}
	}
	if v.IsUnknown() {
		return map[string]any{"$unknown": true}
	}
	if s, ok := v.AsString(); ok {
		return s
	}
	if b, ok := v.AsBool(); ok {
		return b
	}
	if f, ok := v.AsNumber(); ok {
		return f
	}
	if l, ok := v.AsList(); ok {
		out := make([]any, 0, l.Len())
		for _, e := range l.All() {
			out = append(out, toNotation(e))
		}
		return out
	}
	if m, ok := v.AsMap(); ok {
		return notationOf(m)
	}
	return nil
}

func notationOf(m property.Map) map[string]any {
	out := map[string]any{}
	for k, e := range m.All() {
		out[k] = toNotation(e)
	}
	return out
}

// inputs reads a map written in the notation.
func inputs(t testing.TB, text string) property.Map {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("inputs %s: %v", text, err)
	}
	return mapOf(m)
}

func readJSON[T any](t testing.TB, path string) T {
	t.Helper()
	var out T
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return out
}

func readLines[T any](t testing.TB, path string) []T {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, v)
	}
	return out
}
