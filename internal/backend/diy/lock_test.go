package diy

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/backend"
)

const foreignName = "00000000-0000-4000-8000-000000000000.json"

// TestUpstreamLock: a lock of the Pulumi CLI is honoured, shown in its words, and only `cancel` removes it.
func TestUpstreamLock(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	path := filepath.Join(s.lockDir(testRef), foreignName)
	writeFile(t, path, `{"pid":1,"username":"root","hostname":"other","timestamp":"2026-11-30T19:00:00Z"}`)
	must(t, os.Chtimes(path, time.Time{}, time.Now().Add(-24*time.Hour)))
	_, err := locker{s}.Lock(t.Context(), testRef, backend.LockOptions{})
	want := "the stack is currently locked by 1 lock(s). Either wait for the other process(es) to end or delete the " +
		"lock file with `pulumi cancel`.\n  file://" + s.root + "/.pulumi/locks/organization/quick/dev/" + foreignName +
		"?no_tmp_dir=true: created by root@other (pid 1) at 2026-11-30T19:00:00Z"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the lock was removed: %v", err)
	}
	holders, err := locker{s}.Cancel(t.Context(), testRef)
	must(t, err)
	if len(holders) != 1 || holders[0].Own {
		t.Errorf("cancelled %+v", holders)
	}
	mustLock(t, s)
}

// TestBrokenLockFile: a lock that cannot be read is a lock.
func TestBrokenLockFile(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", `{"pid":"x"}`, "null"} {
		s := testStore(t)
		writeFile(t, filepath.Join(s.lockDir(testRef), "x.json"), text)
		var locked *backend.LockedError
		if _, err := (locker{s}).Lock(t.Context(), testRef, backend.LockOptions{}); !errors.As(err, &locked) {
			t.Errorf("lock file %q: %v", text, err)
		}
	}
}

// plant writes a lock of ours, as another process would have.
func plant(t *testing.T, s *store, age time.Duration, change func(*lockRecord)) string {
	t.Helper()
	self, err := ownIdentity()
	must(t, err)
	record := lockRecord{PID: self.PID, Username: "them", Hostname: "there", Timestamp: time.Now().UTC(), Cairn: &lease{
		Version: "test", Instance: newInstance(), Process: self, Phase: phaseHeld, Seconds: 60,
	}}
	change(&record)
	text, err := record.encode(0)
	must(t, err)
	path := s.lockPath(testRef, record.Cairn.Instance)
	writeFile(t, path, string(text))
	must(t, os.Chtimes(path, time.Time{}, time.Now().Add(-age)))
	return path
}

func TestDeadAndLiveHolders(t *testing.T) {
	t.Parallel()
	gone := func(r *lockRecord) { r.Cairn.Process.PID = 1 << 30 }
	reused := func(r *lockRecord) { r.Cairn.Process.Started = "1" }
	elsewhere := func(r *lockRecord) { r.Cairn.Process.Boot = "another" }
	otherNamespace := func(r *lockRecord) { r.Cairn.Process.Namespace = "pid:[1]"; r.Cairn.Process.PID = 1 << 30 }
	leftover := func(r *lockRecord) { r.Cairn.Flock = true }
	unknown := func(r *lockRecord) { r.Cairn.Process = identity{PID: 1 << 30} }
	cases := map[string]struct {
		age    time.Duration
		change func(*lockRecord)
		says   string // "" means that it counts as alive
	}{
		"process gone":                         {0, gone, "is gone"},
		"pid taken by another":                 {0, reused, "is gone"},
		"alive, lease over, no kernel lock":    {time.Hour, func(*lockRecord) {}, ""},
		"alive, left its file behind":          {time.Hour, leftover, "lease"},
		"alive, may still remove its file":     {0, leftover, ""},
		"other machine, fresh":                 {0, elsewhere, ""},
		"other machine, lease over":            {time.Hour, elsewhere, "lease"},
		"other pid namespace, fresh":           {0, otherNamespace, ""},
		"other pid namespace, lease over":      {time.Hour, otherNamespace, "lease"},
		"no identity, fresh":                   {0, unknown, ""},
		"no identity, lease over":              {time.Hour, unknown, "lease"},
		"other machine, stamped in the future": {-time.Hour, elsewhere, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testStore(t)
			path := plant(t, s, c.age, c.change)
			lock, err := locker{s}.Lock(t.Context(), testRef, backend.LockOptions{})
			if c.says == "" {
				var locked *backend.LockedError
				if !errors.As(err, &locked) || len(locked.Holders) != 1 {
					t.Fatalf("got %v, want *LockedError", err)
				}
				if _, err := os.Stat(path); err != nil {
					t.Errorf("the lock of a living holder was removed: %v", err)
				}
				return
			}
			must(t, err)
			if len(lock.Notices()) != 1 || !strings.Contains(lock.Notices()[0].Summary, c.says) ||
				!strings.Contains(lock.Notices()[0].Summary, "them@there") {
				t.Errorf("notices: %v", lock.Notices())
			}
			must(t, lock.Release(t.Context()))
			noTemps(t, s.root)
		})
	}
}

