package random

import (
	"maps"
	"slices"
	"strconv"

	"github.com/cairn-iac/cairn/internal/property"
)

// value is a value of an attribute: nil (null), unknown, string, bool, int64, []value or map[string]value. Whole
// numbers are kept exactly, unlike in property values; secret marks are not kept at all.
type value struct{ v any }

type unknown struct{}

// values holds the attributes of one resource by property name. Absent means null.
type values map[string]value

func (v value) isNull() bool { return v.v == nil }

func (v value) isUnknown() bool { _, ok := v.v.(unknown); return ok }

// known says whether neither v nor any part of it is unknown.
func (v value) known() bool {
	switch x := v.v.(type) {
	case unknown:
		return false
	case []value:
		return !slices.ContainsFunc(x, func(e value) bool { return !e.known() })
	case map[string]value:
		for _, e := range x {
			if !e.known() {
				return false
			}
		}
	}
	return true
}

func (v value) equal(o value) bool {
	switch x := v.v.(type) {
	case []value:
		y, ok := o.v.([]value)
		return ok && slices.EqualFunc(x, y, value.equal)
	case map[string]value:
		y, ok := o.v.(map[string]value)
		return ok && maps.EqualFunc(x, y, value.equal)
	}
	switch o.v.(type) {
	case []value, map[string]value:
		return false
	}
	return v.v == o.v
}

// entries gives the entries of a map; null and unknown have none.
func (v value) entries() map[string]value { m, _ := v.v.(map[string]value); return m }

// property turns v into a property value. A whole number that a float64 cannot hold becomes its decimal text.
func (v value) property() property.Value {
	switch x := v.v.(type) {
	case unknown:
		return property.Unknown()
	case string:
		return property.String(x)
	case bool:
		return property.Bool(x)
	case int64:
		if !fitsNumber(x) {
			return property.String(strconv.FormatInt(x, 10))
		}
		return property.Number(float64(x))
	case []value:
		items := make([]property.Value, len(x))
		for i, e := range x {
			items[i] = e.property()
		}
		return property.NewList(items...)
	case map[string]value:
		m := make(map[string]property.Value, len(x))
		for k, e := range x {
			m[k] = e.property()
		}
		return property.NewMap(m)
	default:
		return property.Null()
	}
}

// fitsNumber says whether a float64 holds n exactly. The largest float64 below 2^63 is checked for first, because
// turning 2^63 itself into an int64 is not defined.
func fitsNumber(n int64) bool {
	f := float64(n)
	return f < 1<<63 && int64(f) == n
}

// str, num and flag read known attributes; null reads as the zero value.
func (vs values) str(name string) string { s, _ := vs[name].v.(string); return s }

func (vs values) num(name string) int64 { n, _ := vs[name].v.(int64); return n }

func (vs values) flag(name string) bool { b, _ := vs[name].v.(bool); return b }

// with gives a copy of vs in which the entries of more replace those of vs.
func (vs values) with(more values) values {
	out := maps.Clone(vs)
	maps.Copy(out, more)
	return out
}
