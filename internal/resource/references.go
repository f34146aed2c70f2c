package resource

import (
	"maps"
	"slices"

	"github.com/cairn-iac/cairn/internal/urn"
)

func sortedKeys(m map[string][]urn.URN) []string { return slices.Sorted(maps.Keys(m)) }

// RewriteReferences gives s with every reference passed through to; a reference for which to answers "" is dropped.
// s itself is returned when nothing changes. A dropped parent or provider becomes none.
func (s *State) RewriteReferences(to func(Edge) urn.URN) *State {
	changed := false
	see := func(e Edge) urn.URN {
		n := to(e)
		changed = changed || n != e.To
		return n
	}
	c := s.Clone()
	if !s.Provider.IsZero() {
		if n := see(Edge{Kind: EdgeProvider, To: s.Provider.URN, ProviderID: s.Provider.ID}); n == "" {
			c.Provider = urn.ProviderRef{}
		} else {
			c.Provider.URN = n
		}
	}
	single := func(kind EdgeKind, u urn.URN) urn.URN {
		if u == "" {
			return ""
		}
		return see(Edge{Kind: kind, To: u})
	}
	many := func(kind EdgeKind, property string, us []urn.URN) []urn.URN {
		var out []urn.URN
		for _, u := range us {
			if n := see(Edge{Kind: kind, To: u, Property: property}); n != "" && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
		return out
	}
	c.Parent = single(EdgeParent, s.Parent)
	c.Dependencies = many(EdgeDependency, "", s.Dependencies)
	for _, k := range sortedKeys(s.PropertyDependencies) {
		c.PropertyDependencies[k] = many(EdgeProperty, k, s.PropertyDependencies[k])
	}
	c.DeletedWith = single(EdgeDeletedWith, s.DeletedWith)
	c.ReplaceWith = many(EdgeReplaceWith, "", s.ReplaceWith)
	c.ViewOf = single(EdgeView, s.ViewOf)
	if !changed {
		return s
	}
	return c
}
