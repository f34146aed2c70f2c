package eval

import (
	"slices"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

// mark adds the secret mark and the dependencies of the values in from to v.
func mark(v property.Value, from ...property.Value) property.Value {
	var deps []urn.URN
	for _, f := range from {
		if f.Secret() {
			v = v.MakeSecret()
		}
		deps = append(deps, f.Dependencies()...)
	}
	return dependOn(v, deps)
}

// markDeep is mark for values that were looked through: what is secret anywhere in them makes v secret.
func markDeep(v property.Value, from ...property.Value) property.Value {
	var deps []urn.URN
	for _, f := range from {
		if f.ContainsSecret() {
			v = v.MakeSecret()
		}
		deps = append(deps, f.AllDependencies()...)
	}
	return dependOn(v, deps)
}

func dependOn(v property.Value, deps []urn.URN) property.Value {
	if len(deps) == 0 {
		return v
	}
	return v.WithDependencies(slices.Concat(v.Dependencies(), deps))
}

// withoutNulls drops map entries that are null and carry nothing else, at every level: to the engine null means
// absent. Elements of lists stay.
func withoutNulls(m property.Map) property.Map {
	drop := func(m property.Map) property.Map {
		return m.Filter(func(_ string, v property.Value) bool {
			return !v.IsNull() || v.Secret() || len(v.Dependencies()) > 0
		})
	}
	return drop(m.Transform(func(v property.Value) property.Value {
		inner, ok := v.AsMap()
		if !ok {
			return v
		}
		return mark(property.FromMap(drop(inner)), v)
	}))
}
