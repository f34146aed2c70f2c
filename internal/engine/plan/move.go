package plan

import (
	"fmt"
	"hash/maphash"
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
	m := mover{gone: map[urn.URN]*resource.State{}, fresh: map[urn.URN]resource.Goal{}}
	for _, s := range gone {
		m.gone[s.URN] = s
	}
	for _, g := range fresh {
		m.fresh[g.URN] = g
	}
	named, related, looks := m.namesakes(fullName), m.namesakes(relativeName), m.looks()
	var out []Move
	told := map[urn.URN]bool{}
	for _, s := range gone {
		to := named[s.URN]
		if to == "" {
			to = related[s.URN]
		}
		if to == "" {
			to = m.alike(s, looks)
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

// place is where a resource of a type may be.
type place struct {
	of     urn.Type
	parent urn.URN
}

// looks finds created resources by their place and a hash of their inputs.
type looks struct {
	seed maphash.Seed
	// keys are the sets of inputs that there are at a place. There are few: programs give the same ones to a type.
	keys  map[place]map[string][]string
	found map[place]map[uint64][]urn.URN
}

func (m mover) looks() looks {
	l := looks{seed: maphash.MakeSeed(), keys: map[place]map[string][]string{}, found: map[place]map[uint64][]urn.URN{}}
	for u, g := range m.fresh {
		keys := g.Inputs.Keys()
		if len(keys) == 0 {
			continue
		}
		at := place{g.Type, g.Parent}
		if l.keys[at] == nil {
			l.keys[at], l.found[at] = map[string][]string{}, map[uint64][]urn.URN{}
		}
		l.keys[at][strings.Join(keys, "\x00")] = keys
		hash := l.hash(keys, g.Inputs)
		l.found[at][hash] = append(l.found[at][hash], u)
	}
	return l
}

// hash is one of some of the inputs.
func (l looks) hash(keys []string, inputs property.Map) uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	for _, k := range keys {
		fmt.Fprintf(&h, "%q", k)
		hashValue(&h, inputs.Get(k))
	}
	return h.Sum64()
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

// alike is the one created resource under the same parent that s has the inputs of, "" if there is none or several.
func (m mover) alike(s *resource.State, l looks) urn.URN {
	var found urn.URN
	at := place{s.Type, s.Parent}
	for _, keys := range l.keys[at] {
		for _, u := range l.found[at][l.hash(keys, s.Inputs)] {
			switch {
			case !within(m.fresh[u].Inputs, s.Inputs):
			case found != "":
				return ""
			default:
				found = u
			}
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
