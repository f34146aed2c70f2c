package engine

import (
	"sync"

	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/resource"
)

// deleteRun carries deletes out in order.
type deleteRun struct {
	d      *deployment
	states []*resource.State
	after  [][]int // who waits for me
	wait   []int
	owner  []int  // whom I go with, -1 for nobody
	held   []bool // something that refers to me could not be deleted
	failed []bool
	done   chan int

	mu sync.Mutex
	// with are those whose turn has come but that are gone only when their owner is.
	with [][]*resource.State
}

func newDeleteRun(d *deployment, u *unwanted) *deleteRun {
	var doomed []int
	for i := range u.all {
		if u.doomed[i] {
			doomed = append(doomed, i)
		}
	}
	graph := plan.DeleteOrder(u.all, doomed)
	n := len(graph.Before)
	r := &deleteRun{
		d: d, after: make([][]int, n), wait: make([]int, n), owner: graph.Owner, held: make([]bool, n),
		failed: make([]bool, n), done: make(chan int), with: make([][]*resource.State, n),
	}
	for _, i := range doomed {
		r.states = append(r.states, u.all[i])
	}
	for k, before := range graph.Before {
		r.wait[k] = len(before)
		for _, b := range before {
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
			r.failed[k] = r.held[k] || r.delete(k) != nil
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

func (r *deleteRun) delete(k int) error {
	if k >= len(r.states) {
		return nil // a node that only waits
	}
	d, s := r.d, r.states[k]
	if d.stopped() {
		return ErrShuttingDown
	}
	step := plan.Delete(s)
	r.mu.Lock()
	step.With = r.with[k]
	r.mu.Unlock()
	if o := r.owner[k]; o >= 0 && !d.exec.Holds(step) && d.goesWithOwner(s) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.with[o] = append(append(r.with[o], s), step.With...)
		return nil
	}
	_, _, err := d.apply(step)
	if err != nil {
		return err
	}
	for _, w := range step.With {
		d.tellGone(plan.Delete(w))
	}
	return nil
}

// tellGone tells of a delete that was done together with another one.
func (d *deployment) tellGone(s plan.Step) {
	d.mu.Lock()
	d.note(s)
	d.mu.Unlock()
	d.emit.started(s)
	d.emit.done(s, nil)
}
