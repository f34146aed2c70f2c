package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// builtin is the provider of the package "pulumi": stack references, and functions that look at the deployment itself.
type builtin struct {
	providerManager // for the calls that do not apply
	d               *deployment
}

// Check accepts a stack reference: its one input is the name of the stack.
func (b *builtin) Check(_ context.Context, r plugin.CheckRequest) (plugin.CheckResponse, error) {
	if r.URN.Type() != urn.StackReferenceType {
		return plugin.CheckResponse{}, fmt.Errorf("the built-in type %q is not supported by this version", r.URN.Type())
	}
	resp := plugin.CheckResponse{Inputs: r.News}
	for k := range r.News.All() {
		if k != "name" {
			resp.Failures = append(resp.Failures, plugin.CheckFailure{Property: k, Reason: fmt.Sprintf("unknown property %q", k)})
		}
	}
	name := r.News.Get("name")
	if _, ok := name.AsString(); !ok && !name.IsUnknown() {
		resp.Failures = append(resp.Failures, plugin.CheckFailure{Property: "name", Reason: "it must name a stack"})
	}
	return resp, nil
}

// Diff replaces a stack reference whose name changes.
func (b *builtin) Diff(_ context.Context, r plugin.DiffRequest) (plugin.DiffResponse, error) {
	if r.OldInputs.Get("name").EqualPlain(r.News.Get("name")) {
		return plugin.DiffResponse{Changes: plugin.ChangesNone}, nil
	}
	return plugin.DiffResponse{
		Changes: plugin.ChangesSome, ReplaceKeys: []string{"name"}, ChangedKeys: []string{"name"},
	}, nil
}

// Create reads the outputs of the stack that is referred to.
func (b *builtin) Create(ctx context.Context, r plugin.CreateRequest) (plugin.CreateResponse, error) {
	outputs, err := b.stackReference(ctx, r.Inputs.Get("name"))
	if err != nil || r.Preview {
		return plugin.CreateResponse{Outputs: outputs}, err
	}
	return plugin.CreateResponse{ID: resource.ID(uuid.NewString()), Outputs: outputs}, nil
}

// Update has nothing to change.
func (b *builtin) Update(_ context.Context, r plugin.UpdateRequest) (plugin.UpdateResponse, error) {
	return plugin.UpdateResponse{Outputs: r.OldOutputs}, nil
}

// Delete has nothing to delete.
func (b *builtin) Delete(context.Context, plugin.DeleteRequest) error { return nil }

// Read reads the outputs of the stack that is referred to, by the id SDKs give: the name.
func (b *builtin) Read(ctx context.Context, r plugin.ReadRequest) (plugin.ReadResponse, error) {
	name := r.State.Get("name")
	if name.IsNull() {
		name = property.String(string(r.ID))
	}
	outputs, err := b.stackReference(ctx, name)
	if err != nil {
		return plugin.ReadResponse{}, err
	}
	inputs := property.MapOf(map[string]property.Value{"name": name})
	return plugin.ReadResponse{ID: r.ID, Inputs: &inputs, Outputs: outputs}, nil
}

func (b *builtin) stackReference(ctx context.Context, name property.Value) (property.Map, error) {
	stack, known := name.AsString()
	if !known {
		return property.MapOf(map[string]property.Value{"name": name, "outputs": property.Unknown()}), nil
	}
	outputs, err := b.stackOutputs(ctx, stack)
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

func (b *builtin) stackOutputs(ctx context.Context, stack string) (property.Map, error) {
	if b.d.deps.Stacks == nil {
		return property.Map{}, fmt.Errorf("stack references need a backend; the stack %q cannot be read", stack)
	}
	outputs, err := b.d.deps.Stacks.Outputs(ctx, stack)
	if err != nil {
		return property.Map{}, fmt.Errorf("read the outputs of stack %q: %w", stack, err)
	}
	return outputs, nil
}

// Invoke serves the functions of the package.
func (b *builtin) Invoke(ctx context.Context, r plugin.InvokeRequest) (plugin.InvokeResponse, error) {
	switch r.Token {
	case "pulumi:pulumi:readStackOutputs":
		name, _ := r.Args.Get("name").AsString()
		outputs, err := b.stackOutputs(ctx, name)
		if err != nil {
			return plugin.InvokeResponse{}, err
		}
		return plugin.InvokeResponse{Return: property.MapOf(map[string]property.Value{
			"name": property.String(name), "outputs": property.FromMap(outputs),
		})}, nil
	case "pulumi:pulumi:getResource":
		text, _ := r.Args.Get("urn").AsString()
		s, err := b.d.lookup(ctx, urn.URN(text))
		if err != nil {
			return plugin.InvokeResponse{}, err
		}
		id := property.String(string(s.ID))
		if s.Custom && s.ID == "" {
			id = property.Unknown()
		}
		return plugin.InvokeResponse{Return: property.MapOf(map[string]property.Value{
			"urn": property.String(text), "id": id, "state": property.FromMap(s.Outputs),
		})}, nil
	default:
		known := []string{"pulumi:pulumi:readStackOutputs", "pulumi:pulumi:getResource"}
		slices.Sort(known)
		return plugin.InvokeResponse{}, fmt.Errorf("unknown built-in function %q; this version has %v", r.Token, known)
	}
}
