package about

import (
	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/release"
)

// Commands are about and version.
func Commands(f *factory.Factory) []*cobra.Command {
	return []*cobra.Command{newAboutCmd(f), newVersionCmd(f)}
}

func newVersionCmd(f *factory.Factory) *cobra.Command {
	return &cobra.Command{
		Use: "version", Args: usage.Args(0, 0),
		Short:   "Print the version",
		Long:    "Prints the version: the Pulumi release that this program behaves like, and our own count.",
		Example: "  pulumi version",
		RunE: func(*cobra.Command, []string) error {
			f.Streams.Printf("%s\n", release.Tag)
			return nil
		},
	}
}
