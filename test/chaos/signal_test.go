//go:build linux

package chaos_test

import (
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
)

// TestChaosSignals asks the program to end while it creates: it must tell the provider, let running calls end, and
// leave a complete state.
func TestChaosSignals(t *testing.T) {
	t.Parallel()
	s := settingsOf(t)
	for i, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, s, 100+uint64(i))
			defer w.leave()
			r := w.creating(nil)
			w.must(r.command.Process.Signal(signal))
			got := r.wait()
			if got.code != 8 && got.code != 1 {
				w.fatalf("%s; want exit code 8 or 1\n%s", got, got.said())
			}
			w.mustBeGraceful(r)
		})
	}
}

// TestChaosQuit sends what ends a program at once by default: whether it ends gracefully or not, nothing is lost.
func TestChaosQuit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settingsOf(t), 200)
	defer w.leave()
	r := w.creating(nil)
	w.must(r.command.Process.Signal(syscall.SIGQUIT))
	got := r.wait()
	t.Logf("SIGQUIT: %s", got)
	w.mustRecover(r)
}

// TestChaosSecondInterrupt interrupts twice while a provider ignores both the Cancel call and signals.
func TestChaosSecondInterrupt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settingsOf(t), 300)
	defer w.leave()
	r := w.launchSlow(nil, 4, fakeprovidertest.Control{IgnoreInterrupt: true, Rules: []fakeprovidertest.Rule{
		{Method: "Create", SleepAfter: 3_600_000, IgnoreCancel: true},
	}})
	w.must(r.command.Process.Signal(syscall.SIGINT))
	for !w.creatorGot("Cancel") { // the two must not arrive as one
		time.Sleep(time.Millisecond)
	}
	w.must(r.command.Process.Signal(syscall.SIGINT))
	got := r.wait()
	if got.code == 0 {
		w.fatalf("%s; want a failure", got)
	}
	if w.creatorGot(fakeprovidertest.MethodInterrupt) {
		w.fatalf("after two interrupts the provider was asked to end, and waited for; want it killed")
	}
	t.Logf("after two interrupts: %s", got)
	w.mustRecover(r)
}

// TestChaosClosedOutput closes the reading end of the program's output: the update finishes, or it ends cleanly.
func TestChaosClosedOutput(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settingsOf(t), 400)
	defer w.leave()
	reader, writer, err := os.Pipe()
	w.must(err)
	w.begin()
	w.must(w.cloud.Control(fakeprovidertest.Control{Rules: []fakeprovidertest.Rule{{Method: "Create", Sleep: 50}}}))
	w.expect(attack{operation: "up"})
	r := w.launch(writer, operate("up")...)
	w.must(writer.Close())
	if _, err := reader.Read(make([]byte, 1)); err != nil && err != io.EOF {
		w.fatalf("read the program's output: %v", err)
	}
	w.must(reader.Close())
	t.Logf("with its output closed: %s", r.wait())
	if left := r.survivors(); len(left) > 0 {
		w.fatalf("processes are left: %v", left)
	}
	s := w.compare()
	if len(s.ghosts)+len(s.orphans)+len(s.state.PendingOperations) > 0 {
		w.fatalf("state and cloud differ: %d ghosts, %d orphans, %d pending operations",
			len(s.ghosts), len(s.orphans), len(s.state.PendingOperations))
	}
	w.checkFiles()
	w.mustRecover(r)
}

// creating starts an update with slow creates and returns when some are done and others under way.
func (w *world) creating(stdout *os.File) *running {
	return w.launchSlow(stdout, 8, fakeprovidertest.Control{Rules: []fakeprovidertest.Rule{
		{Method: "Create", Sleep: 100, SleepAfter: 100},
	}})
}

// launchSlow starts an update and returns when the cloud has so many things.
func (w *world) launchSlow(stdout *os.File, things int, c fakeprovidertest.Control) *running {
	w.t.Helper()
	w.begin()
	w.must(w.cloud.Control(c))
	w.expect(attack{operation: "up"})
	r := w.launch(stdout, operate("up")...)
	for len(w.ids()) < things {
		if r.isOver() {
			got := r.wait()
			w.fatalf("%s before anything was created\n%s", got, got.said())
		}
		time.Sleep(time.Millisecond)
	}
	return r
}

func (w *world) ids() []string {
	w.t.Helper()
	ids, err := w.cloud.IDs()
	w.must(err)
	return ids
}

// creatorGot says whether a process that creates things was called in this way too. Others, as one that was asked for its
// schema, come and go.
func (w *world) creatorGot(method string) bool {
	w.t.Helper()
	calls, err := w.cloud.Calls()
	w.must(err)
	creators := map[int]bool{}
	for _, c := range fakeprovidertest.CallsOf(calls, "Create") {
		creators[c.PID] = true
	}
	return slices.ContainsFunc(calls, func(c fakeprovidertest.Call) bool { return c.Method == method && creators[c.PID] })
}

// mustBeGraceful checks a run that was asked to end: the provider was told, all of its answers were recorded.
func (w *world) mustBeGraceful(r *running) {
	w.t.Helper()
	if left := r.survivors(); len(left) > 0 {
		w.fatalf("processes are left: %v", left)
	}
	calls, err := w.cloud.Calls()
	w.must(err)
	var canceled bool
	for _, c := range calls {
		canceled = canceled || c.Method == "Cancel"
		if !c.Done && c.Method != "Cancel" {
			w.fatalf("the call %s %s was cut off", c.Method, c.Name)
		}
	}
	if !canceled {
		w.fatalf("the provider was not told to cancel")
	}
	w.checkFiles()
	s := w.compare()
	if len(s.ghosts)+len(s.orphans)+len(s.state.PendingOperations) > 0 {
		w.fatalf("state and cloud differ: %d ghosts, %d orphans, %d pending operations",
			len(s.ghosts), len(s.orphans), len(s.state.PendingOperations))
	}
	if n := len(s.cloud); n == 0 || n >= commonThings+ownThings {
		w.fatalf("%d things exist; the run was to be ended in the middle", n)
	}
	w.mustRecover(r)
}

// mustRecover checks that the next update succeeds and agrees with the cloud.
func (w *world) mustRecover(r *running) {
	w.t.Helper()
	if left := r.survivors(); len(left) > 0 {
		w.fatalf("processes are left: %v", left)
	}
	w.must(w.cloud.Control(fakeprovidertest.Control{}))
	got := w.succeed(operate("up")...)
	if strings.Contains(got.stderr, "panic") {
		w.fatalf("%s\n%s", got, got.said())
	}
	w.settled(got)
	w.end()
}
