package engine

import (
	"slices"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// foldDependencies moves the dependencies that input values carry into the options, and takes them off the values.
func foldDependencies(o *resource.Options, inputs property.Map) property.Map {
	byProperty := o.PropertyDependencies
	if byProperty == nil {
		byProperty = make(map[string][]urn.URN, inputs.Len())
		for k := range inputs.All() {
			byProperty[k] = slices.Clone(o.Dependencies)
		}
	}
	for k, v := range inputs.All() {
		for _, dep := range v.AllDependencies() {
			byProperty[k] = appendNew(byProperty[k], dep)
			o.Dependencies = appendNew(o.Dependencies, dep)
		}
	}
	o.PropertyDependencies = byProperty
	return inputs.StripDependencies()
}

func appendNew(list []urn.URN, u urn.URN) []urn.URN {
	if slices.Contains(list, u) {
		return list
	}
	return append(list, u)
}

// checkReferences refuses references to resources that are neither part of this run nor recorded.
func (d *deployment) checkReferences(g resource.Goal) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range (&resource.State{URN: g.URN, Options: g.Options}).Edges() {
		if e.Kind != resource.EdgeProvider && d.entries[e.To] == nil && d.record.live[e.To] == nil {
			return diag.Errorf(g.URN, "the %s '%s' of '%s' was not registered; register it first, or take it out of the options",
				e.Kind, e.To, g.URN)
		}
	}
	return nil
}

// blocker names a failed or skipped resource that goal refers to.
func (d *deployment) blocker(g resource.Goal) urn.URN {
	return d.reference(g, func(e *entry) bool { return e.failed || e.skipped })
}

// leftOutDependency names a resource that targets left out although goal needs it.
func (d *deployment) leftOutDependency(g resource.Goal) urn.URN {
	return d.reference(g, func(e *entry) bool { return e.leftOut })
}

// reference names a resource that goal refers to and that is what was asked for. As a rule none is, and nothing is
// searched.
func (d *deployment) reference(g resource.Goal, is func(*entry) bool) urn.URN {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.troubled {
		return ""
	}
	for _, e := range (&resource.State{URN: g.URN, Options: g.Options}).Edges() {
		if dep := d.entries[e.To]; dep != nil && is(dep) {
			return e.To
		}
	}
	return ""
}

// trouble notes that a resource cannot be used by others in this run.
func (d *deployment) trouble(note func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.troubled = true
	note()
}
