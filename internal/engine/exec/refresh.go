package exec

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/resource"
)

// refresh reads a recorded resource again. New is what an interrupted update may have made of it: what is secret in that
// is secret in what is read. State is the old pointer when nothing changed, and nil when the resource is
// gone; that is not recorded here, because what refers to it has to be mended in the same record. Components, providers
// and resources waiting for their replacement are left alone.
func (x *Executor) refresh(ctx context.Context, s plan.Step) (Applied, error) {
	old := s.Old
	if !old.Custom || old.IsProvider() || old.PendingReplacement || old.ID == "" {
		return Applied{State: old}, nil
	}
	p, release, err := x.provider(ctx, old)
	if err != nil {
		return Applied{}, err
	}
	defer release()
	r, partial, err := look(ctx, p, plugin.ReadRequest{
		URN: old.URN, ID: old.ID, Inputs: old.Inputs, State: old.Outputs, Timeout: old.Timeouts.Read,
	})
	if err != nil {
		return Applied{}, x.failed(ctx, 0, err)
	}
	seen := old.Clone()
	seen.InitErrors = nil
	if r.ID == "" {
		return Applied{}, nil
	}
	seen.ID, seen.RefreshBeforeUpdate = r.ID, r.RefreshBeforeUpdate
	if r.Inputs != nil {
		seen.Inputs = plan.Remark(plan.Remark(*r.Inputs, old.Inputs), s.New.Inputs)
	}
	seen.Outputs = plan.Remark(plan.MarkOutputs(plan.MarkOutputs(r.Outputs, seen), s.New), old.Outputs)
	if partial != nil {
		seen.InitErrors = x.reasons(partial, seen)
	}
	if elidable(old, seen) && len(seen.InitErrors) == len(old.InitErrors) {
		return Applied{State: old}, nil
	}
	drift, err := drift(ctx, p, seen, old)
	if err != nil {
		return Applied{}, x.failed(ctx, 0, err)
	}
	release()
	seen.Modified = x.now()
	done, err := x.record(ctx, 0, seen, Change{Old: old, New: seen})
	done.Drift = drift
	return done, err
}

// drift asks the provider of a managed resource whether what was read is a difference to what is recorded.
func drift(ctx context.Context, p plugin.Provider, seen, old *resource.State) (*plan.Drift, error) {
	if old.External {
		return nil, nil
	}
	r, err := p.Diff(ctx, plan.DriftQuestion(seen, old))
	if err != nil && !errors.Is(err, plugin.ErrUnimplemented) {
		return nil, fmt.Errorf("diff %s: %w", old.URN, err)
	}
	d := plan.DriftOf(seen, old, r)
	return &d, nil
}
