package journal_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/state/journal"
	"github.com/cairn-iac/cairn/internal/urn"
)

func u(name string) urn.URN { return urn.New("dev", "p", "", "t:i:T", name) }

func res(name string, deps ...string) *resource.State {
	s := &resource.State{URN: u(name), Type: "t:i:T", Custom: true, ID: resource.ID("id-" + name)}
	for _, d := range deps {
		s.Dependencies = append(s.Dependencies, u(d))
	}
	return s
}

func snapshot(rs ...*resource.State) *state.Snapshot { return &state.Snapshot{Resources: rs} }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// show writes a snapshot in short: name, id, flags and dependencies of each resource, then what is pending.
func show(s *state.Snapshot) string {
	var out []string
	for _, r := range s.Resources {
		text := r.URN.Name() + "=" + string(r.ID)
		for flag, is := range map[string]bool{"!": r.Delete, "?": r.PendingReplacement} {
			if is {
				text += flag
			}
		}
		for _, d := range r.Dependencies {
			text += ">" + d.Name()
		}
		if r.Parent != "" {
			text += "^" + r.Parent.Name()
		}
		out = append(out, text)
	}
	for _, p := range s.Pending {
		out = append(out, string(p.Kind)+":"+p.Resource.URN.Name())
	}
	return strings.Join(out, " ")
}

func ref(r journal.Ref) *journal.Ref { return &r }

