package backendtest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/backend"
)

func testStacks(t *testing.T, open Open) {
	b, ctx := open(t), t.Context()
	refs, err := b.Stacks.List(ctx, backend.StackFilter{})
	must(t, err)
	if len(refs) != 0 {
		t.Fatalf("a fresh store has stacks: %v", refs)
	}
	other := backend.StackRef{Project: "another", Name: "a.b-c_d"}
	for _, r := range []backend.StackRef{ref("two"), ref("one"), other} {
		release(t, mustCreate(t, b, r, `{"of":"`+r.Name+`"}`))
	}
	b = open(t)
	refs, err = b.Stacks.List(ctx, backend.StackFilter{})
	must(t, err)
	if diff := cmp.Diff([]backend.StackRef{other, ref("one"), ref("two")}, refs); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	refs, err = b.Stacks.List(ctx, backend.StackFilter{Project: "another"})
	must(t, err)
	if diff := cmp.Diff([]backend.StackRef{other}, refs); diff != "" {
		t.Errorf("list of a project (-want +got):\n%s", diff)
	}
	lock := mustLock(t, b, ref("one"))
	err = b.Stacks.Create(ctx, lock, []byte("{}"))
	if !errors.Is(err, backend.ErrStackExists) {
		t.Errorf("second create: %v, want ErrStackExists", err)
	}
	for r, want := range map[backend.StackRef]bool{ref("one"): true, ref("three"): false} {
		got, err := b.Stacks.Exists(ctx, r)
		must(t, err)
		if got != want {
			t.Errorf("exists %s: %v", r, got)
		}
	}
}

func testCheckpoint(t *testing.T, open Open) {
	b, ctx := open(t), t.Context()
	if _, err := b.Checkpoints.Read(ctx, ref("s")); !errors.Is(err, backend.ErrStackNotFound) {
		t.Fatalf("read of a missing stack: %v, want ErrStackNotFound", err)
	}
	lock := mustCreate(t, b, ref("s"), `{"n":0}`)
	for i := range 3 {
		data := fmt.Sprintf(`{"n":%d,"text":"<&>\u2028"}`, i+1)
		must(t, b.Checkpoints.Write(ctx, lock, []byte(data)))
		got, err := open(t).Checkpoints.Read(ctx, ref("s"))
		must(t, err)
		if string(got.Data) != data {
			t.Errorf("read %s, wrote %s", got.Data, data)
		}
		if want := fmt.Sprintf("%x", sha256.Sum256([]byte(data))); got.SHA256 != want {
			t.Errorf("sha256 %s, want %s", got.SHA256, want)
		}
		if got.Location == "" {
			t.Error("a checkpoint without a location")
		}
	}
}

func testWriteNeedsLock(t *testing.T, open Open) {
	b, ctx := open(t), t.Context()
	lock := mustCreate(t, b, ref("s"), `{}`)
	release(t, lock)
	if err := lock.Check(); !errors.Is(err, backend.ErrLockLost) {
		t.Errorf("check after release: %v", err)
	}
	writes := map[string]func() error{
		"checkpoint":     func() error { return b.Checkpoints.Write(ctx, lock, []byte(`{"late":true}`)) },
		"remove":         func() error { return b.Stacks.Remove(ctx, lock, backend.RemoveOptions{}) },
		"history":        func() error { return b.History.Add(ctx, lock, backend.HistoryEntry{Checkpoint: []byte(`{}`)}) },
		"journal remove": func() error { return b.Journals.Remove(ctx, lock) },
		"journal": func() error {
			_, err := b.Journals.Create(ctx, lock, backend.JournalHeader{})
			return err
		},
	}
	for name, write := range writes {
		if err := write(); !errors.Is(err, backend.ErrLockLost) {
			t.Errorf("%s without the lock: %v, want ErrLockLost", name, err)
		}
	}
	got, err := b.Checkpoints.Read(ctx, ref("s"))
	must(t, err)
	if string(got.Data) != `{}` {
		t.Errorf("the checkpoint was changed without the lock: %s", got.Data)
	}
}

func testRemoval(t *testing.T, open Open) {
	b, ctx := open(t), t.Context()
	lock := mustLock(t, b, ref("s"))
	if err := b.Stacks.Remove(ctx, lock, backend.RemoveOptions{}); !errors.Is(err, backend.ErrStackNotFound) {
		t.Errorf("removal of a missing stack: %v", err)
	}
	must(t, b.Stacks.Create(ctx, lock, []byte(`{}`)))
	must(t, b.History.Add(ctx, lock, backend.HistoryEntry{Checkpoint: []byte(`{}`)}))
	j, err := b.Journals.Create(ctx, lock, backend.JournalHeader{})
	must(t, err)
	must(t, j.Close())
	must(t, b.Stacks.Remove(ctx, lock, backend.RemoveOptions{}))
	refs, err := b.Stacks.List(ctx, backend.StackFilter{})
	must(t, err)
	infos, err := b.History.List(ctx, ref("s"), backend.Page{})
	must(t, err)
	journal, err := b.Journals.Read(ctx, ref("s"))
	must(t, err)
	if len(refs) != 0 || len(infos) != 0 || journal != nil {
		t.Errorf("left after removal: %v, %v, %v", refs, infos, journal)
	}
	must(t, b.Stacks.Create(ctx, lock, []byte(`{}`)))
}

func testBadNames(t *testing.T, open Open) {
	b, ctx := open(t), t.Context()
	for _, name := range []string{"", "..", ".", "a/b", "a b", "ü", "../../x", string(make([]byte, 101))} {
		r := ref(name)
		if _, err := b.Locker.Lock(ctx, r, backend.LockOptions{}); err == nil {
			t.Errorf("locked a stack named %q", name)
		}
		if _, err := b.Checkpoints.Read(ctx, r); err == nil || errors.Is(err, backend.ErrStackNotFound) {
			t.Errorf("read a stack named %q: %v", name, err)
		}
	}
}
