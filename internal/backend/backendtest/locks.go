package backendtest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/backend"
)

func testLockExcludes(t *testing.T, open Open) {
	b, ctx := open(t), t.Context()
	lock := mustLock(t, b, ref("s"))
	if lock.Ref() != ref("s") {
		t.Errorf("lock of %s", lock.Ref())
	}
	must(t, lock.Check())
	for _, other := range []*backend.Backend{b, open(t)} {
		_, err := other.Locker.Lock(ctx, ref("s"), backend.LockOptions{})
		var locked *backend.LockedError
		if !errors.As(err, &locked) {
			t.Fatalf("second lock: %v, want *LockedError", err)
		}
		if len(locked.Holders) != 1 || !locked.Holders[0].Own {
			t.Errorf("holders: %+v", locked.Holders)
		}
		holders, err := other.Locker.Holders(ctx, ref("s"))
		must(t, err)
		if len(holders) != 1 {
			t.Errorf("holders: %+v", holders)
		}
	}
	release(t, mustLock(t, b, ref("other"))) // Another stack is not locked.
	release(t, lock)
	release(t, lock) // Twice is fine.
	release(t, mustLock(t, open(t), ref("s")))
	holders, err := b.Locker.Holders(ctx, ref("s"))
	must(t, err)
	if len(holders) != 0 {
		t.Errorf("locks left: %+v", holders)
	}
}

func testLockWaits(t *testing.T, open Open) {
	lock := mustLock(t, open(t), ref("s"))
	var told atomic.Int32
	second, err := open(t).Locker.Lock(t.Context(), ref("s"), backend.LockOptions{
		Wait: time.Minute,
		OnWait: func([]backend.Holder) {
			if told.Add(1) == 1 {
				release(t, lock)
			}
		},
	})
	must(t, err)
	if told.Load() == 0 {
		t.Error("nobody was told about the wait")
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = open(t).Locker.Lock(ctx, ref("s"), backend.LockOptions{
		Wait:   time.Minute,
		OnWait: func([]backend.Holder) { cancel() },
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled wait: %v", err)
	}
	_, err = open(t).Locker.Lock(t.Context(), ref("s"), backend.LockOptions{Wait: time.Millisecond})
	var locked *backend.LockedError
	if !errors.As(err, &locked) {
		t.Errorf("wait that ran out: %v", err)
	}
	release(t, second)
}

func testLockCancelled(t *testing.T, open Open) {
	b, ctx := open(t), t.Context()
	lock := mustCreate(t, b, ref("s"), `{}`)
	holders, err := open(t).Locker.Cancel(ctx, ref("s"))
	must(t, err)
	if len(holders) != 1 {
		t.Errorf("cancelled %+v", holders)
	}
	<-lock.Lost()
	if err := lock.Check(); !errors.Is(err, backend.ErrLockLost) {
		t.Errorf("check: %v", err)
	}
	if err := b.Checkpoints.Write(ctx, lock, []byte(`{"late":true}`)); !errors.Is(err, backend.ErrLockLost) {
		t.Errorf("write under a cancelled lock: %v", err)
	}
	release(t, lock)
	release(t, mustLock(t, open(t), ref("s")))
}

// testLockRace starts many at once: never two at a time, and in each round somebody wins.
func testLockRace(t *testing.T, open Open) {
	const rounds, starters = 5, 8
	for range rounds {
		var inside, wins atomic.Int32
		var wg sync.WaitGroup
		begin, losersDone := make(chan struct{}), make(chan struct{})
		var losers atomic.Int32
		lose := func() {
			if losers.Add(1) == starters-1 {
				close(losersDone)
			}
		}
		for range starters {
			b := open(t)
			wg.Go(func() {
				<-begin
				lock, err := b.Locker.Lock(t.Context(), ref("race"), backend.LockOptions{})
				var locked *backend.LockedError
				if errors.As(err, &locked) {
					lose()
					return
				}
				if err != nil {
					t.Error(err)
					lose()
					return
				}
				if inside.Add(1) > 1 {
					t.Error("two hold the lock at once")
				}
				wins.Add(1)
				<-losersDone
				inside.Add(-1)
				release(t, lock)
			})
		}
		close(begin)
		wg.Wait()
		if wins.Load() != 1 {
			t.Fatalf("%d winners in a round", wins.Load())
		}
	}
}
