package plan

import (
	"slices"

	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Delete is the step that removes a recorded resource which the program does not want any more.
func Delete(r *resource.State) Step {
	op := resource.OpDelete
	switch {
	case r.External:
		return LetGo(r)
	case r.Delete:
		op = resource.OpDeleteReplaced
	case r.PendingReplacement:
		op = resource.OpRemovePendingReplace
	}
	return Step{Op: op, Old: r}
}

// LetGo is the step that forgets a recorded resource and leaves it as it is.
func LetGo(r *resource.State) Step {
	op := resource.OpDiscard
	if r.Delete {
		op = resource.OpDiscardReplaced
	}
	return Step{Op: op, Old: r}
}

// Graph is an order of deletes.
type Graph struct {
	// Before lists, for each delete, those that must be done before it. There are more nodes than deletes: the others do
	// nothing, but wait like them and are waited for.
	Before [][]int
	// Owner is, for each delete, that of the resource it is deleted with, by the deletedWith option, if what it refers to
	// is left until then; -1 otherwise.
	Owner []int
}

// DeleteOrder orders the deletion of doomed resources, given as positions in all: a resource goes after everything that
// refers to it. Where that is no cycle, it also goes
//   - after what refers to its URN while there are several resources of it: nobody knows which one is meant,
//   - after what depends on a component that it is part of,
//   - after the owner, by the deletedWith option, of what refers to it: until the owner is gone, so is not the other.
func DeleteOrder(all []*resource.State, doomed []int) Graph {
	n := len(doomed)
	o := orderer{
		all: all, index: state.NewIndex(all), doomed: doomed, slot: make(map[int]int, n), named: map[urn.URN][]int{},
		hard: make([][]int, n), shared: make([][]int, n), parts: make([][]int, n), owned: make([][]int, n),
		owners: make([]int, n), barriers: map[int]int{},
	}
	for k, i := range doomed {
		o.slot[i] = k
		o.named[all[i].URN] = append(o.named[all[i].URN], k)
	}
	o.childrenOf(doomed)
	for k, i := range doomed {
		o.owners[k] = o.target(i, resource.Edge{Kind: resource.EdgeDeletedWith, To: all[i].DeletedWith})
	}
	for k := range doomed {
		o.order(k)
	}
	for c, v := range o.barriers {
		o.guard(c, v)
	}
	g := Graph{Before: merge(o.hard, o.shared, o.parts, o.owned), Owner: make([]int, n)}
	for k := range doomed {
		g.Owner[k] = -1
	}
	for k := range doomed {
		if o.waits(k, g) {
			g.Owner[k] = o.owners[k]
		}
	}
	return g
}

// orderer works with slots, which are positions in doomed.
type orderer struct {
	all      []*resource.State
	index    *state.Index
	doomed   []int
	slot     map[int]int       // by position in all
	named    map[urn.URN][]int // slots
	children map[int][]int     // slots of children, by position in all
	owners   []int             // the slot of the owner of each, -1 for none
	// barriers are the nodes, by position of a component, that wait for everything that depends on the component, and that
	// its parts wait for. Without them there would be as many edges as pairs.
	barriers map[int]int
	// Slots before each slot, by reason.
	hard, shared, parts, owned [][]int
}

// target is the slot of what the resource at position i refers to by e, -1 when that is not doomed.
func (o *orderer) target(i int, e resource.Edge) int {
	if e.To == "" {
		return -1
	}
	t := o.index.Target(o.all[i], e)
	k, doomed := o.slot[t]
	if !doomed || t == i {
		return -1
	}
	return k
}

// order says what has to wait for the resource of slot k.
func (o *orderer) order(k int) {
	i := o.doomed[k]
	r := o.all[i]
	for _, e := range r.Edges() {
		for _, t := range o.named[e.To] {
			if t != k {
				o.shared[t] = append(o.shared[t], k)
			}
		}
		if t := o.target(i, e); t >= 0 {
			o.hard[t] = append(o.hard[t], k)
			if o.owners[k] >= 0 && !o.goWith(k, t) {
				o.owned[t] = append(o.owned[t], o.owners[k])
			}
		}
		t := o.index.Target(r, e)
		if e.Kind != resource.EdgeParent && t >= 0 && !o.all[t].Custom && !o.within(i, t) {
			v := o.barrier(t)
			o.hard[v] = append(o.hard[v], k)
		}
	}
}

// goWith says whether t, which k refers to, is or goes with the owner of k, so that it need not outlive that one.
func (o *orderer) goWith(k, t int) bool { return t == o.owners[k] || o.owners[t] == o.owners[k] }

// waits says whether k can be left to its owner: everything that it refers to outlives the owner, or is left to it too.
func (o *orderer) waits(k int, g Graph) bool {
	owner := o.owners[k]
	if owner < 0 {
		return false
	}
	for _, e := range o.all[o.doomed[k]].Edges() {
		t := o.target(o.doomed[k], e)
		if t >= 0 && t != owner && g.Owner[t] != owner && !slices.Contains(g.Before[t], owner) {
			return false
		}
	}
	return true
}

// within says whether the resource at position i is part of the component at position c.
func (o *orderer) within(i, c int) bool {
	for range o.all {
		if o.all[i].Parent == "" {
			return false
		}
		i = o.index.Target(o.all[i], resource.Edge{Kind: resource.EdgeParent, To: o.all[i].Parent})
		if i == c || i < 0 {
			return i == c
		}
	}
	return false
}

// childrenOf fills in the doomed children of each component.
func (o *orderer) childrenOf(doomed []int) {
	o.children = map[int][]int{}
	for k, i := range doomed {
		if o.all[i].Parent == "" {
			continue
		}
		// In a valid state parents come first; one that is not has to do without this.
		if p := o.index.Target(o.all[i], resource.Edge{Kind: resource.EdgeParent, To: o.all[i].Parent}); p >= 0 && p < i {
			o.children[p] = append(o.children[p], k)
		}
	}
}

// barrier is the node that stands between a component's dependents and its parts.
func (o *orderer) barrier(component int) int {
	v, made := o.barriers[component]
	if !made {
		v = len(o.hard)
		o.barriers[component] = v
		o.hard, o.shared = append(o.hard, nil), append(o.shared, nil)
		o.parts, o.owned = append(o.parts, nil), append(o.owned, nil)
	}
	return v
}

// guard makes the parts of a component wait for v; a part with a barrier of its own passes that on to its parts.
func (o *orderer) guard(component, v int) {
	for _, child := range o.children[component] {
		o.parts[child] = append(o.parts[child], v)
		at := o.doomed[child]
		if below, guarded := o.barriers[at]; guarded {
			o.parts[below] = append(o.parts[below], v)
			continue
		}
		o.guard(at, v)
	}
}

// merge joins hard edges with soft ones: where those make cycles, the resources involved do without the last kind, then
// without the one before.
func merge(hard [][]int, soft ...[][]int) [][]int {
	join := func(i, kinds int) []int {
		out := slices.Clone(hard[i])
		for _, kind := range soft[:kinds] {
			out = append(out, kind[i]...)
		}
		return out
	}
	before := make([][]int, len(hard))
	for i := range hard {
		before[i] = join(i, len(soft))
	}
	for kinds := len(soft) - 1; kinds >= 0; kinds-- {
		for i := range unordered(before) {
			before[i] = join(i, kinds)
		}
	}
	return before
}

// unordered is the set of nodes that cannot be ordered.
func unordered(before [][]int) map[int]bool {
	after := make([][]int, len(before))
	waiting := make([]int, len(before))
	var ready []int
	for i, bs := range before {
		waiting[i] = len(bs)
		for _, b := range bs {
			after[b] = append(after[b], i)
		}
		if len(bs) == 0 {
			ready = append(ready, i)
		}
	}
	stuck := map[int]bool{}
	for i := range before {
		stuck[i] = true
	}
	for len(ready) > 0 {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		delete(stuck, i)
		for _, a := range after[i] {
			if waiting[a]--; waiting[a] == 0 {
				ready = append(ready, a)
			}
		}
	}
	return stuck
}

// Dependents is the set of live recorded resources that refer to one of roots, directly or through others.
func Dependents(all []*resource.State, roots map[urn.URN]bool) map[urn.URN]bool {
	out := map[urn.URN]bool{}
	for _, r := range state.Sort(all) {
		for _, e := range r.Edges() {
			if roots[e.To] || out[e.To] {
				out[r.URN] = true
				break
			}
		}
	}
	return out
}
