package eval

import (
	"context"
	"fmt"
	"maps"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/schema"
	"github.com/cairn-iac/cairn/internal/urn"
	"github.com/cairn-iac/cairn/internal/wire"
)

const getResourceToken = "pulumi:pulumi:getResource"

// handle is a resource that this program declared, or got a reference to.
type handle struct {
	urn     urn.URN
	id      property.Value
	outputs property.Map
	// unknown is true when nothing is known of the outputs: the resource failed or was left out of this run.
	unknown bool
	schema  schema.Resource
	// providers are what children and invokes inherit, by package.
	providers map[string]string
}

// providerRef is the reference by which the engine knows the resource as a provider.
func (h *handle) providerRef() string {
	id, ok := h.id.AsString()
	if !ok {
		id = wire.Unknown
	}
	return urn.ProviderRef{URN: h.urn, ID: id}.String()
}

// remember makes a registered resource known and gives the value that stands for it.
func (e *evaluator) remember(r engine.Registered, h *handle, hasID bool) property.Value {
	h.urn, h.outputs = r.URN, r.Outputs
	h.unknown = r.Unknown || r.Result != engine.ResultSuccess
	h.id = property.Null()
	if hasID {
		h.id = property.String(string(r.ID))
		if r.ID == "" {
			h.id = property.Unknown()
		}
	}
	e.mu.Lock()
	e.resources[h.urn] = h
	e.mu.Unlock()
	ref := property.Reference{URN: h.urn, ID: h.id, HasID: hasID}
	return property.FromReference(ref).WithDependencies([]urn.URN{h.urn})
}

// handleOf finds the resource that a reference points at. One that another program or component made is read from the
// deployment.
func (e *evaluator) handleOf(ctx context.Context, r property.Reference) (*handle, error) {
	e.mu.Lock()
	h, ok := e.resources[r.URN]
	e.mu.Unlock()
	if ok {
		return h, nil
	}
	args := property.MapOf(map[string]property.Value{"urn": property.String(string(r.URN))})
	got, err := e.Deployment.Invoke(ctx, engine.Invocation{Token: getResourceToken, Args: args})
	if err != nil {
		return nil, fmt.Errorf("get resource %q: %w", r.URN, err)
	}
	h = &handle{urn: r.URN, id: r.ID, unknown: got.Unknown}
	if id, ok := got.Return.Lookup("id"); ok && !id.IsNull() {
		h.id = id
	}
	h.outputs, _ = got.Return.Get("state").AsMap()
	e.mu.Lock()
	e.resources[r.URN] = h
	e.mu.Unlock()
	return h, nil
}

// resourceStep gives the id, the URN or an output of a resource.
func (e *evaluator) resourceStep(
	ctx context.Context, v property.Value, r property.Reference, s property.Segment,
) (property.Value, error) {
	k, ok := s.AsKey()
	if !ok {
		return property.Value{}, stepError{"cannot access an output of the resource ${%s} using an integer index"}
	}
	h, err := e.handleOf(ctx, r)
	if err == nil {
		// One that came as part of another resource's output is depended on itself.
		v = dependOn(v, []urn.URN{r.URN})
	}
	switch {
	case k == "urn":
		return mark(property.String(string(r.URN)), v), nil
	case err != nil:
		return property.Value{}, err
	}
	// Components have no id of their own; an output may have the name.
	if k == "id" && (r.HasID || !h.outputs.Has("id")) {
		return mark(h.id, v), nil
	}
	out, ok := h.outputs.Lookup(k)
	if !ok && (h.unknown || e.Preview && (h.outputs.ContainsUnknown() || h.declares(k))) {
		out = property.Unknown()
	}
	return mark(out, v), nil
}

// declares says whether the schema has an output that a preview may leave out.
func (h *handle) declares(output string) bool {
	_, ok := h.schema.Properties[output]
	return ok
}

// withProvider gives providers with another one added.
func withProvider(providers map[string]string, pkg, ref string) map[string]string {
	out := maps.Clone(providers)
	if out == nil {
		out = map[string]string{}
	}
	out[pkg] = ref
	return out
}
