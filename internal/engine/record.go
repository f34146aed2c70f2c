package engine

import (
	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

// record is what is recorded of the stack at this moment: the base and all changes since. The owner's lock guards it.
type record struct {
	all  map[*resource.State]bool
	live map[urn.URN]*resource.State
}

func newRecord(base []*resource.State) *record {
	r := &record{
		all:  make(map[*resource.State]bool, len(base)),
		live: make(map[urn.URN]*resource.State, len(base)),
	}
	for _, s := range base {
		r.add(s)
	}
	return r
}

func (r *record) add(s *resource.State) {
	r.all[s] = true
	if !s.Delete {
		r.live[s.URN] = s
	}
}

func (r *record) remove(s *resource.State) {
	delete(r.all, s)
	if r.live[s.URN] == s {
		delete(r.live, s.URN)
	}
}

// apply takes over what a step changed.
func (r *record) apply(changes []exec.Change) {
	for _, c := range changes {
		if c.Old != nil {
			r.remove(c.Old)
		}
	}
	for _, c := range changes {
		if c.New != nil {
			r.add(c.New)
		}
	}
}

// sorted lists everything in canonical order.
func (r *record) sorted() []*resource.State {
	list := make([]*resource.State, 0, len(r.all))
	for s := range r.all {
		list = append(list, s)
	}
	return state.Sort(list)
}
