package property

import (
	"slices"

	"github.com/cairn-iac/cairn/internal/urn"
)

// Mask is what a secret shows as in anything a person or log can see.
const Mask = "[secret]"

// ContainsSecret says whether v or any part of it is secret.
func (v Value) ContainsSecret() bool {
	return v.any(Value.Secret)
}

// ContainsUnknown says whether v or any part of it is unknown.
func (v Value) ContainsUnknown() bool {
	return v.any(Value.IsUnknown)
}

// ContainsSecret says whether any value in m is or holds a secret.
func (m Map) ContainsSecret() bool { return FromMap(m).ContainsSecret() }

// ContainsUnknown says whether any value in m is or holds an unknown.
func (m Map) ContainsUnknown() bool { return FromMap(m).ContainsUnknown() }

// any says whether is holds for v or one of its parts.
func (v Value) any(is func(Value) bool) bool {
	if is(v) {
		return true
	}
	switch x := v.v.(type) {
	case List:
		return slices.ContainsFunc(x.items, func(e Value) bool { return e.any(is) })
	case Map:
		for _, e := range x.m {
			if e.any(is) {
				return true
			}
		}
	case Archive:
		return FromMap(x.Assets).any(is)
	case Reference:
		return x.HasID && x.ID.any(is)
	}
	return false
}

// AllDependencies are the dependencies of v and of all its parts: sorted, without duplicates.
func (v Value) AllDependencies() []urn.URN {
	var deps []urn.URN
	v.any(func(e Value) bool {
		deps = append(deps, e.Dependencies()...)
		return false
	})
	slices.Sort(deps)
	return slices.Compact(deps)
}

// Transform rebuilds v from the leaves up: f gets each part after its own parts were transformed. Marks of lists and
// maps are kept on the rebuilt ones before f sees them.
func (v Value) Transform(f func(Value) Value) Value {
	switch x := v.v.(type) {
	case List:
		items := make([]Value, len(x.items))
		for i, e := range x.items {
			items[i] = e.Transform(f)
		}
		return f(Value{v: List{items: items}, m: v.m})
	case Map:
		return f(Value{v: x.Transform(f), m: v.m})
	default:
		return f(v)
	}
}

// Transform rebuilds every value of m.
func (m Map) Transform(f func(Value) Value) Map {
	c := make(map[string]Value, len(m.m))
	for k, e := range m.m {
		c[k] = e.Transform(f)
	}
	return Map{m: c}
}

// StripSecrets gives m without any secret marks.
func (m Map) StripSecrets() Map {
	return m.Transform(func(v Value) Value { return v.WithSecret(false) })
}

// StripDependencies gives m without any dependency marks.
func (m Map) StripDependencies() Map {
	return m.Transform(func(v Value) Value { return v.WithDependencies(nil) })
}

// Redact gives m with every secret replaced by the secret string [Mask].
func (m Map) Redact() Map {
	c := make(map[string]Value, len(m.m))
	for k, e := range m.m {
		c[k] = e.Redact()
	}
	return Map{m: c}
}

// Redact gives v with every secret in it, or v itself when it is secret, replaced by the secret string [Mask].
func (v Value) Redact() Value {
	switch {
	case v.IsUnknown():
		return v // nothing is known of it, so nothing can leak
	case v.Secret():
		return String(Mask).MakeSecret()
	}
	switch x := v.v.(type) {
	case List:
		items := make([]Value, len(x.items))
		for i, e := range x.items {
			items[i] = e.Redact()
		}
		return Value{v: List{items: items}, m: v.m}
	case Map:
		return Value{v: x.Redact(), m: v.m}
	case Archive:
		x.Assets = x.Assets.Redact()
		return Value{v: x, m: v.m}
	default:
		return v
	}
}
