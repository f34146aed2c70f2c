package plan

import (
	"slices"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// DependentWalk finds the resources that must be deleted before a resource can be deleted and made again: those whose
// provider says that an unknown value in place of the dependency would replace them. Use: ask Next, answer with Answer,
// until Next has no question; then Found has the result.
type DependentWalk struct {
	root   *resource.State
	rest   []*resource.State
	inSet  map[urn.URN]bool
	found  []*resource.State
	asking *resource.State
	done   func(urn.URN) bool
}

// DependentQuestion asks a dependent's provider for the difference between its old inputs and News.
type DependentQuestion struct {
	Resource *resource.State
	News     property.Map
}

// NewDependentWalk starts a walk. base is what refers to root, directly or through others, in an order where dependents
// come after what they depend on; done tells which resources already had an operation in this run and are left alone.
func NewDependentWalk(root *resource.State, base []*resource.State, done func(urn.URN) bool) *DependentWalk {
	return &DependentWalk{root: root, rest: base, inSet: map[urn.URN]bool{root.URN: true}, done: done}
}

// Next gives the next question, or false when the walk is over.
func (w *DependentWalk) Next() (DependentQuestion, bool) {
	for len(w.rest) > 0 {
		r := w.rest[0]
		w.rest = w.rest[1:]
		if r == w.root || !r.Custom || r.External || r.PendingReplacement || w.done(r.URN) {
			continue
		}
		if w.certain(r) {
			w.add(r)
			continue
		}
		if news, touched := w.withUnknowns(r); touched {
			w.asking = r
			return DependentQuestion{Resource: r, News: news}, true
		}
	}
	return DependentQuestion{}, false
}

// Answer takes the provider's answer to the last question.
func (w *DependentWalk) Answer(d plugin.DiffResponse) {
	f := Facts{Goal: resource.Goal{URN: w.asking.URN, Options: w.asking.Options}, Old: w.asking}
	got := f.fromProvider(w.asking, d)
	f.replaceOnChanges(&got)
	if got.replace {
		w.add(w.asking)
	}
}

// Found lists the dependents, those that nothing else depends on first.
func (w *DependentWalk) Found() []*resource.State {
	out := slices.Clone(w.found)
	slices.Reverse(out)
	return out
}

func (w *DependentWalk) add(r *resource.State) {
	w.inSet[r.URN] = true
	w.found = append(w.found, r)
}

// certain says whether r goes whatever its provider says.
func (w *DependentWalk) certain(r *resource.State) bool {
	return w.inSet[r.Provider.URN] || r.DeletedWith != "" && w.inSet[r.DeletedWith] ||
		slices.ContainsFunc(r.ReplaceWith, func(u urn.URN) bool { return w.inSet[u] })
}

// withUnknowns gives the inputs of r with every property unknown that depends on a resource of the set.
func (w *DependentWalk) withUnknowns(r *resource.State) (property.Map, bool) {
	news := r.Inputs.Clone()
	touched := false
	for key, deps := range r.PropertyDependencies {
		if _, has := news[key]; has && slices.ContainsFunc(deps, func(u urn.URN) bool { return w.inSet[u] }) {
			news[key] = property.Unknown()
			touched = true
		}
	}
	return property.MapOf(news), touched
}
