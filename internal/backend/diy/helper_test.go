package diy

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/backend"
)

var testRef = backend.StackRef{Project: "quick", Name: "dev"}

// testStore opens a fresh store whose parts a test may replace.
func testStore(t *testing.T) *store {
	t.Helper()
	return storeAt(t, t.TempDir())
}

func storeAt(t *testing.T, root string) *store {
	t.Helper()
	s, err := newStore(Options{URL: Scheme + root, Username: "me", Hostname: "here", Version: "test"}, osDisk{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *store) withDisk(d disk) *store {
	s.disk = d
	s.writer.disk = d
	return s
}

func mustLock(t *testing.T, s *store) backend.Lock {
	t.Helper()
	lock, err := locker{s}.Lock(t.Context(), testRef, backend.LockOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Release(context.WithoutCancel(t.Context())) })
	return lock
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

// tree lists everything below root as "<mode> <path>".
func tree(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		out = append(out, info.Mode().String()+" "+rel)
		return err
	}))
	return out
}

// noTemps fails when a temporary file is left.
func noTemps(t *testing.T, root string) {
	t.Helper()
	for _, line := range tree(t, root) {
		if strings.Contains(line, tempInfix) {
			t.Errorf("temporary file left: %s", line)
		}
	}
}

func wantInError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Error("no error")
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not say %q", err, p)
		}
	}
}
