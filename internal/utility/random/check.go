package random

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/schema"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Check validates inputs. It adds no defaults: the published provider records them in the outputs only.
func (p *provider) Check(ctx context.Context, req plugin.CheckRequest) (plugin.CheckResponse, error) {
	d, err := p.definition(ctx, req.URN)
	if err != nil {
		return plugin.CheckResponse{}, err
	}
	inputs := mirrorSecrets(req.News.StripDependencies().StripSecrets(), req.News)
	out := plugin.CheckResponse{Inputs: inputs}
	for _, problem := range d.validate(inputs) {
		out.Failures = append(out.Failures, failure(req.URN, problem))
	}
	for _, a := range d.attributes {
		if a.deprecated != "" && !inputs.Get(a.name).IsNull() {
			p.warn(req.URN, "%s is deprecated. %s", a.name, a.deprecated)
		}
	}
	return out, nil
}

// read turns inputs into attributes. Names that no input has are left out, as they are when a provider of another
// version checked them; what cannot be read is a problem each.
func (d *definition) read(r reader, inputs property.Map) (values, []problem) {
	out := values{}
	var problems []problem
	for _, a := range d.attributes {
		if a.mode == computed {
			continue
		}
		v, err := r.read(a.kind, inputs.Get(a.name))
		if err != nil {
			problems = append(problems, problem{a.name, fmt.Sprintf("%s: %v", a.name, err)})
			continue
		}
		if a.emptyIsNull && v.equal(value{""}) {
			v = value{}
		}
		out[a.name] = v
	}
	return out, problems
}

// validate checks inputs, of which some may be unknown.
func (d *definition) validate(inputs property.Map) []problem {
	problems := d.unexpected(inputs)
	in, unreadable := d.read(programReader(), inputs)
	problems = append(problems, unreadable...)
	for _, a := range d.attributes {
		v, readable := in[a.name]
		switch {
		case !readable:
		case v.isNull() && a.mode == required:
			problems = append(problems, problem{"", fmt.Sprintf("Missing required property '%s': %s", a.name, a.doc)})
		case a.limit(v) != "":
			problems = append(problems, problem{a.name, a.limit(v) + shown(v, inputs.Get(a.name))})
		}
	}
	if d.check != nil && len(problems) == 0 {
		problems = d.check(in)
	}
	return problems
}

// unexpected finds properties that cannot be set. Names that start with __ are the engine's and the bridge's own.
func (d *definition) unexpected(inputs property.Map) []problem {
	var out []problem
	for _, name := range inputs.Keys() {
		a, exists := d.attribute(name)
		switch {
		case strings.HasPrefix(name, "__"):
		case !exists:
			reason := fmt.Sprintf("Invalid or unknown key: %s has no property %q", d.name, name)
			if near := schema.Suggest(name, d.inputs()); len(near) > 0 {
				reason += fmt.Sprintf("; did you mean %q?", near[0])
			}
			out = append(out, problem{name, reason})
		case a.mode == computed:
			out = append(out, problem{name, fmt.Sprintf("%s is set by the provider: remove it", name)})
		}
	}
	return out
}

// limit says which limit v breaks, "" for none.
func (a attribute) limit(v value) string {
	n, isNumber := v.v.(int64)
	switch {
	case !isNumber || a.limits == nil:
		return ""
	case n < a.limits.min:
		return fmt.Sprintf("%s must be at least %d", a.name, a.limits.min)
	case n > a.limits.max:
		return fmt.Sprintf("%s must be at most %d", a.name, a.limits.max)
	default:
		return ""
	}
}

// shown tells a value in a message, unless it is secret.
func shown(v value, given property.Value) string {
	if given.Secret() {
		return ""
	}
	return fmt.Sprintf(", got %v", v.v)
}

// failure words a problem the way bridged providers do: the place is part of the reason, not a field of its own.
func failure(u urn.URN, p problem) plugin.CheckFailure {
	reason := p.reason
	if p.property != "" {
		if !strings.HasSuffix(reason, "?") {
			reason += "."
		}
		reason += fmt.Sprintf(" Examine values at '%s.%s'.", u.Name(), p.property)
	}
	return plugin.CheckFailure{Reason: reason}
}

// config reads inputs that were checked before.
func (d *definition) config(inputs property.Map) (values, error) {
	config, problems := d.read(stateReader(), inputs)
	errs := make([]error, 0, len(problems))
	for _, problem := range problems {
		errs = append(errs, errors.New(problem.reason))
	}
	return config, errors.Join(errs...)
}
