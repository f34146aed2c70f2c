package plugin

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/pluginstore/acquire"
	"github.com/cairn-iac/cairn/internal/pluginstore/lockfile"
)

// ProjectOptions say how to install what a project needs.
type ProjectOptions struct {
	Reinstall bool
	// Parallel is how many plugins are installed at once; less than 1 is all.
	Parallel int
	// Platforms are further ones whose hashes are recorded.
	Platforms []pluginstore.Platform
}

// ProjectResult is what a project's plugins are now.
type ProjectResult struct {
	// Installed are in the cache, Done of them since now.
	Installed []pluginstore.Plugin
	Done      int
	// Elsewhere are those that run from elsewhere: part of this program, on $PATH, in the project.
	Elsewhere []pluginhost.Found
}

// Project installs all plugins that the project at hand needs, and brings its lock file up to date.
func Project(ctx context.Context, f *factory.Factory, o ProjectOptions) (ProjectResult, error) {
	a, err := f.Acquirer()
	if err != nil {
		return ProjectResult{}, err
	}
	needed, err := f.NeededPlugins(ctx)
	if err != nil {
		return ProjectResult{}, err
	}
	if o.Parallel < 1 {
		o.Parallel = len(needed)
	}
	var out ProjectResult
	var mu sync.Mutex
	errs := make([]error, len(needed))
	slots := make(chan struct{}, max(1, o.Parallel))
	var wg sync.WaitGroup
	for i, n := range needed {
		switch n.Found.Origin {
		case "", pluginhost.FromCache:
		case pluginhost.FromDebugger, pluginhost.FromProject, pluginhost.FromPath, pluginhost.FromBundle, pluginhost.FromBuiltin:
			out.Elsewhere = append(out.Elsewhere, n.Found)
			continue
		default:
			continue
		}
		if n.Found.Origin == pluginhost.FromCache {
			n.Plugin.Version = n.Found.Version
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			r, err := a.Install(ctx, acquire.Request{Plugin: n.Plugin, Reinstall: o.Reinstall, Recording: acquire.Always})
			if err == nil {
				err = a.Lock(ctx, r.Plugin, o.Platforms)
			}
			errs[i] = err
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				out.Installed = append(out.Installed, r.Plugin)
			}
			if r.Done {
				out.Done++
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return out, err
	}
	if len(needed) == 0 {
		return out, nil // a program with errors needs nothing that is known
	}
	return out, a.Prune(ctx, out.needs)
}

// needs says whether an entry of the lock file is of use. That of a plugin which runs from elsewhere on this machine is
// for other machines.
func (r ProjectResult) needs(e lockfile.Entry) bool {
	return slices.ContainsFunc(r.Elsewhere, func(f pluginhost.Found) bool { return f.Kind == e.Kind && f.Name == e.Name }) ||
		slices.ContainsFunc(r.Installed, func(p pluginstore.Plugin) bool {
			local, _ := p.LocalName()
			return p.Kind == e.Kind && local == e.Name && p.Version == e.Version
		})
}
