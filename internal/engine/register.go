package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
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
	goal := resource.Goal{URN: u, Type: r.Type, Name: r.Name, Custom: r.Custom, Options: r.Options}
	goal.Inputs = foldDependencies(&goal.Options, r.Inputs)
	var err error
	switch {
	case r.Type.IsProvider():
		goal.Inputs, err = providerInputs(r, goal.Inputs, d.op.Options.DefaultVersions)
	case r.Custom:
		goal.Provider, err = d.providerFor(u, r)
	}
	if err != nil {
		return nil, err
	}
	e := &entry{goal: goal, providers: d.childProviders(r), done: make(chan struct{})}
	e.goal.Aliases = nil
	if err := d.claim(e, r); err != nil {
		return nil, err
	}
	if err := d.rename(e, r); err != nil {
		d.mu.Lock()
		e.failed = true
		d.mu.Unlock()
		close(e.done)
		return nil, err
	}
	return e, nil
}

// claim makes e the one registration of its URN. A dependent that is being deleted for a replacement is waited for.
func (d *deployment) claim(e *entry, r Registration) error {
	for {
		d.mu.Lock()
		wait := d.deleting[e.goal.URN]
		for _, alias := range d.aliases(e.goal, r) {
			if wait == nil && d.record.live[e.goal.URN] == nil {
				wait = d.deleting[alias]
			}
		}
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

// notYet refuses, by name, what a later version will do.
func notYet(u urn.URN, r Registration) error {
	refuse := func(what string) error {
		return diag.Errorf(u, "the %s option is not supported yet by this version; remove it from %s", what, u.Name())
	}
	switch {
	case r.Options.ImportID != "":
		return refuse("import")
	case len(r.Options.Hooks) > 0:
		return refuse("hooks")
	case len(r.EnvVarMappings) > 0 && !r.Type.IsProvider():
		return diag.Errorf(u, "envVarMappings is an option of provider resources only; remove it from %s", u.Name())
	}
	return nil
}

// foldDependencies moves the dependencies that input values carry into the options, and takes them off the values.
func foldDependencies(o *resource.Options, inputs property.Map) property.Map {
	byProperty := o.PropertyDependencies
	if byProperty == nil {
		byProperty = make(map[string][]urn.URN, inputs.Len())
		for k := range inputs.All() {
			byProperty[k] = slices.Clone(o.Dependencies)
		}
	}
	for k, v := range inputs.All() {
		for _, dep := range v.AllDependencies() {
			byProperty[k] = appendNew(byProperty[k], dep)
			o.Dependencies = appendNew(o.Dependencies, dep)
		}
	}
	o.PropertyDependencies = byProperty
	return inputs.StripDependencies()
}

func appendNew(list []urn.URN, u urn.URN) []urn.URN {
	if slices.Contains(list, u) {
		return list
	}
	return append(list, u)
}

// settle plans and applies an admitted registration.
func (d *deployment) settle(e *entry, reportsResult bool) (Registered, error) {
	if blocked := d.blocker(e.goal); blocked != "" {
		d.mu.Lock()
		e.skipped = true
		d.mu.Unlock()
		return d.answerFailed(e, ResultSkip, reportsResult)
	}
	defer d.releaseDependents(e.goal.URN)
	steps, err := d.planSteps(e.goal)
	if err == nil {
		err = d.applyAll(e, steps)
	}
	if err != nil {
		return d.failedEntry(e, err, reportsResult)
	}
	return e.answer(d.op.Preview), nil
}

// failedEntry tells why a registration failed, unless that was told already, and answers it.
func (d *deployment) failedEntry(e *entry, err error, reportsResult bool) (Registered, error) {
	d.mu.Lock()
	e.failed = true
	d.mu.Unlock()
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
	if preview && e.state.IsProvider() && r.ID == unknownID {
		r.ID = ""
	}
	return r
}

// blocker names a failed or skipped resource that goal refers to.
func (d *deployment) blocker(g resource.Goal) urn.URN {
	refs := (&resource.State{URN: g.URN, Options: g.Options}).Edges()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range refs {
		if dep := d.entries[e.To]; dep != nil && (dep.failed || dep.skipped) {
			return e.To
		}
	}
	return ""
}

// leftOutDependency names a resource that targets left out although goal needs it.
func (d *deployment) leftOutDependency(g resource.Goal) urn.URN {
	refs := (&resource.State{URN: g.URN, Options: g.Options}).Edges()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range refs {
		if dep := d.entries[e.To]; dep != nil && dep.leftOut {
			return e.To
		}
	}
	return ""
}

// applyAll applies the steps of one registration in order.
func (d *deployment) applyAll(e *entry, steps []plan.Step) error {
	var marked *resource.State
	for _, s := range steps {
		if d.stopped() {
			return ErrShuttingDown
		}
		own := s.URN() == e.goal.URN
		if s.Op == resource.OpReplace && e.state != nil {
			s.New = e.state // the new half exists already
			if marked != nil {
				s.Old = marked
			}
		}
		now, changes, err := d.apply(s)
		if s.MarkOld {
			marked = replacedBy(s.Old, changes)
		}
		// The deleted old half of a replacement, which stays recorded, is not what the program asked for.
		if own && s.Op != resource.OpDeleteReplaced && (err == nil || isPartial(err)) && now != nil {
			d.mu.Lock()
			e.step, e.state, e.leftOut = s, now, s.Skipped && s.Op == resource.OpCreate
			d.mu.Unlock()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func isPartial(err error) bool {
	var step *exec.StepError
	return errors.As(err, &step) && step.Partial
}

// replacedBy is what changes put in the place of a state, nil when they do not touch it.
func replacedBy(old *resource.State, changes []exec.Change) *resource.State {
	for _, c := range changes {
		if c.Old == old {
			return c.New
		}
	}
	return nil
}

// apply carries one step out: event, work, record, event. The error was told when it wraps ErrReported.
func (d *deployment) apply(s plan.Step) (*resource.State, []exec.Change, error) {
	if s.Skipped && s.Op == resource.OpCreate {
		return s.New, nil, nil
	}
	d.emit.started(s)
	done, err := d.exec.Apply(d.ctx, d.current(&s))
	if err == nil {
		d.mu.Lock()
		d.note(s)
		d.mu.Unlock()
		view := done.State
		if s.Op == resource.OpSame && !s.Skipped {
			view = s.New // what is shown follows the program even where writing it was left out
		}
		if s.Op == resource.OpDelete || s.Op == resource.OpDeleteReplaced {
			view = nil
		}
		if old := replacedBy(s.Old, done.Changes); s.MarkOld && old != nil {
			s.Old = old
		}
		d.emit.done(s, view)
		return done.State, done.Changes, nil
	}
	var step *exec.StepError
	uncertain := errors.As(err, &step) && step.Uncertain
	d.explain(s, err)
	d.emit.failed(s, failure{uncertain: uncertain})
	var protected *exec.ProtectedError
	if errors.As(err, &protected) {
		d.noteFailure(err) // nothing was done and the program knows nothing of it: other deletes go on
	} else {
		_ = d.fail(err)
	}
	return done.State, done.Changes, errors.Join(ErrReported, err)
}

// current replaces the old state of a step by the one that is recorded by now: an earlier step of the same plan may
// have marked it. A provider that was deleted before its replacement is kept as an old half while something that was
// not replaced with it refers to it.
func (d *deployment) current(s *plan.Step) plan.Step {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := *s
	c.Old = d.presentLocked(c.Old)
	if c.Old != nil && !c.Old.Delete && !d.record.has(c.Old) {
		if live := d.record.live[c.Old.URN]; live != nil && live.PendingReplacement {
			c.Old = live
		}
	}
	if c.Op == resource.OpCreateReplacement && c.Old.IsProvider() && d.record.serves(c.Old.ProviderRef()) {
		c.MarkOld = true
	}
	return c
}

// note remembers what later decisions need to know of a step.
func (d *deployment) note(s plan.Step) {
	really := s.Old != nil && !s.Old.RetainOnDelete && !s.Old.External
	switch s.Op {
	case resource.OpReplace, resource.OpCreateReplacement:
		d.replaced[s.URN()] = true
		if s.Op == resource.OpCreateReplacement && !s.MarkOld {
			d.gone[s.URN()] = d.gone[s.URN()] || really
		}
	case resource.OpDelete:
		d.gone[s.URN()] = d.gone[s.URN()] || really
	case resource.OpDeleteReplaced:
		d.gone[s.URN()] = d.gone[s.URN()] || really
		if s.PendingReplacement {
			d.replaced[s.URN()], d.deleted[s.URN()] = true, true
		}
	default:
		// The other operations leave nothing that later ones have to know.
	}
}

// explain tells why a step failed.
func (d *deployment) explain(s plan.Step, err error) {
	var missing *plugin.MissingConfigError
	var partial *plugin.InitError
	verb := "the operation failed"
	switch {
	case errors.As(err, &missing):
		for _, k := range missing.Keys {
			text := fmt.Sprintf("missing required configuration key %q: %s\nSet a value using the command "+
				"`pulumi config set %s <value>`.", k.Name, k.Description, k.Name)
			d.emit.diag(diag.Errorf(s.URN(), "%s", text))
		}
		return
	case errors.As(err, &partial):
		text := fmt.Sprintf("the %s did not finish well:", s.Op)
		for _, r := range partial.Reasons {
			text += "\n  * " + r
		}
		d.emit.diag(diag.Errorf(s.URN(), "%s", text))
		return
	case d.op.Preview:
		verb = "Preview failed"
	}
	if verb == "Preview failed" {
		d.emit.diag(diag.Errorf(s.URN(), "%s: %s", verb, err))
		return
	}
	d.emit.diag(diag.Errorf(s.URN(), "%s", err))
}
