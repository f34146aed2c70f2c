package plugin

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginhost"
)

type installOptions struct{ f *factory.Factory }

func newInstallCmd(f *factory.Factory) *cobra.Command {
	o := &installOptions{f: f}
	return &cobra.Command{
		Use: "install [kind] [name] [version]", Args: usage.Args(0, 3),
		Short: "Say whether a plugin is there (downloading is not available yet)",
		Long: "Plugins cannot be downloaded yet. For a plugin that is there, built in or installed, this says so; for another one\n" +
			"it says where to put it.",
		Example: "  pulumi plugin install resource random 4.21.2",
		RunE:    func(_ *cobra.Command, args []string) error { return o.run(args) },
	}
}

func (o *installOptions) run(args []string) error {
	if len(args) < 2 {
		return errors.New("`pulumi plugin install` without the kind and name of a plugin is not available yet in this version")
	}
	kind, pkg := args[0], plugin.Package{Name: args[1]}
	if len(args) > 2 {
		pkg.Version = strings.TrimPrefix(args[2], "v")
	}
	if pluginhost.Kind(kind) != pluginhost.KindResource {
		return fmt.Errorf("`pulumi plugin install %s` is not available yet in this version", kind)
	}
	found, err := o.f.DescribingHost().Describe(pkg)
	if err != nil {
		return err
	}
	o.f.Streams.Errorf("[%s plugin %s] is there already: version %s, %s\n", kind, pkg.Name, versionOf(found), source(found))
	return nil
}

func versionOf(f pluginhost.Found) string {
	if f.Version == "" {
		return "unknown"
	}
	return f.Version
}
