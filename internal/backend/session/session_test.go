package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/backend/session"
	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
)

// TestUpdates goes through a stack's life.
func TestUpdates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if got := w.read("dev.json"); !strings.Contains(got, `"secrets_providers":{"type":"passphrase","state":{"salt":"one"}}`) ||
		!strings.Contains(got, `"stack":"organization/p/dev"`) || !strings.Contains(got, `"version":"v3.276.0+test"`) {
		t.Errorf("a new stack: %s", got)
	}
	s := w.open()
	must(t, create(s, thing("a", "1")))
	must(t, create(s, thing("b", "1")))
	if !w.exists("dev.journal") {
		t.Error("no journal")
	}
	w.close(s)
	want(t, "created", w.stored(), "a=id-a:1 b=id-b:1")

	s = w.open()
	first := w.read("dev.json")
	must(t, update(s, find(t, s, "a"), thing("a", "2")))
	must(t, remove(s, find(t, s, "b")))
	old := thing("c", "1")
	must(t, create(s, old))
	flagged := old.Clone()
	flagged.Delete = true
	next := thing("c", "2")
	next.ID = "id-c2"
	must(t, s.Success(ctx, exec.Success{Changes: []exec.Change{{Old: old, New: flagged, FlagsOnly: true}, {New: next}}}))
	w.close(s)
	want(t, "changed", w.stored(), "a=id-a:2 c=id-c2:2 c=id-c:1!")
	if w.read("dev.json.bak") != first {
		t.Error("the state before is not in .bak")
	}

	s = w.open()
	must(t, remove(s, find(t, s, "a")))
	ticket, err := s.Begin(ctx, exec.Begin{Kind: resource.PendingCreating, Resource: thing("d", "1")})
	must(t, err)
	must(t, s.Failure(ctx, ticket))
	_, err = s.Begin(ctx, exec.Begin{Kind: resource.PendingCreating, Resource: thing("e", "1")})
	must(t, err)
	w.close(s)
	want(t, "with a pending create", w.stored(), "c=id-c2:2 c=id-c:1! creating:e")

	s = w.open()
	must(t, s.ClearPending(ctx, []int{0}))
	w.close(s)
	want(t, "settled", w.stored(), "c=id-c2:2 c=id-c:1!")
	infos, err := w.opts.Backend.History.List(ctx, w.opts.Ref, backend.Page{})
	must(t, err)
	if len(infos) != 4 {
		t.Errorf("%d history entries", len(infos))
	}
}

// TestNothingDone: an update without records leaves no journal, and a prompt answered with no leaves nothing at all.
func TestNothingDone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.read("dev.json")
	s := w.open()
	_, err := s.Abandon(ctx)
	must(t, err)
	want(t, "abandoned", w.read("dev.json"), before)
	w.close(w.open())
	want(t, "empty", w.stored(), "")
}

