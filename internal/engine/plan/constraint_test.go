package plan_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state/updateplan"
	"github.com/cairn-iac/cairn/internal/urn"
)

func opsOf(text string) []resource.Op {
	var out []resource.Op
	for _, s := range strings.Fields(text) {
		out = append(out, resource.Op(s))
	}
	return out
}

// TestConstraintSteps: what may happen where something was planned, and what is missed then.
func TestConstraintSteps(t *testing.T) {
	t.Parallel()
	const cbd, dbr = "create-replacement replace delete-replaced", "delete-replaced replace create-replacement"
	for _, c := range []struct{ planned, taken, why, missing string }{
		{"same", "same", "", ""},
		{"same", "update", "update is not allowed by the plan: this resource is constrained to same", ""},
		{"same", "", "", "missing"},
		{"create", "same", "", ""},
		{"create", "update", "update is not allowed by the plan: this resource is constrained to create", ""},
		{"update", "same", "", ""},
		{"update", "create", "create is not allowed by the plan: this resource is constrained to update", ""},
		{"update", "delete", "delete is not allowed by the plan: this resource is constrained to update", ""},
		{"update", "update update", "update is not allowed by the plan: no more steps were expected for this resource", ""},
		{"delete", "", "", "missing if recorded"},
		{"delete", "same", "same is not allowed by the plan: this resource is constrained to delete", ""},
		{"read", "same", "same is not allowed by the plan: this resource is constrained to read", ""},
		{"import", "import", "", ""},
		{"import same", "import", "", "missing"},
		{cbd, cbd, "", ""},
		{cbd, dbr, "replace is not allowed by the plan: this resource is constrained to create-replacement", ""},
		{cbd, "same", "", ""},
		{cbd, "update", "", ""},
		{cbd, "same delete-replaced", "", ""},
		{cbd, "update create", "create is not allowed by the plan: this resource is constrained to replace", ""},
		{cbd, "create", "create is not allowed by the plan: this resource is constrained to create-replacement", ""},
		{cbd, "create-replacement replace", "", "missing if recorded"},
		{dbr, dbr, "", ""},
		{dbr, "replace create-replacement", "", ""},
		{dbr, "delete-replaced", "", "missing"},
		{"delete-replaced delete", "delete delete-replaced", "", ""},
		{"", "same", "same is not allowed by the plan: no more steps were expected for this resource", ""},
	} {
		held := plan.ConstraintOf(&updateplan.Resource{Steps: opsOf(c.planned)})
		why := ""
		for _, op := range opsOf(c.taken) {
			if why = held.Take(op); why != "" {
				break
			}
		}
		if why != c.why {
			t.Errorf("planned %q, done %q: %q, want %q", c.planned, c.taken, why, c.why)
		}
		if why != "" {
			continue
		}
		missing := map[[2]bool]string{{true, true}: "missing", {true, false}: "missing if recorded"}[[2]bool{held.Missing(true), held.Missing(false)}]
		if missing != c.missing {
			t.Errorf("planned %q, done %q: %q, want %q", c.planned, c.taken, missing, c.missing)
		}
	}
	var none *plan.Constraint
	if why := none.Take(resource.OpSame); why != "" {
		t.Error(why)
	}
	if why := none.Take(resource.OpDelete); why != "delete is not allowed by the plan: no steps were expected for this resource" {
		t.Error(why)
	}
}

