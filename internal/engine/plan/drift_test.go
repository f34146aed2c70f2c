package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
)

func TestDriftIsTheTurnedAnswer(t *testing.T) {
	t.Parallel()
	recorded := &resource.State{URN: self, Inputs: inputs("v", "1", "gone", "x", "ignored", "1"), Options: resource.Options{
		IgnoreChanges: []string{"ignored"},
	}}
	seen := &resource.State{URN: self, ID: "id", Inputs: inputs("v", "2", "new", "y", "ignored", "2"), Outputs: inputs("out", "1")}
	q := plan.DriftQuestion(seen, recorded)
	if !q.OldInputs.Equal(seen.Inputs) || !q.OldOutputs.Equal(seen.Outputs) || !q.News.Equal(recorded.Inputs) {
		t.Errorf("asked %+v", q)
	}
	cases := map[string]struct {
		answer plugin.DiffResponse
		want   plan.Drift
	}{
		"none": {plugin.DiffResponse{Changes: plugin.ChangesNone}, plan.Drift{}},
		"unknown": {plugin.DiffResponse{}, plan.Drift{
			Changed: true, Diffs: []string{"gone", "new", "v"},
			DetailedDiff: map[string]event.PropertyDiff{
				"gone": {Kind: event.DiffDelete, InputDiff: true}, "new": {Kind: event.DiffAdd, InputDiff: true},
				"v": {Kind: event.DiffUpdate, InputDiff: true},
			},
		}},
		"detailed": {plugin.DiffResponse{
			Changes: plugin.ChangesSome, ChangedKeys: []string{"a"},
			DetailedDiff: map[string]event.PropertyDiff{
				"a": {Kind: event.DiffAddReplace}, "b": {Kind: event.DiffDeleteReplace}, "c": {Kind: event.DiffUpdateReplace},
			},
		}, plan.Drift{
			Changed: true, Diffs: []string{"a"},
			DetailedDiff: map[string]event.PropertyDiff{
				"a": {Kind: event.DiffDeleteReplace}, "b": {Kind: event.DiffAddReplace}, "c": {Kind: event.DiffUpdateReplace},
			},
		}},
	}
	for name, c := range cases {
		if diff := cmp.Diff(c.want, plan.DriftOf(seen, recorded, c.answer)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
