package plan

import (
	"fmt"
	"slices"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
)

func warn(f Facts, text string) diag.Diagnostics {
	return diag.Diagnostics{{Severity: diag.Warning, Summary: text, Subject: diag.Subject{URN: f.Goal.URN}}}
}

// IgnoreChanges gives the inputs of goal with every path of its ignoreChanges option reset to the old value, or removed
// where there was none. A path that cannot be reset, such as an element added to a list, is told and left alone.
func IgnoreChanges(goal resource.Goal, olds property.Map) (property.Map, diag.Diagnostics) {
	var notes diag.Diagnostics
	older, newer := property.FromMap(olds), property.FromMap(goal.Inputs)
	for _, text := range goal.IgnoreChanges {
		path, err := property.ParsePath(text)
		if err != nil {
			continue // as the Pulumi engine does
		}
		for _, at := range bothSides(path, older, newer) {
			next, ok := reset(at, older, newer)
			if !ok {
				notes = append(notes, diag.Diagnostic{
					Severity: diag.Info,
					Summary:  fmt.Sprintf("cannot ignore changes to %s: an element was added to or removed from a list", at),
					Subject:  diag.Subject{URN: goal.URN, Property: at.String()},
				})
				continue
			}
			newer = next
		}
	}
	m, _ := newer.AsMap()
	return m, notes
}

// bothSides expands wildcards on the old and the new value.
func bothSides(p property.Path, older, newer property.Value) []property.Path {
	paths := p.Expand(newer)
	for _, at := range p.Expand(older) {
		same := func(o property.Path) bool { return o.String() == at.String() }
		if !slices.ContainsFunc(paths, same) {
			paths = append(paths, at)
		}
	}
	return paths
}

func reset(at property.Path, older, newer property.Value) (property.Value, bool) {
	old, had := at.Get(older)
	if had {
		return at.Set(newer, old)
	}
	if _, has := at.Get(newer); !has {
		return newer, true
	}
	return at.Delete(newer)
}
