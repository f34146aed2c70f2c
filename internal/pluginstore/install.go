package pluginstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// Installation is a plugin to install.
type Installation struct {
	Plugin Plugin
	// Reinstall replaces the plugin if it is there.
	Reinstall bool
	// Fill puts the plugin's files into an empty folder. Scratch is another one, which is removed afterwards.
	Fill func(ctx context.Context, dir, scratch string) error
	// Check, if not nil, may refuse the files by their hash.
	Check func(Hash) error
	// Finish, if not nil, does in the plugin's final place what is left to do, before it counts.
	Finish func(ctx context.Context, dir string) error
	// Note, if not nil, gives a line to keep with the plugin, once its files are there.
	Note func() string
	// Waiting, if not nil, is called when another process has been installing the plugin for a while.
	Waiting func()
}

// Install puts a plugin into the store. Processes that install the same one wait for each other; the second finds it
// there. done is false for a plugin that was there.
func (s Store) Install(ctx context.Context, o Installation) (_ Installed, done bool, err error) {
	path, err := s.Path(o.Plugin)
	if err != nil {
		return Installed{}, false, err
	}
	if found, ok := s.Find(o.Plugin); ok && !o.Reinstall {
		return found, false, nil
	}
	unlock, err := lock(ctx, path+lockSuffix, o.Waiting)
	if err != nil {
		return Installed{}, false, err
	}
	defer unlock()
	if err := removeStale(path); err != nil {
		return Installed{}, false, err
	}
	if found, ok := s.Find(o.Plugin); ok && !o.Reinstall {
		return found, false, nil
	}
	staging := besides(path, stagingSuffix)
	defer func() {
		if rerr := errors.Join(os.RemoveAll(staging), os.RemoveAll(besides(path, scratchSuffix))); rerr != nil {
			err = errors.Join(err, fmt.Errorf("clean up: %w", rerr))
		}
	}()
	list, err := s.stage(ctx, o, staging)
	if err != nil {
		return Installed{}, false, err
	}
	if err := publish(ctx, o, staging, path, list); err != nil {
		return Installed{}, false, err
	}
	found, ok := s.Find(o.Plugin)
	if !ok {
		return Installed{}, false, fmt.Errorf("%s vanished while it was being installed", path)
	}
	return found, true, nil
}

// besides is a hidden folder for a plugin's files while they are not in their place.
func besides(path, suffix string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+suffix)
}

// removeStale removes what a killed install of this plugin left: ours, and that of old versions of the Pulumi CLI.
func removeStale(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	temporary := regexp.MustCompile(`^\.tmp[0-9]+$`)
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), filepath.Base(path))
		if !ours || !temporary.MatchString(rest) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(filepath.Dir(path), e.Name())); err != nil {
			return fmt.Errorf("remove an unfinished install: %w", err)
		}
	}
	return errors.Join(os.RemoveAll(besides(path, stagingSuffix)), os.RemoveAll(besides(path, scratchSuffix)))
}

// stage fills a folder of its own and checks that it is the plugin.
func (s Store) stage(ctx context.Context, o Installation, staging string) (files, error) {
	scratch := strings.TrimSuffix(staging, stagingSuffix) + scratchSuffix
	if err := errors.Join(os.Mkdir(staging, 0o700), os.Mkdir(scratch, 0o700)); err != nil {
		return nil, err
	}
	if err := o.Fill(ctx, staging, scratch); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(scratch); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := isPlugin(o.Plugin, staging); err != nil {
		return nil, err
	}
	list, err := hashFiles(staging, nil)
	if err != nil {
		return nil, fmt.Errorf("hash the plugin's files: %w", err)
	}
	if o.Check != nil {
		if err := o.Check(HashOf(list.text())); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// isPlugin checks that a folder holds what would run. A plugin from git may have an executable of any name.
func isPlugin(p Plugin, dir string) error {
	_, sub := p.LocalName()
	at := filepath.Join(dir, filepath.FromSlash(sub))
	manifest := p.Kind.Manifest()
	if manifest != "" {
		if info, err := os.Stat(filepath.Join(at, manifest)); err == nil && info.Mode().IsRegular() {
			return nil
		}
	}
	entries, err := os.ReadDir(at)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s in the repository", sub)
	}
	if err != nil {
		return err
	}
	want := p.Kind.Executable(p.Name)
	for _, e := range entries {
		name := strings.TrimSuffix(strings.TrimSuffix(e.Name(), ".exe"), ".cmd")
		if name == want || p.FromGit() && strings.HasPrefix(name, p.Kind.Executable("")) {
			return nil
		}
	}
	if manifest != "" {
		want += " nor " + manifest
	}
	return fmt.Errorf("it is not the %s plugin %s: there is neither %s in it", p.Kind, p, want)
}

// publish moves the staged files into their place. They do not count before everything is done.
func publish(ctx context.Context, o Installation, staging, path string, list files) (err error) {
	if err := os.WriteFile(path+partialSuffix, nil, 0o600); err != nil {
		return err
	}
	syncFolder(filepath.Dir(path))
	defer func() {
		if err != nil {
			// Without its files the mark says nothing any more; with a part of them it must stay.
			if rerr := os.RemoveAll(path); rerr == nil {
				_ = os.Remove(path + partialSuffix)
			}
		}
	}()
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("remove the plugin that was there: %w", err)
	}
	if err := rename(staging, path); err != nil {
		return err
	}
	if err := os.WriteFile(path+filesSuffix, list.text(), 0o600); err != nil {
		return err
	}
	if o.Note != nil {
		if err := os.WriteFile(path+noteSuffix, []byte(o.Note()+"\n"), 0o600); err != nil {
			return err
		}
	}
	if o.Finish != nil {
		_, sub := o.Plugin.LocalName()
		if err := o.Finish(ctx, filepath.Join(path, filepath.FromSlash(sub))); err != nil {
			return err
		}
	}
	syncFolder(filepath.Dir(path))
	if err := os.Remove(path + partialSuffix); err != nil {
		return err
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// rename moves a folder. On Windows a virus scanner may hold files in it for a moment.
func rename(from, to string) error {
	err := os.Rename(from, to)
	for range 50 {
		if err == nil || runtime.GOOS != "windows" {
			break
		}
		time.Sleep(100 * time.Millisecond)
		err = os.Rename(from, to)
	}
	return err
}

// syncFolder makes names last. Not every file system can; the plugin can be had again.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// Remove takes a plugin and everything next to it out of the store. It waits for whoever installs it.
func (s Store) Remove(ctx context.Context, i Installed) error {
	unlock, err := lock(ctx, i.Path+lockSuffix, nil)
	if err != nil {
		return err
	}
	defer unlock()
	// While a part of it is there it must not count.
	if err := os.WriteFile(i.Path+partialSuffix, nil, 0o600); err != nil {
		return err
	}
	if err := os.RemoveAll(i.Path); err != nil {
		return fmt.Errorf("remove %s: %w", i.Path, err)
	}
	var errs []error
	for _, suffix := range []string{lastUsedSuffix, filesSuffix, noteSuffix, partialSuffix, lockSuffix} {
		if err := os.Remove(i.Path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if runtime.GOOS == "windows" {
		return nil // an open lock file cannot be removed there
	}
	return errors.Join(errs...)
}
