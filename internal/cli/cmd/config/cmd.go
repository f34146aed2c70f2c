package config

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/config"
)

// NewCmd is `config` with everything below it.
func NewCmd(f *factory.Factory) *cobra.Command {
	t := &target{f: f}
	o := &listOptions{target: t}
	cmd := &cobra.Command{
		Use: "config", Args: usage.Group,
		Short: "Manage a stack's configuration",
		Long: "Lists the configuration of a stack, with the values and defaults that the project declares. `pulumi config set`\n" +
			"sets a value, `pulumi config get` shows one, `pulumi config rm` removes one.",
		Example: "  pulumi config\n  pulumi config --show-secrets --json\n  pulumi config set --secret token",
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	flags := cmd.PersistentFlags()
	flags.StringVarP(&t.stack, "stack", "s", "", "the stack to work on; the selected one by default")
	flags.StringVar(&t.file, "config-file", "", "use this file instead of Pulumi.<stack>.yaml")
	o.register(cmd)
	cmd.AddCommand(newGetCmd(t), newSetCmd(t), newRemoveCmd(t), newSetAllCmd(t), newRemoveAllCmd(t), newCopyCmd(t))
	cmd.AddCommand(usage.Later("refresh", "env")...)
	return cmd
}

// target is the stack whose configuration is meant.
type target struct {
	f           *factory.Factory
	stack, file string
}

// open finds the stack and reads its file.
func (t *target) open(ctx context.Context) (*factory.Stack, *config.File, error) {
	return t.openNamed(ctx, t.stack)
}

func (t *target) openNamed(ctx context.Context, name string) (*factory.Stack, *config.File, error) {
	if _, err := t.f.Project(); err != nil {
		return nil, nil, err
	}
	s, err := t.f.Stack(ctx, factory.StackQuery{Flag: name, ConfigFile: t.file})
	if err != nil {
		return nil, nil, err
	}
	file, err := s.ConfigFile()
	return s, file, err
}

// effective is the stack's configuration with what the project declares.
func effective(s *factory.Stack, file *config.File) (config.Map, error) {
	if s.Project == nil {
		return file.Config(), nil
	}
	return s.Project.EffectiveConfig(file.Config())
}

// key is a KEY argument and how it is to be read.
type key struct {
	text string
	// path says that it leads into a value (--path).
	path bool
}

func (k key) in(s *factory.Stack) (config.Address, error) {
	var a config.Address
	var err error
	if k.path {
		a, err = config.ParseAddress(s.Ref.Project, k.text)
	} else {
		a.Key, err = config.ParseKeyIn(s.Ref.Project, k.text)
	}
	if err != nil {
		return a, fmt.Errorf("invalid configuration key: %w", err)
	}
	return a, nil
}

// notFound says that there is no value.
func (t *target) notFound(s *factory.Stack, a config.Address) error {
	name := a.Pretty(s.Ref.Project)
	if len(a.Path) == 0 {
		name = a.Key.Pretty(s.Ref.Project) // A name with dots in it needs no quotes where there are no paths.
	}
	return fmt.Errorf("configuration key '%s' not found for stack '%s'", name, t.f.StackName(s.Ref))
}
