package stack

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/project"
)

type selectOptions struct {
	f               *factory.Factory
	stack           *string
	create          bool
	secretsProvider string
}

func newSelectCmd(f *factory.Factory, stack *string) *cobra.Command {
	o := &selectOptions{f: f, stack: stack}
	cmd := &cobra.Command{
		Use: "select [stack]", Args: usage.Args(0, 1),
		Short: "Choose the stack that commands work on",
		Long: "Remembers a stack for this project and backend, so that other commands need not name it. Without a name you are\n" +
			"asked to choose one.",
		Example: "  pulumi stack select prod\n  pulumi stack select --create dev",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	flags := cmd.Flags()
	flags.BoolVarP(&o.create, "create", "c", false, "make the stack if it does not exist")
	flags.StringVar(&o.secretsProvider, "secrets-provider", "default", "with --create: what keeps the stack's secrets, default or passphrase")
	return cmd
}

func (o *selectOptions) run(ctx context.Context, args []string) error {
	name, err := named(*o.stack, args)
	if err != nil {
		return err
	}
	if _, err := o.f.Project(); err != nil {
		return err
	}
	b, err := o.f.Backend(ctx)
	if err != nil {
		return err
	}
	if name == "" {
		if name, err = o.choose(ctx, b); err != nil {
			return err
		}
	}
	ref, err := o.f.ParseStack(name)
	if err != nil {
		return err
	}
	exists, err := b.Stacks.Exists(ctx, ref)
	switch {
	case err != nil:
		return err
	case exists:
		return o.f.Select(ref)
	case !o.create:
		return exit.With(exit.StackNotFound, fmt.Errorf("no stack named '%s' found", o.f.StackName(ref)))
	}
	if err := checkSecretsProvider(o.secretsProvider); err != nil {
		return err
	}
	return create(ctx, o.f, creation{backend: b, name: name})
}

// choose asks for one of the project's stacks.
func (o *selectOptions) choose(ctx context.Context, b *backend.Backend) (string, error) {
	if !o.f.Interactive() {
		return "", exit.With(exit.StackNotFound, errors.New("no stack selected; specify a stack name with --stack"))
	}
	p, err := o.f.Project()
	if err != nil {
		return "", err
	}
	refs, err := b.Stacks.List(ctx, backend.StackFilter{Project: p.Name})
	if err != nil {
		return "", err
	}
	if len(refs) == 0 {
		return "", exit.With(exit.StackNotFound, errors.New("there are no stacks in this project yet; make one with `pulumi stack init`"))
	}
	var names []string
	for _, ref := range refs {
		names = append(names, ref.Name)
		o.f.Streams.Printf("  %s\n", ref.Name)
	}
	for {
		answer, err := o.f.Streams.Ask("Please choose a stack:")
		if err != nil {
			return "", err
		}
		if slices.Contains(names, answer) {
			return answer, nil
		}
		o.f.Streams.Printf("There is no stack '%s'.\n", answer)
	}
}

// inProject says whether there is a project at hand.
func inProject(f *factory.Factory) (bool, error) {
	_, err := f.Project()
	if errors.Is(err, project.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
