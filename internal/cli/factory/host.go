package factory

import (
	"context"
	"fmt"

	"github.com/cairn-iac/cairn/internal/cli/builtin"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/project"
	"github.com/cairn-iac/cairn/internal/provider"
	"github.com/cairn-iac/cairn/internal/release"
)

// HostRequest says what a plugin host is for.
type HostRequest struct {
	// Stack may be nil: then the project at hand counts.
	Stack *Stack
	// Dir is the absolute folder that plugins run in.
	Dir string
	// Engine is the address of the engine service, "" when there is none.
	Engine string
	Log    plugin.LogFunc
	// Abort is closed when plugins are not to be waited for any more; nil never is.
	Abort <-chan struct{}
	// YAML runs folders with a YAML PulumiPlugin.yaml; nil leaves them to a language host.
	YAML func(context.Context, pluginhost.RuntimeLaunch) (plugin.Provider, error)
}

// HostOptions make a plugin host that knows the project, the environment and the providers in the box.
func (f *Factory) HostOptions(r HostRequest) pluginhost.Options {
	opts := pluginhost.Options{
		Environ: f.Env, Executable: f.Executable, Version: release.Version, Dir: r.Dir,
		Services: pluginhost.Services{Engine: r.Engine},
		Flags: pluginhost.Flags{
			LogFlow: f.Flags.LogFlow, LogToStderr: f.Flags.LogToStderr, Verbose: f.Flags.Verbose,
		},
		Builtins: builtin.Providers(), Connect: provider.Connect, Log: r.Log, Abort: r.Abort,
		Runtimes: map[string]pluginhost.Runtime{},
	}
	if r.YAML != nil {
		opts.Runtimes["yaml"] = r.YAML
	}
	var p *project.Project
	if r.Stack != nil {
		p = r.Stack.Project
	} else if found, err := f.maybeProject(); err == nil {
		p = found
	}
	if p != nil {
		opts.Project = projectPlugins(p)
	}
	f.acquire(&opts, p, r)
	return opts
}

// projectPlugins are the plugins that a project takes from folders.
func projectPlugins(p *project.Project) pluginhost.Project {
	out := pluginhost.Project{Name: p.Name, RuntimeOptions: map[string]string{}}
	for k, v := range p.Runtime.Options {
		out.RuntimeOptions[k] = fmt.Sprint(v)
	}
	add := func(kind pluginhost.Kind, name, path, version string) {
		out.Plugins = append(out.Plugins, pluginhost.ProjectPlugin{
			Kind: kind, Name: name, Path: within(p.Dir(), path), Version: version,
		})
	}
	for _, q := range p.Plugins.Providers {
		add(pluginhost.KindResource, q.Name, q.Path, q.Version)
	}
	for _, q := range p.Plugins.Languages {
		add(pluginhost.KindLanguage, q.Name, q.Path, q.Version)
	}
	for _, q := range p.Plugins.Analyzers {
		add(pluginhost.KindAnalyzer, q.Name, q.Path, q.Version)
	}
	for _, pkg := range p.Packages {
		if IsLocalPath(pkg.Source) {
			add(pluginhost.KindResource, pkg.Name, pkg.Source, pkg.Version)
		}
	}
	return out
}
