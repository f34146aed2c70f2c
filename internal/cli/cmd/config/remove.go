package config

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/usage"
)

type removeOptions struct {
	target *target
	path   bool
}

func newRemoveCmd(t *target) *cobra.Command {
	o := &removeOptions{target: t}
	cmd := &cobra.Command{
		Use: "remove <key>", Aliases: []string{"rm", "delete"}, Args: usage.Args(1, 1),
		Short:   "Remove a configuration value",
		Long:    "Removes a value from a stack's configuration. With --path the key leads into a value: `outer.inner`, `names[0]`.",
		Example: "  pulumi config rm aws:region\n  pulumi config rm --path 'names[0]'",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	cmd.Flags().BoolVar(&o.path, "path", false, "the key leads into a map or list")
	return cmd
}

func newRemoveAllCmd(t *target) *cobra.Command {
	o := &removeOptions{target: t}
	cmd := &cobra.Command{
		Use: "remove-all <key>...", Aliases: []string{"rm-all", "delete-all"}, Args: usage.AtLeast(1),
		Short:   "Remove several configuration values",
		Long:    "Removes values from a stack's configuration: all of them, or none if something is wrong with one.",
		Example: "  pulumi config rm-all aws:region debug\n  pulumi config rm-all --path outer.inner 'names[0]'",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	cmd.Flags().BoolVar(&o.path, "path", false, "the keys lead into maps or lists")
	return cmd
}

func (o *removeOptions) run(ctx context.Context, keys []string) error {
	s, file, err := o.target.open(ctx)
	if err != nil {
		return err
	}
	for _, text := range keys {
		at, err := key{text: text, path: o.path}.in(s)
		if err != nil {
			return err
		}
		if err := file.Remove(at); err != nil {
			return err
		}
	}
	return s.SaveConfig()
}
