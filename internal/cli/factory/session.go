package factory

import (
	"context"

	"github.com/cairn-iac/cairn/internal/backend/session"
	"github.com/cairn-iac/cairn/internal/release"
	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/state"
)

// SessionOptions say how to open the stack's state: with the secrets manager of its file, else with the one that the
// state names, for which the passphrase is only looked for when a secret is needed.
func (s *Stack) SessionOptions(ctx context.Context) (session.Options, error) {
	opts := session.Options{
		Backend: s.Backend, Ref: s.Ref, Version: release.Tag,
		NoSecretCache:    s.factory.Env.Truthy("PULUMI_DISABLE_SECRET_CACHE"),
		NoIntegrityCheck: s.factory.Flags.DisableIntegrityChecking,
		Keys: func(_ context.Context, p *state.SecretsProvider) (secret.Crypter, error) {
			m, err := s.recordedSecrets(p)
			if err != nil || m == nil {
				return nil, err
			}
			return m.Crypter(), nil
		},
	}
	if s.ConfigPath == "" {
		return opts, nil
	}
	m, err := s.Secrets(ctx, nil)
	opts.Manager = m
	return opts, err
}

// otherStack is a stack that a stack reference names.
func (f *Factory) otherStack(text string) (*Stack, error) {
	ref, err := f.ParseStack(text)
	if err != nil {
		return nil, err
	}
	return f.StackAt(f.opened, ref, "")
}
