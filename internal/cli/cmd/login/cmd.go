package login

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/workspace"
)

// Commands are login, logout and whoami.
func Commands(f *factory.Factory) []*cobra.Command {
	return []*cobra.Command{newLoginCmd(f), newLogoutCmd(f), newWhoamiCmd(f)}
}

// address is the ways to name a backend on the command line.
type address struct {
	url   string
	local bool
}

func (a *address) register(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&a.url, "cloud-url", "c", "", "the URL of the backend")
	cmd.Flags().BoolVarP(&a.local, "local", "l", false, "the backend in your home folder, "+workspace.LocalURL)
}

// named is the URL that is given; "" for none.
func (a *address) named(args []string) (string, error) {
	url := a.url
	if len(args) > 0 {
		if url != "" {
			return "", errors.New("only one of --cloud-url or argument URL may be specified, not both")
		}
		url = args[0]
	}
	if !a.local {
		return url, nil
	}
	if url != "" {
		return "", errors.New("a URL may not be specified when --local mode is enabled")
	}
	return workspace.LocalURL, nil
}
