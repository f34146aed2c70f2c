package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

const (
	self  = urn.URN("urn:pulumi:dev::proj::fp:index:Thing::self")
	other = urn.URN("urn:pulumi:dev::proj::fp:index:Thing::other")
	provA = urn.URN("urn:pulumi:dev::proj::pulumi:providers:fp::a")
	provB = urn.URN("urn:pulumi:dev::proj::pulumi:providers:fp::b")
)

func inputs(kv ...string) property.Map {
	m := map[string]property.Value{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = property.String(kv[i+1])
	}
	return property.MapOf(m)
}

// facts is a recorded custom resource that its program registers again with v=2 instead of v=1.
func facts(edits ...func(*plan.Facts)) plan.Facts {
	f := plan.Facts{
		Goal: resource.Goal{URN: self, Type: "fp:index:Thing", Name: "self", Custom: true, Inputs: inputs("v", "2")},
		Old: &resource.State{
			URN: self, Type: "fp:index:Thing", Custom: true, ID: "id-1", Inputs: inputs("v", "1"), Outputs: inputs("v", "1", "out", "x"),
		},
	}
	f.Goal.Provider = urn.ProviderRef{URN: provA, ID: "p1"}
	f.Old.Provider = f.Goal.Provider
	for _, e := range edits {
		e(&f)
	}
	return f
}

// settle answers needs the way a provider would: the given diff, and checks that accept everything.
func settle(f plan.Facts, diff plugin.DiffResponse) (asked []plan.Need, out plan.Outcome) {
	for {
		out = plan.Next(f)
		if out.Need == plan.NeedNothing || out.Notes.HasErrors() {
			return asked, out
		}
		asked = append(asked, out.Need)
		switch out.Need {
		case plan.NeedCheck:
			f.Checked = &plugin.CheckResponse{Inputs: out.News}
		case plan.NeedRecheck:
			f.Rechecked = &plugin.CheckResponse{Inputs: out.News}
		case plan.NeedDiff:
			f.Diffed = &diff
		case plan.NeedConfigDiff:
			f.ConfigDiff = &diff
		case plan.NeedDependents:
			f.DependentsKnown = true
		case plan.NeedNothing:
		}
	}
}

// ops writes steps as words: the operation, with ! for a marked old state and ? for one pending replacement.
func ops(steps []plan.Step) string {
	var words []string
	for _, s := range steps {
		w := string(s.Op)
		if s.MarkOld {
			w += "!"
		}
		if s.PendingReplacement {
			w += "?"
		}
		if s.Skipped {
			w += " (skipped)"
		}
		words = append(words, w)
	}
	return strings.Join(words, ", ")
}

func some(keys ...string) plugin.DiffResponse {
	return plugin.DiffResponse{Changes: plugin.ChangesSome, ChangedKeys: keys}
}

