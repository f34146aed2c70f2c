package bundle

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/pluginstore/bundle"
)

type installOptions struct {
	f         *factory.Factory
	checksum  string
	reinstall bool
}

func newInstallCmd(f *factory.Factory) *cobra.Command {
	o := &installOptions{f: f}
	cmd := &cobra.Command{
		Use: "install file", Args: usage.Args(1, 1),
		Short: "Install the plugins of a bundle",
		Long: "Installs what a bundle has for this machine. In a project, every plugin must have the hashes of its Pulumi.lock; a project\n" +
			"without that file gets the one of the bundle. Nothing is downloaded.",
		Example: "  pulumi bundle install plugins.tar\n  pulumi bundle install plugins.tar --checksum 3f5a...",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	cmd.Flags().StringVar(&o.checksum, "checksum", "", "the sha256 that the bundle must have, as `pulumi bundle` printed it")
	cmd.Flags().BoolVar(&o.reinstall, "reinstall", false, "install plugins even if they are there")
	return cmd
}

func (o *installOptions) run(ctx context.Context, file string) error {
	path := o.f.Path(file)
	if o.checksum != "" {
		if err := compare(path, o.checksum); err != nil {
			return err
		}
	}
	b, err := bundle.Open(path)
	if err != nil {
		return err
	}
	a, err := o.f.Acquirer()
	if err != nil {
		return err
	}
	results, err := a.InstallBundle(ctx, b, o.reinstall)
	for _, r := range results {
		state := "was there already"
		if r.Done {
			state = "is installed"
		}
		o.f.Streams.Printf("%s %s\n", r.Plugin.Label(), state)
	}
	if err == nil && len(results) == 0 {
		o.f.Streams.Printf("The bundle of %s holds no plugins: it needs none.\n", b.Project)
	}
	return err
}

func compare(path, checksum string) error {
	digits := strings.TrimPrefix(strings.ToLower(checksum), "sha256:")
	sum, err := hex.DecodeString(digits)
	if err != nil || len(sum) != 32 {
		return errors.New("--checksum was not a valid hex string: expected the 64 digits of a sha256")
	}
	has, err := pluginstore.HashFile(path)
	if err != nil {
		return err
	}
	if want := pluginstore.Sum(sum); has != want {
		return errors.New("the bundle is refused: its hash is " + string(has) + " and should be " + string(want))
	}
	return nil
}
