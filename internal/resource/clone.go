package resource

import (
	"maps"
	"slices"
)

func cloneOptions(o Options) Options {
	o.Dependencies = slices.Clone(o.Dependencies)
	if o.PropertyDependencies != nil {
		deps := maps.Clone(o.PropertyDependencies)
		for k, v := range deps {
			deps[k] = slices.Clone(v)
		}
		o.PropertyDependencies = deps
	}
	o.ReplaceWith = slices.Clone(o.ReplaceWith)
	o.IgnoreChanges = slices.Clone(o.IgnoreChanges)
	o.ReplaceOnChanges = slices.Clone(o.ReplaceOnChanges)
	o.HideDiffs = slices.Clone(o.HideDiffs)
	o.AdditionalSecretOutputs = slices.Clone(o.AdditionalSecretOutputs)
	o.Aliases = slices.Clone(o.Aliases)
	o.Hooks = maps.Clone(o.Hooks)
	o.StackTrace = slices.Clone(o.StackTrace)
	return o
}

// Clone copies s so that it can be changed independently. Values are immutable and shared.
func (s *State) Clone() *State {
	c := *s
	c.Options = s.Options.Clone()
	c.InitErrors = slices.Clone(s.InitErrors)
	c.Extra = maps.Clone(s.Extra)
	return &c
}
