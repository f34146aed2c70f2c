package schema

import (
	"maps"
	"slices"
)

// ReplaceOnChanges lists the property paths of r, a resource of p, whose change replaces the resource because the
// schema says so, in the notation of the replaceOnChanges option: "name", "list[*].field", "map.*.field". Types that
// contain themselves are followed once.
func (p *Package) ReplaceOnChanges(r Resource) []string {
	w := replaceWalk{pkg: p, known: map[string][]string{}}
	return w.paths(r.Properties)
}

// replaceWalk remembers the paths of named types: large packages use the same types all over.
type replaceWalk struct {
	pkg   *Package
	known map[string][]string
}

func (w replaceWalk) paths(properties map[string]Property) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property := properties[name]
		prefix := name
		switch property.Type {
		case "array":
			prefix += "[*]"
		case "object":
			if property.Ref == "" {
				prefix += ".*"
			}
		}
		if property.ReplaceOnChanges {
			out = append(out, prefix)
			continue
		}
		for _, inner := range w.within(property.TypeSpec) {
			out = append(out, prefix+"."+inner)
		}
	}
	return out
}

// within lists the paths below a type.
func (w replaceWalk) within(t TypeSpec) []string {
	switch {
	case t.Items != nil:
		return w.within(*t.Items)
	case t.AdditionalProperties != nil:
		return w.within(*t.AdditionalProperties)
	case t.Ref == "":
		return nil
	}
	token := ParseRef(t.Ref).Token
	if paths, ok := w.known[token]; ok {
		return paths
	}
	// A type within itself adds nothing.
	w.known[token] = nil
	if named, ok := w.pkg.Lookup(t.Ref); ok && !named.IsEnum() {
		w.known[token] = w.paths(named.Properties)
	}
	return w.known[token]
}
