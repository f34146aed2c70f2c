package plugin

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/pluginstore/acquire"
	"github.com/cairn-iac/cairn/internal/pluginstore/bundle"
)

type installOptions struct {
	f         *factory.Factory
	server    string
	exact     bool
	file      string
	reinstall bool
	checksum  string
	parallel  int
}

func newInstallCmd(f *factory.Factory) *cobra.Command {
	o := &installOptions{f: f}
	cmd := &cobra.Command{
		Use: "install [kind name [version]]", Args: usage.Args(0, 3),
		Short: "Install plugins",
		Long: "Installs a plugin, or without arguments all that the project at hand needs. You rarely need it: what a program needs\n" +
			"is installed when it runs.\n\n" +
			"KIND is resource, language, analyzer, converter or tool. NAME is a name, or the address of a git repository like\n" +
			"github.com/org/repository/folder. Without VERSION it is the one of the project's Pulumi.lock, else the newest.\n\n" +
			"In a project, the plugin's hashes are recorded in Pulumi.lock, next to Pulumi.yaml, and compared ever after.\n\n" +
			"--file takes an archive, a folder, an executable, or a bundle that `pulumi bundle` made. Kind, name and version may be\n" +
			"left out for a bundle, and for an archive whose name says them.",
		Example: "  pulumi plugin install\n  pulumi plugin install resource aws 7.0.0\n" +
			"  pulumi plugin install resource thing 1.2.0 --server 'https://mirror.example.com/${NAME}/v${VERSION}'\n" +
			"  pulumi plugin install resource github.com/org/repository@v1.0.0\n" +
			"  pulumi plugin install -f pulumi-resource-thing-v1.2.0-linux-amd64.tar.gz",
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.server, "server", "", "the URL to download from")
	flags.BoolVar(&o.exact, "exact", false, "install exactly this version, even if a later one is there")
	flags.StringVarP(&o.file, "file", "f", "", "install from an archive, a folder, an executable or a bundle")
	flags.BoolVar(&o.reinstall, "reinstall", false, "install it even if it is there, or part of this program")
	flags.StringVar(&o.checksum, "checksum", "", "the sha256 that the archive must have, in hexadecimal digits")
	flags.IntVar(&o.parallel, "parallel", 4, "how many plugins to install at once; less than 1 for all")
	return cmd
}

func (o *installOptions) run(ctx context.Context, args []string) error {
	a, err := o.f.Acquirer()
	if err != nil {
		return err
	}
	if o.file != "" {
		o.file = o.f.Path(o.file)
		if len(args) == 0 {
			b, err := bundle.Open(o.file)
			if err == nil {
				_, err := a.InstallBundle(ctx, b, o.reinstall)
				return err
			}
			if args = fromFileName(o.file); args == nil && !errors.Is(err, bundle.ErrNotABundle) {
				return err
			} else if args == nil {
				return fmt.Errorf("%s is no bundle, and its name does not say which plugin it is: "+
					"give kind, name and version", o.file)
			}
		}
	}
	if len(args) == 0 {
		if o.checksum != "" || o.server != "" {
			return errors.New("--checksum and --server are only valid if a specific plugin is being installed")
		}
		_, err := Project(ctx, o.f, ProjectOptions{Reinstall: o.reinstall, Parallel: o.parallel})
		return err
	}
	p, err := o.plugin(args)
	if err != nil {
		return err
	}
	return o.one(ctx, a, p)
}

// fromFileName gives the kind, name and version that the name of a published archive says, nil if it says none.
func fromFileName(file string) []string {
	m := regexp.MustCompile(`^pulumi-([a-z]+)-(.+)-v([0-9]+\.[0-9]+\.[0-9]+[^/]*)-[a-z]+-[a-z0-9]+\.tar\.gz$`).
		FindStringSubmatch(filepath.Base(file))
	if m == nil || !pluginstore.Kind(m[1]).Valid() {
		return nil
	}
	return m[1:]
}

// plugin reads the arguments.
func (o *installOptions) plugin(args []string) (pluginstore.Plugin, error) {
	var p pluginstore.Plugin
	kind, err := pluginstore.ParseKind(args[0])
	if err != nil {
		return p, err
	}
	if len(args) < 2 {
		return p, errors.New("missing plugin name argument")
	}
	asked := pluginstore.Plugin{Kind: kind, DownloadURL: o.server}
	if len(args) > 2 {
		asked.Version = args[2]
	}
	if o.checksum != "" {
		sum, err := hex.DecodeString(o.checksum)
		if err != nil || len(sum) != 32 {
			return p, errors.New("--checksum was not a valid hex string: expected the 64 digits of a sha256")
		}
		asked.Checksums = map[pluginstore.Platform][]byte{pluginstore.Here(): sum}
	}
	if p, err = pluginstore.Parse(args[1], asked); err != nil {
		return p, err
	}
	if o.file != "" && p.Version == "" {
		return p, errors.New("missing plugin version argument, this is required if installing from a file")
	}
	if pluginhost.Bundled(kind, p.Name) && !o.f.Env.Truthy("PULUMI_DEV") {
		return p, fmt.Errorf("the %s %s plugin is bundled with Pulumi, and cannot be directly installed with this command", p.Name, kind)
	}
	return p, nil
}

// one installs one plugin.
func (o *installOptions) one(ctx context.Context, a *acquire.Acquirer, p pluginstore.Plugin) error {
	host := o.f.DescribingHost()
	if p.Kind == pluginstore.KindResource && p.DownloadURL == "" {
		// What the project says about the package counts here, too.
		said := host.PluginOf(p.Kind, plugin.Package{Name: p.Name, Version: p.Version})
		p.DownloadURL, p.Version = said.DownloadURL, said.Version
	}
	if o.file == "" && !o.reinstall {
		there, err := o.there(host, p)
		if err != nil || there {
			return err
		}
	}
	r, err := a.Install(ctx, acquire.Request{Plugin: p, File: o.file, Reinstall: o.reinstall, Recording: acquire.AsOnly})
	if err != nil {
		return err
	}
	if !r.Done {
		o.f.Streams.Errorf("%s is there already: version %s, %s\n", p.Label(), r.Version, pluginhost.FromCache)
	}
	return nil
}

// there says whether a plugin that is part of this program, or a later one that is installed, will do. One of exactly the
// version is left to the store, which compares its hash.
func (o *installOptions) there(host *pluginhost.Host, p pluginstore.Plugin) (bool, error) {
	if p.Kind == pluginstore.KindResource {
		found, err := host.Describe(plugin.Package{Name: p.Name, Version: p.Version, DownloadURL: p.DownloadURL})
		var missing *plugin.MissingError
		if err != nil && !errors.As(err, &missing) {
			return false, err
		}
		if found.Origin == pluginhost.FromBuiltin {
			o.f.Streams.Errorf("%s is there already: version %s, %s (--reinstall gets the published one)\n", p.Label(), found.Version, source(found))
			return true, nil
		}
	}
	if o.exact || p.Version == "" {
		return false, nil
	}
	found, ok, err := o.f.PluginStore().FindAtLeast(p)
	if err != nil || !ok || found.Version == p.Version {
		return false, err
	}
	o.f.Streams.Errorf("%s is there already: version %s, %s (--exact installs this one as well)\n", p.Label(), found.Version, pluginhost.FromCache)
	return true, nil
}
