package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/cmd/about"
	"github.com/cairn-iac/cairn/internal/cli/cmd/bundle"
	"github.com/cairn-iac/cairn/internal/cli/cmd/completion"
	"github.com/cairn-iac/cairn/internal/cli/cmd/config"
	"github.com/cairn-iac/cairn/internal/cli/cmd/install"
	"github.com/cairn-iac/cairn/internal/cli/cmd/login"
	newcmd "github.com/cairn-iac/cairn/internal/cli/cmd/new"
	"github.com/cairn-iac/cairn/internal/cli/cmd/operation"
	"github.com/cairn-iac/cairn/internal/cli/cmd/pkg"
	"github.com/cairn-iac/cairn/internal/cli/cmd/plugin"
	"github.com/cairn-iac/cairn/internal/cli/cmd/stack"
	"github.com/cairn-iac/cairn/internal/cli/cmd/state"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/release"
)

// newRoot is the whole command tree.
// start is called once the global flags are known.
func newRoot(f *factory.Factory, start func() error) *cobra.Command {
	root := &cobra.Command{
		Use:   "pulumi",
		Short: "Infrastructure as code, on your own machine",
		Long: "Deploys infrastructure from programs. State is kept where you say, changes survive crashes, and nothing needs a\n" +
			"hosted service.",
		Example: "  pulumi login file://~        # keep state in your home folder\n" +
			"  pulumi stack init dev\n  pulumi up",
		Version:      release.Tag,
		SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if err := applyGlobals(f); err != nil {
				return err
			}
			return start()
		},
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetIn(f.Streams.In)
	root.SetOut(f.Streams.Out)
	root.SetErr(f.Streams.Err)
	flags := root.PersistentFlags()
	flags.StringVarP(&f.Flags.Cwd, "cwd", "C", "", "run as if started in this folder")
	flags.BoolVar(&f.Flags.NonInteractive, "non-interactive", false, "never ask; fail where an answer is needed")
	flags.StringVar(&f.Flags.Color, "color", "auto", "colorize output: always, never, raw or auto")
	flags.BoolVarP(&f.Flags.Emoji, "emoji", "e", false, "use emoji in the output")
	flags.BoolVarP(&f.Flags.FullyQualify, "fully-qualify-stack-names", "Q", false, "show stack names with organization and project")
	flags.StringVar(&f.Flags.Profiling, "profiling", "", "write a CPU and a memory profile to files with this prefix")
	flags.IntVarP(&f.Flags.Verbose, "verbose", "v", 0, "how much plugins log, 0 to 11")
	flags.BoolVar(&f.Flags.LogToStderr, "logtostderr", false, "have plugins log to stderr instead of files")
	flags.BoolVar(&f.Flags.DisableIntegrityChecking, "disable-integrity-checking", false, "take a state that breaks the integrity rules")
	flags.BoolVar(&f.Flags.LogFlow, "logflow", false, "pass the log flags on to plugins")
	root.AddCommand(operation.Commands(f)...)
	root.AddCommand(stack.NewCmd(f), state.NewCmd(f), config.NewCmd(f), plugin.NewCmd(f))
	root.AddCommand(newcmd.NewCmd(f), install.NewCmd(f), bundle.NewCmd(f), pkg.NewCmd(f), completion.NewCmd())
	root.AddCommand(login.Commands(f)...)
	root.AddCommand(about.Commands(f)...)
	completion.Register(root, f)
	return root
}

// applyGlobals makes the global flags count.
func applyGlobals(f *factory.Factory) error {
	if f.Flags.Cwd != "" {
		dir := f.Path(f.Flags.Cwd)
		info, err := statDir(dir)
		if err != nil || !info {
			return fmt.Errorf("--cwd: %s is not a folder", f.Flags.Cwd)
		}
		f.Dir = filepath.Clean(dir)
	}
	_, err := f.Palette()
	return err
}
