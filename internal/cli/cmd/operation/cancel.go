package operation

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/cli/factory"
)

func newCancel(f *factory.Factory) *cobra.Command {
	var stackFlag string
	var yes bool
	cmd := &cobra.Command{
		Use: "cancel [stack]", Args: cobra.MaximumNArgs(1),
		Short: "Take the lock of a stack away from whoever holds it",
		Long: "Removes the lock of a stack. An update that still runs notices and stops. A dead holder never needs this: its\n" +
			"lock is taken over by the next update.",
		Example: "  pulumi cancel\n  pulumi cancel --yes prod",
		RunE: func(cmd *cobra.Command, args []string) error {
			name := stackFlag
			if len(args) > 0 {
				name = args[0]
			}
			if !yes && !f.Interactive() {
				return exit.With(exit.Usage, errors.New("--yes must be passed in to proceed when running in non-interactive mode"))
			}
			s, err := f.Stack(cmd.Context(), factory.StackQuery{Flag: name})
			if err != nil {
				return err
			}
			if !yes {
				answer, err := f.Streams.Choose(fmt.Sprintf("This will irreversibly cancel the currently running update for '%s'. Proceed?",
					s.Ref.Name), "no", "yes")
				if err != nil || answer != "yes" {
					return exit.With(exit.Canceled, errors.New("confirmation declined, nothing was cancelled"))
				}
			}
			if _, err := s.Backend.Locker.Cancel(cmd.Context(), s.Ref); err != nil {
				return err
			}
			f.Streams.Printf("The currently running update for '%s' has been canceled!\n", s.Ref.Name)
			return nil
		},
	}
	cmd.Flags().StringVarP(&stackFlag, "stack", "s", "", "the stack; the selected one by default")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// givenFlags are the flags of a command line as the history keeps them: of switches whether they are on, of others only
// that they are set.
func givenFlags(cmd *cobra.Command) map[string]string {
	out := map[string]string{}
	cmd.Flags().Visit(func(fl *pflag.Flag) {
		value := "set"
		if fl.Value.Type() == "bool" && slices.Contains([]string{"true", "false"}, fl.Value.String()) {
			value = fl.Value.String()
		}
		out[fl.Name] = value
	})
	return out
}
