package plan

import (
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

// Graph is an order: Before[i] lists the positions that must be done before i.
type Graph struct{ Before [][]int }

// DeleteOrder orders the deletion of doomed resources, given as positions in all: a resource goes after everything that
// refers to it. What depends on a component also goes before the component's children, unless that would be a cycle.
func DeleteOrder(all []*resource.State, doomed []int) Graph {
	o := orderer{all: all, index: state.NewIndex(all), slot: map[int]int{}}
	for k, i := range doomed {
		o.slot[i] = k
	}
	n := len(doomed)
	hard, soft := make([][]int, n), make([][]int, n)
	children := o.children(doomed)
	for _, i := range doomed {
		for _, e := range all[i].Edges() {
			t := o.index.Target(all[i], e)
			if t < 0 || t == i {
				continue
			}
			if k, ok := o.slot[t]; ok {
				hard[k] = append(hard[k], o.slot[i])
			}
			if e.Kind != resource.EdgeParent && !all[t].Custom {
				o.descend(children, t, func(k int) { soft[k] = append(soft[k], o.slot[i]) })
			}
		}
	}
	return Graph{Before: merge(hard, soft)}
}

type orderer struct {
	all   []*resource.State
	index *state.Index
	slot  map[int]int
}

// children maps the position of a component to the positions of its doomed children.
func (o *orderer) children(doomed []int) map[int][]int {
	out := map[int][]int{}
	for _, i := range doomed {
		if o.all[i].Parent == "" {
			continue
		}
		if p := o.index.Target(o.all[i], resource.Edge{Kind: resource.EdgeParent, To: o.all[i].Parent}); p >= 0 {
			out[p] = append(out[p], i)
		}
	}
	return out
}

func (o *orderer) descend(children map[int][]int, from int, visit func(slot int)) {
	for _, c := range children[from] {
		visit(o.slot[c])
		o.descend(children, c, visit)
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
