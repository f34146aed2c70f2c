package engine

import (
	"context"
	"errors"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Register implements Monitor: admit (identity, inheritance, provider), plan, apply, answer.
func (d *deployment) Register(ctx context.Context, r Registration) (Registered, error) {
	if err := d.enter(); err != nil {
		return Registered{}, err
	}
	defer d.leave()
	d.emit.learn(r.Inputs)
	if r.Remote {
		return d.construct(ctx, r)
	}
	e, err := d.admit(r)
	if err != nil {
		return d.refused(r, err)
	}
	defer close(e.done)
	defer d.noteUnsettled(e)
	return d.settle(e, r.AcceptsResultReporting)
}

// refused answers a registration that never became a resource of this run.
func (d *deployment) refused(r Registration, err error) (Registered, error) {
	if errors.Is(err, ErrShuttingDown) {
		return Registered{}, err
	}
	if !errors.Is(err, ErrReported) {
		err = d.reportAt(d.urnOf(r), err)
	}
	d.trouble(func() {
		if u := d.urnOf(r); d.entries[u] == nil {
			d.markFailed(u)
		}
	})
	if r.AcceptsResultReporting {
		return Registered{URN: d.urnOf(r), Result: ResultFail}, nil
	}
	return Registered{}, errors.Join(ErrReported, err)
}

func (d *deployment) urnOf(r Registration) urn.URN {
	return urn.New(d.op.Stack.Name, d.op.Stack.Project, r.Options.Parent.QualifiedType(), r.Type, r.Name)
}

// admit checks a registration, completes its options from its parent and claims its URN.
func (d *deployment) admit(r Registration) (*entry, error) {
	u := d.urnOf(r)
	if r.Custom && !r.Type.IsToken() {
		return nil, diag.Errorf(u, "the type %q of a custom resource must have three parts, <package>:<module>:<name>", r.Type)
	}
	if err := d.inherit(&r); err != nil {
		return nil, err
	}
	if err := notYet(u, r); err != nil {
		return nil, err
	}
	goal := resource.Goal{URN: u, Type: r.Type, Name: r.Name, Custom: r.Custom, AsFound: r.AsFound, Options: r.Options}
	goal.Inputs = foldDependencies(&goal.Options, r.Inputs)
	var err error
	switch {
	case r.Type.IsProvider():
		goal.Inputs, err = providerInputs(r, goal.Inputs, d.op.Options.DefaultVersions)
	case r.Custom, r.AsFound != nil && r.AsFound.Remote:
		goal.Provider, err = d.providerFor(u, r)
	}
	if err != nil {
		return nil, err
	}
	if err := d.checkReferences(goal); err != nil {
		return nil, err
	}
	e := &entry{goal: goal, providers: d.childProviders(r), aliases: plannedAliases(r), done: make(chan struct{})}
	e.goal.Aliases = nil
	if err := d.claim(e); err != nil {
		return nil, err
	}
	if err := d.rename(e, r); err != nil {
		d.trouble(func() { e.failed = true })
		close(e.done)
		return nil, err
	}
	return e, nil
}

// claim makes e the one registration of its URN. A dependent that is being deleted for a replacement is waited for.
func (d *deployment) claim(e *entry) error {
	for {
		d.mu.Lock()
		wait := d.deleting[e.goal.URN]
		if wait != nil {
			d.mu.Unlock()
			<-wait
			continue
		}
		if d.entries[e.goal.URN] != nil {
			d.mu.Unlock()
			return diag.Errorf(e.goal.URN, "Duplicate resource URN '%s'; try giving it a unique name", e.goal.URN)
		}
		if now := d.renamed[e.goal.URN]; now != "" {
			d.mu.Unlock()
			return diag.Errorf(e.goal.URN, "Duplicate resource URN '%s' conflicting with alias on resource with URN '%s'",
				e.goal.URN, now)
		}
		d.entries[e.goal.URN] = e
		d.mu.Unlock()
		return nil
	}
}

// inherit hands down what children take over from their parent.
func (d *deployment) inherit(r *Registration) error {
	p := r.Options.Parent
	if p == "" {
		return nil
	}
	d.mu.Lock()
	parent := d.entries[p]
	if parent == nil && d.op.Kind == Import {
		parent = entryOf(d.record.live[p])
	}
	d.mu.Unlock()
	if parent == nil {
		return diag.Errorf(d.urnOf(*r), "could not find parent resource %s", p)
	}
	if r.Options.DeletedWith == "" {
		r.Options.DeletedWith = parent.goal.DeletedWith
	}
	if !r.Set.Protect {
		r.Options.Protect = parent.goal.Protect
	}
	if !r.Set.RetainOnDelete {
		r.Options.RetainOnDelete = parent.goal.RetainOnDelete
	}
	return nil
}

// entryOf stands for a recorded resource that nobody registers, nil for none.
func entryOf(s *resource.State) *entry {
	if s == nil {
		return nil
	}
	return &entry{goal: resource.Goal{
		URN: s.URN, Type: s.Type, Name: s.URN.Name(), Custom: s.Custom, Inputs: s.Inputs, Options: s.Options,
	}, state: s}
}

// notYet refuses, by name, what a later version will do.
func notYet(u urn.URN, r Registration) error {
	refuse := func(what string) error {
		return diag.Errorf(u, "the %s option is not supported yet by this version; remove it from %s", what, u.Name())
	}
	switch {
	case len(r.Options.Hooks) > 0:
		return refuse("hooks")
	case len(r.EnvVarMappings) > 0 && !r.Type.IsProvider():
		return diag.Errorf(u, "envVarMappings is an option of provider resources only; remove it from %s", u.Name())
	}
	return nil
}

// settle plans and applies an admitted registration.
func (d *deployment) settle(e *entry, reportsResult bool) (Registered, error) {
	if blocked := d.blocker(e.goal); blocked != "" {
		d.trouble(func() { e.skipped = true })
		return d.answerFailed(e, ResultSkip, reportsResult)
	}
	defer d.releaseDependents(e.goal.URN)
	if settled, err := d.sweepOver(e); settled {
		return e.answer(d.op.Preview), nil
	} else if err != nil {
		return d.failedEntry(e, err, reportsResult)
	}
	for more := true; more; {
		out, err := d.planSteps(e.goal)
		if err == nil {
			err = d.heldToPlan(e, out)
		}
		if err == nil {
			err = d.applyAll(e, out.Steps)
		}
		if err != nil {
			return d.failedEntry(e, err, reportsResult)
		}
		more = out.Unfinished
	}
	return e.answer(d.op.Preview), nil
}

// sweepOver reads what is recorded of a registration, where the program takes part in a refresh. In a mere refresh that is
// all: the program goes on with what was found, or with what is recorded if it could not be read.
func (d *deployment) sweepOver(e *entry) (settled bool, err error) {
	if d.sweep == nil || d.leavesOut(e.goal) {
		return false, nil
	}
	err = d.sweep.registered(e.goal.URN)
	if d.op.Kind != Refresh {
		return false, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.record.live[e.goal.URN]
	if s == nil || !s.Custom || s.IsProvider() || s.PendingReplacement {
		return false, nil
	}
	e.step, e.state = plan.Step{Op: resource.OpSame, Old: s, New: s}, s
	return true, nil
}

// failedEntry tells why a registration failed, unless that was told already, and answers it.
func (d *deployment) failedEntry(e *entry, err error, reportsResult bool) (Registered, error) {
	d.trouble(func() { e.failed = true })
	if !errors.Is(err, ErrReported) && !errors.Is(err, ErrShuttingDown) {
		_ = d.reportAt(e.goal.URN, err)
	}
	return d.answerFailed(e, ResultFail, reportsResult)
}

// answerFailed tells the program that there is no resource. With continue-on-error it may go on without, if it can.
func (d *deployment) answerFailed(e *entry, result RegisterResult, reportsResult bool) (Registered, error) {
	if reportsResult && d.op.Options.ContinueOnError {
		return Registered{URN: e.goal.URN, Result: result, Unknown: result == ResultSkip}, nil
	}
	return Registered{}, ErrReported
}

// answer is what the program gets to know.
func (e *entry) answer(preview bool) Registered {
	r := Registered{URN: e.goal.URN, Unknown: e.leftOut}
	if e.state == nil || e.leftOut {
		return r
	}
	r.ID = e.state.ID
	if e.goal.Custom {
		r.Outputs = e.state.Outputs
	}
	if preview && e.state.IsProvider() && r.ID == UnknownID {
		r.ID = ""
	}
	return r
}
