package engine

import (
	"context"
	"fmt"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
)

// stackReference reads the outputs of another stack.
type stackReference struct{ d *deployment }

func (stackReference) input() string { return "name" }

func (stackReference) check(name property.Value) *plugin.CheckFailure {
	if _, ok := name.AsString(); !ok && !name.IsUnknown() {
		return &plugin.CheckFailure{Property: "name", Reason: "it must name a stack"}
	}
	return nil
}

// diff replaces a reference whose name changes.
func (stackReference) diff(changed bool) plugin.DiffResponse {
	if !changed {
		return plugin.DiffResponse{Changes: plugin.ChangesNone}
	}
	return plugin.DiffResponse{Changes: plugin.ChangesSome, ReplaceKeys: []string{"name"}, ChangedKeys: []string{"name"}}
}

// outputs are read again with each name; what stays the same keeps them.
func (r stackReference) outputs(ctx context.Context, inputs, olds property.Map) (property.Map, error) {
	if olds.Len() > 0 {
		return olds, nil
	}
	return r.of(ctx, inputs.Get("name"))
}

// read takes the id that SDKs give: the name.
func (r stackReference) read(ctx context.Context, q plugin.ReadRequest) (plugin.ReadResponse, error) {
	name := q.State.Get("name")
	if name.IsNull() {
		name = property.String(string(q.ID))
	}
	outputs, err := r.of(ctx, name)
	if err != nil {
		return plugin.ReadResponse{}, err
	}
	inputs := property.MapOf(map[string]property.Value{"name": name})
	return plugin.ReadResponse{ID: q.ID, Inputs: &inputs, Outputs: outputs}, nil
}

func (r stackReference) of(ctx context.Context, name property.Value) (property.Map, error) {
	stack, known := name.AsString()
	if !known {
		return property.MapOf(map[string]property.Value{"name": name, "outputs": property.Unknown()}), nil
	}
	outputs, err := r.stackOutputs(ctx, stack)
	if err != nil {
		return property.Map{}, err
	}
	var secret []property.Value
	for k, v := range outputs.All() {
		if v.ContainsSecret() {
			secret = append(secret, property.String(k))
		}
	}
	return property.MapOf(map[string]property.Value{
		"name": name, "outputs": property.FromMap(outputs), "secretOutputNames": property.NewList(secret...),
	}), nil
}

func (r stackReference) stackOutputs(ctx context.Context, stack string) (property.Map, error) {
	if r.d.deps.Stacks == nil {
		return property.Map{}, fmt.Errorf("stack references need a backend; the stack %q cannot be read", stack)
	}
	outputs, err := r.d.deps.Stacks.Outputs(ctx, stack)
	if err != nil {
		return property.Map{}, fmt.Errorf("read the outputs of stack %q: %w", stack, err)
	}
	return outputs, nil
}
