package state

import (
	"cmp"
	"container/heap"

	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Sort gives the resources in canonical order: every resource after all it refers to, ties by URN, live ones before
// ones to be deleted. The order depends on the graph only, never on when operations finished.
//
// Where one URN stands for several resources, a live resource refers to the live one, and one to be deleted to the one
// to be deleted if there is one. References that form a cycle cannot be ordered: the resources involved come last, in
// canonical tie order, for Verify to name.
func Sort(resources []*resource.State) []*resource.State {
	g := newSorter(resources)
	out := make([]*resource.State, 0, len(resources))
	for g.ready.Len() > 0 {
		i := heap.Pop(&g.ready).(int)
		out = append(out, resources[i])
		g.done[i] = true
		for _, d := range g.dependents[i] {
			if g.waiting[d]--; g.waiting[d] == 0 {
				heap.Push(&g.ready, d)
			}
		}
	}
	if len(out) == len(resources) {
		return out
	}
	rest := &g.ready
	for i := range resources {
		if !g.done[i] {
			heap.Push(rest, i)
		}
	}
	for rest.Len() > 0 {
		out = append(out, resources[heap.Pop(rest).(int)])
	}
	return out
}

type sorter struct {
	dependents [][]int
	waiting    []int
	done       []bool
	ready      indexHeap
}

func newSorter(resources []*resource.State) *sorter {
	g := &sorter{
		dependents: make([][]int, len(resources)),
		waiting:    make([]int, len(resources)),
		done:       make([]bool, len(resources)),
		ready:      indexHeap{resources: resources},
	}
	index := NewIndex(resources)
	for i, r := range resources {
		for _, e := range r.Edges() {
			if t := index.Target(r, e); t >= 0 && t != i {
				g.dependents[t] = append(g.dependents[t], i)
				g.waiting[i]++
			}
		}
	}
	for i := range resources {
		if g.waiting[i] == 0 {
			heap.Push(&g.ready, i)
		}
	}
	return g
}

// Index finds resources by URN and provider reference.
type Index struct {
	live      map[urn.URN]int
	deleted   map[urn.URN]int
	providers map[urn.ProviderRef]int
}

// NewIndex indexes resources by their position.
func NewIndex(resources []*resource.State) *Index {
	x := &Index{live: map[urn.URN]int{}, deleted: map[urn.URN]int{}, providers: map[urn.ProviderRef]int{}}
	for i, r := range resources {
		if r.Delete {
			// Of several leftovers the one with the lowest id stands for them, whatever order they come in.
			if j, seen := x.deleted[r.URN]; !seen || r.ID < resources[j].ID {
				x.deleted[r.URN] = i
			}
		} else {
			x.live[r.URN] = i
		}
		if r.IsProvider() {
			x.providers[r.ProviderRef()] = i
		}
	}
	return x
}

// Target is the position of the resource that r refers to by e, -1 when there is none.
func (x *Index) Target(r *resource.State, e resource.Edge) int {
	if e.Kind == resource.EdgeProvider {
		if i, ok := x.providers[urn.ProviderRef{URN: e.To, ID: e.ProviderID}]; ok {
			return i
		}
	}
	first, second := x.live, x.deleted
	if r.Delete {
		first, second = x.deleted, x.live
	}
	if i, ok := first[e.To]; ok {
		return i
	}
	if i, ok := second[e.To]; ok {
		return i
	}
	return -1
}

// Live is the position of the resource with this URN that is not to be deleted, -1 when there is none.
func (x *Index) Live(u urn.URN) int {
	if i, ok := x.live[u]; ok {
		return i
	}
	return -1
}

// indexHeap orders positions by the canonical tie order of the resources there.
type indexHeap struct {
	resources []*resource.State
	items     []int
}

func (h indexHeap) Len() int { return len(h.items) }

func (h indexHeap) Less(i, j int) bool {
	a, b := h.resources[h.items[i]], h.resources[h.items[j]]
	order := cmp.Or(cmp.Compare(a.URN, b.URN), cmp.Compare(flag(a.Delete), flag(b.Delete)), cmp.Compare(a.ID, b.ID),
		cmp.Compare(h.items[i], h.items[j]))
	return order < 0
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (h indexHeap) Swap(i, j int) { h.items[i], h.items[j] = h.items[j], h.items[i] }

func (h *indexHeap) Push(x any) { h.items = append(h.items, x.(int)) }

func (h *indexHeap) Pop() any {
	last := h.items[len(h.items)-1]
	h.items = h.items[:len(h.items)-1]
	return last
}
