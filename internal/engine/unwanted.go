package engine

import (
	"fmt"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// deleteUnwanted deletes what the program did not register and what replacements left behind: in parallel, each
// resource after everything that refers to it.
func (d *deployment) deleteUnwanted() error {
	d.mu.Lock()
	all := d.record.sorted()
	var doomed []int
	for i, s := range all {
		if d.isUnwanted(s) {
			doomed = append(doomed, i)
			if !s.Delete {
				d.doomed[s.URN] = true
			}
		}
	}
	if d.firstErr != nil {
		d.keepNeeded(all)
	}
	d.mu.Unlock()
	if err := d.checkDependents(all); err != nil {
		return err
	}
	run := newDeleteRun(d, all, doomed)
	run.do()
	return d.failure()
}

// isUnwanted is called with the lock held.
func (d *deployment) isUnwanted(s *resource.State) bool {
	if d.targets.constrains() {
		destroysAll := d.op.Kind == Destroy && d.targets.only.IsEmpty()
		implicit := s.IsProvider() || s.Type == urn.StackType
		if implicit && !s.Delete && !destroysAll && !d.targets.only.Contains(s.URN) {
			return false
		}
		if !d.targets.includes(s.URN) {
			return false
		}
	}
	if s.Delete {
		return true
	}
	e := d.entries[s.URN]
	if e == nil {
		return true
	}
	// A resource that was read and is managed now, or whose registration failed, is still wanted.
	return false
}

// checkDependents refuses to delete a resource while something that stays refers to it.
func (d *deployment) checkDependents(all []*resource.State) error {
	if !d.targets.constrains() {
		return nil
	}
	var problems diag.Diagnostics
	d.mu.Lock()
	if d.op.Kind == Destroy && !d.targets.except.IsEmpty() {
		d.keepNeeded(all)
	}
	for _, s := range all {
		if d.doomed[s.URN] || s.Delete {
			continue
		}
		for _, e := range s.Edges() {
			if d.doomed[e.To] {
				problems = append(problems, diag.Errorf(s.URN, "Resource '%s' will be destroyed but was not specified in --target list: "+
					"it depends on '%s'. Either include it in the --target list or pass --target-dependents to proceed.", s.URN, e.To))
				break
			}
		}
	}
	d.mu.Unlock()
	if len(problems) == 0 {
		return nil
	}
	return d.report(problems)
}

// keepNeeded keeps everything that an excluded resource needs. Called with the lock held.
func (d *deployment) keepNeeded(all []*resource.State) {
	for i := len(all) - 1; i >= 0; i-- {
		if d.doomed[all[i].URN] {
			continue
		}
		for _, e := range all[i].Edges() {
			delete(d.doomed, e.To)
		}
	}
}

// deleteRun carries the deletes out in order.
type deleteRun struct {
	d      *deployment
	states []*resource.State
	after  [][]int // who waits for me
	wait   []int
	held   []bool // something that refers to me could not be deleted
	done   chan int
	failed []bool
}

func newDeleteRun(d *deployment, all []*resource.State, doomed []int) *deleteRun {
	var kept []int
	for _, i := range doomed {
		if all[i].Delete || d.doomed[all[i].URN] {
			kept = append(kept, i)
		}
	}
	graph := plan.DeleteOrder(all, kept)
	r := &deleteRun{
		d: d, after: make([][]int, len(kept)), wait: make([]int, len(kept)),
		held: make([]bool, len(kept)), failed: make([]bool, len(kept)), done: make(chan int),
	}
	for k, i := range kept {
		r.states = append(r.states, all[i])
		r.wait[k] = len(graph.Before[k])
		for _, b := range graph.Before[k] {
			r.after[b] = append(r.after[b], k)
		}
	}
	return r
}

func (r *deleteRun) do() {
	running := 0
	start := func(k int) {
		running++
		go func() {
			r.failed[k] = r.held[k] || r.delete(r.states[k]) != nil
			r.done <- k
		}()
	}
	for k, n := range r.wait {
		if n == 0 {
			start(k)
		}
	}
	for running > 0 {
		k := <-r.done
		running--
		for _, a := range r.after[k] {
			r.held[a] = r.held[a] || r.failed[k]
			if r.wait[a]--; r.wait[a] == 0 {
				start(a)
			}
		}
	}
}

func (r *deleteRun) delete(s *resource.State) error {
	d := r.d
	if d.stopped() && !d.op.Options.ContinueOnError {
		return ErrShuttingDown
	}
	if d.isCanceled() {
		return ErrCanceled
	}
	step := plan.Delete(s)
	if s.Protect && step.Op == resource.OpDelete && d.op.Preview {
		return d.reportAt(s.URN, diag.Errorf(s.URN, "%s", fmt.Sprintf("resource %q cannot be deleted\nbecause it is protected. "+
			"To unprotect the resource, either remove the `protect` flag from the resource in your Pulumi program and run "+
			"`pulumi up`, or use the command:\n`pulumi state unprotect '%s'`", s.URN, s.URN)))
	}
	_, _, err := d.apply(step)
	return err
}
