package engine

import (
	"context"
	"sync"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state/updateplan"
	"github.com/cairn-iac/cairn/internal/urn"
)

// deployment is one running operation. Every registration runs on its own goroutine; mu guards the tables and is never
// held across a call to a provider, the journal or the program.
type deployment struct {
	ctx  context.Context
	op   Operation
	deps Deps
	// sweep is the refresh that the program takes part in, nil when there is none.
	sweep     *sweep
	exec      *exec.Executor
	ledger    *ledger
	emit      *emitter
	providers *registry
	defaults  defaultProviders
	targets   targets
	naming    *plan.Naming // nil without rules
	address   string

	mu       sync.Mutex
	record   *record
	entries  map[urn.URN]*entry
	deleting map[urn.URN]chan struct{}           // closed once the dependent of a replaced resource is deleted
	claims   map[urn.URN][]*resource.State       // dependents being deleted, by the resource that is replaced
	renamed  map[urn.URN]urn.URN                 // aliases that were used, and by whom
	moved    map[*resource.State]*resource.State // what a rewrite put in the place of states
	deleted  map[urn.URN]bool                    // deleted in this run, to be created again when registered
	imported map[urn.URN]bool
	replaced map[urn.URN]bool
	going    map[*resource.State]bool // to be deleted in this run
	gone     map[urn.URN]bool         // deleted in this run
	missing  int                      // how many resources refreshes did not find
	packages map[string]plugin.Package
	// unsettled are resources of this run that do not exist, and components with such parts.
	unsettled map[urn.URN]bool
	root      urn.URN
	outputs   *property.Map // of the stack, held back until the end
	closed    bool          // no more requests of the program
	halted    bool          // no more steps
	canceled  bool
	// stepFailed is set once a step failed, in contrast to a registration that led to none.
	stepFailed bool
	troubled   bool // some resource failed, or was skipped or left out
	firstErr   error
	// inFlight counts requests that were admitted and not answered; idle tells when it is zero.
	inFlight int
	idle     *sync.Cond

	outputsChanged bool
	plans          plans
}

// entry is a resource that was registered in this run.
type entry struct {
	goal resource.Goal
	step plan.Step
	// state is the recorded or predicted state, nil until the step is done.
	state *resource.State
	// providers maps packages to references for children of a component.
	providers map[string]string
	// failed and skipped resources have no usable state; what depends on them is skipped.
	failed, skipped bool
	// leftOut is true for a resource that targets left out before it was ever created.
	leftOut   bool
	completed bool // outputs were registered
	// aliases are the former identities as the program gave them.
	aliases []updateplan.Alias
	// formerly is the alias that the resource was recorded under.
	formerly urn.URN
	done     chan struct{}
}

func newDeployment(ctx context.Context, op Operation, deps Deps) *deployment {
	d := &deployment{
		ctx: ctx, op: op, deps: deps,
		emit:      newEmitter(op, deps),
		targets:   newTargets(op.Options),
		entries:   map[urn.URN]*entry{},
		deleting:  map[urn.URN]chan struct{}{},
		claims:    map[urn.URN][]*resource.State{},
		renamed:   map[urn.URN]urn.URN{},
		moved:     map[*resource.State]*resource.State{},
		deleted:   map[urn.URN]bool{},
		imported:  map[urn.URN]bool{},
		replaced:  map[urn.URN]bool{},
		going:     map[*resource.State]bool{},
		gone:      map[urn.URN]bool{},
		packages:  map[string]plugin.Package{},
		unsettled: map[urn.URN]bool{},
	}
	d.idle = sync.NewCond(&d.mu)
	var base []*resource.State
	if op.Base != nil {
		base = op.Base.Resources
	}
	d.record = newRecord(base)
	for _, s := range base {
		d.emit.learn(s.Inputs, s.Outputs)
	}
	d.providers = newRegistry(d)
	d.defaults = defaultProviders{refs: map[string]*defaultProvider{}}
	d.plans = newPlans(op.Options)
	for _, r := range d.plans.planned() {
		d.emit.learn(r...)
	}
	d.ledger = &ledger{d: d}
	if !op.Preview {
		d.ledger.journal = deps.Journal
	}
	d.exec = &exec.Executor{
		Providers: d.providers, Journal: d.ledger, Preview: op.Preview, Now: deps.Now,
		IgnoreProtect: op.Options.IgnoreProtect,
		Slots:         make(chan struct{}, max(1, op.Options.Parallel)),
		OwnerIsGone:   d.ownerIsGone,
		Scrub:         d.emit.scrubbed,
	}
	return d
}

// watchCancel turns the graceful cancel signal into a stop of new work and a Cancel call to every provider.
func (d *deployment) watchCancel() (stop func()) {
	finished := make(chan struct{})
	go func() {
		select {
		case <-d.deps.Cancel:
			d.mu.Lock()
			d.canceled, d.closed, d.halted = true, true, true
			d.mu.Unlock()
			d.providers.cancel()
		case <-finished:
		}
	}()
	return func() { close(finished) }
}

// enter admits a request unless the deployment has stopped; leave must follow.
func (d *deployment) enter() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return ErrShuttingDown
	}
	d.inFlight++
	return nil
}

func (d *deployment) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.inFlight--; d.inFlight == 0 {
		d.idle.Broadcast()
	}
}

// drain waits until every request that was admitted is answered, and admits no more.
func (d *deployment) drain() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.inFlight > 0 {
		d.idle.Wait()
	}
	d.closed = true
}

func (d *deployment) isCanceled() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.canceled
}

// stopped says whether no further steps are to be started.
func (d *deployment) stopped() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.halted
}

func (d *deployment) failure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.firstErr
}

// fail notes that something went wrong and was told. Without continue-on-error, new work stops.
func (d *deployment) fail(err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.firstErr == nil {
		d.firstErr = err
	}
	if !d.op.Options.ContinueOnError {
		d.closed, d.halted = true, true
	}
	return err
}

func (d *deployment) failedStep() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stepFailed = true
}

// report tells an error to the user and notes it.
func (d *deployment) report(err error) error {
	return d.reportAt("", err)
}

func (d *deployment) reportAt(u urn.URN, err error) error {
	if ds, ok := diag.As(err); ok {
		for _, one := range ds {
			if one.Subject.URN == "" {
				one.Subject.URN = u
			}
			d.emit.diag(one)
		}
	} else {
		d.emit.diagnostic(event.Diagnostic{Severity: diag.Error, URN: u, Message: err.Error()})
	}
	return d.fail(err)
}

// RootResource implements Monitor.
func (d *deployment) RootResource() urn.URN {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.root
}

// SetRootResource implements Monitor.
func (d *deployment) SetRootResource(u urn.URN) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.root = u
}

// AwaitShutdown implements Monitor. Each request is answered only when its steps are done, so a program that has got
// all its answers has nothing left to wait for but other requests in flight.
func (d *deployment) AwaitShutdown(context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.inFlight > 0 {
		d.idle.Wait()
	}
	return nil
}

// Log implements Monitor.
func (d *deployment) Log(l plugin.Log) {
	d.emit.diagnostic(event.Diagnostic{
		URN: l.URN, Severity: l.Severity, Message: l.Message, StreamID: l.StreamID, Ephemeral: l.Ephemeral,
	})
	if l.Severity == diag.Error && !l.Ephemeral {
		d.noteFailure(ErrReported)
	}
}

// noteFailure makes the operation fail at its end; work that goes on is not stopped.
func (d *deployment) noteFailure(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.firstErr == nil {
		d.firstErr = err
	}
}
