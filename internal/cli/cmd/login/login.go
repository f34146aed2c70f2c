package login

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/backend/diy"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/workspace"
)

type loginOptions struct {
	f *factory.Factory
	address
}

func newLoginCmd(f *factory.Factory) *cobra.Command {
	o := &loginOptions{f: f}
	cmd := &cobra.Command{
		Use: "login [url]", Args: usage.Args(0, 1),
		Short: "Choose where state is kept",
		Long: "Chooses the backend that commands use from now on. State lives in the folder .pulumi of the place you name; to\n" +
			"back it up is up to you. Without a URL the backend of the environment, of the project or of the last login is\n" +
			"taken.",
		Example: "  pulumi login --local            # your home folder, file://~\n  pulumi login file:///srv/state",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	o.register(cmd)
	return cmd
}

func (o *loginOptions) run(ctx context.Context, args []string) error {
	url, err := o.named(args)
	if err != nil {
		return err
	}
	chosen := workspace.Backend{URL: url, Source: workspace.FromCredentials}
	if url == "" {
		if chosen, err = o.f.ChosenBackend(); err != nil {
			return err
		}
	}
	if err := chosen.Available(); err != nil {
		return err
	}
	if set := o.f.Env.Get("PULUMI_BACKEND_URL"); url != "" && set != "" && set != url {
		o.f.Streams.Errorf("Warning: The PULUMI_BACKEND_URL environment variable is set to '%s', which conflicts with the login "+
			"URL '%s'.\n", set, url)
	}
	b, err := o.f.OpenBackend(ctx, chosen)
	if err != nil {
		return fmt.Errorf("could not log in to the state backend %q: %w", chosen.URL, err)
	}
	o.f.Tell(b.Notices)
	if url != "" {
		o.warnRelative(url)
	}
	home, err := o.f.Home()
	if err != nil {
		return err
	}
	credentials, err := home.Credentials()
	if err != nil {
		return err
	}
	credentials.Login(chosen.URL, workspace.Account{})
	if err := home.SaveCredentials(credentials); err != nil {
		return err
	}
	o.f.Streams.Printf("Logged in to %s as %s (%s)\n", o.f.BackendName(), o.f.Username, chosen.URL)
	return nil
}

// warnRelative tells that a relative path means another folder elsewhere.
func (o *loginOptions) warnRelative(url string) {
	path, query, hasQuery := strings.Cut(strings.TrimPrefix(url, diy.Scheme), "?")
	if strings.HasPrefix(path, "~") || filepath.IsAbs(path) {
		return
	}
	whole := diy.Scheme + filepath.ToSlash(o.f.Path(path))
	if hasQuery {
		whole += "?" + query
	}
	o.f.Streams.Errorf("Warning: '%s' is a relative path, so every command will look for state relative to the directory it runs "+
		"in. To always use this location, run `pulumi login %s` instead.\n", url, whole)
}