// TestParallel: many steps at once, and the result does not depend on their order.
func TestParallel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.open()
	var wg sync.WaitGroup
	names := "abcdefghijklmnopqrstuvwxyz"
	for _, name := range strings.Split(names, "") {
		wg.Go(func() {
			r := thing(name, "1")
			if err := create(s, r); err != nil {
				t.Error(err)
			}
			if err := update(s, r, thing(name, "2")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	w.close(s)
	got := w.stored()
	for _, name := range strings.Split(names, "") {
		if !strings.Contains(got, name+"=id-"+name+":2") {
			t.Errorf("%s is missing in %s", name, got)
		}
	}
}

// interrupted leaves a journal as a killed process would.
func (w *world) interrupted() {
	w.t.Helper()
	s := w.open()
	must(w.t, create(s, thing("a", "1")))
	_, err := s.Begin(ctx, exec.Begin{Kind: resource.PendingCreating, Resource: thing("b", "1")})
	must(w.t, err)
	_, err = s.Abandon(ctx)
	must(w.t, err)
	w.reopen()
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.interrupted()
	before := [...]string{w.read("dev.json"), w.read("dev.journal")}

	v, err := session.Read(ctx, w.opts)
	must(t, err)
	want(t, "read", show(v.Snapshot), "a=id-a:1 creating:b")
	if len(v.Notices) != 1 || !strings.Contains(v.Notices[0].Error(), "unfinished update") {
		t.Errorf("notices: %v", v.Notices)
	}
	if before != [...]string{w.read("dev.json"), w.read("dev.journal")} {
		t.Error("reading changed something")
	}

	s := w.open()
	want(t, "folded", show(s.Base()), "a=id-a:1 creating:b")
	if len(s.Notices()) != 1 || !strings.Contains(s.Notices()[0].Summary, "was interrupted; its 3 journal records") {
		t.Errorf("notices: %v", s.Notices())
	}
	if w.exists("dev.journal") {
		t.Error("the journal is still there")
	}
	must(t, update(s, find(t, s, "a"), thing("a", "2")))
	w.close(s)
	want(t, "goes on", w.stored(), "a=id-a:2 creating:b")
}

// TestTornJournal cuts the journal of an interrupted update at every byte: every whole record is folded.
func TestTornJournal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.interrupted()
	checkpoint, journal := w.read("dev.json"), w.read("dev.journal")
	for cut := 0; cut <= len(journal); cut += 7 {
		must(t, os.WriteFile(w.path("dev.json"), []byte(checkpoint), 0o644))
		must(t, os.WriteFile(w.path("dev.journal"), []byte(journal[:cut]), 0o644))
		s := w.open()
		got := show(s.Base())
		wanted := [...]string{"", "", "creating:a", "a=id-a:1", "a=id-a:1 creating:b"}[strings.Count(journal[:cut], "\n")]
		want(t, "cut", got, wanted)
		must(t, create(s, thing("z", "1")))
		w.close(s)
		if got := w.stored(); !strings.Contains(got, "z=id-z:1") {
			t.Errorf("cut at %d: %s", cut, got)
		}
	}
}

// TestConflict: a checkpoint that was changed after the journal began is not touched, and neither is the journal.
func TestConflict(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.interrupted()
	foreign := strings.Replace(w.read("dev.json"), "v3.276.0", "v3.275.0", 1)
	must(t, os.WriteFile(w.path("dev.json"), []byte(foreign), 0o644))
	journal := w.read("dev.journal")
	w.opts.NoIntegrityCheck = true // The magic does not belong to the version any more.
	var conflict *backend.JournalConflictError
	if _, err := session.Read(ctx, w.opts); !errors.As(err, &conflict) {
		t.Errorf("read: %v", err)
	}
	_, err := session.Open(ctx, w.opts)
	if !errors.As(err, &conflict) {
		t.Fatalf("open: %v", err)
	}
	for _, part := range []string{w.path("dev.json"), w.path("dev.journal"), "mv ", "pulumi refresh", "organization/p/dev"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
	if w.read("dev.json") != foreign || w.read("dev.journal") != journal {
		t.Error("something was changed")
	}
	must(t, os.Rename(w.path("dev.journal"), w.path("dev.journal.kept")))
	w.close(w.open()) // The way out works, and no lock was left.
}

// TestChangedMeanwhile: another tool that does not heed the lock is noticed before its state is overwritten.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, records := range []bool{true, false} {
		w := newWorld(t)
		s := w.open()
		if records {
			must(t, create(s, thing("a", "1")))
		}
		foreign := w.read("dev.json") + " "
		must(t, os.WriteFile(w.path("dev.json"), []byte(foreign), 0o644))
		_, err := s.Close(ctx, session.Outcome{})
		var conflict *backend.JournalConflictError
		if records != errors.As(err, &conflict) || err == nil {
			t.Errorf("records %v: %v", records, err)
		}
		if w.read("dev.json") != foreign || records != w.exists("dev.journal") {
			t.Error("something was lost")
		}
	}
}

// TestCancelled: whoever loses the lock stops, stores nothing, and nothing is lost.
func TestCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.open()
	must(t, create(s, thing("a", "1")))
	before := w.read("dev.json")
	_, err := w.opts.Backend.Locker.Cancel(ctx, w.opts.Ref)
	must(t, err)
	<-s.Lost()
	if err := create(s, thing("b", "1")); !errors.Is(err, backend.ErrLockLost) {
		t.Errorf("a record without the lock: %v", err)
	}
	_, err = s.Close(ctx, session.Outcome{})
	if !errors.Is(err, backend.ErrLockLost) || !strings.Contains(err.Error(), w.path("dev.journal")) {
		t.Errorf("close: %v", err)
	}
	want(t, "checkpoint", w.read("dev.json"), before)
	s = w.open()
	want(t, "folded", show(s.Base()), "a=id-a:1")
	w.close(s)
}

func TestLockedStack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.open()
	var locked *backend.LockedError
	if _, err := session.Open(ctx, w.opts); !errors.As(err, &locked) {
		t.Errorf("open: %v", err)
	}
	if _, err := session.Create(ctx, w.opts, nil); !errors.As(err, &locked) {
		t.Errorf("create: %v", err)
	}
	if _, err := session.Read(ctx, w.opts); err != nil {
		t.Errorf("read: %v", err)
	}
	w.close(s)
	if _, err := session.Create(ctx, w.opts, nil); !errors.Is(err, backend.ErrStackExists) {
		t.Errorf("create: %v", err)
	}
	w.opts.Ref.Name = "none"
	if _, err := session.Open(ctx, w.opts); !errors.Is(err, backend.ErrStackNotFound) {
		t.Errorf("open: %v", err)
	}
	if _, err := session.Read(ctx, w.opts); !errors.Is(err, backend.ErrStackNotFound) {
		t.Errorf("read: %v", err)
	}
}

