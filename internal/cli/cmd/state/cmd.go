package state

import (
	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
)

// NewCmd is `state` with everything below it.
func NewCmd(f *factory.Factory) *cobra.Command {
	e := &editor{f: f}
	cmd := &cobra.Command{
		Use: "state", Args: usage.Group,
		Short: "Edit what is recorded of a stack's resources",
		Long: "Changes the state of a stack, and nothing else: no provider is called, no resource is touched. Every edit is a\n" +
			"journal record, and the state before it is kept as a backup.",
		Example: "  pulumi state unprotect 'urn:pulumi:dev::site::random:index/randomPet:RandomPet::name'\n  pulumi state protect --all",
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	flags := cmd.PersistentFlags()
	flags.StringVarP(&e.stack, "stack", "s", "", "the stack to work on; the selected one by default")
	flags.BoolVarP(&e.yes, "yes", "y", false, "do not ask")
	flags.DurationVar(&e.waitForLock, "wait-for-lock", 0, "wait this long for another update of the stack to end, as in 10m")
	cmd.AddCommand(newProtectCmd(e, true), newProtectCmd(e, false), newRemoveCmd(e))
	cmd.AddCommand(usage.Later("edit", "move", "rename", "repair", "taint", "untaint", "upgrade", "rollback", "history",
		"verify")...)
	return cmd
}
