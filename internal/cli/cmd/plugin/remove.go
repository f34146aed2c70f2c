package plugin

import (
	"context"
	"errors"
	"fmt"

	"github.com/blang/semver/v4"
	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/iostreams"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/pluginstore"
)

type removeOptions struct {
	f        *factory.Factory
	all, yes bool
}

func newRemoveCmd(f *factory.Factory) *cobra.Command {
	o := &removeOptions{f: f}
	cmd := &cobra.Command{
		Use: "remove [kind [name [version]]]", Aliases: []string{"rm", "delete"}, Args: usage.Args(0, 3),
		Short: "Remove installed plugins",
		Long: "Removes the installed plugins of a kind, name and version from your machine; VERSION may be a range. What a program\n" +
			"needs is installed again when it runs.",
		Example: "  pulumi plugin rm resource aws\n  pulumi plugin rm resource aws '<7.0.0' --yes\n  pulumi plugin rm --all",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	cmd.Flags().BoolVarP(&o.all, "all", "a", false, "remove all plugins")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (o *removeOptions) run(ctx context.Context, args []string) error {
	chosen, err := o.chosen(args)
	if err != nil {
		return err
	}
	if len(chosen) == 0 {
		o.f.Streams.Printf("no plugins found to uninstall\n")
		return nil
	}
	if !o.yes && !o.f.Env.Truthy("PULUMI_SKIP_CONFIRMATIONS") {
		if sure, err := o.ask(chosen); err != nil || !sure {
			return err
		}
	}
	var errs []error
	for _, i := range chosen {
		if err := o.f.PluginStore().Remove(ctx, i); err != nil {
			errs = append(errs, fmt.Errorf("failed to delete %s plugin %s-%s: %w", i.Kind, i.Name, i.Version, err))
			continue
		}
		o.f.Streams.Printf("removed: %s %s-%s\n", i.Kind, i.Name, i.Version)
	}
	return errors.Join(errs...)
}

func (o *removeOptions) chosen(args []string) ([]pluginstore.Installed, error) {
	var kind pluginstore.Kind
	var err error
	switch {
	case len(args) > 0:
		if kind, err = pluginstore.ParseKind(args[0]); err != nil {
			return nil, err
		}
	case !o.all:
		return nil, errors.New("please pass --all if you'd like to remove all plugins")
	}
	in := func(semver.Version) bool { return true }
	if len(args) > 2 {
		if in, err = semver.ParseRange(args[2]); err != nil {
			return nil, fmt.Errorf("invalid plugin semver: %q is neither a version nor a range: %w", args[2], err)
		}
	}
	all, err := o.f.PluginStore().All()
	if err != nil {
		return nil, fmt.Errorf("loading plugins: %w", err)
	}
	var out []pluginstore.Installed
	for _, i := range all {
		v, err := semver.Parse(i.Version)
		if err == nil && (kind == "" || i.Kind == kind) && (len(args) < 2 || i.Name == args[1]) && in(v) {
			out = append(out, i)
		}
	}
	return out, nil
}

func (o *removeOptions) ask(chosen []pluginstore.Installed) (bool, error) {
	plural := "s"
	if len(chosen) == 1 {
		plural = ""
	}
	o.f.Streams.Printf("This will remove %d plugin%s from the cache:\n", len(chosen), plural)
	for _, i := range chosen {
		o.f.Streams.Printf("    %s %s-%s\n", i.Kind, i.Name, i.Version)
	}
	if !o.f.Interactive() {
		return false, exit.With(exit.Usage, errors.New("--yes must be passed in to remove plugins without being asked"))
	}
	answer, err := o.f.Streams.Choose("Remove them?", "no", "yes")
	if errors.Is(err, iostreams.ErrNotInteractive) {
		return false, exit.With(exit.Usage, err)
	}
	return answer == "yes", err
}
