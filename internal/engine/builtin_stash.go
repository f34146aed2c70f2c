package engine

import (
	"context"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
)

// stash keeps the first value that it was given, until it is replaced.
type stash struct{}

func (stash) input() string { return "input" }

func (stash) check(property.Value) *plugin.CheckFailure { return nil }

// diff updates: the output "input" follows the program.
func (stash) diff(changed bool) plugin.DiffResponse {
	if !changed {
		return plugin.DiffResponse{Changes: plugin.ChangesNone}
	}
	return plugin.DiffResponse{Changes: plugin.ChangesSome, ChangedKeys: []string{"input"}}
}

func (stash) outputs(_ context.Context, inputs, olds property.Map) (property.Map, error) {
	input := inputs.Get("input")
	if olds.Len() > 0 {
		return stashed(input, olds.Get("output")), nil
	}
	return stashed(input, input), nil
}

// read finds what is recorded: there is nothing outside the state. What is imported holds null.
func (stash) read(_ context.Context, r plugin.ReadRequest) (plugin.ReadResponse, error) {
	inputs, outputs := r.Inputs, r.State
	if inputs.Len() == 0 {
		inputs = property.MapOf(map[string]property.Value{"input": property.Null()})
		outputs = stashed(property.Null(), property.Null())
	}
	return plugin.ReadResponse{ID: r.ID, Inputs: &inputs, Outputs: outputs}, nil
}

func stashed(input, output property.Value) property.Map {
	return property.MapOf(map[string]property.Value{"input": input, "output": output})
}
