package factory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/config"
	"github.com/cairn-iac/cairn/internal/project"
	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/secret/passphrase"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/workspace"
)

// Stack is the stack that a command works on.
type Stack struct {
	Ref     backend.StackRef
	Backend *backend.Backend
	// Project is nil when the command runs outside of the stack's project.
	Project *project.Project
	// ConfigPath is the stack's file, "" outside of the project.
	ConfigPath string

	factory *Factory
	file    *config.File
}

// StackQuery says which stack is meant.
type StackQuery struct {
	// Flag is --stack; "" means the selected one.
	Flag string
	// ConfigFile is --config-file.
	ConfigFile string
	// New allows a stack that does not exist yet.
	New bool
}

// Stack finds the stack that a command means. A stack that does not exist has the exit code StackNotFound.
func (f *Factory) Stack(ctx context.Context, q StackQuery) (*Stack, error) {
	b, err := f.Backend(ctx)
	if err != nil {
		return nil, err
	}
	name, err := f.CurrentStack(q.Flag)
	if err != nil {
		return nil, err
	}
	if name == "" {
		return nil, f.errNoStack()
	}
	ref, err := f.ParseStack(name)
	if err != nil {
		return nil, err
	}
	if !q.New {
		exists, err := b.Stacks.Exists(ctx, ref)
		if err != nil {
			return nil, err
		}
		if !exists {
			return nil, exit.With(exit.StackNotFound, fmt.Errorf("no stack named '%s' found", name))
		}
	}
	return f.StackAt(b, ref, q.ConfigFile)
}

// StackAt makes the stack of a reference.
func (f *Factory) StackAt(b *backend.Backend, ref backend.StackRef, configFile string) (*Stack, error) {
	s := &Stack{Ref: ref, Backend: b, factory: f}
	p, err := f.maybeProject()
	if err != nil {
		return nil, err
	}
	if p != nil && p.Name == ref.Project {
		s.Project = p
		s.ConfigPath = p.StackFile(ref.Name)
	}
	if configFile != "" {
		s.ConfigPath = f.Path(configFile)
	}
	return s, nil
}

// CurrentStack is the name of the stack that flag, environment or selection choose, "" for none.
func (f *Factory) CurrentStack(flag string) (string, error) {
	chosen, err := f.ChosenBackend()
	if err != nil {
		return "", err
	}
	selection, err := f.Selection()
	if err != nil {
		return "", err
	}
	return workspace.CurrentStack(workspace.StackQuery{
		Flag: flag, Lookup: f.Env.Lookup, BackendURL: chosen.URL, Selection: selection,
	}), nil
}

// Selection is the stack selection of the project at hand, nil outside of one.
func (f *Factory) Selection() (*workspace.Selection, error) {
	p, err := f.maybeProject()
	if err != nil || p == nil {
		return nil, err
	}
	h, err := f.Home()
	if err != nil {
		return nil, err
	}
	return h.Selection(p)
}

// Select makes ref the selected stack of the project at hand.
func (f *Factory) Select(ref backend.StackRef) error {
	chosen, err := f.ChosenBackend()
	if err != nil {
		return err
	}
	selection, err := f.Selection()
	if err != nil {
		return err
	}
	if selection == nil {
		return nil
	}
	text := ""
	if !ref.IsZero() {
		text = ref.String()
	}
	selection.Select(chosen.URL, text)
	return selection.Save()
}

// ConfigFile is the stack's file, read once.
func (s *Stack) ConfigFile() (*config.File, error) {
	if s.file != nil {
		return s.file, nil
	}
	if s.ConfigPath == "" {
		return nil, fmt.Errorf("the stack %s belongs to project %q; run this command in that project's folder", s.Ref, s.Ref.Project)
	}
	file, err := workspace.LoadStackFile(s.ConfigPath, s.Ref.Project)
	if err != nil {
		return nil, err
	}
	if at, has := file.Environment(); has {
		return nil, fmt.Errorf("%s: `environment:` (ESC environments) is not available yet in this version; "+
			"remove it and set the values with `pulumi config set`", at)
	}
	for _, w := range file.Warnings() {
		s.factory.Streams.Errorf("warning: %s\n", w.Error())
	}
	s.file = file
	return file, nil
}

