//go:build linux

package chaos_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
)

// attack is one operation that is to be killed.
type attack struct {
	operation string // up, refresh or destroy
	label     string // of its profile and in the tally
	program   int    // what up deploys
}

func (a attack) args() []string { return operate(a.operation) }

// profile is how long an operation takes and when it works: calls to the provider begin and end, after its start.
type profile struct {
	total, busyFrom, busyTo time.Duration
}

// begin makes the stack.
func (w *world) begin() {
	w.put(0)
	w.since = time.Now()
	w.succeed("stack", "init", stackName)
}

// measure runs every kind of operation once, undisturbed.
func (w *world) measure() {
	w.slowCloud()
	for _, a := range []attack{
		{operation: "up", label: "up of a new stack", program: 0},
		{operation: "up", label: "up of changes", program: 1},
		{operation: "refresh", label: "refresh"},
		{operation: "destroy", label: "destroy"},
	} {
		w.startRound()
		r := w.perform(a)
		w.settled(r)
		w.note("%s: %+v", a.label, w.profiles[a.label])
	}
}

// perform runs an operation to its end, and learns how long it takes.
func (w *world) perform(a attack) result {
	w.t.Helper()
	w.expect(a)
	r := w.launch(nil, a.args()...)
	got := r.wait()
	w.finished(a, r, got)
	return got
}

// expect prepares the project for an operation and notes what a success means.
func (w *world) expect(a attack) {
	switch a.operation {
	case "up":
		w.put(a.program)
		w.deployed = a.program
	case "destroy":
		w.deployed = nothing
	}
}

// finished checks the end of an operation that nobody disturbed.
func (w *world) finished(a attack, r *running, got result) {
	w.t.Helper()
	if got.code != 0 {
		w.fatalf("%s\n%s", got, got.said())
	}
	if left := r.survivors(); len(left) > 0 {
		w.fatalf("%s\nleft processes behind: %v", got, left)
	}
	w.mustNotTell(got)
	calls, err := w.cloud.Calls()
	w.must(err)
	p := profile{total: got.elapsed, busyFrom: got.elapsed}
	for _, c := range calls {
		if c.Begin.Before(r.started) || !slices.Contains([]string{"Create", "Update", "Delete", "Read"}, c.Method) {
			continue
		}
		p.busyFrom = min(p.busyFrom, c.Begin.Sub(r.started))
		p.busyTo = max(p.busyTo, c.End.Sub(r.started))
	}
	w.profiles[a.label] = p
}

// slowCloud makes calls slow enough for kills to land inside them, before and after their effect.
func (w *world) slowCloud() {
	rule := func(method string, before, after int) fakeprovidertest.Rule {
		return fakeprovidertest.Rule{Method: method, Sleep: before, SleepAfter: after}
	}
	w.must(w.cloud.Control(fakeprovidertest.Control{Rules: []fakeprovidertest.Rule{
		rule("Create", 15, 15), rule("Update", 10, 10), rule("Delete", 10, 10), rule("Read", 5, 5),
	}}))
}

func (w *world) startRound() {
	w.rounds++
	w.compact()
	w.drifted, w.removed = false, map[string]bool{}
	w.since = time.Now()
}

// round attacks the stack once or twice, lets it recover, and checks it.
func (w *world) round() {
	w.startRound()
	a := w.choose()
	refresh := a.operation == "refresh"
	if refresh {
		w.drift()
	}
	killed := w.strike(a)
	for killed && w.random.IntN(6) == 0 {
		killed = w.strike(a)
		w.tally.add("second attacks before anything could recover", 1)
	}
	if killed {
		w.look()
	}
	if killed || refresh {
		w.recover(a)
	}
	if w.deployed != nothing && w.random.IntN(4) == 0 {
		w.tally.add("previews that must find nothing", 1)
		w.unchanged(func() { w.succeed("preview", "--expect-no-changes", "--non-interactive", "--stack", stackName) })
	}
	w.tidy()
}

