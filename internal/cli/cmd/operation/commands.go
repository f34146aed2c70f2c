package operation

import (
	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/display"
	"github.com/cairn-iac/cairn/internal/engine"
)

// Commands are preview, up, refresh, destroy, import and cancel.
func Commands(f *factory.Factory) []*cobra.Command {
	all := []*cobra.Command{newPreview(f), newUp(f), newRefresh(f), newDestroy(f), newImport(f)}
	for _, c := range all {
		registerElsewhere(c)
	}
	return append(all, newCancel(f))
}

func newUp(f *factory.Factory) *cobra.Command {
	o := &flags{}
	cmd := &cobra.Command{
		Use: "up", Aliases: []string{"update"}, Args: cobra.NoArgs,
		Short:   "Create or update the resources of a stack",
		Long:    "Runs the program, shows what would change, asks, and then makes the stack match the program.",
		Example: "  pulumi up\n  pulumi up --yes --skip-preview --stack prod\n  pulumi up --plan plan.json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run(cmd, f, o, spec{kind: engine.Update, display: display.Update, asks: "update"})
		},
	}
	o.registerRecorded(cmd)
	o.registerApplying(cmd)
	o.registerProgram(cmd)
	o.registerIgnoreProtect(cmd)
	o.registerRunProgram(cmd, "with --refresh: read each resource when the program registers it")
	cmd.Flags().StringVar(&o.plan, "plan", "", "do only what this plan has, which `pulumi preview --save-plan` wrote")
	cmd.Flags().BoolVar(&o.strict, "strict", false, "do only what the preview before the update shows")
	return cmd
}

func newPreview(f *factory.Factory) *cobra.Command {
	o := &flags{}
	cmd := &cobra.Command{
		Use: "preview", Aliases: []string{"pre"}, Args: cobra.NoArgs,
		Short:   "Show what an update would change",
		Long:    "Runs the program and shows what would change. Nothing is changed, and no lock is taken.",
		Example: "  pulumi preview\n  pulumi preview --diff\n  pulumi preview --json --expect-no-changes\n  pulumi preview --save-plan plan.json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run(cmd, f, o, spec{kind: engine.Update, display: display.Update, previewOnly: true})
		},
	}
	o.registerRecorded(cmd)
	o.registerProgram(cmd)
	o.registerIgnoreProtect(cmd)
	o.registerRunProgram(cmd, "with --refresh: read each resource when the program registers it")
	cmd.Flags().StringVarP(&o.message, "message", "m", "", "accepted for compatibility: previews are not recorded")
	cmd.Flags().StringVar(&o.importFile, "import-file", "", "list what would be created in this file, for `pulumi import --file`")
	cmd.Flags().StringVar(&o.savePlan, "save-plan", "", "write what would be done to this file, secrets encrypted, for `pulumi up --plan`")
	return cmd
}

func newRefresh(f *factory.Factory) *cobra.Command {
	o := &flags{}
	cmd := &cobra.Command{
		Use: "refresh", Args: cobra.NoArgs,
		Short: "Bring a stack's state up to date with its resources",
		Long: "Reads every resource of the stack from its provider and records what it finds. It also settles creates that an\n" +
			"interrupted run left pending.",
		Example: "  pulumi refresh\n  pulumi refresh --run-program\n  pulumi refresh --yes --guard-missing=30\n  pulumi refresh --yes --clear-pending-creates\n" +
			"  pulumi refresh --yes --import-pending-creates 'urn:pulumi:dev::proj::random:index/randomPet:RandomPet::pet,happy-cat'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run(cmd, f, o, spec{kind: engine.Refresh, display: display.Refresh, asks: "refresh", previewOnly: o.previewOnly})
		},
	}
	o.registerRecorded(cmd)
	o.registerApplying(cmd)
	o.registerRunProgram(cmd, "run the program and read with the providers that it configures")
	flags := cmd.Flags()
	flags.BoolVar(&o.previewOnly, "preview-only", false, "only show what would change")
	flags.BoolVar(&o.expectNoChanges, "expect-no-changes", false, "fail with exit code 7 if anything changed")
	flags.BoolVar(&o.clearPendingCreates, "clear-pending-creates", false, "drop creates that interrupted runs left pending")
	flags.BoolVar(&o.skipPendingCreates, "skip-pending-creates", false, "leave pending creates as they are (the default)")
	flags.StringArrayVar(&o.importPendingCreates, "import-pending-creates", nil, "adopt a pending create under its id: 'URN,ID'; repeat it for more")
	return cmd
}

func newDestroy(f *factory.Factory) *cobra.Command {
	o := &flags{}
	cmd := &cobra.Command{
		Use: "destroy", Aliases: []string{"down", "dn"}, Args: cobra.NoArgs,
		Short: "Delete all resources of a stack",
		Long: "Deletes every resource of the stack, dependents first. The stack with its configuration and history stays unless\n" +
			"--remove is given.",
		Example: "  pulumi destroy\n  pulumi destroy --yes --remove --stack scratch",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run(cmd, f, o, spec{kind: engine.Destroy, display: display.Destroy, asks: "destroy", previewOnly: o.previewOnly})
		},
	}
	o.registerRecorded(cmd)
	o.registerApplying(cmd)
	o.registerRunProgram(cmd, "run the program and delete with the providers that it configures")
	flags := cmd.Flags()
	flags.BoolVar(&o.previewOnly, "preview-only", false, "only show what would be deleted")
	flags.BoolVar(&o.remove, "remove", false, "also remove the stack, its configuration file and history")
	flags.BoolVar(&o.excludeProtected, "exclude-protected", false, "leave protected resources, and what they need, alone")
	o.registerIgnoreProtect(cmd)
	cmd.MarkFlagsMutuallyExclusive("exclude-protected", "ignore-protect")
	flags.StringVarP(&o.refresh, "refresh", "r", "", "read the state of all resources first")
	flags.Lookup("refresh").NoOptDefVal = "true"
	return cmd
}
