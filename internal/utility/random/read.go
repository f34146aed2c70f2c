package random

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Read gives recorded state back, in the layout of the current version; without recorded state it imports the id.
func (p *provider) Read(ctx context.Context, req plugin.ReadRequest) (plugin.ReadResponse, error) {
	d, err := p.definition(ctx, req.URN)
	if err != nil {
		return plugin.ReadResponse{}, err
	}
	if req.State.Len() == 0 {
		return d.importState(req.URN, req.ID)
	}
	attributes, err := d.load(req.State)
	if err != nil {
		return plugin.ReadResponse{}, err
	}
	outputs := d.outputs(attributes)
	inputs := mirrorSecrets(refreshedInputs(req.Inputs, outputs), req.Inputs)
	return plugin.ReadResponse{
		ID:      resource.ID(d.id(attributes)),
		Inputs:  &inputs,
		Outputs: mirrorSecrets(outputs, req.State),
	}, nil
}

// importState makes state from an id.
func (d *definition) importState(u urn.URN, id resource.ID) (plugin.ReadResponse, error) {
	if d.importID == nil {
		return plugin.ReadResponse{}, fmt.Errorf("import %s %q: this resource does not support import", d.name, u.Name())
	}
	attributes, err := d.importID(string(id))
	if err != nil {
		return plugin.ReadResponse{}, fmt.Errorf("import %s %q: %w", d.name, u.Name(), err)
	}
	outputs := d.outputs(attributes)
	inputs := d.importedInputs(outputs)
	return plugin.ReadResponse{ID: resource.ID(d.id(attributes)), Inputs: &inputs, Outputs: outputs}, nil
}

// importedInputs gives the inputs a program would need to describe outputs. Optional ones that are false, 0 or empty
// are left out.
func (d *definition) importedInputs(outputs property.Map) property.Map {
	in := map[string]property.Value{}
	for _, a := range d.attributes {
		v, ok := outputs.Lookup(a.name)
		if !ok || a.mode == computed || a.mode != required && isZero(v) {
			continue
		}
		in[a.name] = quotedIfLarge(v)
	}
	return property.MapOf(in)
}

// quotedIfLarge writes a number the way Check wants large ones.
func quotedIfLarge(v property.Value) property.Value {
	if f, ok := v.AsNumber(); ok && math.Abs(f) >= exactLimit {
		return property.String(strconv.FormatFloat(f, 'f', -1, 64))
	}
	return v
}

func isZero(v property.Value) bool {
	return v.EqualPlain(property.Bool(false)) || v.EqualPlain(property.Number(0)) || v.EqualPlain(property.String("")) ||
		v.EqualPlain(property.NewList()) || v.EqualPlain(property.NewMap(nil))
}

// refreshedInputs brings recorded inputs up to date with outputs: values follow the outputs, what the outputs do not
// have goes, and nothing is added.
func refreshedInputs(inputs, outputs property.Map) property.Map {
	out := map[string]property.Value{}
	for name, old := range inputs.All() {
		if now, ok := outputs.Lookup(name); ok && name != metaKey && name != deltaKey {
			out[name] = refreshedInput(old, now)
		}
	}
	return property.MapOf(out).StripSecrets()
}

func refreshedInput(old, now property.Value) property.Value {
	if o, ok := old.AsList(); ok {
		if n, ok := now.AsList(); ok {
			return property.NewList(n.Slice()[:min(o.Len(), n.Len())]...)
		}
	}
	if o, ok := old.AsMap(); ok {
		if n, ok := now.AsMap(); ok {
			return property.FromMap(refreshedInputs(o, n))
		}
	}
	if _, wasText := old.AsString(); wasText {
		return quotedIfLarge(now)
	}
	return now
}