// choose draws the next operation to attack.
func (w *world) choose() attack {
	if w.deployed == nothing {
		return attack{operation: "up", label: "up of a new stack", program: w.random.IntN(2)}
	}
	switch n := w.random.IntN(10); {
	case n < 5:
		return attack{operation: "up", label: "up of changes", program: 1 - w.deployed}
	case n < 7:
		return attack{operation: "refresh", label: "refresh", program: w.deployed}
	default:
		return attack{operation: "destroy", label: "destroy", program: w.deployed}
	}
}

// instant draws when to kill: mostly while the provider works, at times at the end, when the journal becomes a
// checkpoint, or anywhere.
func (w *world) instant(p profile) time.Duration {
	between := func(from, to time.Duration) time.Duration {
		return from + time.Duration(w.random.Int64N(int64(max(to-from, time.Millisecond))))
	}
	switch n := w.random.IntN(10); {
	case n < 7:
		return between(p.busyFrom, p.busyTo)
	case n < 9:
		return between(p.busyTo, p.total)
	default:
		return between(0, p.total)
	}
}

// strike starts an operation and kills it. It answers false, after all checks, when the operation was faster.
func (w *world) strike(a attack) bool {
	w.t.Helper()
	after := w.instant(w.profiles[a.label])
	w.expect(a)
	r := w.launch(nil, a.args()...)
	select {
	case <-r.exited:
	case <-time.After(time.Until(r.started.Add(after))):
		_ = r.command.Process.Signal(syscall.SIGKILL) // fails when the process has just ended
	}
	got := r.wait()
	if got.signal != syscall.SIGKILL {
		w.finished(a, r, got)
		w.tally.add("runs that were faster than the kill", 1)
		if a.operation != "refresh" { // which may have found that a thing of the program is gone
			w.settled(got)
		}
		return false
	}
	w.kills++
	w.tally.add("kills of "+a.label, 1)
	if left := r.survivors(); len(left) > 0 {
		w.fatalf("the killed run left processes behind: %v", left)
	}
	w.mustNotTell(got)
	w.intact()
	w.interrupted()
	return true
}

// intact checks that the checkpoint files are whole at any instant.
func (w *world) intact() {
	w.t.Helper()
	for _, name := range []string{"dev.json", "dev.json.bak"} {
		text, err := os.ReadFile(filepath.Join(w.backend, ".pulumi/stacks/chaos", name))
		if os.IsNotExist(err) && name == "dev.json.bak" {
			continue
		}
		w.must(err)
		if !json.Valid(text) {
			w.fatalf("the kill left half a file: %s", name)
		}
	}
}

// interrupted counts what was under way.
func (w *world) interrupted() {
	calls, err := w.cloud.Calls()
	w.must(err)
	for _, c := range calls {
		if !c.Done && c.Begin.After(w.since) && !c.Preview {
			w.tally.add(fmt.Sprintf("provider calls cut off: %s", c.Method), 1)
		}
	}
}

// recover runs what comes next, unattended and without any repair, and checks everything.
func (w *world) recover(a attack) {
	w.t.Helper()
	w.must(w.cloud.Control(fakeprovidertest.Control{}))
	defer w.slowCloud()
	next := attack{operation: "up", program: a.program}
	switch n := w.random.IntN(10); {
	case n == 0:
		next.operation = "destroy"
	case n == 1:
		next.program = 1 - a.program
	}
	args := operate(next.operation)
	if w.drifted {
		args = append(args, "--refresh") // nobody else could know
	}
	w.tally.add("recoveries by "+next.operation, 1)
	w.expect(next)
	got := w.succeed(args...)
	w.settled(got)
}

// drift changes some things behind the program's back and removes one: what a refresh has to find.
func (w *world) drift() {
	things, err := w.cloud.Things()
	w.must(err)
	if len(things) == 0 {
		return
	}
	w.drifted = true
	for range 3 {
		t := things[w.random.IntN(len(things))]
		w.must(w.cloud.Drift(t.ID, map[string]any{"v": fmt.Sprintf("drifted in round %d", w.rounds)}))
	}
	if w.random.IntN(2) == 0 {
		id := things[w.random.IntN(len(things))].ID
		w.must(w.cloud.Remove(id))
		w.removed[id] = true
		w.tally.add("things removed behind the program's back", 1)
	}
}
