package exec

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/resource"
)

// Providers finds the provider that serves a resource. For provider resources it is the one that manages providers.
type Providers interface {
	For(ctx context.Context, s *resource.State) (plugin.Provider, error)
}

// Executor applies steps. Its methods may be called concurrently for different resources.
type Executor struct {
	Providers Providers
	Journal   Journal
	Preview   bool
	// IgnoreProtect lets protected resources be deleted.
	IgnoreProtect bool
	Now           func() time.Time
	// Slots limits the provider calls in flight; its capacity is the limit.
	Slots chan struct{}
	// OwnerIsGone says whether a resource is gone because the one it is deleted with is.
	OwnerIsGone func(*resource.State) bool
	// Scrub masks known secrets, and those of a resource, in what its provider says: that is recorded in plain text.
	Scrub func(text string, s *resource.State) string
}

// reasons are why s is not healthy, as they can be recorded. The outputs of s must be set: they may be what is secret.
func (x *Executor) reasons(e *plugin.InitError, s *resource.State) []string {
	var out []string
	for _, r := range e.Reasons {
		out = append(out, x.Scrub(r, s))
	}
	return out
}

// Applied is the outcome of a step.
type Applied struct {
	// State is the resource as recorded afterwards, nil when it is gone.
	State *resource.State
	// Changes are what the step changed in the record.
	Changes []Change
	// Drift is set by a refresh that read something else than was recorded.
	Drift *plan.Drift
}

// StepError tells that a step failed.
type StepError struct {
	Err error
	// Uncertain is true when nobody knows whether the provider did the work; the operation stays pending.
	Uncertain bool
	// Partial is true when the resource exists but is not healthy; its state was recorded.
	Partial bool
}

func (e *StepError) Error() string { return e.Err.Error() }

func (e *StepError) Unwrap() error { return e.Err }

// Apply carries a step out. A failure is a *StepError unless the journal failed; Applied is then still set when state
// was recorded.
func (x *Executor) Apply(ctx context.Context, s plan.Step) (Applied, error) {
	switch s.Op {
	case resource.OpSame:
		return x.same(ctx, s)
	case resource.OpCreate, resource.OpCreateReplacement:
		return x.create(ctx, s)
	case resource.OpUpdate:
		return x.update(ctx, s)
	case resource.OpDelete, resource.OpDeleteReplaced:
		return x.delete(ctx, s)
	case resource.OpDiscard, resource.OpDiscardReplaced, resource.OpRemovePendingReplace:
		return x.deleted(ctx, 0, s, Change{Old: s.Old})
	case resource.OpRead, resource.OpReadReplacement:
		return x.read(ctx, s)
	case resource.OpRefresh:
		return x.refresh(ctx, s)
	case resource.OpReplace:
		return Applied{State: s.New}, nil
	case resource.OpImport, resource.OpImportReplacement:
		return x.takeOver(ctx, s)
	default:
		panic("exec: unknown operation " + string(s.Op))
	}
}

// provider gets the provider of a state and a slot to call it; release gives the slot back. A slot is given back as soon
// as the provider has answered: the records of many answers are then made durable together.
func (x *Executor) provider(ctx context.Context, s *resource.State) (p plugin.Provider, release func(), err error) {
	p, err = x.Providers.For(ctx, s)
	if err != nil {
		return nil, nil, &StepError{Err: err}
	}
	select {
	case x.Slots <- struct{}{}:
		return p, sync.OnceFunc(func() { <-x.Slots }), nil
	case <-ctx.Done():
		return nil, nil, &StepError{Err: ctx.Err()}
	}
}

func (x *Executor) begin(ctx context.Context, b Begin) (Ticket, error) {
	t, err := x.Journal.Begin(ctx, b)
	if err != nil {
		return 0, fmt.Errorf("record the start of %s %s: %w", b.Kind, b.Resource.URN, err)
	}
	return t, nil
}

// record writes what changed and answers with it.
func (x *Executor) record(ctx context.Context, t Ticket, now *resource.State, changes ...Change) (Applied, error) {
	if err := x.Journal.Success(ctx, Success{Ticket: t, Changes: changes}); err != nil {
		return Applied{}, fmt.Errorf("record a finished operation: %w", err)
	}
	return Applied{State: now, Changes: changes}, nil
}

// failed sorts the error of a provider call and closes the operation in the journal unless it stays pending.
func (x *Executor) failed(ctx context.Context, t Ticket, err error) error {
	var uncertain *plugin.UncertainError
	if errors.As(err, &uncertain) || ctx.Err() != nil {
		return &StepError{Err: err, Uncertain: true}
	}
	if jerr := x.Journal.Failure(ctx, t); jerr != nil {
		return fmt.Errorf("record a failed operation: %w", jerr)
	}
	return &StepError{Err: err}
}

func (x *Executor) now() *time.Time {
	t := x.Now().UTC()
	return &t
}