func TestFold(t *testing.T) {
	t.Parallel()
	b, p := journal.BaseRef, journal.PutRef
	put := func(n int64, s *resource.State) []journal.Put { return []journal.Put{{N: n, State: s}} }
	child := func(name, parent string) *resource.State {
		s := res(name)
		s.Parent = u(parent)
		return s
	}
	withPending := snapshot(res("a"))
	withPending.Pending = []state.PendingOperation{
		{Kind: resource.PendingCreating, Resource: res("x")},
		{Kind: resource.PendingUpdating, Resource: res("a")},
		{Kind: resource.PendingCreating, Resource: res("y")},
		{Kind: resource.PendingCreating, Resource: res("x")},
	}
	cases := map[string]struct {
		base    *state.Snapshot
		records []journal.Record
		want    string
	}{
		"nothing":      {base: snapshot(res("b"), res("a")), want: "a=id-a b=id-b"},
		"new stack":    {records: []journal.Record{journal.Success{Put: put(1, res("a"))}}, want: "a=id-a"},
		"begun":        {base: snapshot(), records: []journal.Record{journal.Begin{Ticket: 1, Kind: resource.PendingCreating, Resource: res("a")}}, want: "creating:a"},
		"failed":       {records: []journal.Record{journal.Begin{Ticket: 1, Kind: resource.PendingCreating, Resource: res("a")}, journal.Failure{Ticket: 1}}, want: ""},
		"created":      {records: []journal.Record{journal.Begin{Ticket: 1, Kind: resource.PendingCreating, Resource: res("a")}, journal.Success{Ticket: 1, Put: put(2, res("a"))}}, want: "a=id-a"},
		"updating":     {base: snapshot(res("a")), records: []journal.Record{journal.Begin{Ticket: 1, Kind: resource.PendingUpdating, Existing: ref(b(0))}}, want: "a=id-a updating:a"},
		"updated":      {base: snapshot(res("a"), res("b")), records: []journal.Record{journal.Begin{Ticket: 1, Kind: resource.PendingUpdating, Existing: ref(b(0))}, journal.Success{Ticket: 1, Drop: []journal.Ref{b(0)}, Put: put(2, res("a", "b"))}}, want: "b=id-b a=id-a>b"},
		"put, dropped": {records: []journal.Record{journal.Success{Put: put(1, res("a"))}, journal.Success{Drop: []journal.Ref{p(1)}}}, want: ""},
		"replaced": {base: snapshot(res("a"), res("b", "a")), records: []journal.Record{
			journal.Success{Flag: []journal.Flags{{Ref: b(0), Delete: true}}, Put: put(1, func() *resource.State { s := res("a"); s.ID = "new"; return s }())},
		}, want: "a=new a=id-a! b=id-b>a"},
		"delete before replace": {base: snapshot(res("a"), res("b", "a")), records: []journal.Record{
			journal.Success{Flag: []journal.Flags{{Ref: b(0), PendingReplacement: true}}},
		}, want: "a=id-a? b=id-b>a"},
		"flag set and unset": {base: snapshot(res("a")), records: []journal.Record{
			journal.Success{Flag: []journal.Flags{{Ref: b(0), Delete: true}}}, journal.Success{Flag: []journal.Flags{{Ref: b(0)}}},
		}, want: "a=id-a"},
		"gone": {base: snapshot(res("a"), child("b", "a"), child("c", "b"), res("d", "a", "c", "b")), records: []journal.Record{
			journal.Success{Drop: []journal.Ref{b(1)}},
		}, want: "a=id-a c=id-c^a d=id-d>a>c"},
		"all ancestors gone": {base: snapshot(res("a"), child("b", "a"), child("c", "b")), records: []journal.Record{
			journal.Success{Drop: []journal.Ref{b(1), b(0)}},
		}, want: "c=id-c"},
		"old pending operations": {base: withPending, want: "a=id-a creating:x updating:a creating:y"},
		"old and new pending": {base: withPending, records: []journal.Record{
			journal.Begin{Ticket: 2, Kind: resource.PendingCreating, Resource: res("y")},
			journal.Begin{Ticket: 1, Kind: resource.PendingDeleting, Existing: ref(b(0))},
		}, want: "a=id-a deleting:a creating:y creating:x updating:a"},
		"cleared": {base: withPending, records: []journal.Record{journal.ClearPending{Base: []int{0, 3}}}, want: "a=id-a updating:a creating:y"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := journal.Fold(c.base, c.records)
			must(t, err)
			if diff := cmp.Diff(c.want, show(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			must(t, got.Verify())
		})
	}
}

func TestFoldKeepsTheRest(t *testing.T) {
	t.Parallel()
	base := &state.Snapshot{
		Manifest: state.Manifest{Version: "v", Magic: "m"}, Metadata: []byte(`{"a":1}`),
		SecretsProvider: &state.SecretsProvider{Type: "old"},
	}
	got, err := journal.Fold(base, []journal.Record{journal.SecretsProvider{Provider: &state.SecretsProvider{Type: "new"}}})
	must(t, err)
	if got.SecretsProvider.Type != "new" || base.SecretsProvider.Type != "old" {
		t.Errorf("secrets provider %v, base %v", got.SecretsProvider, base.SecretsProvider)
	}
	if string(got.Metadata) != `{"a":1}` || got.Manifest.Version != "v" {
		t.Errorf("got %+v", got)
	}
}

// TestCorrupt: a record that does not fit is an error that names it.
func TestCorrupt(t *testing.T) {
	t.Parallel()
	base := snapshot(res("a"))
	begin := journal.Begin{Ticket: 1, Kind: resource.PendingCreating, Resource: res("b")}
	put := journal.Success{Put: []journal.Put{{N: 1, State: res("b")}}}
	cases := map[string][]journal.Record{
		"no such base resource": {journal.Success{Drop: []journal.Ref{journal.BaseRef(1)}}},
		"no such put":           {journal.Success{Drop: []journal.Ref{journal.PutRef(1)}}},
		"dropped twice":         {journal.Success{Drop: []journal.Ref{journal.BaseRef(0), journal.BaseRef(0)}}},
		"flag of none":          {journal.Success{Flag: []journal.Flags{{Ref: journal.BaseRef(7)}}}},
		"put twice":             {put, put},
		"put again":             {put, journal.Success{Drop: []journal.Ref{journal.PutRef(1)}}, put},
		"put nothing":           {journal.Success{Put: []journal.Put{{N: 1}}}},
		"begun twice":           {begin, begin},
		"begun again":           {begin, journal.Failure{Ticket: 1}, begin},
		"no ticket":             {journal.Begin{Kind: resource.PendingCreating, Resource: res("b")}},
		"begun on nothing":      {journal.Begin{Ticket: 1, Existing: ref(journal.BaseRef(9))}},
		"begun without":         {journal.Begin{Ticket: 1}},
		"ended, not begun":      {journal.Failure{Ticket: 1}},
		"ended twice":           {begin, journal.Success{Ticket: 1}, journal.Success{Ticket: 1}},
		"cleared none":          {journal.ClearPending{Base: []int{0}}},
	}
	for name, records := range cases {
		_, err := journal.Fold(base, records)
		var corrupt *journal.CorruptError
		if !errors.As(err, &corrupt) || corrupt.Record != len(records) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRef(t *testing.T) {
	t.Parallel()
	for _, r := range []journal.Ref{journal.BaseRef(0), journal.BaseRef(12), journal.PutRef(7)} {
		var got journal.Ref
		must(t, got.UnmarshalText([]byte(r.String())))
		if got != r {
			t.Errorf("%s reads as %s", r, got)
		}
	}
	for _, bad := range []string{"", "b", "x1", "b-1", "1", "bb"} {
		var got journal.Ref
		if got.UnmarshalText([]byte(bad)) == nil {
			t.Errorf("%q reads as %s", bad, got)
		}
	}
	if !slices.Equal([]byte("b3"), []byte(journal.BaseRef(3).String())) {
		t.Error("the form of a reference changed: journals on disk could not be read")
	}
}
