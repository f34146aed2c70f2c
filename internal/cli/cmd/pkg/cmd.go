package pkg

import (
	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
)

// NewCmd is `package` with everything below it.
func NewCmd(f *factory.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use: "package", Args: usage.Group,
		Short:   "Look at packages",
		Long:    "Shows what packages offer: their resources and functions, and the schema that describes them.",
		Example: "  pulumi package info random\n  pulumi package get-schema ./my-provider > schema.json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmd.Help(); err != nil {
				return err
			}
			return exit.Reported()
		},
	}
	cmd.AddCommand(newSchemaCmd(f), newInfoCmd(f))
	cmd.AddCommand(usage.Later("add", "gen-sdk", "get-mapping", "publish", "publish-sdk", "pack-sdk", "new", "delete,remove")...)
	return cmd
}
