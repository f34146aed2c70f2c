package property

import (
	"math"
	"slices"
)

// Equal compares two values with their secret marks; dependencies are not compared. Unknown equals unknown.
func (v Value) Equal(o Value) bool { return equal(v, o, true) }

// EqualPlain compares two values whatever is secret in them.
func (v Value) EqualPlain(o Value) bool { return equal(v, o, false) }

// Equal compares two maps with secret marks; dependencies are not compared.
func (m Map) Equal(o Map) bool { return equalMaps(m, o, true) }

// EqualPlain compares two maps whatever is secret in them.
func (m Map) EqualPlain(o Map) bool { return equalMaps(m, o, false) }

func equal(a, b Value, withSecrets bool) bool {
	if withSecrets && a.Secret() != b.Secret() {
		return false
	}
	switch x := a.v.(type) {
	case float64:
		y, ok := b.v.(float64)
		return ok && (x == y || math.IsNaN(x) && math.IsNaN(y))
	case List:
		y, ok := b.v.(List)
		return ok && slices.EqualFunc(x.items, y.items, func(p, q Value) bool { return equal(p, q, withSecrets) })
	case Map:
		y, ok := b.v.(Map)
		return ok && equalMaps(x, y, withSecrets)
	case Asset:
		y, ok := b.v.(Asset)
		return ok && x.Equal(y)
	case Archive:
		y, ok := b.v.(Archive)
		return ok && x.Equal(y)
	case Reference:
		y, ok := b.v.(Reference)
		return ok && x.Equal(y)
	default:
		// Null, bool, string, unknown and sealed are comparable; a kind mismatch compares as unequal.
		switch b.v.(type) {
		case List, Map, Asset, Archive, Reference:
			return false
		}
		return a.v == b.v
	}
}

func equalMaps(a, b Map, withSecrets bool) bool {
	if len(a.m) != len(b.m) {
		return false
	}
	for k, x := range a.m {
		y, ok := b.m[k]
		if !ok || !equal(x, y, withSecrets) {
			return false
		}
	}
	return true
}

// ChangeKind says how a path differs between two values.
type ChangeKind int

// The kinds of change.
const (
	Added ChangeKind = iota
	Deleted
	Updated
)

// Change is one place where two values differ.
type Change struct {
	Path     Path
	Kind     ChangeKind
	Old, New Value
}

// Changes lists where two maps differ, in order of path: the deepest places for maps and lists present on both
// sides. Secret marks and dependencies do not count.
func Changes(older, newer Map) []Change {
	return appendMapChanges(nil, nil, older, newer)
}

func appendMapChanges(out []Change, at Path, older, newer Map) []Change {
	keys := older.Keys()
	for _, k := range newer.Keys() {
		if !older.Has(k) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		path := at.Append(Key(k))
		o, hasOld := older.Lookup(k)
		n, hasNew := newer.Lookup(k)
		switch {
		case !hasOld:
			out = append(out, Change{Path: path, Kind: Added, New: n})
		case !hasNew:
			out = append(out, Change{Path: path, Kind: Deleted, Old: o})
		default:
			out = appendChanges(out, path, o, n)
		}
	}
	return out
}

func appendChanges(out []Change, at Path, o, n Value) []Change {
	if om, ok := o.AsMap(); ok {
		if nm, ok := n.AsMap(); ok {
			return appendMapChanges(out, at, om, nm)
		}
	}
	if ol, ok := o.AsList(); ok {
		if nl, ok := n.AsList(); ok {
			return appendListChanges(out, at, ol, nl)
		}
	}
	if o.EqualPlain(n) {
		return out
	}
	return append(out, Change{Path: at, Kind: Updated, Old: o, New: n})
}

func appendListChanges(out []Change, at Path, o, n List) []Change {
	for i := range max(o.Len(), n.Len()) {
		path := at.Append(Index(i))
		switch {
		case i >= o.Len():
			out = append(out, Change{Path: path, Kind: Added, New: n.At(i)})
		case i >= n.Len():
			out = append(out, Change{Path: path, Kind: Deleted, Old: o.At(i)})
		default:
			out = appendChanges(out, path, o.At(i), n.At(i))
		}
	}
	return out
}
