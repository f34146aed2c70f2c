package exec

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
)

// takeOver records a resource that exists, under the id it is imported by, as one that is managed from now on. Its inputs
// are those that the provider reads, secret where the program's are. Reading changes nothing, so that the start of it is
// not worth a record. One that is not well is imported all the same: the update that follows may mend it.
func (x *Executor) takeOver(ctx context.Context, s plan.Step) (Applied, error) {
	found := s.New.Clone()
	found.Created = x.now()
	found.Modified = found.Created
	if !found.Custom {
		return x.created(ctx, 0, s, found)
	}
	p, release, err := x.provider(ctx, found)
	if err != nil {
		return Applied{}, err
	}
	defer release()
	r, partial, err := look(ctx, p, plugin.ReadRequest{
		URN: found.URN, ID: resource.ID(found.ImportID), Timeout: found.Timeouts.Read,
	})
	release()
	switch {
	case err != nil:
		return Applied{}, x.failed(ctx, 0, err)
	case r.ID == "":
		return Applied{}, x.failed(ctx, 0, fmt.Errorf("resource '%s' does not exist, so that it cannot be imported", found.ImportID))
	case r.Inputs == nil:
		return Applied{}, x.failed(ctx, 0, fmt.Errorf("the provider does not support importing %s resources; try a newer "+
			"version of the %s plugin", found.Type, found.Type.Package()))
	}
	found.ID, found.RefreshBeforeUpdate = r.ID, r.RefreshBeforeUpdate
	found.Inputs = plan.Remark(*r.Inputs, s.New.Inputs)
	found.Outputs = plan.MarkOutputs(plan.MarkOutputs(r.Outputs, found), s.New)
	if s.AsFound != nil {
		found.Inputs, found.ImportID = asFound(found.Inputs, s.New.Inputs, s.AsFound.Properties), ""
	}
	if partial != nil {
		found.InitErrors = x.reasons(partial, found)
	}
	return x.created(ctx, 0, s, found)
}

// asFound are the inputs that were read, those that were given where nothing was read, and of these the wanted ones.
func asFound(read, given property.Map, wanted []string) property.Map {
	inputs := maps.Collect(given.All())
	maps.Insert(inputs, read.All())
	if len(wanted) > 0 {
		maps.DeleteFunc(inputs, func(k string, _ property.Value) bool { return !slices.Contains(wanted, k) })
	}
	return property.MapOf(inputs)
}
