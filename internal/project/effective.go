package project

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/config"
	"github.com/cairn-iac/cairn/internal/diag"
)

// EffectiveConfig is the configuration of a stack with the project's values and defaults under it, and with the declared
// types on top: what is declared as a string is the text of the file even without quotes, what is declared as an integer has
// no decimal point. A default that is declared secret is marked as a secret. Nothing is checked; see [Project.CheckConfig].
func (p *Project) EffectiveConfig(stack config.Map) (config.Map, error) {
	out := maps.Clone(stack)
	if out == nil {
		out = config.Map{}
	}
	for _, e := range p.Config {
		v, there := out.Get(e.Address)
		switch {
		case !there && e.Value != nil:
			v = *e.Value
		case !there && e.Default != nil:
			v = *e.Default
		case !there:
			continue
		}
		if !there && e.Secret && e.Type == nil {
			v = v.AsSecret()
		}
		if e.Type != nil {
			v = e.Type.view(v)
		}
		if err := out.Set(e.Address, v); err != nil {
			return nil, diag.Diagnostics{{
				Severity: diag.Error, Summary: fmt.Sprintf("the configuration key '%s' does not fit the stack's values: %v", e.Name, err),
				Subject: diag.Subject{Position: e.Position},
			}}
		}
	}
	return out, nil
}

// view is the value as the type has it, when only the spelling differs.
func (t *Type) view(v config.Value) config.Value {
	if v.Secure() {
		return v
	}
	switch {
	case t.Name == StringType && (v.Kind() == config.Bool || v.Kind() == config.Int || v.Kind() == config.Float):
		return config.NewString(v.SourceText()).WithPosition(v.Position())
	case t.Name == IntegerType && v.Kind() == config.Float:
		if whole, ok := v.Whole(); ok {
			return whole
		}
	}
	return v
}

// CheckConfig checks an effective configuration against what the project declares: that nothing is missing, that types match,
// that what is declared secret is. Values that are still encrypted are not looked into; reveal the map first to check them
// too. The error is [diag.Diagnostics] with everything that is wrong.
func (p *Project) CheckConfig(stack string, effective config.Map) error {
	var problems diag.Diagnostics
	if d, ok := p.missing(stack, effective); ok {
		problems = append(problems, d)
	}
	for _, e := range slices.SortedFunc(slices.Values(p.Config), func(a, b ConfigEntry) int { return strings.Compare(a.Name, b.Name) }) {
		v, there := effective.Get(e.Address)
		if !there || e.Type == nil {
			continue
		}
		at := v.Position()
		if at.IsZero() {
			at = e.Position
		}
		complain := func(detail, format string, args ...any) {
			problems = append(problems, diag.Diagnostic{
				Severity: diag.Error, Summary: fmt.Sprintf("Stack '%s' with configuration key '%s' ", stack, e.Name) + fmt.Sprintf(format, args...),
				Detail: detail, Subject: diag.Subject{Position: at},
			})
		}
		switch {
		case e.Secret && !v.Secure():
			complain("Set it again with `pulumi config set --secret "+e.Name+"`.", "must be encrypted as it's secret")
		case !e.Type.matches(v, topLevel):
			complain("", "must be of type '%s'", e.Type)
		default:
			if number, inexact := e.Type.inexact(v); inexact {
				complain("Declare it as `type: string` and quote it: a text keeps all its digits.",
					"is %s, which no 64-bit floating-point number holds: programs would see another number", number)
			}
		}
	}
	return problems.Err()
}

func (p *Project) missing(stack string, effective config.Map) (diag.Diagnostic, bool) {
	var names []string
	var commands []string
	var at diag.Position
	for _, e := range p.Config {
		if _, there := effective.Get(e.Address); there || !e.Own || e.Value != nil || e.Default != nil {
			continue
		}
		if at.IsZero() {
			at = e.Position
		}
		names = append(names, "'"+e.Name+"'")
		command := "pulumi config set " + e.Name + " <value>"
		if e.Secret {
			command = "pulumi config set --secret " + e.Name
		}
		commands = append(commands, "`"+command+"`")
	}
	if len(names) == 0 {
		return diag.Diagnostic{}, false
	}
	slices.Sort(names)
	slices.Sort(commands)
	list := names[0]
	values := "value"
	if len(names) > 1 {
		values = "values"
		list = strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	}
	return diag.Diagnostic{
		Severity: diag.Error, Summary: fmt.Sprintf("Stack '%s' is missing configuration %s %s", stack, values, list),
		Detail: "Set with " + strings.Join(commands, ", ") + ".", Subject: diag.Subject{Position: at},
	}, true
}
