package state_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

func name(i int) urn.URN { return urn.New("s", "p", "", "t:i:T", fmt.Sprintf("n%02d", i)) }

func TestSortIsCanonicalAndValid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		label := rapid.Permutation(ints(n)).Draw(t, "labels")
		var states []*resource.State
		for i := range n {
			s := &resource.State{URN: name(label[i]), Type: "t:i:T", Custom: true, ID: resource.ID(fmt.Sprint(i))}
			for j := range i {
				switch rapid.IntRange(0, 12).Draw(t, "edge") {
				case 0:
					s.Dependencies = append(s.Dependencies, name(label[j]))
				case 1:
					s.Parent = name(label[j])
				case 2:
					s.DeletedWith = name(label[j])
				}
			}
			states = append(states, s)
			if rapid.IntRange(0, 9).Draw(t, "leftover") == 0 {
				old := s.Clone()
				old.Delete, old.ID = true, "old"
				states = append(states, old)
			}
		}
		sorted := state.Sort(states)
		if err := (&state.Snapshot{Resources: sorted}).Verify(); err != nil {
			t.Fatal(err)
		}
		shuffled := rapid.Permutation(states).Draw(t, "shuffled")
		if diff := cmp.Diff(ids(sorted), ids(state.Sort(shuffled))); diff != "" {
			t.Fatalf("order depends on the input (-first +second):\n%s", diff)
		}
	})
}

func ints(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func ids(states []*resource.State) []string {
	var out []string
	for _, s := range states {
		out = append(out, fmt.Sprint(s.URN, s.Delete))
	}
	return out
}

func TestVerifyNamesEveryViolation(t *testing.T) {
	t.Parallel()
	good := func() []*resource.State {
		return []*resource.State{
			{URN: name(0), Type: "t:i:T", Custom: true, ID: "0"},
			{URN: name(1), Type: "t:i:T", Custom: true, ID: "1"},
		}
	}
	cases := map[string]struct {
		edit func(s *state.Snapshot)
		want string
	}{
		"magic":     {func(s *state.Snapshot) { s.Manifest.Version = "v1" }, "magic"},
		"no urn":    {func(s *state.Snapshot) { s.Resources[0].URN = "" }, "has no URN"},
		"no type":   {func(s *state.Snapshot) { s.Resources[0].Type = "" }, "has no type"},
		"component": {func(s *state.Snapshot) { s.Resources[0].Custom = false }, "has an id"},
		"twice":     {func(s *state.Snapshot) { s.Resources[1].URN = name(0) }, "is there twice"},
		"missing":   {func(s *state.Snapshot) { s.Resources[1].Parent = name(7) }, "parent " + string(name(7)) + " is missing"},
		"after":     {func(s *state.Snapshot) { s.Resources[0].Dependencies = []urn.URN{name(1)} }, "comes after it"},
		"provider": {func(s *state.Snapshot) {
			s.Resources[1].Provider = urn.ProviderRef{URN: urn.New("s", "p", "", "pulumi:providers:x", "d"), ID: "1"}
		}, "provider"},
		"view": {func(s *state.Snapshot) { s.Resources[1].ViewOf = name(9) }, "viewOf"},
	}
	for label, c := range cases {
		s := &state.Snapshot{Resources: good()}
		if err := s.Verify(); err != nil {
			t.Fatal(err)
		}
		c.edit(s)
		if err := s.Verify(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", label, err)
		}
	}
}

func TestRewriteReferencesReachesEveryKind(t *testing.T) {
	t.Parallel()
	from, to := name(0), name(1)
	s := &resource.State{URN: name(2), ViewOf: from, Options: resource.Options{
		Parent: from, Provider: urn.ProviderRef{URN: from, ID: "x"}, Dependencies: []urn.URN{from},
		PropertyDependencies: map[string][]urn.URN{"p": {from}}, DeletedWith: from, ReplaceWith: []urn.URN{from},
	}}
	got := s.RewriteReferences(func(e resource.Edge) urn.URN {
		if e.To == from {
			return to
		}
		return e.To
	})
	if len(got.Edges()) != 7 {
		t.Errorf("%d edges", len(got.Edges()))
	}
	for _, e := range got.Edges() {
		if e.To != to {
			t.Errorf("%s still points at %s", e.Kind, e.To)
		}
	}
	for _, e := range s.Edges() {
		if e.To != from {
			t.Errorf("the original was changed: %s", e.Kind)
		}
	}
	if s.RewriteReferences(func(e resource.Edge) urn.URN { return e.To }) != s {
		t.Errorf("no change must give the same state")
	}
}
