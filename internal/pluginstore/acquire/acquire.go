package acquire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/pluginstore/archive"
	"github.com/cairn-iac/cairn/internal/pluginstore/lockfile"
	"github.com/cairn-iac/cairn/internal/pluginstore/source"
)

// Options are what an Acquirer works with.
type Options struct {
	Store   pluginstore.Store
	Sources *source.Client
	// Lock is the path of the project's lock file, which need not exist; "" outside of a project.
	Lock string
	// Locked refuses what the lock file does not name.
	Locked bool
	// Dependencies installs what a plugin with a manifest in the folder needs to run; nil when nothing has to be done.
	Dependencies func(ctx context.Context, dir string) error
	// Tell takes lines for people, Progress those that are of no interest later; nil drops them. They may be called
	// concurrently.
	Tell, Progress func(line string)
	// Unpack are the limits for archives, and the disk.
	Unpack archive.Options
}

// LockedVariable is the switch for [Options.Locked].
const LockedVariable = "PULUMI_LOCKED"

// Acquirer gets plugins. Its methods may be called concurrently.
type Acquirer struct {
	o Options

	mu       sync.Mutex
	lock     *lockfile.File
	verified map[string]*verdict
	told     map[string]bool
}

// New makes an Acquirer.
func New(o Options) *Acquirer {
	if o.Tell == nil {
		o.Tell = func(string) {}
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	return &Acquirer{o: o, verified: map[string]*verdict{}, told: map[string]bool{}}
}

// lockFile is the project's lock file, read once and again after it was changed.
func (a *Acquirer) lockFile() (*lockfile.File, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lock != nil {
		return a.lock, nil
	}
	if a.o.Lock == "" {
		return &lockfile.File{}, nil
	}
	f, err := lockfile.Load(a.o.Lock)
	if err == nil {
		a.lock = f
	}
	return f, err
}

func (a *Acquirer) tellOnce(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	a.mu.Lock()
	first := !a.told[line]
	a.told[line] = true
	a.mu.Unlock()
	if first {
		a.o.Tell(line)
	}
}

// Pinned is the version that the project's lock file gives a plugin that is asked for in no version; "" when it gives none.
func (a *Acquirer) Pinned(kind pluginstore.Kind, localName string) (string, error) {
	f, err := a.lockFile()
	if err != nil {
		return "", err
	}
	e, _ := f.Pinned(kind, localName)
	return e.Version, nil
}

// Resolve completes a plugin: its version, and where it comes from. It may ask the source which version is the newest.
func (a *Acquirer) Resolve(ctx context.Context, p pluginstore.Plugin) (pluginstore.Plugin, error) {
	f, err := a.lockFile()
	if err != nil {
		return p, err
	}
	local, _ := p.LocalName()
	e, listed := f.Pinned(p.Kind, local)
	if p.Version != "" {
		e, listed = f.Find(p.Kind, local, p.Version)
	}
	if listed {
		p.Version = e.Version
		if usual := (pluginstore.Plugin{Kind: p.Kind, Name: p.Name}); p.DownloadURL == "" && e.Source != lockfile.FromFile && e.Source != a.urlOf(usual) {
			p.DownloadURL = e.Source
		}
	}
	p = source.Known(p)
	if p.Version != "" {
		return p, nil
	}
	s, err := a.o.Sources.Source(p)
	if err != nil {
		return p, err
	}
	p.Version, err = s.Latest(ctx)
	return p, reachable(err)
}

// urlOf is the address of a plugin's source, "" if it has none.
func (a *Acquirer) urlOf(p pluginstore.Plugin) string {
	s, err := a.o.Sources.Source(p)
	if err != nil {
		return ""
	}
	return s.URL()
}

// Recording says what is written into the lock file.
type Recording int

// What is recorded: nothing new unless there is a lock file, as automatic installs do; or always; or always, as the only
// version of the plugin.
const (
	IfLocked Recording = iota
	Always
	AsOnly
)

// Request is a plugin to install.
type Request struct {
	Plugin pluginstore.Plugin
	// File is an archive, a folder or an executable on this machine, to install in place of what the source has.
	File string
	// Reinstall replaces a plugin that is there.
	Reinstall bool
	Recording Recording
}

// Result is a plugin that is installed now.
type Result struct {
	pluginstore.Installed
	// Plugin is what was asked for, resolved.
	Plugin pluginstore.Plugin
	// Done is false when it was there before.
	Done bool
}

// LockedError tells that a plugin is not named by the lock file, which it had to be.
type LockedError struct {
	Plugin pluginstore.Plugin
	Lock   string
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("the %s plugin %s is not in %s, and %s allows no other: run `pulumi install` without it, and commit the file",
		e.Plugin.Kind, e.Plugin, e.Lock, LockedVariable)
}

// Install gets a plugin into the store. One that is there is only compared with the lock file.
func (a *Acquirer) Install(ctx context.Context, r Request) (Result, error) {
	p, err := a.Resolve(ctx, r.Plugin)
	if err != nil {
		return Result{}, err
	}
	w := &work{a: a, plugin: p, file: r.File}
	out, err := a.install(ctx, w, r.Reinstall)
	if err != nil {
		return out, err
	}
	return out, a.record(ctx, r.Recording, w)
}

func (a *Acquirer) install(ctx context.Context, w *work, reinstall bool) (Result, error) {
	f, err := a.lockFile()
	if err != nil {
		return Result{}, err
	}
	p := w.plugin
	local, _ := p.LocalName()
	entry, listed := f.Find(p.Kind, local, p.Version)
	w.want = entry.Hashes[pluginstore.Here()]
	if a.o.Locked && a.o.Lock != "" && (!listed || w.want == (lockfile.Hashes{})) {
		return Result{}, &LockedError{Plugin: p, Lock: a.o.Lock}
	}
	installed, done, err := a.o.Store.Install(ctx, pluginstore.Installation{
		Plugin: p, Reinstall: reinstall, Fill: w.fill, Check: w.check, Finish: w.finish, Note: func() string { return string(w.has.Archive) },
		Waiting: func() { a.o.Progress(p.Label() + " waiting for another process that installs it") },
	})
	if err != nil {
		return Result{}, labelled(p, err)
	}
	if !done {
		if err := w.compareInstalled(installed); err != nil {
			return Result{}, err
		}
	}
	a.mu.Lock()
	delete(a.verified, installed.Path)
	a.mu.Unlock()
	return Result{Installed: installed, Plugin: p, Done: done}, nil
}

// labelled says which plugin a failure is about, where it does not say so itself.
func labelled(p pluginstore.Plugin, err error) error {
	var offline *source.OfflineError
	if IsRefusal(err) || errors.As(err, &offline) {
		return err
	}
	return fmt.Errorf("installing %s: %w", p.Label(), err)
}

// record writes what is known now into the lock file.
func (a *Acquirer) record(ctx context.Context, r Recording, w *work) error {
	f, err := a.lockFile()
	if err != nil || a.o.Lock == "" || r == IfLocked && !f.Exists {
		return err
	}
	entry, err := w.entry()
	if err != nil {
		return err
	}
	return a.update(ctx, func(f *lockfile.File) error {
		if r == AsOnly {
			f.Plugins = slices.DeleteFunc(f.Plugins, func(e lockfile.Entry) bool {
				return e.Kind == entry.Kind && e.Name == entry.Name && e.Version != entry.Version
			})
		}
		_, known := f.Find(entry.Kind, entry.Name, entry.Version)
		if r == IfLocked && !known {
			a.tellOnce("%s was added to %s", w.plugin.Label(), a.o.Lock)
		}
		f.Record(entry)
		return nil
	})
}

func (a *Acquirer) update(ctx context.Context, change func(*lockfile.File) error) error {
	err := lockfile.Update(ctx, a.o.Store, a.o.Lock, change)
	a.mu.Lock()
	a.lock = nil
	a.mu.Unlock()
	return err
}

// Prune takes the plugins out of the lock file that keep does not want.
func (a *Acquirer) Prune(ctx context.Context, keep func(lockfile.Entry) bool) error {
	f, err := a.lockFile()
	if err != nil || !f.Exists {
		return err
	}
	return a.update(ctx, func(f *lockfile.File) error {
		f.Plugins = slices.DeleteFunc(f.Plugins, func(e lockfile.Entry) bool { return !keep(e) })
		return nil
	})
}

// Notice makes lines for people of what a source has to tell.
func Notice(n source.Notice) string {
	switch n.Kind {
	case source.Retrying:
		why, _, _ := strings.Cut(n.Err.Error(), "\n")
		return fmt.Sprintf("%s error downloading: %s; will retry in %s [%d/%d]", n.Plugin.Label(), why, n.Wait.Round(10e6), n.Attempt, n.Attempts)
	case source.Slow:
		if n.Total <= 0 {
			return fmt.Sprintf("%s downloading: %s", n.Plugin.Label(), megabytes(n.Received))
		}
		return fmt.Sprintf("%s downloading: %s of %s (%d %%)", n.Plugin.Label(), megabytes(n.Received), megabytes(n.Total), n.Received*100/n.Total)
	default:
		return ""
	}
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// IsRefusal says whether an error means that a plugin is not to be trusted, which no other way to get it may mend.
func IsRefusal(err error) bool {
	var mismatch *lockfile.MismatchError
	var locked *LockedError
	return errors.As(err, &mismatch) || errors.As(err, &locked)
}
