package diy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/diag"
)

// heldLock is a lock file of ours and the goroutine that renews it.
type heldLock struct {
	store   *store
	ref     backend.StackRef
	gate    gate
	path    string
	record  lockRecord // Written by the goroutine once it runs.
	size    int
	notices diag.Diagnostics

	stop chan struct{}
	done chan struct{}
	lost chan struct{}

	mu       sync.Mutex
	cause    error
	released bool
}

// lockOwner is who takes a lock.
type lockOwner struct {
	self identity
	gate gate
}

func newHeldLock(s *store, ref backend.StackRef, owner lockOwner) *heldLock {
	now := s.now().UTC()
	instance := newInstance()
	return &heldLock{
		store: s,
		ref:   ref,
		gate:  owner.gate,
		path:  s.lockPath(ref, instance),
		record: lockRecord{
			PID:       owner.self.PID,
			Username:  s.options.Username,
			Hostname:  s.options.Hostname,
			Timestamp: now,
			Cairn: &lease{
				Version:  s.options.Version,
				Instance: instance,
				Process:  owner.self,
				Flock:    owner.gate.state == gateOpen,
				Phase:    phaseCandidate,
				Seconds:  s.timing.Lease.Seconds(),
				Expires:  now.Add(s.timing.Lease),
			},
		},
		stop: make(chan struct{}),
		done: make(chan struct{}),
		lost: make(chan struct{}),
	}
}

func (l *heldLock) name() string { return lockFileName(l.record.Cairn.Instance) }

// write makes the lock file.
func (l *heldLock) write() error {
	const slack = 64 // Room for the heartbeat and the nanoseconds of a time to grow.
	text, err := l.record.encode(0)
	if err != nil {
		return err
	}
	l.size = len(text) + slack
	text, err = l.record.encode(l.size)
	if err != nil {
		return err
	}
	return l.store.writer.replace(l.path, l.ref.Name, text)
}

// promote turns the candidate into the holder.
func (l *heldLock) promote() error {
	l.record.Cairn.Phase = phaseHeld
	return l.renew()
}

// renew writes the record over the old one in place. A file that somebody removed is not made again: that fails with
// fs.ErrNotExist.
func (l *heldLock) renew() error {
	lease := l.record.Cairn
	lease.Heartbeat++
	lease.Expires = l.store.now().UTC().Add(l.store.timing.Lease)
	text, err := l.record.encode(l.size)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(text, 0)
	return errors.Join(err, f.Close())
}

func (l *heldLock) start() { go l.beat() }

// beat renews the lease and watches for the lock's loss until Release.
func (l *heldLock) beat() {
	defer close(l.done)
	timing := l.store.timing
	ticker := time.NewTicker(min(timing.Watch, timing.Renew))
	defer ticker.Stop()
	// Wall-clock times, without the monotonic part: a machine that slept must notice.
	renewed := time.Now().Round(0)
	for {
		select {
		case <-l.stop:
			return
		case <-ticker.C:
		}
		age := time.Now().Round(0).Sub(renewed)
		if age < timing.Renew {
			if err := l.look(); err != nil {
				l.lose(err)
				return
			}
			continue
		}
		err := l.renew()
		switch {
		case err == nil:
			renewed = time.Now().Round(0)
		case errors.Is(err, fs.ErrNotExist), age > timing.Lease:
			l.lose(err)
			return
		}
	}
}

// look checks that the lock file is still there.
func (l *heldLock) look() error {
	_, err := os.Lstat(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil // Any other trouble says nothing about the lock.
}

func (l *heldLock) lose(err error) {
	reason := fmt.Errorf("%w: it could not be renewed: %w", backend.ErrLockLost, err)
	if errors.Is(err, fs.ErrNotExist) {
		reason = fmt.Errorf("%w: somebody removed %s (as `pulumi cancel` does)", backend.ErrLockLost, l.path)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cause == nil {
		l.cause = reason
		close(l.lost)
	}
}

func (l *heldLock) Ref() backend.StackRef { return l.ref }

func (l *heldLock) Lost() <-chan struct{} { return l.lost }

func (l *heldLock) Notices() diag.Diagnostics { return l.notices }

func (l *heldLock) Check() error {
	if err := l.look(); err != nil && !l.isReleased() {
		l.lose(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.released {
		return fmt.Errorf("%w: it was released", backend.ErrLockLost)
	}
	return l.cause
}

func (l *heldLock) isReleased() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.released
}

func (l *heldLock) Release(ctx context.Context) error {
	if !l.markReleased() {
		return nil
	}
	close(l.stop)
	<-l.done
	// The work is done whatever becomes of the lock: a cancelled context must not leave it behind.
	ctx = context.WithoutCancel(ctx)
	err := l.removeFile()
	for wait := l.store.timing.Settle; err != nil && wait < 10*l.store.timing.Settle; wait *= 2 {
		if sleepErr := sleep(ctx, wait); sleepErr != nil {
			break
		}
		err = l.removeFile()
	}
	if err != nil {
		err = fmt.Errorf("there was a problem deleting the lock at %s; it ends by itself within %s of this process's "+
			"end, and `pulumi cancel` removes it: %w", l.path, l.store.timing.Lease, err)
	}
	return errors.Join(err, l.gate.release())
}

func (l *heldLock) markReleased() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := !l.released
	l.released = true
	return first
}

func (l *heldLock) removeFile() error { return l.store.writer.removeWithSidecar(l.path) }

// checkLock is asked before every write.
func checkLock(ctx context.Context, lock backend.Lock) (backend.StackRef, error) {
	if ctx.Err() != nil {
		return backend.StackRef{}, context.Cause(ctx)
	}
	return lock.Ref(), lock.Check()
}
