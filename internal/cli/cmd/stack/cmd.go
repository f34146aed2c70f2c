package stack

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
)

// NewCmd is `stack` with everything below it.
func NewCmd(f *factory.Factory) *cobra.Command {
	o := &overviewOptions{f: f}
	cmd := &cobra.Command{
		Use: "stack", Args: usage.Group,
		Short: "Manage stacks and show what is in one",
		Long: "Shows the current stack: its resources, its outputs, and when it was last changed.\n\n" +
			"A stack is one deployment of a project, with a configuration, a state and a history of its own.",
		Example: "  pulumi stack\n  pulumi stack --show-urns --stack prod\n  pulumi stack init dev",
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	cmd.PersistentFlags().StringVarP(&o.stack, "stack", "s", "", "the stack to work on; the selected one by default")
	o.register(cmd)
	cmd.AddCommand(
		newInitCmd(f, &o.stack), newListCmd(f, &o.stack), newSelectCmd(f, &o.stack), newUnselectCmd(f),
		newRemoveCmd(f, &o.stack), newOutputCmd(f, &o.stack), newExportCmd(f, &o.stack), newImportCmd(f, &o.stack),
		newHistoryCmd(f, &o.stack),
	)
	cmd.AddCommand(usage.Later("tag", "rename", "graph", "change-secrets-provider", "get", "migrate", "drift", "policy",
		"schedule", "webhook")...)
	return cmd
}

// errTwoNames answers a stack that is named twice.
var errTwoNames = errors.New("only one of --stack or argument stack name may be specified, not both")

// named is the stack that an argument or the --stack flag names; "" for none.
func named(flag string, args []string) (string, error) {
	if len(args) == 0 {
		return flag, nil
	}
	if flag != "" {
		return "", errTwoNames
	}
	return args[0], nil
}