// TestFutureStampWhileWaiting: a heartbeat that stands still is noticed without any clock of the file system.
func TestFutureStampWhileWaiting(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	s.timing.Poll = 10 * time.Millisecond
	plant(t, s, -time.Hour, func(r *lockRecord) { r.Cairn.Process.Boot = "another"; r.Cairn.Seconds = 0.1 })
	lock, err := locker{s}.Lock(t.Context(), testRef, backend.LockOptions{Wait: time.Hour})
	must(t, err)
	must(t, lock.Release(t.Context()))
}

// TestSlowHolder: whoever has the kernel's lock is never robbed, even if it stopped renewing.
func TestSlowHolder(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	lock := mustLock(t, s).(*heldLock)
	close(lock.stop) // As if the process were stopped.
	<-lock.done
	lock.stop = make(chan struct{})
	must(t, os.Chtimes(lock.path, time.Time{}, time.Now().Add(-time.Hour)))
	var locked *backend.LockedError
	if _, err := (locker{s}).Lock(t.Context(), testRef, backend.LockOptions{}); !errors.As(err, &locked) {
		t.Errorf("robbed: %v", err)
	}
	must(t, lock.Check())
}

func TestRenewal(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	s.timing = Timing{Renew: 5 * time.Millisecond, Watch: time.Millisecond}.withDefaults()
	lock := mustLock(t, s).(*heldLock)
	first, err := readLock(lock.path)
	must(t, err)
	for {
		now, err := readLock(lock.path)
		must(t, err)
		if now.record.Cairn == nil || now.record.Cairn.Phase != phaseHeld {
			t.Fatalf("lock file: %+v", now.record)
		}
		if now.record.Cairn.Heartbeat > first.record.Cairn.Heartbeat+3 {
			break
		}
	}
	must(t, lock.Release(t.Context()))
	if _, err := os.Stat(lock.path); err == nil {
		t.Error("the lock file is still there")
	}
}

// TestCandidates: without the kernel's lock, simultaneous starters settle it by their files.
func TestCandidates(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	s.gate = func(string) (gate, error) { return gate{state: gateAbsent}, nil }
	plant(t, s, 0, func(r *lockRecord) { r.Cairn.Phase = phaseCandidate })
	var locked *backend.LockedError
	if _, err := (locker{s}).Lock(t.Context(), testRef, backend.LockOptions{}); !errors.As(err, &locked) {
		t.Errorf("beside a candidate: %v", err)
	}
	high := lockFile{record: lockRecord{Cairn: &lease{Instance: "b", Phase: phaseCandidate}}}
	held := lockFile{record: lockRecord{Cairn: &lease{Instance: "0", Phase: phaseHeld}}}
	if !beats(high, "a") || beats(high, "c") || !beats(held, "c") || !beats(lockFile{}, "c") {
		t.Error("the wrong candidate gives way")
	}
}

// TestReleaseFails: a lock file that cannot be removed is a warning that says what to do.
func TestReleaseFails(t *testing.T) {
	t.Parallel()
	d := &removalFault{}
	s := testStore(t).withDisk(d)
	s.timing.Settle = time.Millisecond
	lock := mustLock(t, s)
	d.left = 2 // Transient: the retry succeeds.
	must(t, lock.Release(t.Context()))
	lock = mustLock(t, s)
	d.left = 1 << 20
	wantInError(t, lock.Release(t.Context()), "problem deleting the lock", "pulumi cancel")
}

type removalFault struct {
	osDisk
	left int
}

func (d *removalFault) Remove(path string) error {
	if d.left > 0 {
		d.left--
		return &os.PathError{Op: "remove", Path: path, Err: errors.New("try again")}
	}
	return d.osDisk.Remove(path)
}

// TestLitterIsCleared: what a crashed process left for this stack goes, what belongs to another stays.
func TestLitterIsCleared(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	mine := filepath.Join(s.projectDir("quick"), tempName("dev", "0123456789abcdef"))
	others := filepath.Join(s.projectDir("quick"), tempName("dev.cairn-x", "0123456789abcdef"))
	writeFile(t, mine, "")
	writeFile(t, others, "")
	mustLock(t, s)
	if _, err := os.Stat(mine); err == nil {
		t.Error("litter was left")
	}
	if _, err := os.Stat(others); err != nil {
		t.Errorf("another stack's file was removed: %v", err)
	}
}
