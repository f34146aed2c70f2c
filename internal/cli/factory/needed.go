package factory

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/project"
)

// NeededPlugin is a plugin that the project at hand needs.
type NeededPlugin struct {
	// Plugin is what to install; its version may be "".
	Plugin pluginstore.Plugin
	// Found is the one that runs now; its zero value means that there is none.
	Found pluginhost.Found
}

// NeededPlugins lists the plugins of the packages that the program refers to, and those of the project's `packages`.
// Nothing is started or installed.
func (f *Factory) NeededPlugins(ctx context.Context) ([]NeededPlugin, error) {
	p, err := f.Project()
	if err != nil {
		return nil, err
	}
	required, err := f.RequiredPlugins(ctx)
	if err != nil {
		return nil, err
	}
	var packages []plugin.Package
	for _, r := range required {
		packages = append(packages, r.Package)
	}
	host := f.DescribingHost()
	var out []NeededPlugin
	add := func(pkg plugin.Package) error {
		found, err := host.Describe(pkg)
		var missing *plugin.MissingError
		if err != nil && !errors.As(err, &missing) {
			return err
		}
		n := NeededPlugin{Plugin: host.PluginOf(pluginhost.KindResource, pkg), Found: found}
		for _, o := range out {
			if o.Plugin.String() == n.Plugin.String() && o.Plugin.DownloadURL == n.Plugin.DownloadURL {
				return nil
			}
		}
		out = append(out, n)
		return nil
	}
	for _, pkg := range packages {
		if err := add(pkg); err != nil {
			return nil, err
		}
	}
	for _, pkg := range p.Packages {
		if IsLocalPath(pkg.Source) {
			continue
		}
		declared, err := PackageOf(pkg)
		if err != nil {
			return nil, err
		}
		if err := add(declared); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sourcesOf are the packages whose plugin a project names the source or version of. What cannot be read is left to
// NeededPlugins to tell.
func sourcesOf(p *project.Project) map[string]plugin.Package {
	out := map[string]plugin.Package{}
	for _, pkg := range p.Packages {
		if declared, err := PackageOf(pkg); err == nil && !IsLocalPath(pkg.Source) && len(pkg.Parameters)+len(pkg.Extensions) == 0 {
			out[pkg.Name] = declared
		}
	}
	return out
}

// PackageOf is the plugin behind an entry of a project's `packages` that is no local path: the base provider, for a package
// with parameters.
func PackageOf(pkg project.Package) (plugin.Package, error) {
	fail := func(err error) (plugin.Package, error) {
		return plugin.Package{}, fmt.Errorf("%s: package %s: %w", pkg.Position, pkg.Name, err)
	}
	asked := pluginstore.Plugin{Kind: pluginstore.KindResource, Version: pkg.Version, DownloadURL: pkg.PluginDownloadURL}
	text := pkg.Source
	if !pluginstore.IsAddress(text) {
		name, publisher, err := registryName(text)
		if err != nil {
			return fail(err)
		}
		text = name
		if publisher == "pulumiverse" && asked.DownloadURL == "" {
			asked.DownloadURL = "github://api.github.com/pulumiverse"
		}
	}
	p, err := pluginstore.Parse(text, asked)
	if err != nil {
		return fail(err)
	}
	out := plugin.Package{Name: p.Name, Version: p.Version, DownloadURL: p.DownloadURL}
	if p.FromGit() && len(pkg.Parameters)+len(pkg.Extensions) == 0 {
		out.Name = pkg.Name // the repository's plugin is that package
	}
	for platform, text := range pkg.Checksums {
		sum, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(sum) != 32 {
			if sum, err = hex.DecodeString(text); err != nil || len(sum) != 32 {
				return fail(fmt.Errorf("the checksum for %s is no sha256", platform))
			}
		}
		if out.Checksums == nil {
			out.Checksums = map[string][]byte{}
		}
		out.Checksums[platform] = sum
	}
	return out, nil
}

// registryName takes [[source/]publisher/]name[@version] apart. Publishers are known as far as their plugins are found
// without a registry.
func registryName(text string) (name, publisher string, err error) {
	parts := strings.Split(text, "/")
	name = parts[len(parts)-1]
	if len(parts) == 1 {
		return name, "", nil
	}
	publisher = parts[len(parts)-2]
	switch publisher {
	case "pulumi", "pulumiverse":
		return name, publisher, nil
	default:
		return "", "", fmt.Errorf("looking up %s in a registry is not available yet in this version; write the plugin's name as source, "+
			"and where it is published as pluginDownloadURL (like github://api.github.com/%s)", text, publisher)
	}
}
