package pluginstore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// slowLock is after how long somebody who waits for another process is told so.
const slowLock = 2 * time.Second

// lock takes the lock of a path, which others may hold: this process, another one of ours, the Pulumi CLI. waiting, which
// may be nil, is called once when it takes long.
func lock(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	type result struct {
		f   *lockedfile.File
		err error
	}
	got := make(chan result, 1)
	go func() {
		f, err := lockedfile.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		got <- result{f, err}
	}()
	slow := time.NewTimer(slowLock)
	defer slow.Stop()
	for {
		select {
		case r := <-got:
			if r.err != nil {
				return nil, fmt.Errorf("lock %s: %w", path, r.err)
			}
			if !same(r.f, path) {
				// Whoever held it removed the file: it locks nothing any more.
				_ = r.f.Close()
				return lock(ctx, path, waiting)
			}
			return func() { _ = r.f.Close() }, nil
		case <-slow.C:
			if waiting != nil {
				waiting()
			}
		case <-ctx.Done():
			// The system's call cannot be interrupted; the lock is given back when it comes.
			go func() {
				if r := <-got; r.err == nil {
					_ = r.f.Close()
				}
			}()
			return nil, fmt.Errorf("wait for the lock %s: %w", path, ctx.Err())
		}
	}
}

func same(f *lockedfile.File, path string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(held, there)
}

// Exclusive runs f while no other process runs it for the same name.
func (s Store) Exclusive(ctx context.Context, name string, f func() error) error {
	unlock, err := lock(ctx, filepath.Join(s.Dir, ".locks", name), nil)
	if err != nil {
		return err
	}
	defer unlock()
	return f()
}
