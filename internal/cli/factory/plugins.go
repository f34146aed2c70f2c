package factory

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/langhost"
	"github.com/cairn-iac/cairn/internal/langhost/yaml"
	"github.com/cairn-iac/cairn/internal/pluginhost"
)

// RequiredPlugin is a package that the project's program refers to, and the plugin that runs for it.
type RequiredPlugin struct {
	Package plugin.Package
	Found   pluginhost.Found
	// Missing is not nil when there is none.
	Missing *plugin.MissingError
}

// RequiredPlugins lists the packages that the program of the project at hand refers to. Nothing is started.
func (f *Factory) RequiredPlugins(ctx context.Context) ([]RequiredPlugin, error) {
	p, err := f.Project()
	if err != nil {
		return nil, err
	}
	if p.Runtime.Name != "yaml" {
		return nil, fmt.Errorf("%s: the runtime %q is not available yet in this version; only yaml is", p.Path, p.Runtime.Name)
	}
	packages, err := yaml.New().RequiredPackages(ctx, langhost.Program{
		Root: p.Dir(), Directory: within(p.Dir(), p.Main), EntryPoint: ".", Options: p.Runtime.Options, Environment: f.Env,
	})
	if err != nil {
		return nil, err
	}
	host := f.DescribingHost()
	out := make([]RequiredPlugin, len(packages))
	for i, pkg := range packages {
		out[i].Package = pkg
		out[i].Found, err = host.Describe(pkg)
		if err != nil && !errors.As(err, &out[i].Missing) {
			return nil, err
		}
	}
	return out, nil
}

// DescribingHost is a plugin host that finds plugins and starts none.
func (f *Factory) DescribingHost() *pluginhost.Host {
	return pluginhost.New(f.HostOptions(HostRequest{Dir: f.Dir, Log: func(l plugin.Log) {
		f.Streams.Errorf("%s: %s\n", l.Severity, l.Message)
	}}))
}
