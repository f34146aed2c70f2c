package engine

import (
	"slices"

	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

// record is what is recorded of the stack at this moment: the base and all changes since. The owner's lock guards it.
type record struct {
	live map[urn.URN]*resource.State
	// olds are the old halves of replacements; there may be several of a URN.
	olds map[urn.URN][]*resource.State
	// users are the states that refer to a URN.
	users map[urn.URN]map[*resource.State]bool
	// holders counts the states that manage a physical resource.
	holders map[physical]int
	// released are states that are about to be removed and manage nothing any more.
	released map[*resource.State]bool
	// imports are the resources, by the id that they are imported by, that were imported.
	imports map[physical]bool
}

// physical names what exists behind a resource, whatever its URN.
type physical struct {
	typ urn.Type
	id  string
}

func newRecord(base []*resource.State) *record {
	r := &record{
		live:     make(map[urn.URN]*resource.State, len(base)),
		olds:     map[urn.URN][]*resource.State{},
		users:    make(map[urn.URN]map[*resource.State]bool, len(base)),
		holders:  make(map[physical]int, len(base)),
		released: map[*resource.State]bool{},
		imports:  map[physical]bool{},
	}
	for _, s := range base {
		r.add(s)
	}
	return r
}

func (r *record) add(s *resource.State) {
	for _, e := range s.Edges() {
		if r.users[e.To] == nil {
			r.users[e.To] = map[*resource.State]bool{}
		}
		r.users[e.To][s] = true
	}
	if manages(s) {
		r.holders[physical{s.Type, string(s.ID)}]++
	}
	if s.ImportID != "" {
		r.imports[physical{s.Type, s.ImportID}] = true
	}
	if s.Delete {
		r.olds[s.URN] = append(r.olds[s.URN], s)
		return
	}
	r.live[s.URN] = s
}

func (r *record) remove(s *resource.State) {
	for _, e := range s.Edges() {
		if users := r.users[e.To]; users != nil {
			delete(users, s)
			if len(users) == 0 {
				delete(r.users, e.To)
			}
		}
	}
	r.release(s)
	delete(r.released, s)
	if !s.Delete {
		if r.live[s.URN] == s {
			delete(r.live, s.URN)
		}
		return
	}
	is := func(o *resource.State) bool { return o == s }
	if rest := slices.DeleteFunc(r.olds[s.URN], is); len(rest) > 0 {
		r.olds[s.URN] = rest
	} else {
		delete(r.olds, s.URN)
	}
}

// manages says whether a state is of something that exists and would be deleted with it.
func manages(s *resource.State) bool {
	return s.Custom && !s.IsProvider() && !s.External && !s.PendingReplacement
}

// release makes a state that is to be removed manage nothing any more.
func (r *record) release(s *resource.State) {
	if manages(s) && !r.released[s] {
		r.released[s] = true
		r.holders[physical{s.Type, string(s.ID)}]--
	}
}

// isShared says whether something else that is recorded manages the same as s. By an import option that can be: of a
// resource that was moved, for one. Ids alone do not tell, since some providers use the same one again and again.
func (r *record) isShared(s *resource.State) bool {
	return manages(s) && r.imports[physical{s.Type, s.ImportedBy()}] && r.holders[physical{s.Type, string(s.ID)}] > 1
}

// has says whether this very state is recorded.
func (r *record) has(s *resource.State) bool {
	return r.live[s.URN] == s || slices.Contains(r.olds[s.URN], s)
}

// provider finds what is recorded of a provider instance, nil when nothing is.
func (r *record) provider(ref urn.ProviderRef) *resource.State {
	for _, s := range r.named(ref.URN) {
		if s.ProviderRef() == ref {
			return s
		}
	}
	return nil
}

// serves says whether something refers to a provider instance that cannot do without it.
func (r *record) serves(ref urn.ProviderRef) bool {
	for s := range r.users[ref.URN] {
		if s.Provider == ref && !s.PendingReplacement {
			return true
		}
	}
	return false
}

// all walks everything that is recorded, in no order.
func (r *record) all(yield func(*resource.State) bool) {
	for _, s := range r.live {
		if !yield(s) {
			return
		}
	}
	for _, olds := range r.olds {
		for _, s := range olds {
			if !yield(s) {
				return
			}
		}
	}
}

// named lists everything that is recorded under a URN.
func (r *record) named(u urn.URN) []*resource.State {
	all := slices.Clone(r.olds[u])
	if s := r.live[u]; s != nil {
		all = append(all, s)
	}
	return all
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

// dependents lists root and everything that refers to it, directly or through others, in canonical order.
func (r *record) dependents(root *resource.State) []*resource.State {
	seen := map[*resource.State]bool{root: true}
	list := []*resource.State{root}
	for i := 0; i < len(list); i++ {
		for s := range r.users[list[i].URN] {
			if !seen[s] {
				seen[s] = true
				list = append(list, s)
			}
		}
	}
	return state.Sort(list)
}

// reaches says whether what is recorded of a resource refers to another one, directly or through others.
func (r *record) reaches(from, to urn.URN) bool {
	seen := map[urn.URN]bool{}
	for list := []urn.URN{from}; len(list) > 0; {
		u := list[len(list)-1]
		list = list[:len(list)-1]
		if u == to {
			return true
		}
		if s := r.live[u]; s != nil && !seen[u] {
			seen[u] = true
			for _, e := range s.Edges() {
				list = append(list, e.To)
			}
		}
	}
	return false
}

// sorted lists everything in canonical order.
func (r *record) sorted() []*resource.State { return state.Sort(slices.Collect(r.all)) }
