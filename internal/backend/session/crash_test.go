package session_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/backend/session"
)

var errCrash = errors.New("crash")

// crasher stops every write to the store after a number of them, as a kill would.
type crasher struct {
	mu   sync.Mutex
	left int
}

func (c *crasher) write() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left < 0 {
		return errCrash
	}
	return nil
}

type crashCheckpoints struct {
	backend.Checkpoints
	*crasher
}

func (c crashCheckpoints) Write(ctx context.Context, lock backend.Lock, data []byte) error {
	if err := c.write(); err != nil {
		return err
	}
	return c.Checkpoints.Write(ctx, lock, data)
}

type crashJournals struct {
	backend.Journals
	*crasher
}

func (c crashJournals) Create(ctx context.Context, lock backend.Lock, h backend.JournalHeader) (backend.Journal, error) {
	if err := c.write(); err != nil {
		return nil, err
	}
	j, err := c.Journals.Create(ctx, lock, h)
	return crashJournal{j, c.crasher}, err
}

func (c crashJournals) Resume(ctx context.Context, lock backend.Lock) (backend.Journal, error) {
	if err := c.write(); err != nil {
		return nil, err
	}
	j, err := c.Journals.Resume(ctx, lock)
	return crashJournal{j, c.crasher}, err
}

func (c crashJournals) Remove(ctx context.Context, lock backend.Lock) error {
	if err := c.write(); err != nil {
		return err
	}
	return c.Journals.Remove(ctx, lock)
}

type crashJournal struct {
	backend.Journal
	*crasher
}

func (j crashJournal) Append(ctx context.Context, record []byte) error {
	if err := j.write(); err != nil {
		return err
	}
	return j.Journal.Append(ctx, record)
}

// TestCrashAnywhere kills an update after each of its writes, then kills the next one's recovery after each of its own.
// In the end the state has every step that was confirmed.
func TestCrashAnywhere(t *testing.T) {
	t.Parallel()
	const most = 30
	finished := false
	for first := 0; first < most && !finished; first++ {
		for second := range 8 {
			w := newWorld(t)
			setUp(w)
			confirmed, done := w.crashing(first)
			finished = done
			w.reopen()
			w.crashRecovery(second)
			w.reopen()
			s := w.open()
			got := show(s.Base())
			for name, v := range confirmed {
				if has := strings.Contains(got, name+"=id-"+name+":"+v); has == (v == "gone") {
					t.Errorf("killed after %d and %d writes: %s should be %s in %q", first, second, name, v, got)
				}
			}
			if n := strings.Count(got, "creating:"); n > 1 {
				t.Errorf("killed after %d and %d writes: %q", first, second, got)
			}
			w.close(s)
			if stored := w.stored(); stored != got {
				t.Errorf("killed after %d and %d writes: %q became %q", first, second, got, stored)
			}
		}
	}
	if !finished {
		t.Errorf("the update has more than %d writes", most)
	}
}

func setUp(w *world) {
	s := w.open()
	must(w.t, create(s, thing("a", "1")))
	must(w.t, create(s, thing("b", "1")))
	w.close(s)
}

func (w *world) crashAfter(n int) {
	c := &crasher{left: n}
	b := *w.opts.Backend
	b.Checkpoints = crashCheckpoints{b.Checkpoints, c}
	b.Journals = crashJournals{b.Journals, c}
	w.opts.Backend = &b
}

// crashing runs an update that is killed after n writes; confirmed is what it was told to be stored.
func (w *world) crashing(n int) (confirmed map[string]string, done bool) {
	w.t.Helper()
	w.crashAfter(n)
	confirmed = map[string]string{"a": "1", "b": "1"}
	s, err := session.Open(ctx, w.opts)
	must(w.t, err)
	steps := []struct {
		name, v string
		run     func() error
	}{
		{"c", "1", func() error { return create(s, thing("c", "1")) }},
		{"a", "2", func() error { return update(s, find(w.t, s, "a"), thing("a", "2")) }},
		{"b", "gone", func() error { return remove(s, find(w.t, s, "b")) }},
		{"d", "1", func() error { return create(s, thing("d", "1")) }},
	}
	for _, step := range steps {
		if err = step.run(); err != nil {
			delete(confirmed, step.name) // Nobody knows.
			break
		}
		confirmed[step.name] = step.v
	}
	if err != nil {
		_, err := s.Abandon(ctx)
		must(w.t, err)
		return confirmed, false
	}
	_, err = s.Close(ctx, session.Outcome{})
	if err != nil && !errors.Is(err, errCrash) {
		w.t.Fatal(err)
	}
	return confirmed, err == nil
}

// crashRecovery opens the stack and is killed after n writes.
func (w *world) crashRecovery(n int) {
	w.t.Helper()
	w.crashAfter(n)
	s, err := session.Open(ctx, w.opts)
	if err == nil {
		_, err = s.Abandon(ctx)
	}
	if err != nil && !errors.Is(err, errCrash) {
		w.t.Fatal(err)
	}
}

// TestFullDisk: the journal takes nothing more, but the state can still be stored: nothing is lost.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.opts.Backend
	full := *b
	c := &crasher{left: 2}
	full.Journals = crashJournals{b.Journals, c}
	w.opts.Backend = &full
	s := w.open()
	r := thing("a", "1")
	if err := create(s, r); !errors.Is(err, errCrash) {
		t.Fatalf("create: %v", err)
	}
	c.mu.Lock()
	c.left = 1 // The removal of the journal.
	c.mu.Unlock()
	_, err := s.Close(ctx, session.Outcome{})
	if err != nil && !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	w.opts.Backend = b
	s = w.open()
	want(t, "state", show(s.Base()), "a=id-a:1")
	w.close(s)
}
