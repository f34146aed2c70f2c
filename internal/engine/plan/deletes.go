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
	case r.External && r.Delete:
		op = resource.OpDiscardReplaced
	case r.External:
		op = resource.OpDiscard
	case r.Delete:
		op = resource.OpDeleteReplaced
	case r.PendingReplacement:
		op = resource.OpRemovePendingReplace
	}
	return Step{Op: op, Old: r}
}

// Graph is an order of deletes.
type Graph struct {
	// Before lists, for each delete, those that must be done before it.
	Before [][]int
	// Owner is, for each delete, that of the resource it is deleted with, by the deletedWith option, if what it refers to
	// is left until then; -1 otherwise.
	Owner []int
}

// DeleteOrder orders the deletion of doomed resources, given as positions in all: a resource goes after everything that
// refers to it. Where that is no cycle, it also goes
//   - after what depends on a component that it is part of,
//   - after what refers to its URN while there are several resources of it: nobody knows which one is meant,
//   - after the owner, by the deletedWith option, of what refers to it: until the owner is gone, so is not the other.
func DeleteOrder(all []*resource.State, doomed []int) Graph {
	o := orderer{
		all: all, index: state.NewIndex(all), slot: make(map[int]int, len(doomed)), named: map[urn.URN][]int{},
		hard: make([][]int, len(doomed)), soft: make([][]int, len(doomed)),
	}
	for k, i := range doomed {
		o.slot[i] = k
		o.named[all[i].URN] = append(o.named[all[i].URN], i)
	}
	o.childrenOf(doomed)
	for _, i := range doomed {
		o.order(i)
	}
	g := Graph{Before: merge(o.hard, o.soft), Owner: make([]int, len(doomed))}
	for k, i := range doomed {
		g.Owner[k] = o.ownerOf(i, g.Before)
	}
	return g
}

// ownerOf is the slot of the owner of the resource at position i if everything else it refers to goes after the owner.
func (o *orderer) ownerOf(i int, before [][]int) int {
	owner, owned := o.doomedTarget(i, resource.Edge{Kind: resource.EdgeDeletedWith, To: o.all[i].DeletedWith})
	if !owned {
		return -1
	}
	for _, e := range o.all[i].Edges() {
		if t, doomed := o.doomedTarget(i, e); doomed && t != owner && !slices.Contains(before[o.slot[t]], o.slot[owner]) {
			return -1
		}
	}
	return o.slot[owner]
}

type orderer struct {
	all        []*resource.State
	index      *state.Index
	slot       map[int]int       // of doomed positions
	named      map[urn.URN][]int // doomed positions
	children   map[int][]int     // doomed positions
	hard, soft [][]int           // slots before each slot
}

// order says what has to wait for the resource at position i.
func (o *orderer) order(i int) {
	r := o.all[i]
	owner, owned := o.doomedTarget(i, resource.Edge{Kind: resource.EdgeDeletedWith, To: r.DeletedWith})
	for _, e := range r.Edges() {
		for _, t := range o.named[e.To] {
			if t != i {
				o.soft[o.slot[t]] = append(o.soft[o.slot[t]], o.slot[i])
			}
		}
		t := o.index.Target(r, e)
		if t < 0 || t == i {
			continue
		}
		if k, ok := o.slot[t]; ok {
			o.hard[k] = append(o.hard[k], o.slot[i])
			if owned && t != owner {
				o.soft[k] = append(o.soft[k], o.slot[owner])
			}
		}
		if e.Kind != resource.EdgeParent && !o.all[t].Custom && !o.within(i, t) {
			o.descend(t, func(k int) { o.soft[k] = append(o.soft[k], o.slot[i]) })
		}
	}
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

func (o *orderer) doomedTarget(i int, e resource.Edge) (int, bool) {
	if e.To == "" {
		return 0, false
	}
	t := o.index.Target(o.all[i], e)
	_, doomed := o.slot[t]
	return t, doomed && t != i
}

// childrenOf fills in the doomed children of each component.
func (o *orderer) childrenOf(doomed []int) {
	o.children = map[int][]int{}
	for _, i := range doomed {
		if o.all[i].Parent == "" {
			continue
		}
		if p := o.index.Target(o.all[i], resource.Edge{Kind: resource.EdgeParent, To: o.all[i].Parent}); p >= 0 {
			o.children[p] = append(o.children[p], i)
		}
	}
}

func (o *orderer) descend(from int, visit func(slot int)) {
	for _, c := range o.children[from] {
		visit(o.slot[c])
		o.descend(c, visit)
	}
}

// merge joins the hard edges with those soft edges that leave the graph without cycles: it simulates the order, and
// where only soft edges stand in the way, gives them up.
func merge(hard, soft [][]int) [][]int {
	n := len(hard)
	before := make([][]int, n)
	for i := range n {
		before[i] = append(append(before[i], hard[i]...), soft[i]...)
	}
	stuck := unordered(before)
	if len(stuck) == 0 {
		return before
	}
	for i := range n {
		if stuck[i] {
			before[i] = hard[i]
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
