package stack

import (
	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
)

type unselectOptions struct{ f *factory.Factory }

func newUnselectCmd(f *factory.Factory) *cobra.Command {
	o := &unselectOptions{f: f}
	return &cobra.Command{
		Use: "unselect", Args: usage.Args(0, 0),
		Short:   "Forget which stack is selected",
		Long:    "Forgets which stack is selected in this project. Commands then need --stack, or ask.",
		Example: "  pulumi stack unselect",
		RunE:    func(*cobra.Command, []string) error { return o.run() },
	}
}

func (o *unselectOptions) run() error {
	if _, err := o.f.Project(); err != nil {
		return err
	}
	chosen, err := o.f.ChosenBackend()
	if err != nil {
		return err
	}
	selection, err := o.f.Selection()
	if err != nil {
		return err
	}
	if selection.Stack(chosen.URL) == "" {
		return nil
	}
	if err := o.f.Select(backend.StackRef{}); err != nil {
		return err
	}
	o.f.Streams.Errorf("Stack was unselected\n")
	return nil
}
