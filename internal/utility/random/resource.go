package random

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
)

// Diff compares recorded state with new inputs. Like the published provider it names top-level properties and gives no
// detailed diff.
func (p *provider) Diff(ctx context.Context, req plugin.DiffRequest) (plugin.DiffResponse, error) {
	d, err := p.definition(ctx, req.URN)
	if err != nil {
		return plugin.DiffResponse{}, err
	}
	next, err := d.planChange(req.OldOutputs, req.News, req.IgnoreChanges)
	if err != nil {
		return plugin.DiffResponse{}, err
	}
	out := plugin.DiffResponse{Changes: plugin.ChangesNone, ChangedKeys: next.changed, ReplaceKeys: next.replacing}
	if len(next.changed) > 0 {
		out.Changes = plugin.ChangesSome
	}
	return out, nil
}

// planChange plans from recorded outputs to new inputs.
func (d *definition) planChange(outputs, news property.Map, ignore []string) (plan, error) {
	news, err := ignoreChanges(ignore, outputs, news)
	if err != nil {
		return plan{}, err
	}
	prior, err := d.load(outputs)
	if err != nil {
		return plan{}, err
	}
	config, err := d.config(news)
	if err != nil {
		return plan{}, err
	}
	return d.plan(prior, config)
}

// Create draws the resource, or in a preview says what is known of it.
func (p *provider) Create(ctx context.Context, req plugin.CreateRequest) (plugin.CreateResponse, error) {
	d, err := p.definition(ctx, req.URN)
	if err != nil {
		return plugin.CreateResponse{}, err
	}
	config, err := d.config(req.Inputs)
	if err != nil {
		return plugin.CreateResponse{}, err
	}
	next, err := d.plan(nil, config)
	if err != nil {
		return plugin.CreateResponse{}, err
	}
	if req.Preview {
		return plugin.CreateResponse{Outputs: d.mirror(d.properties(next.attributes), req.Inputs)}, nil
	}
	made, err := d.draw(next.attributes)
	if err != nil {
		return plugin.CreateResponse{}, fmt.Errorf("create %s: %w", d.name, err)
	}
	if d.idEchoes != "" && req.Inputs.Get(d.idEchoes).Secret() {
		p.warn(req.URN, "%s is secret, but it is part of the resource's id, which cannot be secret", d.idEchoes)
	}
	return plugin.CreateResponse{
		ID:      resource.ID(d.id(made)),
		Outputs: d.mirror(d.outputs(made), req.Inputs),
	}, nil
}

// draw completes planned attributes with random ones.
func (d *definition) draw(planned values) (values, error) {
	in := values{}
	for _, a := range d.attributes {
		if a.mode == computed {
			continue
		}
		if !planned[a.name].known() {
			return nil, fmt.Errorf("property %s is not known yet", a.name)
		}
		if planned[a.name].isNull() && a.mode == required {
			return nil, fmt.Errorf("property %s is missing", a.name)
		}
		in[a.name] = planned[a.name]
		if broken := a.limit(planned[a.name]); broken != "" {
			return nil, errors.New(broken)
		}
	}
	if d.check != nil {
		if problems := d.check(in); len(problems) > 0 {
			return nil, errors.New(problems[0].reason)
		}
	}
	made, err := d.create(in)
	if err != nil {
		return nil, err
	}
	return in.with(made), nil
}

// Update records changes that need no new random values.
func (p *provider) Update(ctx context.Context, req plugin.UpdateRequest) (plugin.UpdateResponse, error) {
	d, err := p.definition(ctx, req.URN)
	if err != nil {
		return plugin.UpdateResponse{}, err
	}
	next, err := d.planChange(req.OldOutputs, req.News, req.IgnoreChanges)
	if err != nil {
		return plugin.UpdateResponse{}, err
	}
	if req.Preview {
		return plugin.UpdateResponse{Outputs: d.mirror(d.properties(next.attributes), req.News)}, nil
	}
	for _, a := range d.attributes {
		if !next.attributes[a.name].known() {
			return plugin.UpdateResponse{}, fmt.Errorf("update %s: property %s is not known yet", d.name, a.name)
		}
	}
	return plugin.UpdateResponse{Outputs: d.mirror(d.outputs(next.attributes), req.News)}, nil
}

// Delete has nothing to do: a random value exists in state only.
func (p *provider) Delete(ctx context.Context, req plugin.DeleteRequest) error {
	_, err := p.definition(ctx, req.URN)
	return err
}
