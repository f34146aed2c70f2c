package factory

import (
	"context"
	"fmt"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/backend/session"
	"github.com/cairn-iac/cairn/internal/config"
	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/release"
	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/secret/passphrase"
	"github.com/cairn-iac/cairn/internal/state"
)

// StackName is a stack's name as it is shown: bare within its project, unless --fully-qualify-stack-names is given.
func (f *Factory) StackName(ref backend.StackRef) string {
	current, err := f.currentProject()
	if err != nil || f.Flags.FullyQualify {
		return ref.String()
	}
	return ref.Display(current)
}

// BackendName is what commands call the backend: a local one is its machine.
func (f *Factory) BackendName() string {
	if f.Hostname == "" {
		return "diy"
	}
	return f.Hostname
}

// Tell prints what the user should know besides the answer.
func (f *Factory) Tell(notices diag.Diagnostics) {
	for _, n := range notices {
		f.Streams.Errorf("%s: %s\n", n.Severity, n.Error())
	}
}

// Looking says how to look at a stack's state.
type Looking struct {
	// Secrets opens the secrets, for which the passphrase is needed; a wrong one is an error. Without it they stay
	// sealed, and states of secrets providers that are not available yet can be looked at too.
	Secrets bool
	// Damaged looks at a state that breaks the integrity rules too.
	Damaged bool
	// Quiet does not tell of an unfinished update.
	Quiet bool
}

// Look reads the stack's state without its lock and without changing anything. Steps of an unfinished update are part of
// the answer; that is told.
func (s *Stack) Look(ctx context.Context, how Looking) (*session.View, error) {
	opts := session.Options{
		Backend: s.Backend, Ref: s.Ref, Version: release.Tag,
		NoIntegrityCheck: how.Damaged || s.factory.Flags.DisableIntegrityChecking,
		Keys: func(context.Context, *state.SecretsProvider) (secret.Crypter, error) {
			return secret.Locked("secrets are only opened where they are needed", nil), nil
		},
	}
	if how.Secrets {
		opts.Keys = s.openRecorded
	}
	view, err := session.Read(ctx, opts)
	if err != nil {
		return nil, err
	}
	if !how.Quiet {
		s.factory.Tell(view.Notices)
	}
	return view, nil
}

// openRecorded opens what encrypts a state, at once.
func (s *Stack) openRecorded(ctx context.Context, p *state.SecretsProvider) (secret.Crypter, error) {
	if p == nil || p.Type != passphrase.Type {
		m, err := s.recordedSecrets(p)
		if err != nil || m == nil {
			return nil, err
		}
		return m.Crypter(), nil
	}
	salt, err := passphrase.SaltOf(p.State)
	if err != nil {
		return nil, err
	}
	m, err := s.factory.Keyring().Open(ctx, salt, s.Ref.Name)
	if err != nil {
		return nil, fmt.Errorf("failed to decrypt: %w", err)
	}
	return m.Crypter(), nil
}

// provider is what the state says about the stack's secrets, where the stack's file says nothing.
func (s *Stack) provider(ctx context.Context) (*state.SecretsProvider, error) {
	if s.ConfigPath != "" {
		file, err := s.ConfigFile()
		if err != nil {
			return nil, err
		}
		if file.Encryption().Provider() != "" {
			return nil, nil
		}
	}
	view, err := s.Look(ctx, Looking{Damaged: true, Quiet: true})
	if err != nil {
		return nil, err
	}
	return view.Snapshot.SecretsProvider, nil
}

// Decrypter opens the values of the stack's configuration.
func (s *Stack) Decrypter(ctx context.Context) (secret.Decrypter, error) {
	recorded, err := s.provider(ctx)
	if err != nil {
		return nil, err
	}
	m, err := s.Secrets(ctx, recorded)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, fmt.Errorf("nothing says how the secrets of stack %s are encrypted: neither its file nor its state has "+
			"a secrets provider", s.Ref)
	}
	return m.Crypter(), nil
}

// Encrypter seals values for the stack's configuration. A stack without a secrets provider gets one. What it is stands in
// the stack's file once [Stack.SaveConfig] is called.
func (s *Stack) Encrypter(ctx context.Context) (secret.Encrypter, error) {
	recorded, err := s.provider(ctx)
	if err != nil {
		return nil, err
	}
	m, err := s.EnsureSecrets(ctx, recorded)
	if err != nil {
		return nil, err
	}
	file, err := s.ConfigFile()
	if err != nil {
		return nil, err
	}
	if file.Encryption().Provider() == "" && m.Type() == passphrase.Type {
		salt, err := passphrase.SaltOf(m.State())
		if err != nil {
			return nil, err
		}
		if err := file.SetEncryption(config.Encryption{EncryptionSalt: salt}); err != nil {
			return nil, err
		}
	}
	return m.Crypter(), nil
}

// FirstSecrets is the manager of a stack that is about to be created: the one its file names, else a new one. keep
// writes a new one into the file.
func (s *Stack) FirstSecrets(ctx context.Context) (m secret.Manager, keep func() error, err error) {
	keep = func() error { return nil }
	if m, err = s.Secrets(ctx, nil); err != nil || m != nil {
		return m, keep, err
	}
	made, err := s.factory.Keyring().Create(ctx)
	if err != nil {
		return nil, nil, err
	}
	if s.ConfigPath != "" {
		keep = func() error { return s.noteSalt(made.Salt()) }
	}
	return made, keep, nil
}

// OpenState opens what encrypts a state that came from elsewhere; for its passphrase is only looked when a secret is met.
func (s *Stack) OpenState(_ context.Context, p *state.SecretsProvider) (secret.Crypter, error) {
	m, err := s.recordedSecrets(p)
	if err != nil || m == nil {
		return nil, err
	}
	return m.Crypter(), nil
}
