package plugin

import (
	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
)

// NewCmd is `plugin` with everything below it.
func NewCmd(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use: "plugin", Args: usage.Group,
		Short: "Manage plugins",
		Long: "Providers of resources are plugins. Some are part of this program; others are installed in the folder plugins of\n" +
			"your Pulumi home, or are executables on your $PATH. What a program needs is installed when it runs.",
		Example: "  pulumi plugin ls\n  pulumi plugin install resource aws 7.0.0\n  pulumi plugin rm resource aws",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmd.Help(); err != nil {
				return err
			}
			return exit.Reported()
		},
	}
	cmd.AddCommand(newInstallCmd(f), newListCmd(f), newRemoveCmd(f), newRunCmd(f))
	return cmd
}
