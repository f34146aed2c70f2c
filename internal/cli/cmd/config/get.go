package config

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/display/table"
)

type getOptions struct {
	target *target
	path   bool
	json   bool
}

func newGetCmd(t *target) *cobra.Command {
	o := &getOptions{target: t}
	cmd := &cobra.Command{
		Use: "get <key>", Args: usage.Args(1, 1),
		Short: "Show a configuration value",
		Long: "Shows one value of a stack's configuration, decrypted if it is a secret. With --path the key leads into a value:\n" +
			"`outer.inner`, `names[0]`, `[\"a.b\"].c`.",
		Example: "  pulumi config get aws:region\n  pulumi config get --path 'names[0]' --json",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	cmd.Flags().BoolVarP(&o.json, "json", "j", false, "write JSON")
	cmd.Flags().BoolVar(&o.path, "path", false, "the key leads into a map or list")
	return cmd
}

func (o *getOptions) run(ctx context.Context, text string) error {
	s, file, err := o.target.open(ctx)
	if err != nil {
		return err
	}
	at, err := key{text: text, path: o.path}.in(s)
	if err != nil {
		return err
	}
	values, err := effective(s, file)
	if err != nil {
		return err
	}
	v, ok := values.Get(at)
	if !ok {
		return o.target.notFound(s, at)
	}
	if v.Encrypted() {
		key, err := s.Decrypter(ctx)
		if err != nil {
			return err
		}
		if v, err = v.Reveal(ctx, key); err != nil {
			return fmt.Errorf("could not decrypt configuration value: %w", err)
		}
	}
	out := v.ProgramText() + "\n"
	if o.json {
		if out, err = table.JSON(asJSON(v)); err != nil {
			return err
		}
	}
	o.target.f.Streams.Printf("%s", out)
	return nil
}
