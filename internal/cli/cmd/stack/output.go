package stack

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/display/table"
	"github.com/cairn-iac/cairn/internal/property"
)

type outputOptions struct {
	f           *factory.Factory
	stack       *string
	json, shell bool
	show        table.ValueShow
}

func newOutputCmd(f *factory.Factory, stack *string) *cobra.Command {
	o := &outputOptions{f: f, stack: stack}
	cmd := &cobra.Command{
		Use: "output [property-name]", Args: usage.Args(0, 1),
		Short:   "Show the outputs of a stack",
		Long:    "Shows all outputs of a stack, or the value of one.",
		Example: "  pulumi stack output\n  pulumi stack output url\n  eval \"$(pulumi stack output --shell --show-secrets)\"",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	flags := cmd.Flags()
	flags.BoolVarP(&o.json, "json", "j", false, "write JSON")
	flags.BoolVar(&o.shell, "shell", false, "write assignments for a POSIX shell")
	flags.BoolVar(&o.show.Secrets, "show-secrets", false, "show secret outputs in plain text")
	return cmd
}

func (o *outputOptions) run(ctx context.Context, args []string) error {
	if o.json && o.shell {
		return errors.New("only one of --json and --shell may be set")
	}
	s, err := o.f.Stack(ctx, factory.StackQuery{Flag: *o.stack})
	if err != nil {
		return err
	}
	view, err := s.Look(ctx, factory.Looking{Secrets: o.show.Secrets})
	if err != nil {
		return err
	}
	outputs := outputsOf(view.Snapshot)
	var text string
	if len(args) > 0 {
		text, err = o.one(outputs, args[0])
	} else {
		text, err = o.all(outputs)
	}
	if err != nil {
		return err
	}
	o.f.Streams.Printf("%s", text)
	return nil
}

func (o *outputOptions) all(outputs property.Map) (string, error) {
	switch {
	case o.json:
		return table.OutputsJSON(outputs, o.show)
	case o.shell:
		return table.OutputsShell(outputs, o.show)
	default:
		return table.Outputs(outputs, o.show)
	}
}

func (o *outputOptions) one(outputs property.Map, name string) (string, error) {
	v, ok := outputs.Lookup(name)
	switch {
	case !ok:
		return "", fmt.Errorf("current stack does not have output property '%s'", name)
	case o.json:
		return table.OutputJSON(v, o.show)
	case o.shell:
		return table.OutputShell(name, v, o.show)
	}
	text, err := table.Output(v, o.show)
	return text + "\n", err
}
