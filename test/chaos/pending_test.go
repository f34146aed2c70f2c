//go:build linux

package chaos_test

import (
	"strings"

	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
)

// look reads the state right after a kill, at times, and at times adopts what a killed create made.
func (w *world) look() {
	w.t.Helper()
	if w.random.IntN(3) > 0 {
		return
	}
	w.tally.add("looks at the state after a kill", 1)
	var s standing
	w.unchanged(func() { s = w.compare() })
	creating, deleting := s.pendingURNs("creating"), s.pendingURNs("deleting")
	for _, t := range s.orphans {
		if !creating[t.URN] {
			w.fatalf("after the kill %s (%s) exists, and the state neither has it nor names it as pending", t.URN, t.ID)
		}
	}
	for _, e := range s.ghosts {
		if !deleting[e.URN] && !e.PendingReplacement && !w.removed[e.ID] {
			w.fatalf("after the kill %s (%s) is gone, and the state has it and does not name its delete as pending", e.URN, e.ID)
		}
	}
	if t, ok := s.adoptable(); ok {
		w.adopt(t)
	}
}

// adoptable is a thing that a killed create made and whose URN the state does not have otherwise.
func (s standing) adoptable() (fakeprovidertest.Thing, bool) {
	taken := map[string]int{}
	for _, e := range s.state.Resources {
		taken[e.URN]++
	}
	for _, t := range s.orphans {
		taken[t.URN]++
	}
	for _, t := range s.orphans {
		if taken[t.URN] == 1 {
			return t, true
		}
	}
	return fakeprovidertest.Thing{}, false
}

// adopt does what the message about a pending create says for a resource that exists.
func (w *world) adopt(t fakeprovidertest.Thing) {
	w.t.Helper()
	w.tally.add("pending creates adopted", 1)
	w.succeed(operate("refresh", "--import-pending-creates", t.URN+","+t.ID)...)
	s := w.compare()
	if s.pendingURNs("creating")[t.URN] {
		w.fatalf("%s was adopted and is still pending", t.URN)
	}
	for _, e := range s.state.Resources {
		if e.URN == t.URN && e.ID == t.ID {
			return
		}
	}
	w.fatalf("%s was adopted as %s and is not in the state", t.URN, t.ID)
}

// tidy destroys everything at times, and drops pending creates at times, as the message about them says.
func (w *world) tidy() {
	w.t.Helper()
	if w.deployed != nothing && w.random.IntN(8) == 0 {
		w.expect(attack{operation: "destroy"})
		w.settled(w.succeed(operate("destroy")...))
	}
	s := w.compare()
	pending := len(s.pendingURNs("creating"))
	if pending == 0 || pending < 5 && w.random.IntN(5) > 0 {
		return
	}
	w.drop(s)
}

// drop deletes what killed creates made and tells the stack so.
func (w *world) drop(s standing) {
	w.t.Helper()
	for _, t := range s.orphans {
		w.must(w.cloud.Remove(t.ID))
	}
	w.tally.add("pending creates dropped", len(s.pendingURNs("creating")))
	got := w.succeed(operate("refresh", "--clear-pending-creates")...)
	s = w.settled(got)
	if len(s.state.PendingOperations) > 0 || len(s.orphans) > 0 {
		w.fatalf("after clearing pending creates there still are %d, and %d unknown things\n%s",
			len(s.state.PendingOperations), len(s.orphans), strings.TrimSpace(got.stdout))
	}
}

// end destroys everything and resolves what is pending: nothing may be left anywhere.
func (w *world) end() {
	w.t.Helper()
	w.startRound()
	w.must(w.cloud.Control(fakeprovidertest.Control{}))
	w.expect(attack{operation: "destroy"})
	s := w.settled(w.succeed(operate("destroy")...))
	w.drop(s)
	ids, err := w.cloud.IDs()
	w.must(err)
	if len(ids) > 0 {
		w.fatalf("after the last destroy the cloud still has %v", ids)
	}
	w.succeed("stack", "rm", stackName, "--yes")
}
