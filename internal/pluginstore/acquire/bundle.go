package acquire

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/pluginstore/archive"
	"github.com/cairn-iac/cairn/internal/pluginstore/bundle"
	"github.com/cairn-iac/cairn/internal/pluginstore/lockfile"
)

// Bundling is a bundle to make.
type Bundling struct {
	Project string
	// Plugins are what goes into it, resolved, and installed on this machine.
	Plugins []pluginstore.Plugin
	// Platforms are those it is for; none means this one.
	Platforms []pluginstore.Platform
	// To is the path of the bundle.
	To string
}

// Bundle writes a bundle. For this platform it packs what is installed; for others it gets what is published.
func (a *Acquirer) Bundle(ctx context.Context, o Bundling) (err error) {
	if len(o.Platforms) == 0 {
		o.Platforms = []pluginstore.Platform{pluginstore.Here()}
	}
	scratch, err := os.MkdirTemp(filepath.Dir(o.To), ".bundle-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	w := bundle.Writing{Project: o.Project}
	for i, p := range o.Plugins {
		for _, platform := range o.Platforms {
			dir := filepath.Join(scratch, fmt.Sprintf("%d-%s", i, platform))
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
			if err := a.pack(ctx, &w, p, platform, dir); err != nil {
				return err
			}
		}
	}
	f, err := a.lockFile()
	if err != nil {
		return err
	}
	if w.Lock, err = f.Text(); err != nil {
		return err
	}
	return replace(filepath.Join(scratch, "bundle"), o.To, w)
}

func replace(temporary, to string, w bundle.Writing) error {
	out, err := os.Create(temporary)
	if err != nil {
		return err
	}
	err = bundle.Write(out, w)
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return roomy(fmt.Errorf("write %s: %w", to, err))
	}
	return os.Rename(temporary, to)
}

// pack adds one plugin for one platform.
func (a *Acquirer) pack(ctx context.Context, w *bundle.Writing, p pluginstore.Plugin, platform pluginstore.Platform, dir string) error {
	item := bundle.Item{
		Kind: p.Kind, Name: p.Name, Version: p.Version, DownloadURL: pluginstore.Public(p.DownloadURL), Source: a.urlOf(p), Platform: platform,
	}
	if platform != pluginstore.Here() {
		got, hashes, err := a.fetchFor(ctx, p, platform, dir)
		if err != nil {
			return err
		}
		item.Files, item.Published = hashes.Files, hashes.Archive != ""
		return w.Add(item, got)
	}
	i, ok := a.o.Store.Find(p)
	if !ok {
		return fmt.Errorf("%s is not installed", p.Label())
	}
	f, err := a.lockFile()
	if err != nil {
		return err
	}
	if err := a.Verify(ctx, i); err != nil {
		return err
	}
	e, _ := f.Find(i.Kind, i.Name, i.Version)
	want := e.Hashes[platform].Files
	names, err := a.o.Store.Files(i, want)
	if err != nil {
		return err
	}
	if item.Files, err = a.o.Store.HashInstalled(i, want); err != nil {
		return err
	}
	packed := filepath.Join(dir, "packed.tar.gz")
	if err := packInto(packed, i.Path, names); err != nil {
		return err
	}
	return w.Add(item, packed)
}

func packInto(to, dir string, names []string) error {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	return roomy(errors.Join(archive.Pack(out, dir, names), out.Close()))
}

// fetchFor gets a plugin for another platform, and records its hashes. It gives the path of an archive.
func (a *Acquirer) fetchFor(ctx context.Context, p pluginstore.Plugin, platform pluginstore.Platform, dir string) (string, lockfile.Hashes, error) {
	s, err := a.o.Sources.Source(p)
	if err != nil {
		return "", lockfile.Hashes{}, err
	}
	a.o.Progress(fmt.Sprintf("%s getting it for %s", p.Label(), platform))
	got, err := s.Fetch(ctx, platform, dir)
	if err != nil {
		return "", lockfile.Hashes{}, labelled(p, fmt.Errorf("downloading for %s from %s: %w", platform, s.URL(), err))
	}
	has := lockfile.Hashes{Archive: got.Hash}
	from := got.Folder
	if from == "" {
		from = filepath.Join(dir, "files")
		if err := unpackTo(got.Archive, from, a.o.Unpack); err != nil {
			return "", has, labelled(p, fmt.Errorf("unpacking what came from %s: %w", s.URL(), err))
		}
	}
	if has.Files, err = pluginstore.HashFolder(from); err != nil {
		return "", has, err
	}
	if err := a.recordFor(ctx, p, platform, has, s.URL()); err != nil {
		return "", has, err
	}
	if got.Archive == "" {
		got.Archive = filepath.Join(dir, "packed.tar.gz")
		names, err := pluginstore.ListFolder(from)
		if err != nil {
			return "", has, err
		}
		if err := packInto(got.Archive, from, names); err != nil {
			return "", has, err
		}
	}
	return got.Archive, has, nil
}

