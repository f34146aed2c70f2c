package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginstore"
)

type runOptions struct {
	f    *factory.Factory
	kind string
}

func newRunCmd(f *factory.Factory) *cobra.Command {
	o := &runOptions{f: f}
	cmd := &cobra.Command{
		Use: "run path|name[@version] [-- args...]", Args: usage.AtLeast(1),
		Short: "Run the executable of a plugin",
		Long: "Runs the executable of a plugin with arguments of your own, and ends with its exit code. A plugin that is missing is\n" +
			"installed first. Its input and output are those of this command.",
		Example: "  pulumi plugin run mytool -- --help\n  pulumi plugin run aws@7.0.0 --kind resource -- --version\n  pulumi plugin run ./pulumi-tool-mine",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	cmd.Flags().StringVar(&o.kind, "kind", string(pluginstore.KindTool), "the kind of plugin")
	return cmd
}

func (o *runOptions) run(ctx context.Context, args []string) error {
	kind, err := pluginstore.ParseKind(o.kind)
	if err != nil {
		return err
	}
	path, err := o.find(ctx, kind, args[0])
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return fmt.Errorf("%s is a folder with a program, not an executable; running those is not available yet in this version", path)
	}
	child := exec.CommandContext(ctx, path, args[1:]...)
	child.Env, child.Dir = o.f.Env, o.f.Dir
	child.Stdin, child.Stdout, child.Stderr = o.f.Streams.In, o.f.Streams.Out, o.f.Streams.Err
	if err := child.Start(); err != nil {
		return fmt.Errorf("run %s: %w", path, err)
	}
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		for {
			select {
			case <-o.f.Interrupts:
				// A child that has ended already needs no signal.
				_ = child.Process.Signal(os.Interrupt)
			case <-ended:
				return
			}
		}
	}()
	err = child.Wait()
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.ExitCode() > 0 {
		return exit.With(exit.Code(failed.ExitCode()), nil)
	}
	if err != nil {
		return fmt.Errorf("plugin %s: %w", args[0], err)
	}
	return nil
}

// find gives the path of what the user named.
func (o *runOptions) find(ctx context.Context, kind pluginstore.Kind, text string) (string, error) {
	if factory.IsLocalPath(text) {
		return o.f.Path(text), nil
	}
	p, err := pluginstore.Parse(text, pluginstore.Plugin{Kind: kind})
	if err != nil {
		return "", err
	}
	found, err := o.f.DescribingHost().Find(ctx, kind, plugin.Package{Name: p.Name, Version: p.Version, DownloadURL: p.DownloadURL})
	if err != nil {
		return "", fmt.Errorf("could not get plugin path: %w", err)
	}
	if found.Path == "" {
		return "", fmt.Errorf("%s is %s: there is no executable to run", p.Label(), found.Origin)
	}
	return found.Path, nil
}
