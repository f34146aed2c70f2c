package exec

import (
	"context"

	"github.com/cairn-iac/cairn/internal/resource"
)

// Journal records operations. Each method returns once the record is durable, so that a crash at any instant leaves
// either the operation or the knowledge that it was begun. States are told apart by pointer: a state that a record
// refers to is one of the base snapshot or one that an earlier record put in place.
type Journal interface {
	// Begin records that an operation starts.
	Begin(context.Context, Begin) (Ticket, error)
	// Success records what an operation changed. Ticket is zero for changes that needed no provider. It may put other
	// states into the changes, where resources were renamed meanwhile.
	Success(context.Context, Success) error
	// Failure records that an operation ended without an effect. Nothing was begun under ticket zero.
	Failure(context.Context, Ticket) error
	// ClearPending records that pending operations of the base, named by their index there, are settled.
	ClearPending(ctx context.Context, base []int) error
}

// Ticket names an operation that was begun; zero is none.
type Ticket int64

// Begin is an operation that is about to be asked of a provider.
type Begin struct {
	Kind resource.PendingKind
	// Resource is the state that pending operations show: the new one for creates and updates, else the old one.
	Resource *resource.State
	// Existing is the recorded state the operation works on, nil for a new resource.
	Existing *resource.State
}

// Success is what an operation changed.
type Success struct {
	Ticket  Ticket
	Changes []Change
}

// Change replaces Old by New. Old nil adds, New nil removes. FlagsOnly tells that New differs from Old in Delete,
// PendingReplacement or Taint only, so that a small record is enough.
type Change struct {
	Old, New  *resource.State
	FlagsOnly bool
}
