package engine

import (
	"context"
	"time"

	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/state/updateplan"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Kind is what an operation does with the stack.
type Kind int

// The kinds.
const (
	Update Kind = iota
	Refresh
	Destroy
	// Import adds resources that exist to the stack and leaves everything else as it is.
	Import
)

// Operation says what to do.
type Operation struct {
	Kind Kind
	// Preview plans without changing anything.
	Preview bool
	Stack   Stack
	// Base is the recorded state, nil for a new stack.
	Base    *state.Snapshot
	Options Options
}

// Stack is the stack that an operation works on.
type Stack struct {
	Organization, Project, Name string
	// Config maps full keys ("namespace:name") to values as programs get them; SecretKeys names the secret ones.
	Config     map[string]string
	SecretKeys []string
}

// Options of an operation.
type Options struct {
	// Parallel limits the provider calls in flight; it must be at least 1.
	Parallel        int
	ContinueOnError bool
	// Refresh reads all resources before an update or destroy.
	Refresh bool
	// ByProgram makes a refresh, also that of an update, read each resource when the program registers it: with providers
	// as the program configures them. What the program does not register is read afterwards, by a refresh only.
	ByProgram        bool
	Targets          []string
	TargetDependents bool
	Excludes         []string
	// GuardMissing keeps a refresh from forgetting a protected resource, or more than this share of all, in percent; nil
	// lets it. In a preview it warns.
	GuardMissing *int
	// ExcludeDependents leaves out what depends on excludes as well; without it a run that needs them is refused.
	ExcludeDependents bool
	// IgnoreProtect lets protected resources be deleted and replaced.
	IgnoreProtect bool
	// Replace names resources to be replaced.
	Replace     []string
	ShowSecrets bool
	// DefaultVersions maps packages to the version of their default provider where a request names none.
	DefaultVersions map[string]plugin.Package
	// ClearPendingCreates drops pending creates of the base; AdoptPendingCreates gives ids for some of them. Both are for
	// refreshes.
	ClearPendingCreates bool
	AdoptPendingCreates map[urn.URN]resource.ID
	// Plan holds an update to what was planned; nil leaves it free. It is not changed.
	Plan *updateplan.Plan
	// MakePlan makes a preview give a plan in its result.
	MakePlan bool
}

// Deps is the world of an operation.
type Deps struct {
	Host plugin.Host
	// Program is asked to register resources; nil registers nothing. In a refresh or destroy it is listened to for the
	// providers only: nothing else is created or changed. In an import it names what is imported.
	Program Program
	// Serve makes the deployment's monitor reachable for programs and components until close is called.
	Serve func(Monitor) (address string, closeServer func(), err error)
	// Journal is nil in a preview.
	Journal exec.Journal
	// Stacks resolves stack references.
	Stacks StackOutputs
	// Emit takes events, one at a time.
	Emit func(event.Event)
	Now  func() time.Time
	// Cancel is closed to stop gracefully: no new steps, running ones finish. Cancelling the context of Run aborts.
	Cancel <-chan struct{}
}

// Program is where registrations come from.
type Program interface {
	// Run executes the program against the monitor at the address in the environment and returns when it has ended.
	// ErrReported means that it told the user itself what is wrong.
	Run(context.Context, plugin.Environment) error
}

// StackOutputs reads outputs of other stacks.
type StackOutputs interface {
	Outputs(ctx context.Context, stack string) (property.Map, error)
}

// Result is how an operation ended.
type Result struct {
	Outcome event.Result
	// Changes counts resources per operation.
	Changes map[resource.Op]int
	// OutputsChanged tells that stack outputs differ from the recorded ones.
	OutputsChanged bool
	// Plan is what was planned, if that was asked for. Manifest and configuration are the caller's.
	Plan *updateplan.Plan
	// Err is the first failure; nil on success. It was already told as an event.
	Err error
}
