package journal_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
	"github.com/cairn-iac/cairn/internal/state/journal"
	"github.com/cairn-iac/cairn/internal/urn"
)

// run makes up a history as an engine could have lived it: what depends on something comes after it and goes before it.
type run struct {
	t       *rapid.T
	live    map[journal.Ref]*resource.State
	rank    map[*resource.State]int
	records []journal.Record
	next    int64
	names   int
}

func (r *run) number() int64 { r.next++; return r.next }

func (r *run) refs() []journal.Ref {
	return slices.SortedFunc(maps.Keys(r.live), func(a, b journal.Ref) int { return cmpText(a.String(), b.String()) })
}

func cmpText(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

func (r *run) pick(keep func(journal.Ref, *resource.State) bool) (journal.Ref, bool) {
	var ok []journal.Ref
	for _, ref := range r.refs() {
		if keep(ref, r.live[ref]) {
			ok = append(ok, ref)
		}
	}
	if len(ok) == 0 {
		return journal.Ref{}, false
	}
	return ok[rapid.IntRange(0, len(ok)-1).Draw(r.t, "pick")], true
}

func plain(_ journal.Ref, s *resource.State) bool { return !s.Delete && !s.PendingReplacement }

// fresh makes a state that refers to some live resources of lower rank.
func (r *run) fresh(name string, rank int) *resource.State {
	s := res(name)
	s.ID = resource.ID(fmt.Sprint(r.number()))
	pickLower := func() (urn.URN, bool) {
		if !rapid.Bool().Draw(r.t, "refers") {
			return "", false
		}
		ref, ok := r.pick(func(ref journal.Ref, o *resource.State) bool { return plain(ref, o) && r.rank[o] < rank })
		if !ok {
			return "", false
		}
		return r.live[ref].URN, true
	}
	for range 2 {
		if to, ok := pickLower(); ok {
			s.Dependencies = append(s.Dependencies, to)
			s.PropertyDependencies = map[string][]urn.URN{"in": {to}}
		}
	}
	if to, ok := pickLower(); ok {
		s.Parent = to
	}
	if to, ok := pickLower(); ok {
		s.DeletedWith = to
	}
	return s
}

func (r *run) put(ref journal.Ref, s *resource.State, rank int) {
	r.live[ref] = s
	r.rank[s] = rank
}

func (r *run) needed(s *resource.State) bool {
	for _, o := range r.live {
		for _, e := range o.Edges() {
			if e.To == s.URN && o != s {
				return true
			}
		}
	}
	return false
}

// ticket begins an operation, perhaps with others still running.
func (r *run) ticket(b journal.Begin) int64 {
	b.Ticket = r.number()
	r.records = append(r.records, b)
	return b.Ticket
}

func (r *run) success(s journal.Success) { r.records = append(r.records, s) }

func (r *run) step() {
	switch rapid.SampledFrom([]string{"create", "create", "update", "delete", "replace", "dbr", "finish", "gone", "fail", "hang"}).Draw(r.t, "step") {
	case "create":
		rank := len(r.rank) + 1
		r.names++
		s := r.fresh(fmt.Sprintf("n%d", r.names), rank)
		t := r.ticket(journal.Begin{Kind: resource.PendingCreating, Resource: s})
		n := r.number()
		r.success(journal.Success{Ticket: t, Put: []journal.Put{{N: n, State: s}}})
		r.put(journal.PutRef(n), s, rank)
	case "update":
		if ref, ok := r.pick(plain); ok {
			old := r.live[ref]
			s := r.fresh(old.URN.Name(), r.rank[old])
			t := r.ticket(journal.Begin{Kind: resource.PendingUpdating, Existing: &ref})
			n := r.number()
			r.success(journal.Success{Ticket: t, Drop: []journal.Ref{ref}, Put: []journal.Put{{N: n, State: s}}})
			delete(r.live, ref)
			r.put(journal.PutRef(n), s, r.rank[old])
		}
	case "delete":
		if ref, ok := r.pick(func(ref journal.Ref, s *resource.State) bool { return plain(ref, s) && !r.needed(s) }); ok {
			t := r.ticket(journal.Begin{Kind: resource.PendingDeleting, Existing: &ref})
			r.success(journal.Success{Ticket: t, Drop: []journal.Ref{ref}})
			delete(r.live, ref)
		}
	case "replace":
		r.replace(false)
	case "dbr":
		r.replace(true)
	case "finish":
		if ref, ok := r.pick(func(_ journal.Ref, s *resource.State) bool { return s.Delete }); ok {
			r.remove(ref)
		}
	case "gone":
		if ref, ok := r.pick(plain); ok {
			r.remove(ref)
		}
	case "fail":
		t := r.ticket(journal.Begin{Kind: resource.PendingCreating, Resource: res("failed")})
		r.records = append(r.records, journal.Failure{Ticket: t})
	case "hang":
		r.names++
		r.ticket(journal.Begin{Kind: resource.PendingCreating, Resource: res(fmt.Sprintf("hung%d", r.names))})
	}
}

func (r *run) replace(deleteFirst bool) {
	ref, ok := r.pick(plain)
	if !ok {
		return
	}
	old := r.live[ref]
	flagged := old.Clone()
	flagged.Delete, flagged.PendingReplacement = !deleteFirst, deleteFirst
	s := r.fresh(old.URN.Name(), r.rank[old])
	n := r.number()
	flags := journal.Flags{Ref: ref, Delete: flagged.Delete, PendingReplacement: flagged.PendingReplacement}
	if deleteFirst {
		r.success(journal.Success{Flag: []journal.Flags{flags}})
		r.success(journal.Success{Drop: []journal.Ref{ref}, Put: []journal.Put{{N: n, State: s}}})
		delete(r.live, ref)
	} else {
		r.success(journal.Success{Flag: []journal.Flags{flags}, Put: []journal.Put{{N: n, State: s}}})
		r.put(ref, flagged, r.rank[old])
	}
	r.put(journal.PutRef(n), s, r.rank[old])
}

// remove takes away a resource that others may refer to, as a refresh does. The model mends the references as it goes.
func (r *run) remove(ref journal.Ref) {
	old := r.live[ref]
	r.success(journal.Success{Drop: []journal.Ref{ref}})
	delete(r.live, ref)
	for _, o := range r.live {
		if o.URN == old.URN {
			return // Its other half still stands for it.
		}
	}
	for other, o := range r.live {
		mended := o.RewriteReferences(func(e resource.Edge) urn.URN {
			switch {
			case e.To != old.URN:
				return e.To
			case e.Kind == resource.EdgeParent:
				return old.Parent
			default:
				return ""
			}
		})
		r.rank[mended] = r.rank[o]
		r.live[other] = mended
	}
}

func newRun(t *rapid.T) (*run, *state.Snapshot) {
	r := &run{t: t, live: map[journal.Ref]*resource.State{}, rank: map[*resource.State]int{}}
	n := rapid.IntRange(0, 6).Draw(t, "base")
	for i := range n {
		r.names++
		r.put(journal.BaseRef(i), r.fresh(fmt.Sprintf("n%d", r.names), i+1), i+1)
	}
	base := &state.Snapshot{}
	for i := range n {
		base.Resources = append(base.Resources, r.live[journal.BaseRef(i)])
	}
	return r, base
}

// TestEveryPrefix: whatever happened up to a crash, what is left is valid; and in the end it is what happened.
func TestEveryPrefix(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r, base := newRun(t)
		if err := base.Verify(); err != nil {
			t.Fatalf("base: %v", err)
		}
		for range rapid.IntRange(0, 25).Draw(t, "steps") {
			r.step()
		}
		for cut := range len(r.records) + 1 {
			got, err := journal.Fold(base, r.records[:cut])
			if err != nil {
				t.Fatal(err)
			}
			if err := got.Verify(); err != nil {
				t.Fatalf("after %d of %d records: %v\n%s", cut, len(r.records), err, show(got))
			}
		}
		got, err := journal.Fold(base, r.records)
		if err != nil {
			t.Fatal(err)
		}
		left := slices.SortedFunc(maps.Values(r.live), func(a, b *resource.State) int {
			return cmp.Or(cmp.Compare(a.URN, b.URN), cmp.Compare(a.ID, b.ID))
		})
		want := state.Snapshot{Resources: state.Sort(left), Pending: got.Pending}
		if diff := gocmp.Diff(show(&want), show(got)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// TestAnyOrderOfParallelSteps: records of operations that do not touch each other may come in any order.
func TestAnyOrderOfParallelSteps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base := snapshot()
		var pairs [][]journal.Record
		for i := range rapid.IntRange(1, 8).Draw(t, "operations") {
			name, n := fmt.Sprintf("r%d", i), int64(2*i+1)
			base.Resources = append(base.Resources, res(name))
			existing := journal.BaseRef(i)
			pair := []journal.Record{journal.Begin{Ticket: n, Kind: resource.PendingUpdating, Existing: &existing}}
			if rapid.Bool().Draw(t, "ends") {
				changed := res(name)
				changed.ID = "changed"
				pair = append(pair, journal.Success{Ticket: n, Drop: []journal.Ref{existing}, Put: []journal.Put{{N: n + 1, State: changed}}})
			}
			pairs = append(pairs, pair)
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		first, err := journal.Fold(base, interleave(rng, pairs))
		if err != nil {
			t.Fatal(err)
		}
		second, err := journal.Fold(base, interleave(rng, pairs))
		if err != nil {
			t.Fatal(err)
		}
		if show(first) != show(second) {
			t.Fatalf("%s\n%s", show(first), show(second))
		}
	})
}

func interleave(rng *rand.Rand, pairs [][]journal.Record) []journal.Record {
	at := make([]int, len(pairs))
	var out []journal.Record
	for {
		var ready []int
		for i, p := range pairs {
			if at[i] < len(p) {
				ready = append(ready, i)
			}
		}
		if len(ready) == 0 {
			return out
		}
		i := ready[rng.IntN(len(ready))]
		out = append(out, pairs[i][at[i]])
		at[i]++
	}
}

// TestCodec: what is decoded folds to the same state as what was encoded, and the lines are small.
func TestCodec(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r, base := newRun(t)
		for range rapid.IntRange(0, 15).Draw(t, "steps") {
			r.step()
		}
		r.records = append(r.records, journal.SecretsProvider{Provider: &state.SecretsProvider{Type: "x"}}, journal.ClearPending{})
		secrets := deploymentjson.NewSecrets(nil, deploymentjson.SecretsOptions{})
		var decoded []journal.Record
		for _, record := range r.records {
			line, err := journal.Encode(t.Context(), record, secrets)
			if err != nil {
				t.Fatal(err)
			}
			back, err := journal.Decode(t.Context(), line, secrets)
			if err != nil {
				t.Fatal(err)
			}
			decoded = append(decoded, back)
		}
		want, err := journal.Fold(base, r.records)
		if err != nil {
			t.Fatal(err)
		}
		got, err := journal.Fold(base, decoded)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(show(want), show(got)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}
