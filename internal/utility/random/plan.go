package random

import (
	"errors"
	"slices"
)

// plan is what a resource becomes: its attributes, unknown where only creation tells, and how that differs from before.
type plan struct {
	attributes values
	// changed and replacing are the properties that differ and those whose difference needs a new resource, sorted.
	changed   []string
	replacing []string
}

// plan applies config to the recorded attributes; prior is nil when there is no resource yet.
func (d *definition) plan(prior, config values) (plan, error) {
	if p := conflict(config); p != nil {
		return plan{}, errors.New(p.reason)
	}
	out := plan{attributes: values{}}
	for _, a := range d.attributes {
		v := a.planned(prior, config)
		out.attributes[a.name] = v
		if prior == nil || v.equal(prior[a.name]) {
			continue
		}
		out.changed = append(out.changed, a.name)
		if a.replaces(prior[a.name], config[a.name]) {
			out.replacing = append(out.replacing, a.name)
		}
	}
	slices.Sort(out.changed)
	slices.Sort(out.replacing)
	return out, nil
}

// planned is the attribute's next value.
func (a attribute) planned(prior, config values) value {
	v := config[a.name]
	switch a.mode {
	case computed:
		if prior == nil {
			return value{unknown{}}
		}
		return prior[a.name]
	case twin:
		if v.isNull() {
			v = config[a.other]
		}
		if v.isNull() {
			v = value{true}
		}
	case defaulted:
		if v.isNull() {
			v = value{a.fallback}
		}
	case required, optional:
	}
	return v
}

// replaces says whether changing the attribute from its recorded value to the configured one needs a new resource.
func (a attribute) replaces(prior, config value) bool {
	switch a.replacement {
	case onChange:
		return true
	case onNewEntries:
		return entriesDiffer(prior, config)
	case unlessEmptied:
		return !config.isUnknown() && (!config.isNull() || !prior.equal(value{""}))
	case never:
		return false
	default:
		return false
	}
}

// entriesDiffer compares two maps as state of older versions has to be compared: entries without a value were not
// recorded, nor were maps that have only such entries.
func entriesDiffer(prior, config value) bool {
	before, after := prior.entries(), config.entries()
	for k, v := range after {
		old, recorded := before[k]
		if !recorded && v.isNull() {
			continue
		}
		if !v.equal(old) {
			return true
		}
	}
	for k := range before {
		if _, kept := after[k]; !kept {
			return true
		}
	}
	return false
}
