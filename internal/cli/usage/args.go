package usage

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Args takes between least and most positional arguments.
func Args(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		n := len(args)
		switch {
		case least == most && n != most:
			return hinted(cmd, "accepts %d arg(s), received %d", most, n)
		case n < least:
			return hinted(cmd, "requires at least %d arg(s), only received %d", least, n)
		case n > most:
			return hinted(cmd, "accepts at most %d arg(s), received %d", most, n)
		}
		return nil
	}
}

// AtLeast takes least or more positional arguments.
func AtLeast(least int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least {
			return hinted(cmd, "requires at least %d arg(s), only received %d", least, len(args))
		}
		return nil
	}
}

// Group is for a command that has commands below it and takes no arguments itself: an argument is a command that does
// not exist.
func Group(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.SuggestionsMinimumDistance <= 0 {
		cmd.SuggestionsMinimumDistance = 2
	}
	similar := ""
	if names := cmd.SuggestionsFor(args[0]); len(names) > 0 {
		similar = "\n\nDid you mean this?\n"
		for _, name := range names {
			similar += "\t" + cmd.CommandPath() + " " + name + "\n"
		}
	}
	return hinted(cmd, "unknown command %q for %q%s", args[0], cmd.CommandPath(), similar)
}

func hinted(cmd *cobra.Command, format string, args ...any) error {
	return fmt.Errorf(format+"\nRun '%s --help' for usage.", append(args, cmd.CommandPath())...)
}

// Later makes hidden commands that only say that they are not there yet. A name may have aliases after commas.
func Later(names ...string) []*cobra.Command {
	out := make([]*cobra.Command, len(names))
	for i, name := range names {
		all := strings.Split(name, ",")
		out[i] = &cobra.Command{
			Use: all[0], Aliases: all[1:], Hidden: true, DisableFlagParsing: true,
			Short:   "Not available yet",
			Example: "  # not available yet in this version",
			RunE: func(cmd *cobra.Command, _ []string) error {
				return fmt.Errorf("`%s` is not available yet in this version", cmd.CommandPath())
			},
		}
	}
	return out
}
