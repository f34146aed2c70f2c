package exec

import (
	"context"
	"errors"

	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/resource"
)

// create makes a new resource, or the new half of a replacement. A component needs no provider.
func (x *Executor) create(ctx context.Context, s plan.Step) (Applied, error) {
	if s.Skipped {
		return Applied{State: s.New}, nil
	}
	made := s.New.Clone()
	made.Created = x.now()
	made.Modified = made.Created
	made.InitErrors = nil
	if !made.Custom {
		return x.created(ctx, 0, s, made)
	}
	p, release, err := x.provider(ctx, made)
	if err != nil {
		return Applied{}, err
	}
	defer release()
	t, err := x.begin(ctx, Begin{Kind: resource.PendingCreating, Resource: made})
	if err != nil {
		return Applied{}, err
	}
	r, err := p.Create(ctx, plugin.CreateRequest{
		URN: made.URN, Inputs: made.Inputs, Timeout: made.Timeouts.Create, Preview: x.Preview,
	})
	release()
	var partial *plugin.InitError
	if errors.As(err, &partial) && partial.ID != "" {
		made.ID, made.RefreshBeforeUpdate = partial.ID, partial.RefreshBeforeUpdate
		made.Outputs = plan.MarkOutputs(partial.Outputs, made)
		made.InitErrors = x.reasons(partial, made)
		done, jerr := x.created(ctx, t, s, made)
		return done, errors.Join(jerr, &StepError{Err: err, Partial: true})
	}
	if err != nil {
		return Applied{}, x.failed(ctx, t, err)
	}
	if r.ID == "" && !x.Preview {
		return Applied{}, x.failed(ctx, t, errors.New("the provider reported the resource as created but gave it no id; "+
			"this is a bug of the provider"))
	}
	made.ID, made.RefreshBeforeUpdate = r.ID, r.RefreshBeforeUpdate
	made.Outputs = plan.MarkOutputs(r.Outputs, made)
	return x.created(ctx, t, s, made)
}

// created records a new resource. The old half of a replacement is marked for deletion, or, when it was deleted before,
// goes now that it has a successor.
func (x *Executor) created(ctx context.Context, t Ticket, s plan.Step, made *resource.State) (Applied, error) {
	switch {
	case s.Old == nil:
		return x.record(ctx, t, made, Change{New: made})
	case s.MarkOld:
		old := s.Old.Clone()
		old.Delete, old.PendingReplacement = true, false
		return x.record(ctx, t, made, Change{Old: s.Old, New: old, FlagsOnly: true}, Change{New: made})
	default:
		return x.record(ctx, t, made, Change{Old: s.Old, New: made})
	}
}
