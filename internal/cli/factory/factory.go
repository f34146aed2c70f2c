// Package factory makes what commands need, lazily and once: project, home, backend, stack, secrets. It refuses to run
// commands and to print. Entry point: [Factory].
package factory

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/backend/diy"
	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/cli/iostreams"
	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/project"
	"github.com/cairn-iac/cairn/internal/release"
	"github.com/cairn-iac/cairn/internal/secret/passphrase"
	"github.com/cairn-iac/cairn/internal/workspace"
)

// Factory belongs to one run of the program.
type Factory struct {
	Streams *iostreams.Streams
	Env     Environment
	// Dir is the absolute working directory, after --cwd.
	Dir        string
	Executable string
	Username   string
	Hostname   string
	// Interrupts delivers requests to stop; see [Factory.Stopper].
	Interrupts <-chan struct{}
	// Keys are what several invocations of the program in one process share; nil shares nothing.
	Keys  *passphrase.Keys
	Flags Flags

	keyringOnce sync.Once
	keyring     *passphrase.Keyring
	home        *workspace.Home
	project     *project.Project
	projectErr  error
	chosen      *workspace.Backend
	opened      *backend.Backend
	acquisition acquisition
}

// Flags are the global flags.
type Flags struct {
	Cwd                      string
	NonInteractive           bool
	Color                    string
	Emoji                    bool
	FullyQualify             bool
	Profiling                string
	Verbose                  int
	LogToStderr              bool
	LogFlow                  bool
	DisableIntegrityChecking bool
}

// Interactive says whether a person can be asked.
func (f *Factory) Interactive() bool { return f.Streams.Interactive && !f.Flags.NonInteractive }

// Palette chooses colours by flag, environment and terminal.
func (f *Factory) Palette() (palette.Palette, error) {
	mode, err := palette.ParseMode(f.Flags.Color)
	if err != nil {
		return palette.Palette{}, exit.With(exit.Failure, err)
	}
	_, noColor := f.Env.Lookup("NO_COLOR")
	if mode == palette.Auto {
		mode = palette.Never
		if f.Streams.OutIsTerminal && !noColor {
			mode = palette.Always
		}
	}
	return palette.New(mode), nil
}

// Home is the user's folder.
func (f *Factory) Home() (workspace.Home, error) {
	if f.home == nil {
		h, err := workspace.Locate(f.Env.Lookup)
		if err != nil {
			return h, err
		}
		f.home = &h
	}
	return *f.home, nil
}

// Project is the project of the working directory. Without one the error wraps project.ErrNotFound.
func (f *Factory) Project() (*project.Project, error) {
	if f.project == nil && f.projectErr == nil {
		f.project, f.projectErr = f.loadProject()
	}
	return f.project, f.projectErr
}

func (f *Factory) loadProject() (*project.Project, error) {
	path, err := project.Find(workspace.Disk(), f.Dir)
	if err != nil {
		return nil, err
	}
	return project.Load(workspace.Disk(), path)
}

// maybeProject is the project, or nil outside of one.
func (f *Factory) maybeProject() (*project.Project, error) {
	p, err := f.Project()
	if errors.Is(err, project.ErrNotFound) {
		return nil, nil
	}
	return p, err
}

// ChosenBackend is the backend that environment, project and login choose.
func (f *Factory) ChosenBackend() (workspace.Backend, error) {
	if f.chosen != nil {
		return *f.chosen, nil
	}
	h, err := f.Home()
	if err != nil {
		return workspace.Backend{}, err
	}
	query := workspace.BackendQuery{Lookup: f.Env.Lookup, Credentials: h.Credentials}
	p, err := f.maybeProject()
	if err != nil {
		return workspace.Backend{}, err
	}
	if p != nil {
		query.ProjectURL = p.BackendURL
	}
	b, err := workspace.ChooseBackend(query)
	if err != nil {
		return b, err
	}
	f.chosen = &b
	return b, nil
}

// Backend opens the chosen backend.
func (f *Factory) Backend(ctx context.Context) (*backend.Backend, error) {
	if f.opened != nil {
		return f.opened, nil
	}
	chosen, err := f.ChosenBackend()
	if err != nil {
		return nil, err
	}
	b, err := f.OpenBackend(ctx, chosen)
	if err != nil {
		return nil, err
	}
	for _, n := range b.Notices {
		f.Streams.Errorf("warning: %s\n", n.Error())
	}
	f.opened = b
	return b, nil
}

// OpenBackend opens a backend that need not be the chosen one.
func (f *Factory) OpenBackend(ctx context.Context, chosen workspace.Backend) (*backend.Backend, error) {
	if err := chosen.Available(); err != nil {
		return nil, err
	}
	home := f.Env.Get("HOME")
	dir := f.Dir
	if chosen.Source == workspace.FromProject {
		if p, err := f.Project(); err == nil {
			dir = p.Dir()
		}
	}
	return diy.Open(ctx, diy.Options{
		URL: chosen.URL, Home: home, WorkDir: dir, Username: f.Username, Hostname: f.Hostname, Version: release.Tag,
		DisableBackups:  f.Env.Truthy("PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS"),
		NoLegacyWarning: f.Env.Truthy("PULUMI_DIY_BACKEND_NO_LEGACY_WARNING"),
	})
}

// Keyring opens secrets; one serves the whole run.
func (f *Factory) Keyring() *passphrase.Keyring {
	f.keyringOnce.Do(func() {
		source := passphrase.Source{
			Keys: f.Keys, Lookup: f.Env.Lookup, Dir: f.Dir,
			Complain: func(message string) { f.Streams.Errorf("%s\n", message) },
		}
		if f.Interactive() {
			source.Ask = f.Streams.AskSecret
		}
		f.keyring = passphrase.NewKeyring(source)
	})
	return f.keyring
}

// Path makes a path of a flag absolute.
func (f *Factory) Path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(f.Dir, p)
}

// currentProject is the name of the project at hand, "" outside of one.
func (f *Factory) currentProject() (string, error) {
	p, err := f.maybeProject()
	if err != nil || p == nil {
		return "", err
	}
	return p.Name, nil
}

// ParseStack reads a stack reference relative to the project at hand.
func (f *Factory) ParseStack(text string) (backend.StackRef, error) {
	name, err := f.currentProject()
	if err != nil {
		return backend.StackRef{}, err
	}
	return backend.ParseStackRef(text, name)
}

// errNoStack tells how to choose a stack, or how to get a project.
func (f *Factory) errNoStack() error {
	if p, err := f.maybeProject(); err == nil && p == nil {
		return exit.With(exit.StackNotFound, fmt.Errorf("no stack selected, and no Pulumi.yaml project file found (searching upwards "+
			"from %s); go to the folder of a project, or make one with `pulumi new`", f.Dir))
	}
	return exit.With(exit.StackNotFound, fmt.Errorf("no stack selected; please use `pulumi stack select` or `pulumi stack init` to choose one"))
}
