package plugin

import (
	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
)

// NewCmd is the command tree.
func NewCmd(_ *factory.Factory) *cobra.Command {
	return &cobra.Command{Use: "plugin"}
}
