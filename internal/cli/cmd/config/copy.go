package config

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/config"
)

type copyOptions struct {
	target *target
	path   bool
	dest   string
}

func newCopyCmd(t *target) *cobra.Command {
	o := &copyOptions{target: t}
	cmd := &cobra.Command{
		Use: "copy [key]", Aliases: []string{"cp"}, Args: usage.Args(0, 1),
		Short:   "Copy configuration to another stack",
		Long:    "Copies one value, or the whole configuration, to another stack. Secrets are encrypted anew with that stack's key.",
		Example: "  pulumi config cp --dest prod\n  pulumi config cp aws:region --stack dev --dest prod",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	cmd.Flags().BoolVar(&o.path, "path", false, "the key leads into a map or list")
	cmd.Flags().StringVarP(&o.dest, "dest", "d", "", "the stack to copy to")
	return cmd
}

func (o *copyOptions) run(ctx context.Context, args []string) error {
	if o.target.file != "" {
		return errors.New("--config-file cannot name the files of two stacks; leave it out")
	}
	from, source, err := o.target.open(ctx)
	if err != nil {
		return err
	}
	to, dest, err := o.target.openNamed(ctx, o.dest)
	if err != nil {
		return err
	}
	if from.Ref == to.Ref {
		return errors.New("current stack and destination stack are the same")
	}
	var addresses []config.Address
	if len(args) > 0 {
		at, err := key{text: args[0], path: o.path}.in(from)
		if err != nil {
			return err
		}
		addresses = append(addresses, at)
	} else {
		for _, k := range source.Config().Keys() {
			addresses = append(addresses, config.Address{Key: k})
		}
	}
	for _, at := range addresses {
		v, ok := source.Get(at)
		if !ok {
			return o.target.notFound(from, at)
		}
		if v, err = moved(ctx, v, move{from: from, to: to}); err != nil {
			return err
		}
		if err := dest.Set(at, v); err != nil {
			return err
		}
	}
	return to.SaveConfig()
}

// move is the way of a value from one stack to another.
type move struct{ from, to *factory.Stack }

// moved is a value with its secrets encrypted for another stack.
func moved(ctx context.Context, v config.Value, m move) (config.Value, error) {
	if !v.Encrypted() {
		return v, nil
	}
	old, err := m.from.Decrypter(ctx)
	if err != nil {
		return v, err
	}
	if v, err = v.Reveal(ctx, old); err != nil {
		return v, err
	}
	now, err := m.to.Encrypter(ctx)
	if err != nil {
		return v, err
	}
	return v.Conceal(ctx, now)
}
