package difftext

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/property"
)

// decode reads a string that holds a JSON or YAML list or map. YAML is tried for texts of several lines only: almost
// any short text is YAML of some kind.
func decode(s string) (v property.Value, syntax string, ok bool) {
	s = strings.TrimSpace(s)
	if v, ok := decodeJSON(s); ok {
		return v, "json", isCollection(v)
	}
	if !strings.ContainsAny(s, "\r\n") {
		return property.Value{}, "", false
	}
	v, ok = decodeYAML(s)
	return v, "yaml", ok && isCollection(v)
}

func isCollection(v property.Value) bool {
	return v.Kind() == property.KindList || v.Kind() == property.KindMap
}

func decodeJSON(s string) (property.Value, bool) {
	// A list or map is the only thing of interest; this spares the decoder every ordinary text.
	if !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") {
		return property.Value{}, false
	}
	d := json.NewDecoder(strings.NewReader(s))
	var x any
	if err := d.Decode(&x); err != nil || d.More() {
		return property.Value{}, false
	}
	return fromAny(x, maxDepth)
}

func decodeYAML(s string) (property.Value, bool) {
	d := yaml.NewDecoder(strings.NewReader(s))
	var x, more any
	if err := d.Decode(&x); err != nil {
		return property.Value{}, false
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return property.Value{}, false
	}
	return fromAny(x, maxDepth)
}

// maxDepth is how deeply an encoded text may be nested to be written as what it holds.
const maxDepth = 100

// fromAny turns what the decoders give into a value. Maps may have numbers as keys; anything else that has no place in
// a value (times, maps with maps as keys) makes the text no value.
func fromAny(x any, depth int) (property.Value, bool) {
	if depth == 0 {
		return property.Value{}, false
	}
	switch x := x.(type) {
	case nil:
		return property.Null(), true
	case bool:
		return property.Bool(x), true
	case string:
		return property.String(x), true
	case []any:
		items := make([]property.Value, len(x))
		for i, e := range x {
			v, ok := fromAny(e, depth-1)
			if !ok {
				return property.Value{}, false
			}
			items[i] = v
		}
		return property.NewList(items...), true
	case map[string]any:
		m := make(map[string]property.Value, len(x))
		for k, e := range x {
			v, ok := fromAny(e, depth-1)
			if !ok {
				return property.Value{}, false
			}
			m[k] = v
		}
		return property.NewMap(m), true
	case map[any]any:
		return fromLooseMap(x, depth)
	default:
		f, ok := asNumber(x)
		return property.Number(f), ok
	}
}

func fromLooseMap(x map[any]any, depth int) (property.Value, bool) {
	m := make(map[string]property.Value, len(x))
	for k, e := range x {
		key, isText := k.(string)
		if !isText {
			f, ok := asNumber(k)
			if !ok {
				return property.Value{}, false
			}
			key = strconv.FormatFloat(f, 'g', -1, 64)
			if math.Trunc(f) == f && math.Abs(f) < 1<<53 {
				key = strconv.FormatFloat(f, 'f', -1, 64)
			}
		}
		v, ok := fromAny(e, depth-1)
		if !ok {
			return property.Value{}, false
		}
		m[key] = v
	}
	return property.NewMap(m), true
}

func asNumber(x any) (float64, bool) {
	switch n := x.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case uint64:
		return float64(n), true
	case float64:
		return n, true
	default:
		return 0, false
	}
}
