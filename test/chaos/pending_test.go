//go:build linux

package chaos_test

import (
	"os"
	"slices"
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
	w.adopt(s)
}

// adopt does what the message about a pending create says for a resource that exists, if there is one whose URN the
// state does not have otherwise.
func (w *world) adopt(s standing) {
	w.t.Helper()
	live, orphans := map[string]bool{}, map[string]int{}
	for _, e := range s.state.Resources {
		live[e.URN] = true
	}
	for _, t := range s.orphans {
		orphans[t.URN]++
	}
	for _, t := range s.orphans {
		if live[t.URN] || orphans[t.URN] > 1 {
			continue
		}
		args := operate("refresh", "--import-pending-creates", t.URN+","+t.ID)
		if s.hasRoomFor(t.URN, live) {
			w.succeed(args...)
			w.adopted(t)
		} else {
			w.refuse(args...)
		}
		return
	}
}

// hasRoomFor says whether the parent and the provider of a pending create are still recorded.
func (s standing) hasRoomFor(urn string, live map[string]bool) bool {
	for _, p := range s.state.PendingOperations {
		if p.Resource.URN == urn {
			provider := p.Resource.Provider
			return live[p.Resource.Parent] && live[provider[:strings.LastIndex(provider, "::")]]
		}
	}
	return false
}

func (w *world) adopted(t fakeprovidertest.Thing) {
	w.t.Helper()
	w.tally.add("pending creates adopted", 1)
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

// refuse runs a command that must fail and must not harm the state.
func (w *world) refuse(args ...string) {
	w.t.Helper()
	w.tally.add("adoptions refused", 1)
	before := w.compare()
	if got := w.run(args...); got.code == 0 {
		w.fatalf("%s; it must fail\n%s", got, got.said())
	}
	after := w.compare()
	if len(before.state.Resources) != len(after.state.Resources) ||
		len(before.pendingURNs("creating")) != len(after.pendingURNs("creating")) {
		w.fatalf("a refresh that failed changed the state")
	}
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
	for folder, allowed := range map[string][]string{"tmp": nil, "project": {"Pulumi.yaml"}} {
		entries, err := os.ReadDir(w.path(folder))
		w.must(err)
		for _, e := range entries {
			if !slices.Contains(allowed, e.Name()) {
				w.fatalf("%s is left in the folder %s", e.Name(), folder)
			}
		}
	}
}
