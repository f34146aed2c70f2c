package exec

import (
	"context"
	"errors"

	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/resource"
)

// update changes a resource in place.
func (x *Executor) update(ctx context.Context, s plan.Step) (Applied, error) {
	changed := s.New.Clone()
	changed.ID, changed.Created, changed.Modified = s.Old.ID, s.Old.Created, x.now()
	changed.InitErrors = nil
	if !changed.Custom {
		changed.Outputs, changed.Modified = s.Old.Outputs, s.Old.Modified
		return x.record(ctx, 0, changed, Change{Old: s.Old, New: changed})
	}
	p, release, err := x.provider(ctx, changed)
	if err != nil {
		return Applied{}, err
	}
	defer release()
	t, err := x.begin(ctx, Begin{Kind: resource.PendingUpdating, Resource: changed, Existing: s.Old})
	if err != nil {
		return Applied{}, err
	}
	r, err := p.Update(ctx, plugin.UpdateRequest{
		URN: changed.URN, ID: s.Old.ID,
		OldInputs: s.Old.Inputs, OldOutputs: s.Old.Outputs, News: changed.Inputs,
		IgnoreChanges: changed.IgnoreChanges, Timeout: changed.Timeouts.Update, Preview: x.Preview,
	})
	release()
	var partial *plugin.InitError
	if errors.As(err, &partial) {
		// Old inputs are kept so that the next run sees the difference and tries again.
		changed.Inputs, changed.RefreshBeforeUpdate = s.Old.Inputs, partial.RefreshBeforeUpdate
		changed.Outputs = plan.MarkOutputs(partial.Outputs, s.New)
		changed.InitErrors = x.reasons(partial, changed)
		done, jerr := x.record(ctx, t, changed, Change{Old: s.Old, New: changed})
		return done, errors.Join(jerr, &StepError{Err: err, Partial: true})
	}
	if err != nil {
		return Applied{}, x.failed(ctx, t, err)
	}
	changed.RefreshBeforeUpdate = r.RefreshBeforeUpdate
	changed.Outputs = plan.MarkOutputs(r.Outputs, changed)
	return x.record(ctx, t, changed, Change{Old: s.Old, New: changed})
}
