package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Limits are what an archive may unpack to.
type Limits struct {
	// Bytes is the size of all files together.
	Bytes int64
	// Entries is the number of files, folders and links.
	Entries int
	// Ratio is how many times larger than the archive its content may be, once it is larger than RatioFrom bytes.
	Ratio, RatioFrom int64
}

// DefaultLimits are far beyond any plugin that is known.
func DefaultLimits() Limits {
	return Limits{Bytes: 16 << 30, Entries: 500_000, Ratio: 200, RatioFrom: 256 << 20}
}

// File is a file that is being written.
type File interface {
	io.WriteCloser
	Sync() error
}

// Options say how to unpack. The zero value takes the default limits and writes to the disk.
type Options struct {
	Limits Limits
	// Create makes a new file below root; tests put disks that are full in its place.
	Create func(root *os.Root, name string, perm fs.FileMode) (File, error)
}

// target is a folder that is being filled.
type target struct {
	root    *os.Root
	o       Options
	entries int
	bytes   int64
	links   []string
}

func newTarget(dir string, o Options) (*target, error) {
	if o.Limits == (Limits{}) {
		o.Limits = DefaultLimits()
	}
	if o.Create == nil {
		o.Create = func(root *os.Root, name string, perm fs.FileMode) (File, error) {
			return root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &target{root: root, o: o}, nil
}

// local makes a name of an archive one below the target. "" is the target itself.
func local(name string) (string, error) {
	clean := path.Clean(strings.TrimSuffix(name, "/"))
	if clean == "." {
		return "", nil
	}
	out := filepath.FromSlash(clean)
	if strings.ContainsRune(name, 0) || path.IsAbs(name) || !filepath.IsLocal(out) {
		return "", fmt.Errorf("%q leads out of the archive's folder", name)
	}
	return out, nil
}

func (t *target) count() error {
	if t.entries++; t.entries > t.o.Limits.Entries {
		return fmt.Errorf("it holds more than %d files", t.o.Limits.Entries)
	}
	return nil
}

func (t *target) folder(name string) error {
	if err := t.count(); err != nil {
		return err
	}
	return t.root.MkdirAll(name, 0o700)
}

// parents makes the folders above a name; not every tool lists them.
func (t *target) parents(name string) error {
	if err := t.count(); err != nil {
		return err
	}
	if dir := filepath.Dir(name); dir != "." {
		return t.root.MkdirAll(dir, 0o700)
	}
	return nil
}

// file writes a file that is durable afterwards.
func (t *target) file(name string, perm fs.FileMode, r io.Reader) (err error) {
	if err := t.parents(name); err != nil {
		return err
	}
	f, err := t.o.Create(t.root, name, perm&0o755|0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("it holds %q twice", filepath.ToSlash(name))
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	left := t.o.Limits.Bytes - t.bytes
	n, err := io.Copy(f, io.LimitReader(r, left+1))
	t.bytes += n
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.ToSlash(name), err)
	}
	if n > left {
		return fmt.Errorf("it unpacks to more than %d bytes", t.o.Limits.Bytes)
	}
	return f.Sync()
}

// link makes a symbolic link. Where it leads is checked at the end, when all links are there.
func (t *target) link(name, to string) error {
	if err := t.parents(name); err != nil {
		return err
	}
	if to == "" || filepath.IsAbs(to) || path.IsAbs(to) || filepath.VolumeName(to) != "" {
		return fmt.Errorf("the link %q leads out of the archive's folder, to %q", filepath.ToSlash(name), to)
	}
	err := t.root.Symlink(filepath.FromSlash(to), name)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("it holds %q twice", filepath.ToSlash(name))
	}
	t.links = append(t.links, name)
	return err
}

// close checks the links, which may lead through each other.
func (t *target) close(err error) error {
	for _, name := range t.links {
		if err != nil {
			break
		}
		// The root follows links, but never out of itself; one that leads nowhere within it does no harm.
		if _, serr := t.root.Stat(name); serr != nil && !errors.Is(serr, fs.ErrNotExist) {
			err = fmt.Errorf("the link %q leads out of the archive's folder: %w", filepath.ToSlash(name), serr)
		}
	}
	return errors.Join(err, t.root.Close())
}
