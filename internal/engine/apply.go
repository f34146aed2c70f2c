package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/resource"
)

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
			d.troubled = d.troubled || e.leftOut
			d.plans.predicted(e.goal.URN, now.Outputs)
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
	s = d.sparing(s)
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
		s.Old = shownOld(s, done)
		d.emit.done(s, view)
		return done.State, done.Changes, nil
	}
	var step *exec.StepError
	uncertain := errors.As(err, &step) && step.Uncertain
	d.explain(s, err)
	d.emit.failed(s, failure{uncertain: uncertain})
	d.failedStep()
	var protected *exec.ProtectedError
	if errors.As(err, &protected) {
		d.noteFailure(err) // nothing was done and the program knows nothing of it: other deletes go on
	} else {
		_ = d.fail(err)
	}
	return done.State, done.Changes, errors.Join(ErrReported, err)
}

// sparing makes a delete of something that is still managed under another URN, since that imported it, a step that only
// forgets it. Whoever is the last to hold it deletes it.
func (d *deployment) sparing(s plan.Step) plan.Step {
	if s.Op != resource.OpDelete && s.Op != resource.OpDeleteReplaced {
		return s
	}
	d.mu.Lock()
	old := d.presentLocked(s.Old)
	own := d.entries[old.URN] != nil && !old.Delete
	shared := !own && d.record.isShared(old)
	if shared {
		d.record.release(old)
	}
	d.mu.Unlock()
	if !shared {
		return s
	}
	d.emit.diag(diag.Infof(old.URN, "it is not deleted, only forgotten: another resource of this stack imported %q", old.ImportedBy()))
	return plan.LetGo(s.Old)
}

// shownOld is what a finished step is shown to have started from: of an import what was found, since it changes nothing,
// and of a replacement the half that is marked for deletion.
func shownOld(s plan.Step, done exec.Applied) *resource.State {
	switch {
	case s.Op == resource.OpImport, s.Op == resource.OpImportReplacement:
		return done.State
	case s.MarkOld:
		if old := replacedBy(s.Old, done.Changes); old != nil {
			return old
		}
	}
	return s.Old
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
	case resource.OpImport, resource.OpImportReplacement:
		// The next decision about the resource is on the imported one, which nobody deleted.
		d.imported[s.URN()] = true
		delete(d.deleted, s.URN())
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
	if errors.As(err, &missing) {
		for _, k := range missing.Keys {
			d.emit.diag(diag.Errorf(s.URN(), "missing required configuration key %q: %s\nSet a value using the command "+
				"`pulumi config set %s <value>`.", k.Name, k.Description, k.Name))
		}
		return
	}
	text := err.Error()
	var partial *plugin.InitError
	switch {
	case errors.As(err, &partial):
		text = fmt.Sprintf("the %s did not finish well:\n  * ", s.Op) + strings.Join(partial.Reasons, "\n  * ")
	case d.op.Preview:
		text = "Preview failed: " + text
	}
	d.emit.diag(diag.Errorf(s.URN(), "%s", text))
}
