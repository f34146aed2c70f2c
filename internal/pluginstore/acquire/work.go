package acquire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/pluginstore/archive"
	"github.com/cairn-iac/cairn/internal/pluginstore/bundle"
	"github.com/cairn-iac/cairn/internal/pluginstore/lockfile"
	"github.com/cairn-iac/cairn/internal/pluginstore/source"
)

// work is one install.
type work struct {
	a      *Acquirer
	plugin pluginstore.Plugin
	// file or bundle, if any, take the place of the plugin's source.
	file   string
	bundle *bundle.Bundle
	item   bundle.Item
	// want is what the lock file says, has what was found.
	want, has lockfile.Hashes
}

func (w *work) fill(ctx context.Context, dir, scratch string) error {
	if w.bundle != nil || w.file != "" {
		w.a.o.Progress(w.plugin.Label() + " installing")
		if w.bundle != nil {
			return roomy(w.fromBundle(dir, scratch))
		}
		return roomy(w.fromFile(dir))
	}
	s, err := w.a.o.Sources.Source(w.plugin)
	if err != nil {
		return err
	}
	if err := s.Online(); err != nil {
		return err
	}
	w.a.o.Progress(w.plugin.Label() + " installing")
	got, err := s.Fetch(ctx, pluginstore.Here(), scratch)
	if err != nil {
		return roomy(reachable(fmt.Errorf("downloading from %s: %w", s.URL(), err)))
	}
	if got.Folder != "" {
		return roomy(archive.Copy(got.Folder, dir, w.a.o.Unpack))
	}
	return roomy(w.unpack(got.Archive, got.Hash, s.URL(), dir))
}

// reachable says what to do without a network.
func reachable(err error) error {
	if source.Unreachable(err) {
		return fmt.Errorf("%w\nIs there a network here? `pulumi bundle` brings plugins to machines without one, and %s=1 tells "+
			"this program not to try", err, source.OfflineVariable)
	}
	return err
}

// roomy says what a full disk means.
func roomy(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w\nThe disk is full. Nothing was changed: make room (`pulumi plugin rm` removes plugins), and try again", err)
	}
	return err
}

// unpack compares an archive's hash before anything in it is looked at.
func (w *work) unpack(path string, hash pluginstore.Hash, from, dir string) error {
	if sum, ok := w.plugin.Checksums[pluginstore.Here()]; ok {
		if want := pluginstore.Sum(sum); want != hash {
			return &lockfile.MismatchError{
				Plugin: w.plugin, Part: lockfile.Archive, Where: from, Says: "the checksum that was given", Has: hash, Want: want,
			}
		}
	}
	w.has.Archive = hash
	if err := w.compare(lockfile.Hashes{Archive: hash}, from); err != nil {
		return err
	}
	return w.unpackFile(path, from, dir)
}

func (w *work) unpackFile(path, from, dir string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := archive.Unpack(f, dir, w.a.o.Unpack); err != nil {
		return fmt.Errorf("unpacking what came from %s: %w", from, err)
	}
	return nil
}

// fromBundle unpacks an archive of a bundle. The hash of one that was packed by us says nothing about what was published:
// the hash of its files does.
func (w *work) fromBundle(dir, scratch string) error {
	path := filepath.Join(scratch, "archive.tar.gz")
	if err := w.bundle.Extract(w.item, path); err != nil {
		return err
	}
	if w.item.Published {
		return w.unpack(path, w.item.Archive, w.bundle.Path, dir)
	}
	return w.unpackFile(path, w.bundle.Path, dir)
}

func (w *work) compare(has lockfile.Hashes, where string) error {
	return w.want.Compare(has, lockfile.MismatchError{Plugin: w.plugin, Where: where, Says: w.a.o.Lock})
}

// fromFile installs an archive, a folder or an executable.
func (w *work) fromFile(dir string) error {
	info, err := os.Stat(w.file)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return archive.Copy(w.file, dir, w.a.o.Unpack)
	}
	zipped, err := isGzip(w.file)
	if err != nil {
		return err
	}
	hash, err := pluginstore.HashFile(w.file)
	if err != nil {
		return err
	}
	if zipped {
		return w.unpack(w.file, hash, w.file, dir)
	}
	if runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
		return fmt.Errorf("%s is neither a gzipped archive nor an executable", w.file)
	}
	name := w.plugin.Kind.Executable(w.plugin.Name)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return archive.CopyFile(w.file, dir, name, w.a.o.Unpack)
}

func isGzip(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	start := make([]byte, 2)
	if _, err := io.ReadFull(f, start); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, fmt.Errorf("read %s: %w", path, err)
	}
	return archive.IsGzip(start), nil
}

func (w *work) check(hash pluginstore.Hash) error {
	w.has.Files = hash
	where := "what was unpacked"
	switch {
	case w.bundle != nil:
		where = w.bundle.Path
		says := lockfile.Hashes{Files: w.item.Files}
		if err := says.Compare(w.has, lockfile.MismatchError{
			Plugin: w.plugin, Where: where, Says: "the bundle's index", Mend: bundle.Damaged,
		}); err != nil {
			return err
		}
	case w.file != "":
		where = w.file
	}
	return w.compare(lockfile.Hashes{Files: hash}, where)
}

func (w *work) finish(ctx context.Context, dir string) error {
	if w.a.o.Dependencies == nil || w.plugin.Kind.Manifest() == "" {
		return nil
	}
	if err := w.a.o.Dependencies(ctx, dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("installing what it depends on: %w", err)
	}
	return nil
}

// compareInstalled compares a plugin that was there.
func (w *work) compareInstalled(i pluginstore.Installed) error {
	f, err := w.a.lockFile()
	if err != nil || w.a.o.Lock == "" || !f.Exists && w.want.Files == "" {
		return err
	}
	if w.has.Files, err = w.a.o.Store.HashInstalled(i, w.want.Files); err != nil {
		return err
	}
	return w.want.Compare(lockfile.Hashes{Files: w.has.Files}, lockfile.MismatchError{
		Plugin: w.plugin, Where: i.Path, Says: w.a.o.Lock, Changed: w.a.o.Store.Changed(i),
	})
}

// entry is what the lock file gets.
func (w *work) entry() (lockfile.Entry, error) {
	local, _ := w.plugin.LocalName()
	e := lockfile.Entry{Kind: w.plugin.Kind, Name: local, Version: w.plugin.Version, Source: lockfile.FromFile}
	switch {
	case w.bundle != nil:
		e.Source = w.item.Source
	case w.file == "":
		e.Source = w.a.urlOf(w.plugin)
	}
	i, ok := w.a.o.Store.Find(w.plugin)
	if !ok {
		return e, fmt.Errorf("%s is not installed", w.plugin.Label())
	}
	if noted := pluginstore.Hash(w.a.o.Store.Note(i)); w.has.Archive == "" && noted.Valid() {
		w.has.Archive = noted
	}
	if w.has.Files == "" {
		var err error
		if w.has.Files, err = w.a.o.Store.HashInstalled(i, ""); err != nil {
			return e, err
		}
	}
	e.Hashes = map[pluginstore.Platform]lockfile.Hashes{pluginstore.Here(): w.has}
	return e, nil
}
