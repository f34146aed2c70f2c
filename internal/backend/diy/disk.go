package diy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Modes before the umask, as the Pulumi CLI asks for them.
const (
	dirMode  fs.FileMode = 0o777
	fileMode fs.FileMode = 0o666
)

// disk is what writing needs from a file system. Tests put faults behind it.
type disk interface {
	// Open opens a file for writing, with flags of package os besides.
	Open(path string, flags int) (file, error)
	Rename(oldPath, newPath string) error
	// Link gives a file a second name; it may fail where the file system has no links.
	Link(oldPath, newPath string) error
	Remove(path string) error
	// SyncDir makes the names in a folder durable.
	SyncDir(path string) error
}

type file interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
}

// newFile is the flags for a file that must not be there yet.
const newFile = os.O_CREATE | os.O_EXCL | os.O_APPEND

type osDisk struct{}

func (osDisk) Open(path string, flags int) (file, error) {
	return os.OpenFile(path, os.O_WRONLY|flags, fileMode)
}

func (osDisk) Rename(oldPath, newPath string) error { return os.Rename(oldPath, newPath) }
func (osDisk) Link(oldPath, newPath string) error   { return os.Link(oldPath, newPath) }
func (osDisk) Remove(path string) error             { return os.Remove(path) }

func (osDisk) SyncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = d.Sync()
	if closeErr := d.Close(); err == nil {
		err = closeErr
	}
	// Some file systems cannot sync a folder; there is nothing more to be done there.
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// writer writes whole files so that a reader sees the old or the new contents and never a mix.
type writer struct {
	disk disk
	// random gives a fresh random name part.
	random func() string
}

// replace gives path the contents data. Afterwards they survive a crash of the machine. On an error the old contents
// are still there and no temporary file is left.
func (w writer) replace(path, owner string, data []byte) error {
	return w.install(path, owner, func(tmp string) error { return w.create(tmp, data) })
}

// duplicate gives path the contents of source, sharing the bytes on disk if the file system can. Only for files that
// are never changed in place.
func (w writer) duplicate(path, owner, source string) error {
	return w.install(path, owner, func(tmp string) error {
		if w.disk.Link(source, tmp) == nil {
			return nil
		}
		return w.copyTo(tmp, source)
	})
}

// copy gives path a copy of source's contents.
func (w writer) copy(path, owner, source string) error {
	return w.install(path, owner, func(tmp string) error { return w.copyTo(tmp, source) })
}

func (w writer) install(path, owner string, fill func(tmp string) error) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return explain(err)
	}
	tmp := filepath.Join(dir, tempName(owner, w.random()))
	err := fill(tmp)
	if err == nil {
		err = w.disk.Rename(tmp, path)
	}
	if err != nil {
		_ = w.disk.Remove(tmp) // The first error is the one that counts.
		return explain(err)
	}
	// The sidecar, if there is one, describes the contents that were there before.
	if err := w.remove(path + attrsExt); err != nil {
		return err
	}
	return explain(w.disk.SyncDir(dir))
}

func (w writer) create(path string, data []byte) error {
	f, err := w.disk.Open(path, newFile)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return finish(f, err)
}

func (w writer) copyTo(path, source string) error {
	in, err := os.Open(source)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // Nothing was written to it.
	f, err := w.disk.Open(path, newFile)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, in)
	return finish(f, err)
}

func finish(f file, err error) error {
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// remove takes a file away; a missing one is fine.
func (w writer) remove(path string) error {
	err := w.disk.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return explain(err)
}

// removeWithSidecar takes a file and its sidecar away.
func (w writer) removeWithSidecar(path string) error {
	if err := w.remove(path); err != nil {
		return err
	}
	return w.remove(path + attrsExt)
}

// explain says what to do about the usual troubles of a disk.
func explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: the disk is full or the quota is used up; make room and run the command again. "+
			"Nothing that was stored before is lost", err)
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: the folder of the state cannot be written to; check its owner and mode, "+
			"or whether it is mounted read-only", err)
	default:
		return err
	}
}
