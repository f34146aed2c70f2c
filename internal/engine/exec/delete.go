package exec

import (
	"context"
	"fmt"

	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// delete removes a resource. The old half of a delete-before-replace stays in state, marked, until its successor exists:
// should that fail, nothing that refers to it dangles.
func (x *Executor) delete(ctx context.Context, s plan.Step) (Applied, error) {
	old := s.Old
	gone := Change{Old: old}
	if s.PendingReplacement {
		marked := old.Clone()
		marked.PendingReplacement = true
		gone = Change{Old: old, New: marked, FlagsOnly: true}
	}
	if x.Holds(s) {
		return Applied{}, &StepError{Err: &ProtectedError{URN: old.URN}}
	}
	if x.Preview || !old.Custom || old.External || old.RetainOnDelete || old.PendingReplacement ||
		old.DeletedWith != "" && x.OwnerIsGone(old) {
		return x.deleted(ctx, 0, s, gone)
	}
	p, release, err := x.provider(ctx, old)
	if err != nil {
		return Applied{}, err
	}
	defer release()
	t, err := x.begin(ctx, Begin{Kind: resource.PendingDeleting, Resource: old, Existing: old})
	if err != nil {
		return Applied{}, err
	}
	err = p.Delete(ctx, plugin.DeleteRequest{
		URN: old.URN, ID: old.ID, Inputs: old.Inputs, Outputs: old.Outputs, Timeout: old.Timeouts.Delete,
	})
	release()
	if err != nil {
		return Applied{}, x.failed(ctx, t, err)
	}
	return x.deleted(ctx, t, s, gone)
}

// Holds says whether a delete is refused because the resource is protected. The old half of a replacement is not: to
// replace a protected resource is refused as a whole.
func (x *Executor) Holds(s plan.Step) bool {
	return s.Old.Protect && s.Op == resource.OpDelete && !x.IgnoreProtect
}

// deleted records that a resource is gone, and what was deleted with it.
func (x *Executor) deleted(ctx context.Context, t Ticket, s plan.Step, gone Change) (Applied, error) {
	changes := []Change{gone}
	for _, w := range s.With {
		changes = append(changes, Change{Old: w})
	}
	return x.record(ctx, t, gone.New, changes...)
}

// ProtectedError tells that a resource was not deleted because it is protected.
type ProtectedError struct{ URN urn.URN }

func (e *ProtectedError) Error() string {
	return fmt.Sprintf("resource %q cannot be deleted\nbecause it is protected. To unprotect the resource, "+
		"either remove the `protect` flag from the resource in your Pulumi program and run `pulumi up`, or use the command:\n"+
		"`pulumi state unprotect '%s'`", e.URN, e.URN)
}