// SaveConfig writes the stack's file.
func (s *Stack) SaveConfig() error {
	file, err := s.ConfigFile()
	if err != nil {
		return err
	}
	return workspace.SaveStackFile(file)
}

// Secrets is the manager of the stack's secrets: the one of its file, else the one of its state, else (nil, nil).
func (s *Stack) Secrets(ctx context.Context, recorded *state.SecretsProvider) (secret.Manager, error) {
	var encryption config.Encryption
	if s.ConfigPath != "" {
		file, err := s.ConfigFile()
		if err != nil {
			return nil, err
		}
		encryption = file.Encryption()
	}
	switch encryption.Provider() {
	case "passphrase":
		m, err := s.factory.Keyring().Open(ctx, encryption.EncryptionSalt, s.Ref.Name)
		if err != nil {
			return nil, fmt.Errorf("get stack secrets manager: %w", err)
		}
		return m, nil
	case "cloud":
		return nil, fmt.Errorf("the secrets provider %q is not available yet in this version; only passphrase is", encryption.SecretsProvider)
	}
	return s.recordedSecrets(recorded)
}

func (s *Stack) recordedSecrets(recorded *state.SecretsProvider) (secret.Manager, error) {
	if recorded == nil || recorded.Type == "" {
		return nil, nil
	}
	if recorded.Type != passphrase.Type {
		return nil, fmt.Errorf("the state of stack %s is encrypted by the secrets provider %q, which is not available yet in this "+
			"version; only passphrase is", s.Ref, recorded.Type)
	}
	return s.factory.Keyring().OpenLazily(recorded.State, s.Ref.Name)
}

// EnsureSecrets is Secrets, or a new passphrase manager that is noted in the stack's file.
func (s *Stack) EnsureSecrets(ctx context.Context, recorded *state.SecretsProvider) (secret.Manager, error) {
	m, err := s.Secrets(ctx, recorded)
	if err != nil || m != nil {
		return m, err
	}
	made, err := s.factory.Keyring().Create(ctx)
	if err != nil {
		return nil, err
	}
	if s.ConfigPath == "" {
		return made, nil
	}
	return made, s.noteSalt(made.Salt())
}

// noteSalt records the passphrase salt in the stack's file.
func (s *Stack) noteSalt(salt string) error {
	file, err := s.ConfigFile()
	if err != nil {
		return err
	}
	if err := file.SetEncryption(config.Encryption{EncryptionSalt: salt}); err != nil {
		return err
	}
	return s.SaveConfig()
}

// Configuration is a stack's configuration: for programs, and with secrets encrypted as its file has it for the history, and
// as it takes effect with the project's defaults.
type Configuration struct {
	Program            config.Program
	History, Effective json.RawMessage
}

// Configuration decrypts and checks the stack's configuration. extra overrides keys for this run.
func (s *Stack) Configuration(ctx context.Context, secrets secret.Manager) (Configuration, error) {
	var out Configuration
	file, err := s.ConfigFile()
	if err != nil {
		return out, err
	}
	if s.Project == nil {
		return out, errors.New("a stack's program can only run in its project's folder")
	}
	if out.History, err = json.Marshal(file.Config()); err != nil {
		return out, err
	}
	effective, err := s.Project.EffectiveConfig(file.Config())
	if err != nil {
		return out, err
	}
	if out.Effective, err = json.Marshal(effective); err != nil {
		return out, err
	}
	if effective.Encrypted() {
		if secrets == nil {
			return out, fmt.Errorf("%s holds encrypted values but says nothing about what encrypts them: "+
				"encryptionsalt is missing", s.ConfigPath)
		}
		if effective, err = effective.Reveal(ctx, secrets.Crypter()); err != nil {
			return out, err
		}
	}
	if err := s.Project.CheckConfig(s.Ref.Name, effective); err != nil {
		return out, err
	}
	out.Program, err = effective.Program()
	return out, err
}