func unpackTo(file, dir string, o archive.Options) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return archive.Unpack(f, dir, o)
}

// recordFor compares hashes for a platform with the lock file, and adds them.
func (a *Acquirer) recordFor(
	ctx context.Context, p pluginstore.Plugin, platform pluginstore.Platform, has lockfile.Hashes, from string,
) error {
	local, _ := p.LocalName()
	if sum, ok := p.Checksums[platform]; ok && has.Archive != "" {
		want := lockfile.Hashes{Archive: pluginstore.Sum(sum)}
		if err := want.Compare(has, lockfile.MismatchError{Plugin: p, Where: from, Says: "the checksum that was given"}); err != nil {
			return err
		}
	}
	f, err := a.lockFile()
	if err != nil {
		return err
	}
	e, _ := f.Find(p.Kind, local, p.Version)
	if err := e.Hashes[platform].Compare(has, lockfile.MismatchError{Plugin: p, Where: from, Says: a.o.Lock}); err != nil {
		return err
	}
	if a.o.Lock == "" {
		return nil
	}
	return a.update(ctx, func(f *lockfile.File) error {
		f.Record(lockfile.Entry{
			Kind: p.Kind, Name: local, Version: p.Version, Source: from,
			Hashes: map[pluginstore.Platform]lockfile.Hashes{platform: has},
		})
		return nil
	})
}

// Lock records the hashes of a plugin for other platforms, without installing it for them.
func (a *Acquirer) Lock(ctx context.Context, p pluginstore.Plugin, platforms []pluginstore.Platform) (err error) {
	scratch, err := os.MkdirTemp("", "pulumi-lock-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	for _, platform := range platforms {
		if platform == pluginstore.Here() {
			continue
		}
		dir := filepath.Join(scratch, string(platform))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		if _, _, err := a.fetchFor(ctx, p, platform, dir); err != nil {
			return err
		}
	}
	return nil
}

// InstallBundle installs what a bundle has for this platform. Its hashes must be those of the project's lock file, as far
// as that has any; the rest of the bundle's lock file is added to it. Without any, none is written outside of a project.
func (a *Acquirer) InstallBundle(ctx context.Context, b *bundle.Bundle, reinstall bool) ([]Result, error) {
	items := b.For(pluginstore.Here())
	if len(items) == 0 && len(b.Plugins) > 0 {
		return nil, fmt.Errorf("%s: the bundle has nothing for %s; make it with --platform %s", b.Path, pluginstore.Here(), pluginstore.Here())
	}
	if err := a.compareLocks(b); err != nil {
		return nil, err
	}
	var out []Result
	for _, item := range items {
		w := &work{a: a, plugin: item.Plugin(), bundle: b, item: item}
		r, err := a.install(ctx, w, reinstall)
		if err != nil {
			return out, fmt.Errorf("%s: %w", b.Path, err)
		}
		out = append(out, r)
		if err := a.record(ctx, Always, w); err != nil {
			return out, err
		}
	}
	if a.o.Lock == "" || len(b.Lock.Plugins) == 0 {
		return out, nil
	}
	return out, a.update(ctx, func(f *lockfile.File) error {
		for _, e := range b.Lock.Plugins {
			f.Record(e)
		}
		return nil
	})
}

// compareLocks refuses a bundle that was made for other plugins than those that the project names.
func (a *Acquirer) compareLocks(b *bundle.Bundle) error {
	f, err := a.lockFile()
	if err != nil {
		return err
	}
	for _, e := range b.Lock.Plugins {
		known, _ := f.Find(e.Kind, e.Name, e.Version)
		p := pluginstore.Plugin{Kind: e.Kind, Name: e.Name, Version: e.Version}
		for platform, has := range e.Hashes {
			if err := known.Hashes[platform].Compare(has, lockfile.MismatchError{
				Plugin: p, Where: b.Path + ", for " + string(platform), Says: a.o.Lock,
			}); err != nil {
				return err
			}
		}
	}
	return nil
}
