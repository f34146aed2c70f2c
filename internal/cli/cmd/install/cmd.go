package install

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/cmd/plugin"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/pluginstore/acquire"
	"github.com/cairn-iac/cairn/internal/pluginstore/lockfile"
	"github.com/cairn-iac/cairn/internal/project"
	"github.com/cairn-iac/cairn/internal/workspace"
)

type options struct {
	f         *factory.Factory
	reinstall bool
	noPlugins bool
	parallel  int
	platforms []string
}

// NewCmd is `install`.
func NewCmd(f *factory.Factory) *cobra.Command {
	o := &options{f: f}
	cmd := &cobra.Command{
		Use: "install", Args: usage.Args(0, 0),
		Short: "Install what the program needs",
		Long: "Installs the plugins that the program at hand needs and that are not part of this program, and brings Pulumi.lock\n" +
			"up to date: the versions, and the hashes that they must have from now on. Commit that file.\n\n" +
			"In the folder of a plugin (PulumiPlugin.yaml) it installs the packages that the plugin names.",
		Example: "  pulumi install\n  pulumi install --platform linux-amd64,darwin-arm64   # hashes for colleagues and CI, too",
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.reinstall, "reinstall", false, "install plugins even if they are there")
	flags.BoolVar(&o.noPlugins, "no-plugins", false, "do not install plugins")
	flags.Bool("no-dependencies", false, "do not install packages of the program's language; YAML programs have none")
	flags.Bool("use-language-version-tools", false, "have version tools set up the language; YAML programs need none")
	flags.IntVar(&o.parallel, "parallel", 4, "how many plugins to install at once; less than 1 for all")
	flags.StringSliceVar(&o.platforms, "platform", nil, "record the hashes for these platforms as well, like darwin-arm64")
	return cmd
}

func (o *options) run(ctx context.Context) error {
	platforms, err := Platforms(o.platforms)
	if err != nil {
		return err
	}
	p, err := o.f.Project()
	if errors.Is(err, project.ErrNotFound) {
		if file, ferr := project.FindPlugin(workspace.Disk(), o.f.Dir); ferr == nil {
			return o.plugin(ctx, file)
		}
	}
	if err != nil || o.noPlugins {
		return err
	}
	r, err := plugin.Project(ctx, o.f, plugin.ProjectOptions{Reinstall: o.reinstall, Parallel: o.parallel, Platforms: platforms})
	if err != nil {
		return err
	}
	for _, e := range r.Elsewhere {
		where := string(e.Origin)
		if e.Origin == pluginhost.FromPath || e.Origin == pluginhost.FromProject {
			where += ": " + e.Path
		}
		o.f.Streams.Printf("%s %s needs no install: %s\n", e.Kind, e.Name, where)
	}
	if len(r.Installed) == 0 {
		o.f.Streams.Printf("There is nothing to install.\n")
		return nil
	}
	o.f.Streams.Printf("Plugins installed: %d, of them now: %d. Their hashes are in %s.\n",
		len(r.Installed), r.Done, filepath.Join(p.Dir(), lockfile.Name))
	return nil
}

// plugin installs the packages that a plugin's folder names.
func (o *options) plugin(ctx context.Context, file string) error {
	p, err := project.LoadPlugin(workspace.Disk(), file)
	if err != nil || o.noPlugins {
		return err
	}
	a, err := o.f.Acquirer()
	if err != nil {
		return err
	}
	host := o.f.DescribingHost()
	for _, pkg := range p.Packages {
		if factory.IsLocalPath(pkg.Source) {
			continue
		}
		declared, err := factory.PackageOf(pkg)
		if err != nil {
			return err
		}
		if found, err := host.Describe(declared); err == nil && found.Origin != pluginhost.FromCache {
			continue
		}
		r := acquire.Request{Plugin: host.PluginOf(pluginhost.KindResource, declared), Reinstall: o.reinstall}
		if _, err := a.Install(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// Platforms reads the values of --platform.
func Platforms(texts []string) ([]pluginstore.Platform, error) {
	var out []pluginstore.Platform
	for _, text := range texts {
		p, err := pluginstore.ParsePlatform(text)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}
