package plugin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/blang/semver/v4"
	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/builtin"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/display/table"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/release"
)

type listOptions struct {
	f       *factory.Factory
	project bool
	format  usage.Format
}

func newListCmd(f *factory.Factory) *cobra.Command {
	o := &listOptions{f: f}
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Args: usage.Args(0, 0),
		Short: "List plugins",
		Long: "Lists the plugins that are installed and the providers that are part of this program. SOURCE says where each comes\n" +
			"from, and which one runs for a program that asks for no version. With --project, the plugins that the program at\n" +
			"hand needs.",
		Example: "  pulumi plugin ls\n  pulumi plugin ls --project --json",
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	cmd.Flags().BoolVarP(&o.project, "project", "p", false, "list the plugins that the project at hand needs")
	usage.Output(cmd, &o.format)
	return cmd
}

func (o *listOptions) run(ctx context.Context) error {
	host := o.f.DescribingHost()
	installed, err := host.List()
	if err != nil {
		return fmt.Errorf("loading plugins: %w", err)
	}
	rows, err := listed(host, installed)
	if err != nil {
		return fmt.Errorf("loading plugins: %w", err)
	}
	if o.project {
		if rows, err = o.needed(ctx, installed); err != nil {
			return fmt.Errorf("loading project plugins: %w", err)
		}
	}
	if o.format == usage.JSON {
		text, err := table.PluginsJSON(rows)
		if err != nil {
			return err
		}
		o.f.Streams.Printf("%s", text)
		return nil
	}
	colors, err := o.f.Palette()
	if err != nil {
		return err
	}
	o.f.Streams.Printf("%s", table.Plugins(rows, time.Now(), colors))
	return nil
}

// runs marks the plugin that runs for a program that asks for no version, where there are several.
const runs = " (runs by default)"

// listed is everything that is there. For each provider in the box it says which one runs.
func listed(host *pluginhost.Host, installed []pluginhost.Installed) ([]table.Plugin, error) {
	var rows []table.Plugin
	for _, p := range installed {
		rows = append(rows, cached(p))
	}
	providers := builtin.Providers()
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		row := table.Plugin{
			Name: name, Kind: string(pluginhost.KindResource), Version: providers[name].Version,
			Source: string(pluginhost.FromBuiltin),
		}
		found, err := host.Describe(plugin.Package{Name: name})
		var missing *plugin.MissingError
		if err != nil && !errors.As(err, &missing) {
			return nil, err
		}
		rows = append(rows, row)
		rows = mark(rows, found)
	}
	slices.SortStableFunc(rows, compare)
	return rows, nil
}

// mark notes in the rows which plugin runs.
func mark(rows []table.Plugin, found pluginhost.Found) []table.Plugin {
	for i := range rows {
		r := &rows[i]
		if r.Kind == string(found.Kind) && r.Name == found.Name && r.Source == string(found.Origin) && r.Version == found.Version {
			r.Source += runs
			return rows
		}
	}
	return append(rows, table.Plugin{
		Name: found.Name, Kind: string(found.Kind), Version: found.Version, Source: source(found) + runs,
	})
}

// compare orders by name and kind, the newest version first.
func compare(a, b table.Plugin) int {
	if c := strings.Compare(a.Name+" "+a.Kind, b.Name+" "+b.Kind); c != 0 {
		return c
	}
	x, errX := semver.Parse(a.Version)
	y, errY := semver.Parse(b.Version)
	if errX != nil || errY != nil {
		return strings.Compare(b.Version, a.Version)
	}
	return y.Compare(x)
}

func cached(p pluginhost.Installed) table.Plugin {
	return table.Plugin{
		Name: p.Name, Kind: string(p.Kind), Version: p.Version, Bytes: uint64(max(p.Size, 0)),
		Installed: p.InstallTime, LastUsed: p.LastUsedTime, Source: string(pluginhost.FromCache),
	}
}

// source is where a plugin comes from, with its path if it is in no usual place.
func source(f pluginhost.Found) string {
	switch f.Origin {
	case pluginhost.FromCache, pluginhost.FromBuiltin:
		return string(f.Origin)
	case pluginhost.FromDebugger:
		return fmt.Sprintf("%s to port %d", f.Origin, f.Port)
	case pluginhost.FromProject, pluginhost.FromPath, pluginhost.FromBundle:
		return fmt.Sprintf("%s: %s", f.Origin, f.Path)
	default:
		return string(f.Origin)
	}
}

// needed is what the program at hand needs. What is missing is told.
func (o *listOptions) needed(ctx context.Context, installed []pluginhost.Installed) ([]table.Plugin, error) {
	required, err := o.f.RequiredPlugins(ctx)
	if err != nil {
		return nil, err
	}
	rows := []table.Plugin{{
		Name: "yaml", Kind: string(pluginhost.KindLanguage), Version: release.Version, Source: string(pluginhost.FromBuiltin),
	}}
	for _, r := range required {
		if r.Missing != nil {
			o.f.Streams.Errorf("warning: %s\n", r.Missing)
			continue
		}
		rows = append(rows, row(r.Found, installed))
	}
	slices.SortStableFunc(rows, compare)
	return rows, nil
}

func row(f pluginhost.Found, installed []pluginhost.Installed) table.Plugin {
	for _, p := range installed {
		if f.Origin == pluginhost.FromCache && p.Kind == f.Kind && p.Name == f.Name && p.Version == f.Version {
			return cached(p)
		}
	}
	return table.Plugin{Name: f.Name, Kind: string(f.Kind), Version: f.Version, Source: source(f)}
}
