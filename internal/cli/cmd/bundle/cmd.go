package bundle

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/cmd/install"
	"github.com/cairn-iac/cairn/internal/cli/cmd/plugin"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/pluginstore/acquire"
)

type options struct {
	f         *factory.Factory
	platforms []string
}

// NewCmd is `bundle` with everything below it.
func NewCmd(f *factory.Factory) *cobra.Command {
	o := &options{f: f}
	cmd := &cobra.Command{
		Use: "bundle [file]", Args: usage.Args(0, 1),
		Short: "Put all plugins of the project into one file, for a machine without a network",
		Long: "Writes one file with every plugin that the program at hand needs and with its Pulumi.lock. Copy it, and the project, to\n" +
			"the machine without a network, and run `pulumi bundle install` there. What is missing here is installed first.\n\n" +
			"Without FILE it is <project>.bundle.tar. For machines of another kind, name their platforms.",
		Example: "  pulumi bundle\n  pulumi bundle plugins.tar --platform linux-amd64,linux-arm64\n  pulumi bundle install plugins.tar",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	cmd.Flags().StringSliceVar(&o.platforms, "platform", nil, "the platforms of the other machines, like linux-arm64; this one's by default")
	cmd.AddCommand(newInstallCmd(f))
	return cmd
}

func (o *options) run(ctx context.Context, args []string) error {
	platforms, err := install.Platforms(o.platforms)
	if err != nil {
		return err
	}
	p, err := o.f.Project()
	if err != nil {
		return err
	}
	to := p.Name + ".bundle.tar"
	if len(args) > 0 {
		to = args[0]
	}
	r, err := plugin.Project(ctx, o.f, plugin.ProjectOptions{Parallel: 4})
	if err != nil {
		return err
	}
	for _, e := range r.Elsewhere {
		switch e.Origin {
		case pluginhost.FromBuiltin, pluginhost.FromProject:
		case pluginhost.FromDebugger, pluginhost.FromPath, pluginhost.FromBundle, pluginhost.FromCache:
			o.f.Streams.Errorf("warning: %s %s is not in the bundle: it runs from elsewhere (%s %s). Set PULUMI_IGNORE_AMBIENT_PLUGINS=1 "+
				"to have the published one in it\n", e.Kind, e.Name, e.Origin, e.Path)
		}
	}
	a, err := o.f.Acquirer()
	if err != nil {
		return err
	}
	file := o.f.Path(to)
	if err := a.Bundle(ctx, acquire.Bundling{Project: p.Name, Plugins: r.Installed, Platforms: platforms, To: file}); err != nil {
		return fmt.Errorf("make the bundle: %w", err)
	}
	hash, err := pluginstore.HashFile(file)
	if err != nil {
		return err
	}
	for _, i := range r.Installed {
		o.f.Streams.Printf("  %s\n", i.Label())
	}
	o.f.Streams.Printf("%s\n%s\nOn the other machine: pulumi bundle install %s\n", to, hash, to)
	return nil
}
