package login

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/workspace"
)

type logoutOptions struct {
	f *factory.Factory
	address
	all bool
}

func newLogoutCmd(f *factory.Factory) *cobra.Command {
	o := &logoutOptions{f: f}
	cmd := &cobra.Command{
		Use: "logout [url]", Args: usage.Args(0, 1),
		Short:   "Forget a backend",
		Long:    "Forgets a backend and its credentials: the current one, the one you name, or all. State is not touched.",
		Example: "  pulumi logout\n  pulumi logout file:///srv/state\n  pulumi logout --all",
		RunE:    func(_ *cobra.Command, args []string) error { return o.run(args) },
	}
	o.register(cmd)
	cmd.Flags().BoolVar(&o.all, "all", false, "forget all backends")
	return cmd
}

func (o *logoutOptions) run(args []string) error {
	url, err := o.named(args)
	if err != nil {
		return err
	}
	if o.all && url != "" {
		return errors.New("only one of --all, --cloud-url or argument URL may be specified, not both")
	}
	home, err := o.f.Home()
	if err != nil {
		return err
	}
	credentials, err := home.Credentials()
	if err != nil {
		return err
	}
	if o.all {
		credentials.Current, credentials.Accounts = "", map[string]workspace.Account{}
		if err := home.SaveCredentials(credentials); err != nil {
			return err
		}
		o.f.Streams.Printf("Logged out of everything\n")
		return nil
	}
	if url == "" {
		chosen, err := o.f.ChosenBackend()
		if err != nil {
			return err
		}
		url = chosen.URL
	}
	credentials.Logout(url)
	if err := home.SaveCredentials(credentials); err != nil {
		return err
	}
	o.f.Streams.Printf("Logged out of %s\n", url)
	return nil
}
