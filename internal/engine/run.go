package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
)

// Run carries an operation out. Cancelling ctx aborts provider calls; Deps.Cancel lets them finish.
func Run(ctx context.Context, op Operation, deps Deps) Result {
	d := newDeployment(ctx, op, deps)
	defer d.providers.close()
	stop := d.watchCancel()
	defer stop()

	started := deps.Now()
	d.emit.prelude(op.Stack)
	err := d.phases()
	if err == nil {
		err = d.failure()
	}
	result := Result{Outcome: event.Succeeded, Changes: d.emit.counts(), OutputsChanged: d.outputsChanged, Err: err}
	switch {
	case d.isCanceled():
		result.Outcome, result.Err = event.Canceled, errors.Join(ErrCanceled, err)
	case err != nil:
		result.Outcome = event.Failed
	}
	if err == nil {
		result.Plan = d.madePlan()
	}
	d.tellEnd()
	d.emit.send(event.Summary{
		Preview: op.Preview, Changes: result.Changes, Duration: deps.Now().Sub(started), Result: result.Outcome,
	})
	d.emit.send(event.Finished{})
	return result
}

// tellEnd tells that steps failed or were not begun; other failures speak for themselves.
func (d *deployment) tellEnd() {
	d.mu.Lock()
	failed, canceled, unplanned := d.stepFailed, d.canceled, d.plans.violated
	d.mu.Unlock()
	if unplanned {
		d.emit.diag(diag.Infof("", "%s", unplannedAdvice))
	}
	kind := "update"
	if d.op.Preview {
		kind = "preview"
	}
	switch {
	case failed:
		d.emit.diag(diag.Errorf("", "%s failed", kind))
	case canceled:
		d.emit.diag(diag.Errorf("", "%s canceled", kind))
	}
}

// phases runs refresh, program and deletes in turn. Failures are told as they happen; the error is the first one.
func (d *deployment) phases() error {
	address, closeServer, err := d.deps.Serve(d)
	if err != nil {
		return d.report(fmt.Errorf("serve the resource monitor: %w", err))
	}
	defer closeServer()
	d.address = address
	if err := errors.Join(d.checkTargets(), d.readNaming(), d.checkPlan()); err != nil {
		return err
	}
	d.tellPending()
	if d.deps.Program == nil {
		if err := d.checkTargetsFound(); err != nil {
			return err
		}
	}
	if err := d.refresh(); err != nil {
		return err
	}
	if err := d.runProgram(); err != nil {
		return err
	}
	if err := d.refreshRest(); err != nil {
		return err
	}
	if d.isCanceled() || d.failure() != nil && !d.op.Options.ContinueOnError {
		return d.failure()
	}
	if d.op.Kind == Update || d.op.Kind == Destroy {
		if err := d.deleteUnwanted(); err != nil && d.isCanceled() {
			return err
		}
	}
	return d.completeStack()
}

func everything(*resource.State) bool { return true }

// refresh reads what has to be read before anything is planned: everything if that was asked for, or else what is
// uncertain. A refresh by the program begins with the program.
func (d *deployment) refresh() error {
	sweep := newSweep(d)
	if !d.op.Options.Refresh && d.op.Kind != Refresh {
		return sweep.all(sweep.isUncertain)
	}
	if err := d.resolvePending(); err != nil {
		return err
	}
	if d.op.Options.ByProgram && d.deps.Program != nil && d.op.Kind != Destroy {
		d.sweep = sweep
		return nil
	}
	return sweep.all(everything)
}

// refreshRest reads what the program, which a refresh was left to, did not register. An update will delete that, and only
// needs to know of what is uncertain.
func (d *deployment) refreshRest() error {
	switch {
	case d.sweep == nil:
		return nil
	case d.op.Kind == Refresh:
		return d.sweep.all(func(s *resource.State) bool { return s.Delete || d.entries[s.URN] == nil })
	default:
		return d.sweep.all(d.sweep.isUncertain)
	}
}

// runProgram lets the program register and waits for all steps it caused.
func (d *deployment) runProgram() error {
	if d.deps.Program == nil {
		return nil
	}
	env := d.Info()
	env.MonitorAddress = d.address
	err := d.deps.Program.Run(d.ctx, env)
	d.drain()
	switch {
	case err != nil && (d.failure() != nil || d.isCanceled()):
		// What the program says about it is an echo of what was told already.
		return d.failure()
	case errors.Is(err, ErrReported):
		return d.fail(err)
	case err != nil:
		return d.report(err)
	}
	return d.checkTargetsFound()
}

// tellPending warns about operations that an earlier run began and whose end nobody saw.
func (d *deployment) tellPending() {
	if d.op.Base == nil || d.op.Preview || d.op.Kind == Refresh {
		return
	}
	told := map[string]bool{}
	for _, p := range d.op.Base.Pending {
		if p.Kind != resource.PendingCreating || told[string(p.Resource.URN)] {
			continue
		}
		told[string(p.Resource.URN)] = true
		d.emit.diagnostic(event.Diagnostic{
			Severity: diag.Warning, URN: p.Resource.URN,
			Message: fmt.Sprintf("an earlier run was interrupted while it was creating %s; the resource may exist without "+
				"being recorded.\nIf it exists, adopt it: `pulumi refresh --import-pending-creates '%s,<id>'`. "+
				"If it does not, or once you have deleted it: `pulumi refresh --clear-pending-creates`.",
				p.Resource.URN, p.Resource.URN),
		})
	}
}

// Info describes the deployment to programs, components and methods.
func (d *deployment) Info() plugin.Environment {
	s := d.op.Stack
	return plugin.Environment{
		Organization: s.Organization, Project: s.Project, Stack: s.Name,
		Config: s.Config, ConfigSecretKeys: slices.Clone(s.SecretKeys),
		Preview: d.op.Preview, Parallel: d.op.Options.Parallel, MonitorAddress: d.address,
	}
}
