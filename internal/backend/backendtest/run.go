package backendtest

import (
	"context"
	"testing"

	"github.com/cairn-iac/cairn/internal/backend"
)

// Open opens one store again, as another process would.
type Open func(t *testing.T) *backend.Backend

// Factory makes a fresh store.
type Factory func(t *testing.T) Open

// Run checks a backend against the contract.
func Run(t *testing.T, fresh Factory) {
	t.Helper()
	groups := []struct {
		name string
		test func(t *testing.T, open Open)
	}{
		{"stacks", testStacks},
		{"checkpoint", testCheckpoint},
		{"write needs lock", testWriteNeedsLock},
		{"lock excludes", testLockExcludes},
		{"lock waits", testLockWaits},
		{"lock cancelled", testLockCancelled},
		{"lock race", testLockRace},
		{"journal", testJournal},
		{"journal concurrent", testJournalConcurrent},
		{"history", testHistory},
		{"removal", testRemoval},
		{"bad names", testBadNames},
	}
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			g.test(t, fresh(t))
		})
	}
}

func ref(name string) backend.StackRef { return backend.StackRef{Project: "project", Name: name} }

func mustLock(t *testing.T, b *backend.Backend, r backend.StackRef) backend.Lock {
	t.Helper()
	lock, err := b.Locker.Lock(t.Context(), r, backend.LockOptions{})
	if err != nil {
		t.Fatalf("lock %s: %v", r, err)
	}
	t.Cleanup(func() { release(t, lock) })
	return lock
}

func release(t *testing.T, lock backend.Lock) {
	t.Helper()
	if err := lock.Release(context.WithoutCancel(t.Context())); err != nil {
		t.Errorf("release: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mustCreate(t *testing.T, b *backend.Backend, r backend.StackRef, data string) backend.Lock {
	t.Helper()
	lock := mustLock(t, b, r)
	must(t, b.Stacks.Create(t.Context(), lock, []byte(data)))
	return lock
}
