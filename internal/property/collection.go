package property

import (
	"iter"
	"maps"
	"slices"
)

// List is an immutable list of values.
type List struct{ items []Value }

// ListOf makes a List. The slice must not be changed afterwards.
func ListOf(items []Value) List { return List{items: items} }

// Len is the number of elements.
func (l List) Len() int { return len(l.items) }

// At gives element i, which must be within range.
func (l List) At(i int) Value { return l.items[i] }

// All walks the elements in order.
func (l List) All() iter.Seq2[int, Value] { return slices.All(l.items) }

// Slice is a copy of the elements.
func (l List) Slice() []Value { return slices.Clone(l.items) }

// Map is an immutable map from names to values. The zero Map is empty.
type Map struct{ m map[string]Value }

// MapOf makes a Map. The map must not be changed afterwards.
func MapOf(m map[string]Value) Map { return Map{m: m} }

// Len is the number of entries.
func (m Map) Len() int { return len(m.m) }

// Get gives the value under key; null when there is none.
func (m Map) Get(key string) Value { return m.m[key] }

// Lookup gives the value under key and whether there is one.
func (m Map) Lookup(key string) (Value, bool) { v, ok := m.m[key]; return v, ok }

// Has says whether there is an entry under key.
func (m Map) Has(key string) bool { _, ok := m.m[key]; return ok }

// Keys are the keys in sorted order.
func (m Map) Keys() []string { return slices.Sorted(maps.Keys(m.m)) }

// All walks the entries in order of their keys.
func (m Map) All() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for _, k := range m.Keys() {
			if !yield(k, m.m[k]) {
				return
			}
		}
	}
}

// Clone is a copy that the caller may change and give to MapOf.
func (m Map) Clone() map[string]Value {
	c := make(map[string]Value, len(m.m)+1)
	maps.Copy(c, m.m)
	return c
}

// With gives a map with key set to v.
func (m Map) With(key string, v Value) Map {
	c := m.Clone()
	c[key] = v
	return Map{m: c}
}

// Without gives a map without the keys.
func (m Map) Without(keys ...string) Map {
	c := m.Clone()
	for _, k := range keys {
		delete(c, k)
	}
	return Map{m: c}
}

// Filter gives the entries that keep accepts.
func (m Map) Filter(keep func(key string, v Value) bool) Map {
	c := make(map[string]Value, len(m.m))
	for k, v := range m.m {
		if keep(k, v) {
			c[k] = v
		}
	}
	return Map{m: c}
}
