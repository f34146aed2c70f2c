package property

import (
	"fmt"
	"slices"

	"github.com/cairn-iac/cairn/internal/urn"
)

// Kind tells what a value holds.
type Kind int

// The kinds. Secretness is not a kind: every kind may be secret.
const (
	KindNull Kind = iota
	KindBool
	KindNumber
	KindString
	KindList
	KindMap
	KindAsset
	KindArchive
	KindReference
	KindUnknown
	KindSealed
)

func (k Kind) String() string {
	names := [...]string{
		"null", "bool", "number", "string", "list", "map", "asset", "archive", "resource reference",
		"unknown", "encrypted secret",
	}
	if k < 0 || int(k) >= len(names) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return names[k]
}

// Value is one immutable value. The zero Value is null.
type Value struct {
	v any // nil, bool, float64, string, List, Map, Asset, Archive, Reference, unknown or sealed
	m *marks
}

type (
	unknown struct{}
	sealed  string
	marks   struct {
		secret bool
		deps   []urn.URN // sorted, without duplicates
	}
)

// Null is the null value.
func Null() Value { return Value{} }

// Bool makes a boolean.
func Bool(b bool) Value { return Value{v: b} }

// Number makes a number.
func Number(f float64) Value { return Value{v: f} }

// String makes a string. It may hold bytes that are not UTF-8.
func String(s string) Value { return Value{v: s} }

// Unknown is a value that is not known yet, as in a preview.
func Unknown() Value { return Value{v: unknown{}} }

// Sealed is a secret of which only the ciphertext is at hand, because there is no key to open it.
func Sealed(ciphertext string) Value {
	return Value{v: sealed(ciphertext), m: &marks{secret: true}}
}

// NewList makes a list value. The slice must not be changed afterwards.
func NewList(items ...Value) Value { return Value{v: List{items: items}} }

// NewMap makes a map value. The map must not be changed afterwards.
func NewMap(m map[string]Value) Value { return Value{v: MapOf(m)} }

// FromMap turns a Map into a value.
func FromMap(m Map) Value { return Value{v: m} }

// FromList turns a List into a value.
func FromList(l List) Value { return Value{v: l} }

// FromAsset makes an asset value.
func FromAsset(a Asset) Value { return Value{v: a} }

// FromArchive makes an archive value.
func FromArchive(a Archive) Value { return Value{v: a} }

// FromReference makes a resource reference value.
func FromReference(r Reference) Value { return Value{v: r} }

// Kind tells what v holds.
func (v Value) Kind() Kind {
	switch v.v.(type) {
	case bool:
		return KindBool
	case float64:
		return KindNumber
	case string:
		return KindString
	case List:
		return KindList
	case Map:
		return KindMap
	case Asset:
		return KindAsset
	case Archive:
		return KindArchive
	case Reference:
		return KindReference
	case unknown:
		return KindUnknown
	case sealed:
		return KindSealed
	default:
		return KindNull
	}
}

// IsNull says whether v is null.
func (v Value) IsNull() bool { return v.v == nil }

// IsUnknown says whether v itself (not a part of it) is unknown.
func (v Value) IsUnknown() bool { return v.Kind() == KindUnknown }

// AsBool gives the boolean v holds; ok is false for other kinds.
func (v Value) AsBool() (b, ok bool) { b, ok = v.v.(bool); return b, ok }

// AsNumber gives the number v holds; ok is false for other kinds.
func (v Value) AsNumber() (f float64, ok bool) { f, ok = v.v.(float64); return f, ok }

// AsString gives the string v holds; ok is false for other kinds.
func (v Value) AsString() (s string, ok bool) { s, ok = v.v.(string); return s, ok }

// AsList gives the list v holds; ok is false for other kinds.
func (v Value) AsList() (l List, ok bool) { l, ok = v.v.(List); return l, ok }

// AsMap gives the map v holds; ok is false for other kinds.
func (v Value) AsMap() (m Map, ok bool) { m, ok = v.v.(Map); return m, ok }

// AsAsset gives the asset v holds; ok is false for other kinds.
func (v Value) AsAsset() (a Asset, ok bool) { a, ok = v.v.(Asset); return a, ok }

// AsArchive gives the archive v holds; ok is false for other kinds.
func (v Value) AsArchive() (a Archive, ok bool) { a, ok = v.v.(Archive); return a, ok }

// AsReference gives the resource reference v holds; ok is false for other kinds.
func (v Value) AsReference() (r Reference, ok bool) { r, ok = v.v.(Reference); return r, ok }

// AsSealed gives the ciphertext of a secret without key; ok is false for other kinds.
func (v Value) AsSealed() (ciphertext string, ok bool) {
	s, ok := v.v.(sealed)
	return string(s), ok
}

// Secret says whether v itself is marked secret (parts of it may be secret when it is not).
func (v Value) Secret() bool { return v.m != nil && v.m.secret }

// WithSecret gives v with the secret mark set or taken away.
func (v Value) WithSecret(secret bool) Value {
	if v.Secret() == secret {
		return v
	}
	return v.marked(marks{secret: secret, deps: v.Dependencies()})
}

// MakeSecret is WithSecret(true).
func (v Value) MakeSecret() Value { return v.WithSecret(true) }

// Dependencies are the resources v itself (not its parts) depends on: sorted, not to be changed.
func (v Value) Dependencies() []urn.URN {
	if v.m == nil {
		return nil
	}
	return v.m.deps
}

// WithDependencies gives v with exactly these dependencies.
func (v Value) WithDependencies(deps []urn.URN) Value {
	if len(deps) == 0 && len(v.Dependencies()) == 0 {
		return v
	}
	sorted := slices.Clone(deps)
	slices.Sort(sorted)
	return v.marked(marks{secret: v.Secret(), deps: slices.Compact(sorted)})
}

func (v Value) marked(m marks) Value {
	if !m.secret && len(m.deps) == 0 {
		return Value{v: v.v}
	}
	return Value{v: v.v, m: &m}
}

// Plain gives v without its own marks; parts keep theirs.
func (v Value) Plain() Value { return Value{v: v.v} }
