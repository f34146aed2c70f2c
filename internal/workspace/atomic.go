package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// file is a file to write as a whole.
type file struct {
	path string
	data []byte
	// perm is for a new file and dirPerm for new folders; an existing file keeps its mode unless private is set.
	perm, dirPerm fs.FileMode
	private       bool
}

// write replaces the file in one step: whoever reads it, and a machine that stops at any instant, sees the old text or the
// new one. A link stays a link. A file that already has the text is not touched.
func (f file) write() error {
	path := f.path
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	perm := f.perm
	info, err := os.Stat(path)
	switch {
	case err == nil && !f.private:
		perm = info.Mode().Perm()
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	if err == nil && info.Mode().Perm() == perm {
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, f.data) {
			return nil
		}
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, f.dirPerm); err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	if err := replace(path, f.data, perm); err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	return nil
}

func replace(path string, data []byte, perm fs.FileMode) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	_, err = temp.Write(data)
	for _, step := range []func() error{func() error { return temp.Chmod(perm) }, temp.Sync} {
		if err == nil {
			err = step()
		}
	}
	if err := errors.Join(err, temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	syncDir(filepath.Dir(path))
	return nil
}

// syncDir makes a rename last. Not every file system can, and the file is in place already: that is no reason to fail.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// remove deletes a file that may not be there.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}