// TestIntegrity: a state that breaks the rules is stored, marked, and refused when it is read; a good one is not marked.
func TestIntegrity(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.opts.Command = "pulumi up"
	s := w.open()
	broken := thing("a", "1")
	broken.Parent = "urn:pulumi:dev::p::t::missing"
	must(t, create(s, broken))
	w.close(s)
	if got := w.read("dev.json"); !strings.Contains(got, `"metadata":{"integrity_error":{"command":"pulumi up","error":"`) {
		t.Errorf("not marked: %s", got)
	}
	var integrity *state.IntegrityError
	if _, err := session.Read(ctx, w.opts); !errors.As(err, &integrity) || !strings.Contains(err.Error(), "dev.json.bak") {
		t.Errorf("read: %v", err)
	}
	w.opts.NoIntegrityCheck = true
	s = w.open()
	must(t, update(s, find(t, s, "a"), thing("a", "2")))
	w.close(s)
	w.opts.NoIntegrityCheck = false
	if got := w.read("dev.json"); !strings.Contains(got, `"metadata":{}`) {
		t.Errorf("still marked: %s", got)
	}
	want(t, "mended", w.stored(), "a=id-a:2")
}

func TestReplace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.open()
	must(t, s.Replace(&state.Snapshot{Resources: []*resource.State{thing("x", "1")}}))
	_, err := s.Close(ctx, session.Outcome{})
	must(t, err)
	want(t, "replaced", w.stored(), "x=id-x:1")
	infos, err := w.opts.Backend.History.List(ctx, w.opts.Ref, backend.Page{})
	must(t, err)
	if len(infos) != 0 {
		t.Errorf("history: %v", infos)
	}
	s = w.open()
	must(t, create(s, thing("a", "1")))
	if s.Replace(&state.Snapshot{}) == nil {
		t.Error("replaced in the middle of an update")
	}
	w.close(s)
}

// TestUnknownPointer: a record about a state that nobody recorded is an error, not a broken journal.
func TestUnknownPointer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.open()
	stranger := thing("a", "1")
	if err := update(s, stranger, thing("a", "2")); err == nil {
		t.Error("begun on a state that is not recorded")
	}
	if err := s.Success(ctx, exec.Success{Changes: []exec.Change{{Old: stranger}}}); err == nil {
		t.Error("dropped a state that is not recorded")
	}
	w.close(s)
	want(t, "state", w.stored(), "")
}

// TestBadCheckpoint: what cannot be read names the file and the way out.
func TestBadCheckpoint(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		`{"version":3,"checkpoint":{"latest":{"resources":[{"urn":`: "byte 57, in resource 0",
		`{"version":9}`: "newer release",
		`{"version":4,"features":["x"],"checkpoint":{}}`: "newer release",
		`{"version":3,"checkpoint":{"latest":{"resources":[{"urn":"u","type":"t","inputs":{"p":{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","ciphertext":"x"}}}]}}}`: "inputs.p of u",
	} {
		w := newWorld(t)
		must(t, os.WriteFile(w.path("dev.json"), []byte(text), 0o644))
		for _, open := range []func() error{
			func() error { _, err := session.Read(ctx, w.opts); return err },
			func() error { _, err := session.Open(ctx, w.opts); return err },
		} {
			err := open()
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v", text, err)
			}
		}
		want(t, "checkpoint", w.read("dev.json"), text)
		locks, err := filepath.Glob(filepath.Join(w.root, ".pulumi/locks/organization/p/dev/*"))
		must(t, err)
		if len(locks) > 0 {
			t.Errorf("locks left: %v", locks)
		}
	}
}

// TestReadWhileStoring: a reader beside a running update sees one state or the other.
func TestReadWhileStoring(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 20 {
			s, err := session.Open(ctx, w.opts)
			if err != nil {
				t.Error(err)
				return
			}
			if err := create(s, thing("n"+strings.Repeat("x", i), "1")); err != nil {
				t.Error(err)
			}
			if _, err := s.Close(ctx, session.Outcome{}); err != nil {
				t.Error(err)
			}
		}
	}()
	for n := 0; ; {
		v, err := session.Read(ctx, w.opts)
		if err != nil {
			t.Error(err)
		} else if len(v.Snapshot.Resources) < n {
			t.Errorf("%d resources after %d", len(v.Snapshot.Resources), n)
		} else {
			n = len(v.Snapshot.Resources)
		}
		select {
		case <-done:
			return
		case <-time.After(time.Millisecond):
		}
	}
}
