package engine_test

import (
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// checkTargets checks what a destroy that names targets or excludes left: of the live resources exactly those that are
// named, with what depends on them where that was asked for, are gone; what excluded ones need stays with them. Providers
// come and go with their users.
func (h *history) checkTargets(r *run, before []*resource.State) {
	o := r.order
	if o.kind != engine.Destroy || o.ByProgram || o.Options.Refresh || r.result.Outcome != event.Succeeded {
		return
	}
	named := func(u urn.URN, list []string) bool {
		return slices.ContainsFunc(list, func(t string) bool { return strings.HasSuffix(string(u), strings.TrimPrefix(t, "**")) })
	}
	goes, stays := map[urn.URN]bool{}, map[urn.URN]bool{}
	for _, s := range before {
		goes[s.URN], stays[s.URN] = named(s.URN, o.Targets), named(s.URN, o.Excludes)
	}
	// grow adds what depends on the members of a set, or what they need, until there is no more.
	grow := func(set map[urn.URN]bool, dependents bool) {
		for grown := true; grown; {
			grown = false
			for _, s := range before {
				for _, e := range s.Edges() {
					from, to := s.URN, e.To
					if dependents {
						from, to = to, from
					}
					if set[from] && !set[to] {
						set[to], grown = true, true
					}
				}
			}
		}
	}
	if o.TargetDependents {
		grow(goes, true)
	}
	if o.ExcludeDependents {
		grow(stays, true)
	}
	grow(stays, false)
	if len(o.Targets) == 0 {
		for _, s := range before {
			goes[s.URN] = !stays[s.URN]
		}
	}
	left := map[urn.URN]bool{}
	for _, s := range h.base.Resources {
		left[s.URN] = left[s.URN] || !s.Delete
	}
	for _, s := range before {
		if s.Delete || s.IsProvider() || s.URN.Type() == urn.StackType {
			continue
		}
		if goes[s.URN] && left[s.URN] {
			h.fatalf("%s was to be destroyed but is still recorded", s.URN)
		}
		if !goes[s.URN] && !left[s.URN] {
			h.fatalf("%s was not to be destroyed but is gone", s.URN)
		}
	}
}
