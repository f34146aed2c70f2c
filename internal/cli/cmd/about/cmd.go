package about

import (
	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
)

// Commands are the commands of this package.
func Commands(_ *factory.Factory) []*cobra.Command {
	return nil
}
