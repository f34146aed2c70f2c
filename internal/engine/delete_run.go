package engine

import (
	"slices"
	"sync"

	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/engine/plan"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

// deleteRun carries deletes out in order.
type deleteRun struct {
	d      *deployment
	states []*resource.State
	after  [][]int // who waits for me
	wait   []int
	held   []bool // something that refers to me could not be deleted
	done   chan int
	failed []bool

	mu sync.Mutex
	// passengers are gone from the record because they go with their owners.
	passengers []*resource.State
}

func newDeleteRun(d *deployment, u *unwanted) *deleteRun {
	var doomed []int
	for i := range u.all {
		if u.doomed[i] {
			doomed = append(doomed, i)
		}
	}
	graph := plan.DeleteOrder(u.all, doomed)
	r := &deleteRun{
		d: d, after: make([][]int, len(doomed)), wait: make([]int, len(doomed)),
		held: make([]bool, len(doomed)), failed: make([]bool, len(doomed)), done: make(chan int),
	}
	for k, i := range doomed {
		r.states = append(r.states, u.all[i])
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
	if r.d.stopped() {
		return ErrShuttingDown
	}
	passenger := s.DeletedWith != "" && r.d.goesWithOwner(s)
	_, _, err := r.d.apply(plan.Delete(s))
	if err == nil && passenger {
		r.mu.Lock()
		r.passengers = append(r.passengers, s)
		r.mu.Unlock()
	}
	return err
}

// putBack records passengers again whose owner could not be deleted: they are still there.
func (r *deleteRun) putBack() error {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	var changes []exec.Change
	back := map[urn.URN]bool{}
	for _, s := range state.Sort(r.passengers) {
		left := func(o *resource.State) bool { return !isYounger(o, s) }
		if !back[s.DeletedWith] && !slices.ContainsFunc(d.record.named(s.DeletedWith), left) {
			continue
		}
		if !s.Provider.IsZero() && d.record.provider(s.Provider) == nil {
			continue
		}
		back[s.URN] = true
		changes = append(changes, exec.Change{New: s.RewriteReferences(func(e resource.Edge) urn.URN {
			if back[e.To] || len(d.record.named(e.To)) > 0 {
				return e.To
			}
			return ""
		})})
	}
	if len(changes) == 0 {
		return nil
	}
	d.record.apply(changes)
	if d.exec.Journal == nil {
		return nil
	}
	return d.exec.Journal.Success(d.ctx, exec.Success{Changes: changes})
}
