//go:build linux

package chaos_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
)

// TestChaosThenUpstream kills an update, lets the Pulumi CLI cancel and update the same stack, and comes back: the two
// histories must not be mixed, and nothing that either of them knows may be lost.
func TestChaosThenUpstream(t *testing.T) {
	t.Parallel()
	upstream := os.Getenv(envUpstream)
	if upstream == "" {
		t.Skip("set " + envUpstream + " to the executable of the Pulumi CLI")
	}
	w := newWorld(t, settingsOf(t), 500)
	defer w.leave()
	ours := w.program

	r := w.creating(nil)
	w.must(r.command.Process.Signal(syscall.SIGKILL))
	r.wait()
	if left := r.survivors(); len(left) > 0 {
		w.fatalf("the killed run left processes behind: %v", left)
	}
	w.must(w.cloud.Control(fakeprovidertest.Control{}))

	w.program = upstream
	if got := w.run(operate("up")...); got.code == 0 || !strings.Contains(got.said(), "pulumi cancel") {
		w.fatalf("the lock of a dead process must be seen by the Pulumi CLI: %s\n%s", got, got.said())
	}
	w.succeed("cancel", "--yes", "--stack", stackName)
	w.succeed(operate("up")...)

	w.program = ours
	for _, command := range [][]string{{"preview", "--non-interactive", "--stack", stackName}, operate("up"), operate("destroy")} {
		w.unchanged(func() {
			if got := w.run(command...); got.code == 0 || !strings.Contains(got.said(), "unfinished journal") {
				w.fatalf("%s; it must be refused\n%s", got, got.said())
			}
		})
	}
	w.wayOut()
}

// wayOut does what the refusal says, and checks that every thing of the cloud is in the state or in the journal.
func (w *world) wayOut() {
	w.t.Helper()
	journal := filepath.Join(w.backend, ".pulumi/stacks/chaos/dev.journal")
	text, err := os.ReadFile(journal)
	w.must(err)
	w.must(os.Rename(journal, w.path("dev.journal.kept")))
	w.succeed(operate("refresh")...)
	s := w.compare()
	if len(s.ghosts) > 0 || len(s.orphans) == 0 {
		w.fatalf("%d ghosts and %d orphans", len(s.ghosts), len(s.orphans))
	}
	for _, t := range s.orphans {
		if !strings.Contains(string(text), t.URN) {
			w.fatalf("%s (%s) is neither in the state nor in the journal", t.URN, t.ID)
		}
		w.must(w.cloud.Remove(t.ID))
	}
	w.settled(w.succeed(operate("up")...))
	w.end()
}
