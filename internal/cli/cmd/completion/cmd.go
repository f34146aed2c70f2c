package completion

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/usage"
)

// shells are the ones that scripts can be made for.
func shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

// NewCmd is `gen-completion`. The script is for the command tree that it is added to.
func NewCmd() *cobra.Command {
	return &cobra.Command{
		Use: "gen-completion <shell>", Aliases: []string{"completion"}, Args: usage.Args(1, 1), ValidArgs: shells(),
		Short: "Write a script that completes commands in a shell",
		Long: "Writes a script to standard output with which a shell completes commands, flags, and names of stacks and\n" +
			"templates. To try it in the current shell:\n\n" +
			"  source <(pulumi gen-completion bash)                                      # bash, with its package bash-completion\n" +
			"  source <(pulumi gen-completion zsh)                                       # zsh, after `autoload -U compinit; compinit`\n" +
			"  pulumi gen-completion fish | source                                       # fish\n" +
			"  pulumi gen-completion powershell | Out-String | Invoke-Expression         # PowerShell\n\n" +
			"To have it in every new shell, write it to where the shell looks:",
		Example: "  pulumi gen-completion bash > ~/.local/share/bash-completion/completions/pulumi\n" +
			"  pulumi gen-completion zsh > \"${fpath[1]}/_pulumi\"\n" +
			"  pulumi gen-completion fish > ~/.config/fish/completions/pulumi.fish\n" +
			"  pulumi gen-completion powershell >> $PROFILE",
		RunE: func(cmd *cobra.Command, args []string) error {
			root, out := cmd.Root(), cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			default:
				return fmt.Errorf("%q is not a supported shell; there are scripts for %s", args[0], strings.Join(shells(), ", "))
			}
		},
	}
}