func replace(keys ...string) plugin.DiffResponse {
	return plugin.DiffResponse{Changes: plugin.ChangesSome, ChangedKeys: keys, ReplaceKeys: keys}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	none := plugin.DiffResponse{Changes: plugin.ChangesNone}
	first := replace("v")
	first.DeleteBeforeReplace = true
	yes, no := true, false
	cases := []struct {
		name string
		edit func(*plan.Facts)
		diff plugin.DiffResponse
		want string
		keys []string
	}{
		{"new", func(f *plan.Facts) { f.Old = nil }, none, "create", nil},
		{"new component", func(f *plan.Facts) { f.Old, f.Goal.Custom = nil, false }, none, "create", nil},
		{"unchanged", nil, none, "same", nil},
		{"changed", nil, some("v"), "update", nil},
		{"provider does not know, inputs differ", nil, plugin.DiffResponse{}, "update", nil},
		{"provider does not know, inputs equal", func(f *plan.Facts) { f.Goal.Inputs = f.Old.Inputs }, plugin.DiffResponse{}, "same", nil},
		{"provider does not know, only the mark differs", func(f *plan.Facts) {
			f.Goal.Inputs = property.MapOf(map[string]property.Value{"v": property.String("1").MakeSecret()})
		}, plugin.DiffResponse{}, "same", nil},
		{"replace", nil, replace("v"), "create-replacement!, replace", []string{"v"}},
		{"replace by detailed diff", nil, plugin.DiffResponse{Changes: plugin.ChangesSome, DetailedDiff: map[string]event.PropertyDiff{
			"v": {Kind: event.DiffUpdateReplace},
		}}, "create-replacement!, replace", []string{"v"}},
		{"replace, provider deletes first", nil, first, "delete-replaced?, replace, create-replacement", []string{"v"}},
		{"replace, option deletes first", func(f *plan.Facts) { f.Goal.DeleteBeforeReplace = &yes }, replace("v"),
			"delete-replaced?, replace, create-replacement", []string{"v"}},
		{"replace, option overrules the provider", func(f *plan.Facts) { f.Goal.DeleteBeforeReplace = &no }, first,
			"create-replacement!, replace", []string{"v"}},
		{"already deleted by an earlier run", func(f *plan.Facts) { f.Old.PendingReplacement = true }, none, "replace, create-replacement", nil},
		{"deleted in this run", func(f *plan.Facts) { f.Recreating = true }, none, "replace, create-replacement", nil},
		{"external before", func(f *plan.Facts) { f.Old.External = true }, none, "create-replacement!, replace", nil},
		{"init errors", func(f *plan.Facts) { f.Old.InitErrors = []string{"x"} }, none, "update", nil},
		{"init errors, replaceOnChanges", func(f *plan.Facts) {
			f.Old.InitErrors, f.Goal.ReplaceOnChanges = []string{"x"}, []string{"#initerror"}
		}, none, "create-replacement!, replace", []string{"#initerror"}},
		{"replaceOnChanges", func(f *plan.Facts) { f.Goal.ReplaceOnChanges = []string{"v"} }, some("v"),
			"create-replacement!, replace", []string{"v"}},
		{"replaceOnChanges, wildcard", func(f *plan.Facts) { f.Goal.ReplaceOnChanges = []string{"*"} }, some("v"),
			"create-replacement!, replace", []string{"v"}},
		{"replaceOnChanges elsewhere", func(f *plan.Facts) { f.Goal.ReplaceOnChanges = []string{"w"} }, some("v"), "update", nil},
		{"asked for", func(f *plan.Facts) { f.ReplaceAsked = true }, none, "create-replacement!, replace", []string{"id"}},
		{"tainted", func(f *plan.Facts) { f.Old.Taint = true }, none, "create-replacement!, replace", []string{"id"}},
		{"replaceWith", func(f *plan.Facts) { f.ReplacedWith, f.ReplacedWithKey = other, "replaceWith" }, none,
			"create-replacement!, replace", []string{"replaceWith"}},
		{"trigger changed", func(f *plan.Facts) {
			f.Old.ReplacementTrigger, f.Goal.ReplacementTrigger = property.String("1"), property.String("2")
		}, none, "create-replacement!, replace", []string{"replacementTrigger"}},
		{"trigger set for the first time", func(f *plan.Facts) { f.Goal.ReplacementTrigger = property.String("2") }, none, "same", nil},
		{"trigger only became secret", func(f *plan.Facts) {
			f.Old.ReplacementTrigger, f.Goal.ReplacementTrigger = property.String("1"), property.String("1").MakeSecret()
		}, none, "same", nil},
		{"provider moved, compatible", func(f *plan.Facts) { f.Goal.Provider = urn.ProviderRef{URN: provB, ID: "p2"} }, none, "same", nil},
		{"provider moved, not compatible", func(f *plan.Facts) { f.Goal.Provider = urn.ProviderRef{URN: provB, ID: "p2"} }, replace("region"),
			"create-replacement!, replace", []string{"provider"}},
		{"untargeted", func(f *plan.Facts) { f.LeftOut = true }, replace("v"), "same (skipped)", nil},
		{"untargeted new", func(f *plan.Facts) { f.LeftOut, f.Old = true, nil }, none, "create (skipped)", nil},
		{"component changed", func(f *plan.Facts) { f.Goal.Custom, f.Old.Custom = false, false }, none, "update", nil},
		{"ignored change", func(f *plan.Facts) { f.Goal.IgnoreChanges = []string{"v"} }, plugin.DiffResponse{}, "same", nil},
		{"preview without the provider's answer", func(f *plan.Facts) { f.Preview = true },
			plugin.DiffResponse{Unavailable: "its provider is not configured yet"}, "update", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := facts()
			if c.edit != nil {
				c.edit(&f)
			}
			_, out := settle(f, c.diff)
			if out.Notes.HasErrors() {
				t.Fatalf("told: %v", out.Notes)
			}
			if got := ops(out.Steps); got != c.want {
				t.Errorf("steps %q, want %q", got, c.want)
			}
			if diff := cmp.Diff(c.keys, out.Steps[0].Keys); diff != "" {
				t.Errorf("keys (-want +got):\n%s", diff)
			}
			if strings.Contains(c.want, "replace") && len(c.keys) > 0 && out.Steps[0].Why == "" {
				t.Errorf("a replacement must say why")
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		edit func(*plan.Facts)
		diff plugin.DiffResponse
		want string
	}{
		{"protected", func(f *plan.Facts) { f.Old.Protect, f.Goal.Protect = true, true }, replace("v"), "marked for protection"},
		{"imported", func(f *plan.Facts) { f.Old.ID, f.Goal.ImportID = "id-1", "id-1" }, replace("v"), "may not be replaced"},
		{"unknown trigger", func(f *plan.Facts) { f.Goal.ReplacementTrigger = property.Unknown() }, some(), "is unknown"},
		{"check", func(f *plan.Facts) {
			f.Checked = &plugin.CheckResponse{Failures: []plugin.CheckFailure{{Property: "v", Reason: "too long"}}}
		}, some(), "property v value {2} has a problem: too long"},
		{"protected dependent", func(f *plan.Facts) {
			f.Old.PendingReplacement, f.DependentsKnown = true, true
			f.Dependents = []*resource.State{{URN: other, Options: resource.Options{Protect: true}}}
		}, replace("v"), "as it is currently marked for protection"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, out := settle(facts(c.edit), c.diff)
			if !out.Notes.HasErrors() || !strings.Contains(out.Notes.Error(), c.want) || len(out.Steps) != 0 {
				t.Errorf("told %v, steps %s", out.Notes, ops(out.Steps))
			}
		})
	}
}

func TestProtectionCanBeTakenOffAndReplacedAtOnce(t *testing.T) {
	t.Parallel()
	_, out := settle(facts(func(f *plan.Facts) { f.Old.Protect = true }), replace("v"))
	if got := ops(out.Steps); got != "create-replacement!, replace" {
		t.Errorf("steps %q", got)
	}
}

func TestReplacementChecksAgainWithoutOldInputs(t *testing.T) {
	t.Parallel()
	asked, _ := settle(facts(), replace("v"))
	want := []plan.Need{plan.NeedCheck, plan.NeedDiff, plan.NeedRecheck}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestIgnoreChangesPaths(t *testing.T) {
	t.Parallel()
	list := func(items ...string) property.Value {
		var vs []property.Value
		for _, s := range items {
			vs = append(vs, property.String(s))
		}
		return property.NewList(vs...)
	}
	object := func(v property.Value) property.Map { return property.MapOf(map[string]property.Value{"p": v}) }
	deep := func(x string) property.Value { return property.FromMap(inputs("x", x, "y", "keep"+x)) }
	cases := []struct {
		path      string
		old, news property.Map
		want      property.Map
		told      bool
	}{
		{"p", object(property.String("1")), object(property.String("2")), object(property.String("1")), false},
		{"p", property.Map{}, object(property.String("2")), property.Map{}, false},
		{"p", object(property.String("1")), property.Map{}, object(property.String("1")), false},
		{"p.x", object(deep("1")), object(deep("2")), object(property.FromMap(inputs("x", "1", "y", "keep2"))), false},
		{"p[1]", object(list("a", "b")), object(list("c", "d")), object(list("c", "b")), false},
		{"p[*]", object(list("a", "b")), object(list("c", "d")), object(list("a", "b")), false},
		{"p[*]", object(list("a")), object(list("c", "d")), object(list("a", "d")), true},
		{"*", object(property.String("1")), object(property.String("2")), object(property.String("1")), false},
		{"nosuch.path[3]", object(property.String("1")), object(property.String("2")), object(property.String("2")), false},
		{"not a [ path", object(property.String("1")), object(property.String("2")), object(property.String("2")), false},
	}
	for _, c := range cases {
		goal := resource.Goal{URN: self, Inputs: c.news, Options: resource.Options{IgnoreChanges: []string{c.path}}}
		got, notes := plan.IgnoreChanges(goal, c.old)
		if !got.Equal(c.want) || (len(notes) > 0) != c.told {
			t.Errorf("%s: got %v, told %v", c.path, got, notes)
		}
	}
}

func TestTargetGlobs(t *testing.T) {
	t.Parallel()
	cases := []struct {
		pattern string
		want    bool
	}{
		{string(self), true},
		{"**self", true},
		{"**::fp:*:Thing::self", true},
		{"*self", false}, // one star does not cross a colon
		{"urn:*:dev::**", true},
		{"**::nobody", false},
		{string(self) + "x", false},
	}
	for _, c := range cases {
		if got := plan.NewTargets([]string{c.pattern}).Contains(self); got != c.want {
			t.Errorf("%s: %v", c.pattern, got)
		}
	}
}

func TestDeleteOrderHoldsForSharedURNsAndCycles(t *testing.T) {
	t.Parallel()
	component := urn.URN("urn:pulumi:dev::proj::my:index:Group::c")
	states := []*resource.State{
		{URN: component, Type: "my:index:Group"},
		{URN: self, Type: "fp:index:Thing", Custom: true, Options: resource.Options{Parent: component, Dependencies: []urn.URN{other}}},
		{URN: other, Type: "fp:index:Thing", Custom: true, Options: resource.Options{Dependencies: []urn.URN{component}}},
		{URN: other, Type: "fp:index:Thing", Custom: true, Delete: true},
	}
	// "other" depends on the component, whose child "self" depends on "other": the soft rule must give way.
	before := plan.DeleteOrder(states, []int{0, 1, 2, 3}).Before
	done := map[int]bool{}
	for range before {
		for i, bs := range before {
			ready := true
			for _, b := range bs {
				ready = ready && done[b]
			}
			if ready {
				done[i] = true
			}
		}
	}
	if len(done) != len(before) {
		t.Errorf("only %d of %d can be ordered: %v", len(done), len(before), before)
	}
}