// TestConstraintProperties has the table of the Pulumi engine (checkDiff): what was planned of a property, in columns,
// against what it does.
func TestConstraintProperties(t *testing.T) {
	t.Parallel()
	type m = map[string]property.Value
	str, unknown := property.String, property.Unknown()
	one := func(v property.Value) property.Map { return property.MapOf(m{"k": v}) }
	empty := property.Map{}
	adds := func(v property.Value) updateplan.Diff { return updateplan.Diff{Adds: one(v)} }
	updates := func(v property.Value) updateplan.Diff { return updateplan.Diff{Updates: one(v)} }
	deletes, nothing := updateplan.Diff{Deletes: []string{"k"}}, updateplan.Diff{}
	for _, c := range []struct {
		name         string
		older, newer property.Map
		planned      updateplan.Diff
		want         string
	}{
		{"same", one(str("a")), one(str("a")), nothing, ""},
		{"absent", empty, empty, nothing, ""},
		{"null is absent", empty, one(property.Null()), nothing, ""},
		{"internal", empty, property.MapOf(m{"__defaults": str("a")}), nothing, ""},
		{"internal, planned", empty, empty, updateplan.Diff{Adds: property.MapOf(m{"__defaults": str("a")})}, ""},
		{"unplanned add", empty, one(str("a")), nothing, "=+k[{a}]"},
		{"unplanned update", one(str("a")), one(str("b")), nothing, "=~k[{b}]"},
		{"unplanned delete", one(str("a")), empty, nothing, "=-k"},
		{"old unknown goes", one(unknown), empty, nothing, ""},
		{"add", empty, one(str("a")), adds(str("a")), ""},
		{"add another", empty, one(str("b")), adds(str("a")), "++k[{a}!={b}]"},
		{"add of what is there", one(str("a")), one(str("a")), adds(str("a")), ""},
		{"add of what is there, another", one(str("b")), one(str("b")), adds(str("a")), "+=k[{a}!={b}]"},
		{"add becomes update", one(str("b")), one(str("a")), adds(str("a")), ""},
		{"add fails to come", empty, empty, adds(str("a")), "+-k[{a}]"},
		{"add becomes delete", one(str("a")), empty, adds(str("a")), "+-k[{a}]"},
		{"add of unknown comes", empty, one(str("b")), adds(unknown), ""},
		{"add of unknown does not come", empty, empty, adds(unknown), ""},
		{"update", one(str("a")), one(str("b")), updates(str("b")), ""},
		{"update to another", one(str("a")), one(str("c")), updates(str("b")), "~~k[{b}!={c}]"},
		{"update is done already", one(str("b")), one(str("b")), updates(str("b")), ""},
		{"update does not come", one(str("a")), one(str("a")), updates(str("b")), "~=k[{b}!={a}]"},
		{"update becomes add", empty, one(str("b")), updates(str("b")), "~+k[{b}!={b}]"},
		{"update becomes delete", one(str("a")), empty, updates(str("b")), "~-k[{b}]"},
		{"update to unknown becomes delete", one(str("a")), empty, updates(unknown), ""},
		{"delete", one(str("a")), empty, deletes, ""},
		{"delete is done already", empty, empty, deletes, ""},
		{"delete does not come", one(str("a")), one(str("a")), deletes, "-=k[{a}]"},
		{"delete becomes update", one(str("a")), one(str("b")), deletes, "-~k[{b}]"},
		{"delete becomes add", empty, one(str("b")), deletes, "-+k[{b}]"},
		{"secret", empty, one(str("a").MakeSecret()), adds(str("a").MakeSecret()), ""},
		{"another secret", empty, one(str("b").MakeSecret()), adds(str("a").MakeSecret()), "++k[{[secret]}!={[secret]}]"},
		{"no secret any more", empty, one(str("a")), adds(str("a").MakeSecret()), "++k[{[secret]}!={[secret]}]"},
		{"within a list", one(property.NewList(str("a"), unknown)), one(property.NewList(str("b"), str("x"))),
			updates(property.NewList(str("b"), unknown)), ""},
		{"within a map", empty, one(property.NewMap(m{"a": property.Number(1), "b": property.Bool(true)})),
			adds(property.NewMap(m{"a": property.Number(2), "b": unknown})), "++k[{map[a:{2} b:output<unknown>{}]}!={map[a:{1} b:{true}]}]"},
	} {
		v := plan.OutputsAgainst(c.older, c.newer, c.planned)
		got := ""
		if v != nil {
			got = strings.TrimPrefix(v.Reason, "properties changed: ")
			if !strings.HasPrefix(v.Detail, "  k: ") {
				t.Errorf("%s: detail %q", c.name, v.Detail)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if c.newer.ContainsUnknown() {
			continue
		}
		if v := plan.OutputsAgainst(c.older, c.newer, updateplan.DiffOf(c.older, c.newer)); v != nil {
			t.Errorf("%s: its own diff is violated: %s", c.name, v.Reason)
		}
	}
}

func TestConstraintOptions(t *testing.T) {
	t.Parallel()
	const p, q = urn.URN("urn:pulumi:dev::proj::fp:index:Thing::p"), urn.URN("urn:pulumi:dev::proj::fp:index:Thing::q")
	asked := func(edit func(*plan.Asked)) plan.Asked {
		a := plan.Asked{Goal: resource.Goal{
			URN: self, Type: "fp:index:Thing", Name: "self", Custom: true,
			Options: resource.Options{
				Provider: urn.ProviderRef{URN: provA, ID: "1"}, Parent: p, Dependencies: []urn.URN{p, q},
				PropertyDependencies: map[string][]urn.URN{"v": {p}}, IgnoreChanges: []string{"a"},
				AdditionalSecretOutputs: []string{"x"},
			},
		}, Aliases: []updateplan.Alias{{Name: "former"}}}
		if edit != nil {
			edit(&a)
		}
		return a
	}
	for want, edit := range map[string]func(*plan.Asked){
		"resource kind changed (expected custom)":                                func(a *plan.Asked) { a.Goal.Custom = false },
		"provider changed (expected " + string(provA) + "::1)":                   func(a *plan.Asked) { a.Goal.Provider.ID = "2" },
		"parent changed (expected " + string(p) + ")":                            func(a *plan.Asked) { a.Goal.Parent = q },
		"protect changed (expected false)":                                       func(a *plan.Asked) { a.Goal.Protect = true },
		"deleteBeforeReplace changed (expected no value)":                        func(a *plan.Asked) { a.Goal.DeleteBeforeReplace = new(false) },
		"importID changed (expected )":                                           func(a *plan.Asked) { a.Goal.ImportID = "i" },
		"update timeout changed (expected 0)":                                    func(a *plan.Asked) { a.Goal.Timeouts.Update = time.Second },
		"ignoreChanges changed: added b; deleted a":                              func(a *plan.Asked) { a.Goal.IgnoreChanges = []string{"b"} },
		"additionalSecretOutputs changed: deleted x":                             func(a *plan.Asked) { a.Goal.AdditionalSecretOutputs = nil },
		"dependencies changed: deleted " + string(q):                             func(a *plan.Asked) { a.Goal.Dependencies = []urn.URN{p} },
		"dependencies for v changed: added " + string(q):                         func(a *plan.Asked) { a.Goal.PropertyDependencies = map[string][]urn.URN{"v": {q, p}} },
		"aliases changed: added { other     false}; deleted { former     false}": func(a *plan.Asked) { a.Aliases = []updateplan.Alias{{Name: "other"}} },
		"": func(a *plan.Asked) { a.Goal.PropertyDependencies = nil },
	} {
		planned := asked(nil).Planned()
		got := ""
		if v := asked(edit).Against(planned, "unknown"); v != nil {
			got = v.Reason
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	planned := asked(nil).Planned()
	planned.Options.Provider.ID = "unknown"
	if v := asked(nil).Against(planned, "unknown"); v != nil {
		t.Errorf("a provider that the plan did not know yet: %s", v.Reason)
	}
	if v := asked(nil).Against(nil, ""); v == nil || v.Reason != "resource unexpectedly not deleted" {
		t.Errorf("a resource that was to be deleted: %v", v)
	}
	a := asked(func(a *plan.Asked) { a.Goal.DeleteBeforeReplace = new(true) })
	old := &resource.State{URN: self, Type: a.Goal.Type, Custom: true, Options: a.Goal.Options}
	old.IgnoreChanges = nil
	if v := a.AgainstRecord(old); v != nil {
		t.Errorf("a resource that is as recorded: %s", v.Reason)
	}
	a.Newer = property.MapOf(map[string]property.Value{"v": property.String("new")})
	if v := a.AgainstRecord(old); v == nil || v.Reason != "properties changed: =+v[{new}]" {
		t.Errorf("a resource that is not: %v", v)
	}
}
