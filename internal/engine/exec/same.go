package exec

import (
	"context"
	"maps"
	"slices"

	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// same records a resource that needs nothing from its provider. Where nothing that matters changed, nothing is written:
// a run that changes nothing must cost nothing.
func (x *Executor) same(ctx context.Context, s plan.Step) (Applied, error) {
	if s.Skipped {
		return Applied{State: s.Old}, nil
	}
	if s.New.IsProvider() {
		if err := x.configure(ctx, s.Old.ID, s.New); err != nil {
			return Applied{}, err
		}
	}
	if elidable(s.Old, s.New) {
		return Applied{State: s.Old}, nil
	}
	return x.record(ctx, 0, s.New, Change{Old: s.Old, New: s.New})
}

// configure makes the provider behind a provider resource ready under its recorded id. It gets the program's inputs: a
// rotated credential counts at once, even where the provider sees no difference.
func (x *Executor) configure(ctx context.Context, id resource.ID, s *resource.State) error {
	p, err := x.Providers.For(ctx, s)
	if err != nil {
		return &StepError{Err: err}
	}
	if err := p.Configure(ctx, plugin.ConfigureRequest{URN: s.URN, ID: id, Inputs: s.Inputs}); err != nil {
		return &StepError{Err: err}
	}
	return nil
}

// elidable says whether writing b in place of a can be left out. The list of what counts is the Pulumi engine's.
func elidable(a, b *resource.State) bool {
	switch {
	case a.URN != b.URN || a.Type != b.Type || a.Custom != b.Custom || a.ID != b.ID,
		a.Timeouts != b.Timeouts,
		a.RetainOnDelete != b.RetainOnDelete || a.Protect != b.Protect,
		a.Provider != b.Provider || a.Parent != b.Parent || a.DeletedWith != b.DeletedWith,
		a.External != b.External || a.Taint != b.Taint || a.PendingReplacement != b.PendingReplacement,
		!a.ReplacementTrigger.Equal(b.ReplacementTrigger),
		!sameSet(a.ReplaceWith, b.ReplaceWith) || !sameSet(a.Dependencies, b.Dependencies),
		!maps.EqualFunc(a.PropertyDependencies, b.PropertyDependencies, sameSet),
		!maps.EqualFunc(a.Hooks, b.Hooks, slices.Equal[[]string]),
		!slices.Equal(a.IgnoreChanges, b.IgnoreChanges),
		!slices.Equal(a.ReplaceOnChanges, b.ReplaceOnChanges),
		!slices.Equal(a.HideDiffs, b.HideDiffs),
		!slices.Equal(a.AdditionalSecretOutputs, b.AdditionalSecretOutputs),
		len(a.InitErrors) != len(b.InitErrors),
		!a.Inputs.Equal(b.Inputs) || !a.Outputs.Equal(b.Outputs):
		return false
	}
	return true
}

func sameSet(a, b []urn.URN) bool {
	x, y := slices.Clone(a), slices.Clone(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(slices.Compact(x), slices.Compact(y))
}
