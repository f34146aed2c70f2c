package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state/updateplan"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Violation says how a resource is not as planned. Reason is what the Pulumi CLI says.
type Violation struct {
	Reason string
	// Detail explains it, "" if there is nothing more to say.
	Detail string
}

// Asked is what the program asks for of one resource, for comparing it with a plan.
type Asked struct {
	Goal    resource.Goal
	Aliases []updateplan.Alias
	// Older and Newer are the recorded inputs that count, and the checked new ones.
	Older, Newer property.Map
}

// Planned is what a plan keeps of it.
func (a Asked) Planned() *updateplan.Goal {
	return &updateplan.Goal{
		Type: a.Goal.Type, Name: a.Goal.Name, Custom: a.Goal.Custom, Options: a.Goal.Options, Aliases: a.Aliases,
		Inputs: updateplan.DiffOf(a.Older, a.Newer),
	}
}

// Against compares it with the plan's, nil for a resource that is only to be deleted; unknown is the id of providers that
// the plan did not know yet. The answer is nil if nothing is amiss.
func (a Asked) Against(p *updateplan.Goal, unknown string) *Violation {
	if p == nil {
		return &Violation{Reason: "resource unexpectedly not deleted"}
	}
	if reason := a.optionReason(p, unknown); reason != "" {
		return &Violation{Reason: reason}
	}
	if v := propertyError(violations(a.Older, a.Newer, p.Inputs)); v != nil {
		return v
	}
	return a.propertyDependencies(p)
}

// AgainstRecord compares it with what is recorded, for a resource that the plan does not have: it must not change.
// Options that state does not keep have no say.
func (a Asked) AgainstRecord(old *resource.State) *Violation {
	g := &updateplan.Goal{Type: old.Type, Name: old.URN.Name(), Custom: old.Custom, Options: old.Options, Aliases: a.Aliases}
	g.Options.DeleteBeforeReplace, g.Options.IgnoreChanges = a.Goal.DeleteBeforeReplace, a.Goal.IgnoreChanges
	g.Options.ImportID = a.Goal.ImportID
	return a.Against(g, "")
}

// OutputsAgainst compares outputs that a component or the stack registers with those planned.
func OutputsAgainst(older, newer property.Map, planned updateplan.Diff) *Violation {
	return propertyError(violations(older, newer, planned))
}

// optionReason says which option is not as planned, "" for none.
func (a Asked) optionReason(p *updateplan.Goal, unknown string) string {
	g, o := a.Goal, p.Options
	switch {
	case g.Custom != p.Custom:
		return "resource kind changed (expected " + map[bool]string{true: "custom", false: "component"}[p.Custom] + ")"
	case g.Provider != o.Provider && (g.Provider.URN != o.Provider.URN || o.Provider.ID != unknown):
		return fmt.Sprintf("provider changed (expected %v)", o.Provider)
	case g.Parent != o.Parent:
		return fmt.Sprintf("parent changed (expected %v)", o.Parent)
	case g.Protect != o.Protect:
		return fmt.Sprintf("protect changed (expected %v)", o.Protect)
	case flagText(g.DeleteBeforeReplace) != flagText(o.DeleteBeforeReplace):
		return fmt.Sprintf("deleteBeforeReplace changed (expected %v)", flagText(o.DeleteBeforeReplace))
	case g.ImportID != o.ImportID:
		return fmt.Sprintf("importID changed (expected %v)", o.ImportID)
	}
	for _, t := range []struct {
		name       string
		have, want float64
	}{
		{"create", g.Timeouts.Create.Seconds(), o.Timeouts.Create.Seconds()},
		{"update", g.Timeouts.Update.Seconds(), o.Timeouts.Update.Seconds()},
		{"delete", g.Timeouts.Delete.Seconds(), o.Timeouts.Delete.Seconds()},
		{"read", g.Timeouts.Read.Seconds(), o.Timeouts.Read.Seconds()},
	} {
		if t.have != t.want {
			return fmt.Sprintf("%s timeout changed (expected %v)", t.name, t.want)
		}
	}
	for _, s := range []struct {
		name       string
		have, want []string
	}{
		{"ignoreChanges", g.IgnoreChanges, o.IgnoreChanges},
		{"additionalSecretOutputs", g.AdditionalSecretOutputs, o.AdditionalSecretOutputs},
		{"dependencies", texts(g.Dependencies), texts(o.Dependencies)},
		{"aliases", aliasTexts(a.Aliases), aliasTexts(p.Aliases)},
	} {
		if how := setChange(s.want, s.have); how != "" {
			return s.name + " changed: " + how
		}
	}
	return ""
}

// propertyDependencies compares those of properties that both have: what is unknown in a plan may turn out as nothing.
func (a Asked) propertyDependencies(p *updateplan.Goal) *Violation {
	for _, key := range slices.Sorted(maps.Keys(p.Options.PropertyDependencies)) {
		have, ok := a.Goal.PropertyDependencies[key]
		if !ok {
			continue
		}
		if how := setChange(texts(p.Options.PropertyDependencies[key]), texts(have)); how != "" {
			return &Violation{Reason: fmt.Sprintf("dependencies for %v changed: %v", key, how)}
		}
	}
	return nil
}

func flagText(b *bool) string {
	if b == nil {
		return "no value"
	}
	return fmt.Sprint(*b)
}

func texts(list []urn.URN) []string {
	var out []string
	for _, u := range list {
		out = append(out, string(u))
	}
	return out
}

// aliasTexts are texts that differ where aliases do; the Pulumi CLI writes the fields with spaces between.
func aliasTexts(list []updateplan.Alias) []string {
	var out []string
	for _, a := range list {
		out = append(out, fmt.Sprintf("{%s %s %s %s %s %s %v}", a.URN, a.Name, a.Type, a.Project, a.Stack, a.Parent, a.NoParent))
	}
	return out
}

// setChange says what was added to a set and taken out of it, "" for nothing.
func setChange(want, have []string) string {
	var parts []string
	for _, c := range []struct {
		what     string
		in, from []string
	}{{"added", have, want}, {"deleted", want, have}} {
		var list []string
		for _, s := range c.in {
			if !slices.Contains(c.from, s) {
				list = append(list, s)
			}
		}
		slices.Sort(list)
		if list = slices.Compact(list); len(list) > 0 {
			parts = append(parts, c.what+" "+strings.Join(list, ", "))
		}
	}
	return strings.Join(parts, "; ")
}
