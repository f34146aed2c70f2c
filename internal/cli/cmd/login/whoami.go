package login

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/display/table"
	"github.com/cairn-iac/cairn/internal/workspace"
)

type whoamiOptions struct {
	f       *factory.Factory
	verbose bool
	format  usage.Format
}

func newWhoamiCmd(f *factory.Factory) *cobra.Command {
	o := &whoamiOptions{f: f}
	cmd := &cobra.Command{
		Use: "whoami", Args: usage.Args(0, 0),
		Short:   "Show who you are to the backend",
		Long:    "Shows the user that the backend knows you as. A local backend knows you by your name on this machine.",
		Example: "  pulumi whoami\n  pulumi whoami --verbose",
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "show the backend too")
	usage.Output(cmd, &o.format)
	return cmd
}

func (o *whoamiOptions) run(ctx context.Context) error {
	b, err := o.f.Backend(ctx)
	if err != nil {
		var unavailable *workspace.UnavailableError
		if errors.As(err, &unavailable) && unavailable.Backend.Source == workspace.FromNowhere {
			return exit.With(exit.Authentication, fmt.Errorf("this command requires logging in: %w", err))
		}
		return err
	}
	if o.format == usage.JSON {
		text, err := table.JSON(struct {
			User string `json:"user"`
			URL  string `json:"url"`
		}{o.f.Username, b.URL})
		if err != nil {
			return err
		}
		o.f.Streams.Printf("%s", text)
		return nil
	}
	if !o.verbose {
		o.f.Streams.Printf("%s\n", o.f.Username)
		return nil
	}
	o.f.Streams.Printf("Access token source: none\nUser: %s\nOrganizations: \nBackend URL: %s\nToken type: personal\n",
		o.f.Username, b.URL)
	return nil
}
