package archive

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Pack writes files of a folder, named by their paths with slashes, as a gzipped tar archive. Equal files give equal
// archives: times, owners and all permissions but "may be run" are left out.
func Pack(w io.Writer, dir string, names []string) error {
	zipped := gzip.NewWriter(w)
	out := tar.NewWriter(zipped)
	var err error
	for _, name := range slices.Sorted(slices.Values(names)) {
		if err = add(out, filepath.Join(dir, filepath.FromSlash(name)), name); err != nil {
			break
		}
	}
	if err := errors.Join(err, out.Close(), zipped.Close()); err != nil {
		return fmt.Errorf("pack %s: %w", dir, err)
	}
	return nil
}

func add(out *tar.Writer, path, name string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		if err != nil {
			return err
		}
		return out.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: filepath.ToSlash(to), Mode: 0o777})
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is neither a file nor a symbolic link", path)
	}
	mode := int64(0o644)
	if info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: info.Size()}); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(out, f)
	return err
}

// Copy copies a folder into an empty one, by the rules for archives. A link to a file outside becomes that file.
func Copy(from, to string, o Options) error {
	t, err := newTarget(to, o)
	if err != nil {
		return err
	}
	return t.close(t.copy(from))
}

func (t *target) copy(from string) error {
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == from {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return t.copyEntry(from, path, name)
	})
	if err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	if t.entries == 0 {
		return fmt.Errorf("copy %s: the folder is empty", from)
	}
	return nil
}

func (t *target) copyEntry(from, path, name string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	switch {
	case info.IsDir():
		return t.folder(name)
	case info.Mode()&fs.ModeSymlink != 0:
		if file, outside := fileOutside(from, path); outside {
			return t.copyFile(file, name, 0o755)
		}
		to, err := os.Readlink(path)
		if err != nil {
			return err
		}
		return t.link(name, filepath.ToSlash(to))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is neither a file, a folder nor a symbolic link", path)
	}
	return t.copyFile(path, name, info.Mode())
}

// fileOutside follows a link to a file that is not below dir.
func fileOutside(dir, link string) (string, bool) {
	to, err := filepath.EvalSymlinks(link)
	if err != nil {
		return "", false
	}
	info, err := os.Stat(to)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	inside, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(inside, to)
	return to, err != nil || !filepath.IsLocal(rel)
}

func (t *target) copyFile(path, name string, perm fs.FileMode) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return t.file(name, perm, f)
}

// CopyFile puts an executable into an empty folder under a name.
func CopyFile(from, dir, name string, o Options) error {
	t, err := newTarget(dir, o)
	if err != nil {
		return err
	}
	return t.close(t.copyFile(from, name, 0o755))
}
