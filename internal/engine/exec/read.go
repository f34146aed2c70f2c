package exec

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/resource"
)

// read looks a resource up that somebody else manages. Providers are asked in a preview too; an unknown id is not read.
// Reading changes nothing, so that its start is not worth a record, and neither is an end that found nothing new.
func (x *Executor) read(ctx context.Context, s plan.Step) (Applied, error) {
	seen := s.New.Clone()
	if s.Old != nil {
		seen.Created, seen.Modified = s.Old.Created, s.Old.Modified
	} else {
		seen.Created = x.now()
		seen.Modified = seen.Created
	}
	if seen.ID == "" {
		return Applied{State: seen, Changes: []Change{{New: seen}}}, nil
	}
	p, release, err := x.provider(ctx, seen)
	if err != nil {
		return Applied{}, err
	}
	defer release()
	r, partial, err := look(ctx, p, plugin.ReadRequest{
		URN: seen.URN, ID: seen.ID, Inputs: seen.Inputs, State: seen.Inputs, Timeout: seen.Timeouts.Read,
	})
	release()
	if partial != nil {
		seen.Outputs = plan.MarkOutputs(r.Outputs, seen)
		seen.InitErrors = x.reasons(partial, seen)
		done, jerr := x.recordRead(ctx, s, seen)
		return done, errors.Join(jerr, &StepError{Err: partial, Partial: true})
	}
	if err != nil {
		return Applied{}, x.failed(ctx, 0, err)
	}
	if r.ID == "" {
		return Applied{}, x.failed(ctx, 0, fmt.Errorf("resource '%s' does not exist", seen.ID))
	}
	seen.ID, seen.Outputs = r.ID, plan.MarkOutputs(r.Outputs, seen)
	return x.recordRead(ctx, s, seen)
}

// look calls Read. What is read of a resource that is not well is an answer too; partial then tells what is wrong with it.
func look(ctx context.Context, p plugin.Provider, q plugin.ReadRequest) (
	r plugin.ReadResponse, partial *plugin.InitError, err error,
) {
	r, err = p.Read(ctx, q)
	if errors.As(err, &partial) {
		return plugin.ReadResponse{
			ID: partial.ID, Inputs: partial.Inputs, Outputs: partial.Outputs, RefreshBeforeUpdate: partial.RefreshBeforeUpdate,
		}, partial, nil
	}
	return r, nil, err
}

func (x *Executor) recordRead(ctx context.Context, s plan.Step, seen *resource.State) (Applied, error) {
	if s.Old == nil {
		return x.record(ctx, 0, seen, Change{New: seen})
	}
	if s.Op == resource.OpRead && elidable(s.Old, seen) {
		return Applied{State: s.Old}, nil
	}
	if !s.Old.Inputs.Equal(seen.Inputs) || !s.Old.Outputs.Equal(seen.Outputs) {
		seen.Modified = x.now()
	}
	if s.Op == resource.OpReadReplacement {
		old := s.Old.Clone()
		old.Delete = true
		return x.record(ctx, 0, seen, Change{Old: s.Old, New: old, FlagsOnly: true}, Change{New: seen})
	}
	return x.record(ctx, 0, seen, Change{Old: s.Old, New: seen})
}
