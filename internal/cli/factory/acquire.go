package factory

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/pluginstore/acquire"
	"github.com/cairn-iac/cairn/internal/pluginstore/lockfile"
	"github.com/cairn-iac/cairn/internal/pluginstore/source"
	"github.com/cairn-iac/cairn/internal/project"
)

// acquisition is how a run of the program gets plugins: one Acquirer, whose lines go to the deployment that is under way.
type acquisition struct {
	once     sync.Once
	acquirer *acquire.Acquirer
	err      error

	mu  sync.Mutex
	log plugin.LogFunc
}

// Acquirer gets plugins for the project at hand.
func (f *Factory) Acquirer() (*acquire.Acquirer, error) {
	a := &f.acquisition
	a.once.Do(func() { a.acquirer, a.err = f.newAcquirer() })
	return a.acquirer, a.err
}

func (f *Factory) newAcquirer() (*acquire.Acquirer, error) {
	sources, err := source.New(source.Options{
		Environ: f.Env, Notify: func(n source.Notice) { f.acquisition.tell(f, diag.Info, acquire.Notice(n)) },
	})
	if err != nil {
		return nil, err
	}
	p, err := f.maybeProject()
	if err != nil {
		return nil, err
	}
	lock := ""
	if p != nil {
		lock = filepath.Join(p.Dir(), lockfile.Name)
	}
	return acquire.New(acquire.Options{
		Store: f.PluginStore(), Sources: sources, Lock: lock, Locked: f.Env.Truthy(acquire.LockedVariable),
		Dependencies: f.installDependencies,
		Tell:         func(line string) { f.acquisition.tell(f, diag.InfoErr, line) },
		Progress:     func(line string) { f.acquisition.tell(f, diag.Info, line) },
	}), nil
}

// PluginStore is where installed plugins are.
func (f *Factory) PluginStore() pluginstore.Store { return pluginhost.StoreOf(f.Env) }

// tell shows a line: in the display of the deployment, or on the error stream when there is none.
func (a *acquisition) tell(f *Factory, severity diag.Severity, line string) {
	a.mu.Lock()
	log := a.log
	a.mu.Unlock()
	if log == nil {
		f.Streams.Errorf("%s\n", line)
		return
	}
	log(plugin.Log{Severity: severity, Message: line, Ephemeral: severity == diag.Info})
}

// acquire lets a plugin host install what is missing and verify what is there.
func (f *Factory) acquire(o *pluginhost.Options, p *project.Project, r HostRequest) {
	if p != nil {
		o.Project.Packages = sourcesOf(p)
	}
	if r.Engine != "" {
		f.acquisition.mu.Lock()
		f.acquisition.log = r.Log
		f.acquisition.mu.Unlock()
	}
	o.Install = func(ctx context.Context, p pluginstore.Plugin) error {
		a, err := f.Acquirer()
		if err != nil {
			return err
		}
		_, err = a.Install(ctx, acquire.Request{Plugin: p})
		return err
	}
	o.Pinned = func(kind pluginhost.Kind, name string) (string, error) {
		a, err := f.Acquirer()
		if err != nil {
			return "", err
		}
		return a.Pinned(kind, name)
	}
	o.Verify = func(ctx context.Context, found pluginhost.Found) error {
		a, err := f.Acquirer()
		switch {
		case err != nil:
			return err
		case found.Origin == pluginhost.FromCache:
			return a.Verify(ctx, found.Installed)
		case found.Origin == pluginhost.FromPath && f.Env.Truthy(acquire.LockedVariable):
			return fmt.Errorf("%s is on $PATH at %s, where nothing says which hash it should have, and %s is set: "+
				"set PULUMI_IGNORE_AMBIENT_PLUGINS=1 as well", found.Kind.Executable(found.Name), found.Path, acquire.LockedVariable)
		}
		return nil
	}
}

// installDependencies has a plugin folder's language host get what the plugin needs.
func (f *Factory) installDependencies(ctx context.Context, dir string) error {
	host := pluginhost.New(f.HostOptions(HostRequest{
		Dir: dir,
		YAML: func(context.Context, pluginhost.RuntimeLaunch) (plugin.Provider, error) {
			return nil, errors.New("a host for installing runs no plugin")
		},
	}))
	return errors.Join(host.InstallDependencies(ctx, dir, f.Streams.Err), host.Close())
}
