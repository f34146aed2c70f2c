package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// builtinPackage is the package that every engine serves itself.
const builtinPackage = "pulumi"

// stashType is the built-in resource that keeps a value.
const stashType urn.Type = "pulumi:index:Stash"

// builtin is the provider of the package "pulumi": stack references, stashes, and functions that look at the deployment
// itself.
type builtin struct {
	providerManager // for the calls that do not apply
	d               *deployment
	kinds           map[urn.Type]builtinKind
}

// builtinKind is one of its resource types. There is nothing to delete of any.
type builtinKind interface {
	// input is the one property that a program gives.
	input() string
	check(property.Value) *plugin.CheckFailure
	diff(changed bool) plugin.DiffResponse
	// outputs are those of new inputs; olds are empty for a new resource.
	outputs(ctx context.Context, inputs, olds property.Map) (property.Map, error)
	read(context.Context, plugin.ReadRequest) (plugin.ReadResponse, error)
}

func newBuiltin(d *deployment) *builtin {
	return &builtin{d: d, kinds: map[urn.Type]builtinKind{urn.StackReferenceType: stackReference{d}, stashType: stash{}}}
}

func (b *builtin) kind(u urn.URN) (builtinKind, error) {
	k := b.kinds[u.Type()]
	if k == nil {
		return nil, fmt.Errorf("there is no built-in type %q; there are %v", u.Type(), slices.Sorted(maps.Keys(b.kinds)))
	}
	return k, nil
}

// CheckConfig accepts everything: there is nothing to configure.
func (b *builtin) CheckConfig(_ context.Context, r plugin.CheckRequest) (plugin.CheckResponse, error) {
	return plugin.CheckResponse{Inputs: r.News}, nil
}

// DiffConfig finds no difference.
func (b *builtin) DiffConfig(context.Context, plugin.DiffRequest) (plugin.DiffResponse, error) {
	return plugin.DiffResponse{Changes: plugin.ChangesNone}, nil
}

// Configure has nothing to do.
func (b *builtin) Configure(context.Context, plugin.ConfigureRequest) error { return nil }

// Check accepts the one input of each type.
func (b *builtin) Check(_ context.Context, r plugin.CheckRequest) (plugin.CheckResponse, error) {
	k, err := b.kind(r.URN)
	if err != nil {
		return plugin.CheckResponse{}, err
	}
	resp := plugin.CheckResponse{Inputs: r.News}
	for key := range r.News.All() {
		if key != k.input() {
			resp.Failures = append(resp.Failures, plugin.CheckFailure{Property: key, Reason: fmt.Sprintf("unknown property %q", key)})
		}
	}
	if !r.News.Has(k.input()) {
		resp.Failures = append(resp.Failures, plugin.CheckFailure{
			Property: k.input(), Reason: fmt.Sprintf("missing required property %q", k.input()),
		})
	} else if f := k.check(r.News.Get(k.input())); f != nil {
		resp.Failures = append(resp.Failures, *f)
	}
	return resp, nil
}

// Diff compares the input.
func (b *builtin) Diff(_ context.Context, r plugin.DiffRequest) (plugin.DiffResponse, error) {
	k, err := b.kind(r.URN)
	if err != nil {
		return plugin.DiffResponse{}, err
	}
	return k.diff(!r.OldInputs.Get(k.input()).EqualPlain(r.News.Get(k.input()))), nil
}

// Create gives the resource a random id.
func (b *builtin) Create(ctx context.Context, r plugin.CreateRequest) (plugin.CreateResponse, error) {
	k, err := b.kind(r.URN)
	if err != nil {
		return plugin.CreateResponse{}, err
	}
	outputs, err := k.outputs(ctx, r.Inputs, property.Map{})
	if err != nil || r.Preview {
		return plugin.CreateResponse{Outputs: outputs}, err
	}
	return plugin.CreateResponse{ID: resource.ID(uuid.NewString()), Outputs: outputs}, nil
}

// Update has nothing to change outside the state.
func (b *builtin) Update(ctx context.Context, r plugin.UpdateRequest) (plugin.UpdateResponse, error) {
	k, err := b.kind(r.URN)
	if err != nil {
		return plugin.UpdateResponse{}, err
	}
	outputs, err := k.outputs(ctx, r.News, r.OldOutputs)
	return plugin.UpdateResponse{Outputs: outputs}, err
}

// Delete has nothing to delete.
func (b *builtin) Delete(context.Context, plugin.DeleteRequest) error { return nil }

// Read finds what there is to find.
func (b *builtin) Read(ctx context.Context, r plugin.ReadRequest) (plugin.ReadResponse, error) {
	k, err := b.kind(r.URN)
	if err != nil {
		return plugin.ReadResponse{}, err
	}
	return k.read(ctx, r)
}

// Invoke serves the functions of the package.
func (b *builtin) Invoke(ctx context.Context, r plugin.InvokeRequest) (plugin.InvokeResponse, error) {
	switch r.Token {
	case "pulumi:pulumi:readStackOutputs":
		name, _ := r.Args.Get("name").AsString()
		outputs, err := stackReference{b.d}.stackOutputs(ctx, name)
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
