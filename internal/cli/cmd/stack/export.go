package stack

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
)

type exportOptions struct {
	f           *factory.Factory
	stack       *string
	file        string
	version     string
	showSecrets bool
}

func newExportCmd(f *factory.Factory, stack *string) *cobra.Command {
	o := &exportOptions{f: f, stack: stack}
	cmd := &cobra.Command{
		Use: "export", Args: usage.Args(0, 0),
		Short: "Write the state of a stack as JSON",
		Long: "Writes the state of a stack to standard output or a file. `pulumi stack import` reads it back, after an edit by\n" +
			"hand for instance.",
		Example: "  pulumi stack export --file dev.json\n  pulumi stack export --show-secrets --stack prod",
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.file, "file", "", "write to this file")
	flags.StringVar(&o.version, "version", "", "the version to export, in backends that number them")
	flags.BoolVar(&o.showSecrets, "show-secrets", false, "write secrets in plain text")
	return cmd
}

func (o *exportOptions) run(ctx context.Context) error {
	s, err := o.f.Stack(ctx, factory.StackQuery{Flag: *o.stack})
	if err != nil {
		return err
	}
	if o.version != "" {
		return fmt.Errorf("the current backend (%s) does not provide the ability to export previous deployments; the state "+
			"after each update is in its folder .pulumi/history", o.f.BackendName())
	}
	view, err := s.Look(ctx, factory.Looking{Secrets: o.showSecrets, Damaged: true})
	if err != nil {
		return err
	}
	var text bytes.Buffer
	err = deploymentjson.EncodeExport(ctx, &text, view.Snapshot, view.Secrets, deploymentjson.ExportOptions{ShowSecrets: o.showSecrets})
	if err != nil {
		return fmt.Errorf("could not export deployment: %w", err)
	}
	if o.file == "" {
		o.f.Streams.Printf("%s", text.Bytes())
		return nil
	}
	var mode os.FileMode = 0o666
	if o.showSecrets {
		mode = 0o600
	}
	if err := os.WriteFile(o.f.Path(o.file), text.Bytes(), mode); err != nil {
		return fmt.Errorf("could not write file: %w", err)
	}
	return nil
}
