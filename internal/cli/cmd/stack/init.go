package stack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/backend/session"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/config"
	"github.com/cairn-iac/cairn/internal/release"
)

type initOptions struct {
	f               *factory.Factory
	stack           *string
	secretsProvider string
	copyFrom        string
	noSelect        bool
	yes             bool
}

func newInitCmd(f *factory.Factory, stack *string) *cobra.Command {
	o := &initOptions{f: f, stack: stack}
	cmd := &cobra.Command{
		Use: "new [<org-name>/]<stack-name>", Aliases: []string{"init", "create", "setup"}, Args: usage.Args(0, 1),
		Short: "Make an empty stack",
		Long: "Makes an empty stack and selects it. Its secrets are kept with a passphrase: PULUMI_CONFIG_PASSPHRASE, the file\n" +
			"that PULUMI_CONFIG_PASSPHRASE_FILE names, or one that you are asked for.",
		Example: "  pulumi stack init dev\n  pulumi stack init prod --copy-config-from dev\n" +
			"  pulumi stack init organization/website/dev --no-select",
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.secretsProvider, "secrets-provider", "", "what keeps the stack's secrets: default or passphrase")
	flags.StringVar(&o.copyFrom, "copy-config-from", "", "copy the configuration of this stack")
	flags.BoolVar(&o.noSelect, "no-select", false, "do not select the stack")
	flags.BoolVarP(&o.yes, "yes", "y", false, "do not ask for a name")
	return cmd
}

func (o *initOptions) run(ctx context.Context, args []string) error {
	name, err := named(*o.stack, args)
	if err != nil {
		return err
	}
	if err := checkSecretsProvider(o.secretsProvider); err != nil {
		return err
	}
	b, err := o.f.Backend(ctx)
	if err != nil {
		return err
	}
	if name == "" {
		if name, err = o.ask(); err != nil {
			return err
		}
	}
	return create(ctx, o.f, creation{backend: b, name: name, copyFrom: o.copyFrom, noSelect: o.noSelect})
}

func (o *initOptions) ask() (string, error) {
	if o.yes || !o.f.Interactive() {
		return "", errors.New("missing stack name")
	}
	name, err := o.f.Streams.Ask("stack name (dev):")
	if name == "" {
		name = "dev"
	}
	return name, err
}

// checkSecretsProvider tells what kinds of secrets provider there are.
func checkSecretsProvider(provider string) error {
	kind, _, _ := strings.Cut(provider, ":")
	switch kind {
	case "", "default", "passphrase":
		return nil
	case "awskms", "azurekeyvault", "gcpkms", "hashivault":
		return fmt.Errorf("the secrets provider %q is not available yet in this version; only passphrase is", kind)
	default:
		return fmt.Errorf("unknown secrets provider type '%s' (supported values: default,passphrase; not available yet: "+
			"awskms,azurekeyvault,gcpkms,hashivault)", kind)
	}
}

// creation is a stack to be made.
type creation struct {
	backend  *backend.Backend
	name     string
	copyFrom string
	noSelect bool
}

// create makes a stack. Everything that can go wrong with keys or names goes wrong before anything is written.
func create(ctx context.Context, f *factory.Factory, c creation) error {
	ref, err := f.ParseStack(c.name)
	if err != nil {
		return err
	}
	if err := checkProject(f, ref); err != nil {
		return err
	}
	exists, err := c.backend.Stacks.Exists(ctx, ref)
	if err != nil {
		return err
	}
	if exists {
		return fmt.Errorf("%w\nSelect it with `pulumi stack select %s`", &backend.StackError{Ref: ref, Err: backend.ErrStackExists},
			f.StackName(ref))
	}
	copied, err := configToCopy(ctx, f, c.copyFrom)
	if err != nil {
		return err
	}
	s, err := f.StackAt(c.backend, ref, "")
	if err != nil {
		return err
	}
	if s.ConfigPath != "" {
		if _, err := s.ConfigFile(); err != nil {
			return fmt.Errorf("could not read stack configuration for new stack: %w", err)
		}
	}
	manager, keep, err := s.FirstSecrets(ctx)
	if err != nil {
		return fmt.Errorf("could not create secrets manager for new stack: %w", err)
	}
	notices, err := session.Create(ctx, session.Options{
		Backend: c.backend, Ref: ref, Manager: manager, Version: release.Tag, Command: "stack init",
	}, nil)
	f.Tell(notices)
	switch {
	case errors.Is(err, backend.ErrStackExists):
		return err
	case err != nil:
		return fmt.Errorf("could not create stack: %w", err)
	}
	f.Streams.Errorf("Created stack '%s'\n", f.StackName(ref))
	if err := keep(); err != nil {
		return fmt.Errorf("the stack was created, but: saving stack config: %w", err)
	}
	if err := paste(ctx, s, copied); err != nil {
		return fmt.Errorf("the stack was created, but its configuration could not be copied: %w", err)
	}
	if c.noSelect {
		return nil
	}
	return f.Select(ref)
}

// checkProject refuses stacks of other projects within a project: they would get this project's configuration.
func checkProject(f *factory.Factory, ref backend.StackRef) error {
	if inProject, err := inProject(f); err != nil || !inProject {
		return err
	}
	p, err := f.Project()
	if err != nil {
		return err
	}
	if p.Name != ref.Project {
		return fmt.Errorf("could not create stack: provided project name %q doesn't match Pulumi.yaml, which says %q",
			ref.Project, p.Name)
	}
	return nil
}

// configToCopy is the configuration of a stack, decrypted.
func configToCopy(ctx context.Context, f *factory.Factory, from string) (config.Map, error) {
	if from == "" {
		return nil, nil
	}
	s, err := f.Stack(ctx, factory.StackQuery{Flag: from})
	if err != nil {
		return nil, err
	}
	file, err := s.ConfigFile()
	if err != nil {
		return nil, err
	}
	values := file.Config()
	if !values.Encrypted() {
		return values, nil
	}
	key, err := s.Decrypter(ctx)
	if err != nil {
		return nil, err
	}
	return values.Reveal(ctx, key)
}

// paste writes a decrypted configuration into a stack's file, with its secrets encrypted for that stack.
func paste(ctx context.Context, s *factory.Stack, values config.Map) error {
	if len(values) == 0 {
		return nil
	}
	key, err := s.Encrypter(ctx)
	if err != nil {
		return err
	}
	if values, err = values.Conceal(ctx, key); err != nil {
		return err
	}
	file, err := s.ConfigFile()
	if err != nil {
		return err
	}
	keys := values.Keys()
	slices.SortFunc(keys, config.Key.Compare)
	for _, k := range keys {
		if err := file.Set(config.Address{Key: k}, values[k]); err != nil {
			return err
		}
	}
	return s.SaveConfig()
}
