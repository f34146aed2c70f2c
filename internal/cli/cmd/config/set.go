package config

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/config"
)

type setOptions struct {
	target    *target
	path      bool
	secret    bool
	plaintext bool
	raw       bool
	typ       string
}

func newSetCmd(t *target) *cobra.Command {
	o := &setOptions{target: t}
	cmd := &cobra.Command{
		Use: "set <key> [flags] [--] [value]", Args: usage.Args(1, 2), DisableFlagsInUseLine: true,
		Short: "Set a configuration value",
		Long: "Sets a value of a stack's configuration. Without a value on the command line it is read from standard input (less\n" +
			"one line break at its end), or asked for.\n\n" +
			"With --path the key leads into a value: `outer.inner`, `names[0]`, `[\"a.b\"].c`. There true, false and integers are\n" +
			"booleans and numbers; everything else, and every value without --path, is text unless --type says otherwise.",
		Example: "  pulumi config set aws:region eu-central-1\n  pulumi config set --secret dbPassword\n" +
			"  pulumi config set --path 'ports[0]' 8080\n  pulumi config set --secret key < id_ed25519",
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.path, "path", false, "the key leads into a map or list")
	flags.BoolVar(&o.secret, "secret", false, "encrypt the value")
	flags.BoolVar(&o.plaintext, "plaintext", false, "do not encrypt the value, even if it looks like a secret")
	flags.StringVar(&o.typ, "type", "", "the value's type: string, int, bool or float")
	flags.BoolVar(&o.raw, "raw", false, "keep the line break at the end of a value from standard input")
	cmd.MarkFlagsMutuallyExclusive("secret", "plaintext", "type")
	return cmd
}

func (o *setOptions) run(ctx context.Context, args []string) error {
	s, file, err := o.target.open(ctx)
	if err != nil {
		return err
	}
	at, err := key{text: args[0], path: o.path}.in(s)
	if err != nil {
		return err
	}
	text, err := o.value(ctx, args[1:])
	if err != nil {
		return err
	}
	v, err := config.ParseScalar(at, text, o.typ)
	if err != nil {
		return fmt.Errorf("could not set config: %w", err)
	}
	if !o.secret && !o.plaintext && config.LooksLikeSecret(at.Key, text) {
		return fmt.Errorf("config value for '%s' looks like a secret; rerun with --secret to encrypt it, or --plaintext if you "+
			"meant to store in plaintext", at.Key)
	}
	if o.secret {
		if v, err = encrypt(ctx, s, config.NewString(text)); err != nil {
			return err
		}
	}
	if err := file.Set(at, v); err != nil {
		return fmt.Errorf("could not set config: %w", err)
	}
	return s.SaveConfig()
}

// value is the one on the command line, in standard input, or the answer to a question.
func (o *setOptions) value(ctx context.Context, given []string) (string, error) {
	streams := o.target.f.Streams
	switch {
	case len(given) > 0:
		return given[0], nil
	case !streams.Interactive:
		text, err := streams.ReadAll()
		if err != nil {
			return "", fmt.Errorf("read the value from standard input: %w", err)
		}
		if !o.raw {
			text = withoutLineBreak(text)
		}
		return text, nil
	case !o.target.f.Interactive():
		return "", errors.New("config value must be specified in non-interactive mode")
	case o.secret:
		return streams.AskSecret(ctx, "value")
	default:
		return streams.Ask("value:")
	}
}

// withoutLineBreak takes one line break off the end: the one that editors and echo put there.
func withoutLineBreak(text string) string {
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
}

// encrypt makes a secret of a value, with the key of the stack.
func encrypt(ctx context.Context, s *factory.Stack, v config.Value) (config.Value, error) {
	key, err := s.Encrypter(ctx)
	if err != nil {
		return v, err
	}
	return v.AsSecret().Conceal(ctx, key)
}
