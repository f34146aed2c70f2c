package template

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Placed is what was written to a folder, so that it can be taken back.
type Placed struct {
	dir string
	// undo is in the order in which things were done.
	undo []func() error
}

// PlaceOptions say where files go.
type PlaceOptions struct {
	// Dir is an absolute path; the folder is made where it is not there.
	Dir string
	// Replace allows to overwrite files.
	Replace bool
}

// Place writes the files. After an error nothing is left of them.
func Place(files []File, o PlaceOptions) (*Placed, error) {
	p := &Placed{dir: o.Dir}
	if err := p.place(files, o); err != nil {
		return nil, errors.Join(err, p.Undo())
	}
	return p, nil
}

func (p *Placed) place(files []File, o PlaceOptions) error {
	if err := p.makeDir(); err != nil {
		return err
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return fmt.Errorf("open the project's folder: %w", err)
	}
	defer func() { _ = root.Close() }() // each file was closed with its own check
	for _, f := range files {
		if err := p.put(root, f, o.Replace); err != nil {
			return fmt.Errorf("write %s: %w", filepath.Join(o.Dir, filepath.FromSlash(f.Path)), err)
		}
	}
	return nil
}

// makeDir makes the project's folder, and those above it.
func (p *Placed) makeDir() error {
	var missing []string
	for dir := p.dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		missing = append(missing, dir)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		dir := missing[i]
		if err := os.Mkdir(dir, 0o755); err != nil {
			return fmt.Errorf("make the project's folder: %w", err)
		}
		p.undo = append(p.undo, func() error { return os.Remove(dir) })
	}
	return nil
}

func (p *Placed) put(root *os.Root, f File, replace bool) error {
	path := filepath.Join(p.dir, filepath.FromSlash(f.Path))
	info, err := root.Lstat(f.Path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil && f.Dir:
		p.undo = append(p.undo, func() error { return os.Remove(path) })
		return root.Mkdir(f.Path, f.Mode)
	case err != nil:
		p.undo = append(p.undo, func() error { return os.Remove(path) })
		return create(root, f)
	case f.Dir && info.IsDir():
		return nil
	case f.Dir || !info.Mode().IsRegular():
		return errors.New("something else of that name is in the way; move it away")
	case !replace:
		return fs.ErrExist
	}
	old, err := root.ReadFile(f.Path)
	if err != nil {
		return err
	}
	p.undo = append(p.undo, restore(path, old, info.Mode().Perm()))
	const beside = ".new"
	temporary := f
	temporary.Path += beside
	if err := create(root, temporary); err != nil {
		return errors.Join(err, root.Remove(temporary.Path))
	}
	return root.Rename(temporary.Path, f.Path)
}

func create(root *os.Root, f File) error {
	out, err := root.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.Mode)
	if err != nil {
		return err
	}
	_, err = out.Write(f.Data)
	return errors.Join(err, out.Sync(), out.Close())
}

// Keep remembers a file as it is now, there or not, so that Undo brings it back.
func (p *Placed) Keep(path string) error {
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.undo = append(p.undo, func() error { return gone(os.Remove(path)) })
		return nil
	case err != nil:
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	p.undo = append(p.undo, restore(path, old, info.Mode().Perm()))
	return nil
}

// Then adds a step to undo.
func (p *Placed) Then(undo func() error) { p.undo = append(p.undo, undo) }

func restore(path string, data []byte, mode fs.FileMode) func() error {
	return func() error {
		if now, err := os.ReadFile(path); err == nil && bytes.Equal(now, data) {
			return nil
		}
		if err := os.WriteFile(path, data, mode); err != nil {
			return err
		}
		return os.Chmod(path, mode)
	}
}

// Undo takes everything back, the last thing first.
func (p *Placed) Undo() error {
	var failed []error
	for i := len(p.undo) - 1; i >= 0; i-- {
		failed = append(failed, gone(p.undo[i]()))
	}
	p.undo = nil
	if err := errors.Join(failed...); err != nil {
		return fmt.Errorf("clean up %s: %w", p.dir, err)
	}
	return nil
}

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
