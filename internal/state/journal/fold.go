package journal

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

// CorruptError says which record does not fit what came before it.
type CorruptError struct {
	// Record counts from 1, without the journal's header.
	Record int
	Reason string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("journal record %d does not fit the state: %s", e.Record, e.Reason)
}

// Fold gives the state that results from applying records to base, which is not changed; nil is an empty one.
//
// Resources come in canonical order. Operations that were begun and not ended are pending, in order of their tickets;
// after them come the creates that were pending in the base, since nothing but a person can settle those. Other pending
// operations of the base are settled by any update. References to resources that this journal removed are dropped, and
// their children move to the nearest ancestor that is left, as a refresh does for resources that are gone.
//
// The manifest is the one of the base: whoever stores the result sets a new one.
func Fold(base *state.Snapshot, records []Record) (*state.Snapshot, error) {
	if base == nil {
		base = &state.Snapshot{}
	}
	f := newFolder(base)
	for i, r := range records {
		if reason := f.apply(r); reason != "" {
			return nil, &CorruptError{Record: i + 1, Reason: reason}
		}
	}
	result := *base
	result.SecretsProvider = f.provider
	result.Resources = state.Sort(f.resources())
	result.Pending = f.pending()
	return &result, nil
}

type folder struct {
	base     *state.Snapshot
	live     map[Ref]*resource.State
	order    []Ref
	open     map[int64]state.PendingOperation
	tickets  map[int64]bool
	puts     map[int64]bool
	dropped  []*resource.State
	cleared  map[int]bool
	provider *state.SecretsProvider
}

func newFolder(base *state.Snapshot) *folder {
	f := &folder{
		base:     base,
		live:     make(map[Ref]*resource.State, len(base.Resources)),
		open:     map[int64]state.PendingOperation{},
		tickets:  map[int64]bool{},
		puts:     map[int64]bool{},
		cleared:  map[int]bool{},
		provider: base.SecretsProvider,
	}
	for i, r := range base.Resources {
		f.add(BaseRef(i), r)
	}
	return f
}

func (f *folder) add(ref Ref, s *resource.State) {
	f.live[ref] = s
	f.order = append(f.order, ref)
}

// apply answers with what is wrong with a record.
func (f *folder) apply(r Record) string {
	switch r := r.(type) {
	case Begin:
		return f.begin(r)
	case Success:
		return f.success(r)
	case Failure:
		return f.end(r.Ticket)
	case SecretsProvider:
		f.provider = r.Provider
	case ClearPending:
		for _, i := range r.Base {
			if i < 0 || i >= len(f.base.Pending) {
				return fmt.Sprintf("the base has no pending operation %d", i)
			}
			f.cleared[i] = true
		}
	case Folded:
	default:
		return fmt.Sprintf("unknown record %T", r)
	}
	return ""
}

func (f *folder) begin(b Begin) string {
	if b.Ticket <= 0 || f.tickets[b.Ticket] {
		return fmt.Sprintf("ticket %d is used twice", b.Ticket)
	}
	s := b.Resource
	if b.Existing != nil {
		s = f.live[*b.Existing]
	}
	if s == nil {
		return "it begins an operation on a resource that is not recorded"
	}
	f.tickets[b.Ticket] = true
	f.open[b.Ticket] = state.PendingOperation{Kind: b.Kind, Resource: s}
	return ""
}

func (f *folder) end(ticket int64) string {
	if _, ok := f.open[ticket]; !ok {
		return fmt.Sprintf("ticket %d was not begun, or was ended before", ticket)
	}
	delete(f.open, ticket)
	return ""
}

func (f *folder) success(r Success) string {
	if r.Ticket != 0 {
		if reason := f.end(r.Ticket); reason != "" {
			return reason
		}
	}
	for _, fl := range r.Flag {
		s, ok := f.live[fl.Ref]
		if !ok {
			return fmt.Sprintf("resource %s is not recorded", fl.Ref)
		}
		s = s.Clone()
		s.Delete, s.PendingReplacement, s.Taint = fl.Delete, fl.PendingReplacement, fl.Taint
		f.live[fl.Ref] = s
	}
	for _, ref := range r.Drop {
		s, ok := f.live[ref]
		if !ok {
			return fmt.Sprintf("resource %s is not recorded", ref)
		}
		delete(f.live, ref)
		f.dropped = append(f.dropped, s)
	}
	for _, p := range r.Put {
		if p.N <= 0 || f.puts[p.N] || p.State == nil {
			return fmt.Sprintf("resource %s is put twice", PutRef(p.N))
		}
		f.puts[p.N] = true
		f.add(PutRef(p.N), p.State)
	}
	return ""
}

// resources lists what is left, with references to what was removed mended.
func (f *folder) resources() []*resource.State {
	out := make([]*resource.State, 0, len(f.live))
	present := make(map[urn.URN]bool, len(f.live))
	for _, ref := range f.order {
		if s := f.live[ref]; s != nil {
			out = append(out, s)
			present[s.URN] = true
		}
	}
	// Among several old halves of one URN the order of the list decides which one others refer to: it must not depend on
	// the order of parallel operations.
	slices.SortStableFunc(out, func(a, b *resource.State) int {
		return cmp.Or(cmp.Compare(a.URN, b.URN), cmp.Compare(a.ID, b.ID))
	})
	gone := map[urn.URN]*resource.State{}
	for _, s := range f.dropped {
		if !present[s.URN] {
			gone[s.URN] = s
		}
	}
	if len(gone) == 0 {
		return out
	}
	for i, s := range out {
		out[i] = s.RewriteReferences(func(e resource.Edge) urn.URN { return mend(e, gone) })
	}
	return out
}

// mend gives what a reference becomes. A provider that is gone cannot be replaced by another: that is left to be found
// by the integrity rules.
func mend(e resource.Edge, gone map[urn.URN]*resource.State) urn.URN {
	to := e.To
	if e.Kind == resource.EdgeProvider {
		return to
	}
	for range len(gone) + 1 {
		s, isGone := gone[to]
		if !isGone {
			return to
		}
		if e.Kind != resource.EdgeParent {
			return ""
		}
		to = s.Parent
	}
	return "" // Parents in a circle: there is no ancestor.
}

func (f *folder) pending() []state.PendingOperation {
	type operation struct {
		kind resource.PendingKind
		urn  urn.URN
	}
	var out []state.PendingOperation
	seen := map[operation]bool{}
	add := func(p state.PendingOperation) {
		key := operation{kind: p.Kind, urn: p.Resource.URN}
		if !seen[key] {
			seen[key] = true
			out = append(out, p)
		}
	}
	for _, ticket := range slices.Sorted(maps.Keys(f.open)) {
		add(f.open[ticket])
	}
	for i, p := range f.base.Pending {
		if !f.cleared[i] {
			add(p)
		}
	}
	return out
}
