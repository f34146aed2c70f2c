package plan

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Move is a resource that is to be deleted while one that looks like it is created: the program gave it another parent or
// name, and no alias.
type Move struct {
	From *resource.State
	To   resource.Goal
}

// Moves finds what looks like moves. gone are recorded resources about to be deleted, fresh what is created in the same
// run; parents come before children. Two look alike if they have one type and
//   - one name, or one but for that of their parents in front of it; or
//   - one parent and the same inputs, of which there must be some.
//
// What could be more than one thing is none. Of components that move with their children only the outermost is told:
// aliases are handed down.
func Moves(gone []*resource.State, fresh []resource.Goal) []Move {
	m := mover{gone: map[urn.URN]*resource.State{}, fresh: map[urn.URN]resource.Goal{}, seed: maphash.MakeSeed()}
	for _, s := range gone {
		m.gone[s.URN] = s
	}
	for _, g := range fresh {
		m.fresh[g.URN] = g
	}
	named, related, rarest := m.namesakes(fullName), m.namesakes(relativeName), m.byRarestTrait()
	var out []Move
	told := map[urn.URN]bool{}
	for _, s := range gone {
		to := named[s.URN]
		if to == "" {
			to = related[s.URN]
		}
		if to == "" {
			to = m.alike(s, rarest)
		}
		if to == "" {
			continue
		}
		outer := m.outermost(Move{s, m.fresh[to]})
		if !told[outer.From.URN] && !told[outer.To.URN] {
			told[outer.From.URN], told[outer.To.URN] = true, true
			out = append(out, outer)
		}
	}
	return out
}

type mover struct {
	gone  map[urn.URN]*resource.State
	fresh map[urn.URN]resource.Goal
	seed  maphash.Seed
}

// naming is what a resource is called apart from where it is.
type naming func(u, parent urn.URN) string

func fullName(u, _ urn.URN) string { return u.Name() }

// relativeName is without the name of the parent, that programs put in front.
func relativeName(u, parent urn.URN) string {
	if parent == "" || parent.Type() == urn.StackType {
		return u.Name()
	}
	return strings.TrimPrefix(u.Name(), parent.Name())
}

// namesakes maps what is gone to what has the same name and type, where there is one of each.
func (m mover) namesakes(name naming) map[urn.URN]urn.URN {
	type key struct {
		of   urn.Type
		name string
	}
	from, to := map[key][]urn.URN{}, map[key][]urn.URN{}
	for u, s := range m.gone {
		k := key{s.Type, name(u, s.Parent)}
		from[k] = append(from[k], u)
	}
	for u, g := range m.fresh {
		k := key{g.Type, name(u, g.Parent)}
		to[k] = append(to[k], u)
	}
	out := map[urn.URN]urn.URN{}
	for k, us := range from {
		if len(us) == 1 && len(to[k]) == 1 {
			out[us[0]] = to[k][0]
		}
	}
	return out
}

// trait is one input of a resource of a type under a parent; the value is a hash.
type trait struct {
	of     urn.Type
	parent urn.URN
	input  string
	value  uint64
}

func (m mover) traits(of urn.Type, parent urn.URN, inputs property.Map) []trait {
	var out []trait
	for k, v := range inputs.All() {
		var h maphash.Hash
		h.SetSeed(m.seed)
		hashValue(&h, v)
		out = append(out, trait{of, parent, k, h.Sum64()})
	}
	return out
}

// hashValue adds a value without its marks. Values that are equal have equal hashes.
func hashValue(h *maphash.Hash, v property.Value) {
	fmt.Fprintf(h, "%v:", v.Kind()) // a hash takes everything
	if l, ok := v.AsList(); ok {
		for _, item := range l.All() {
			hashValue(h, item)
		}
		return
	}
	if m, ok := v.AsMap(); ok {
		for _, k := range m.Keys() {
			fmt.Fprintf(h, "%q", k)
			hashValue(h, m.Get(k))
		}
		return
	}
	if b, ok := v.AsBool(); ok {
		fmt.Fprint(h, b)
	}
	if f, ok := v.AsNumber(); ok {
		fmt.Fprint(h, f)
	}
	if s, ok := v.AsString(); ok {
		fmt.Fprintf(h, "%q", s)
	}
}

// byRarestTrait finds created resources by the trait that the fewest share: few have to be compared then.
func (m mover) byRarestTrait() map[trait][]urn.URN {
	count := map[trait]int{}
	for _, g := range m.fresh {
		for _, t := range m.traits(g.Type, g.Parent, g.Inputs) {
			count[t]++
		}
	}
	out := map[trait][]urn.URN{}
	for u, g := range m.fresh {
		traits := m.traits(g.Type, g.Parent, g.Inputs)
		if len(traits) == 0 {
			continue
		}
		rarest := slices.MinFunc(traits, func(a, b trait) int { return count[a] - count[b] })
		out[rarest] = append(out[rarest], u)
	}
	return out
}

// alike is the one created resource under the same parent that s has the inputs of, "" if there is none or several.
func (m mover) alike(s *resource.State, rarest map[trait][]urn.URN) urn.URN {
	var found urn.URN
	for _, t := range m.traits(s.Type, s.Parent, s.Inputs) {
		for _, u := range rarest[t] {
			if !within(m.fresh[u].Inputs, s.Inputs) {
				continue
			}
			if found != "" {
				return ""
			}
			found = u
		}
	}
	return found
}

// within says whether all of part is in whole: providers add inputs of their own.
func within(part, whole property.Map) bool {
	for k, v := range part.All() {
		if w, has := whole.Lookup(k); !has || !v.EqualPlain(w) {
			return false
		}
	}
	return true
}

// outermost climbs to the parents as long as they move likewise.
func (m mover) outermost(move Move) Move {
	for {
		from, isGone := m.gone[move.From.Parent]
		to, isFresh := m.fresh[move.To.Parent]
		if !isGone || !isFresh || from.Type != to.Type {
			return move
		}
		move = Move{from, to}
	}
}
