package newcmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/backend/session"
	"github.com/cairn-iac/cairn/internal/cli/cmd/new/template"
	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/project"
	"github.com/cairn-iac/cairn/internal/release"
	"github.com/cairn-iac/cairn/internal/secret"
)

// made is a finished project.
type made struct {
	project *project.Project
	// missing is what the program still needs to be told, "" when it needs nothing.
	missing string
}

// carryOut makes files, stack and configuration. After an error everything is as it was.
func (p *plan) carryOut(ctx context.Context) (*made, error) {
	files, err := p.template.Render(p.values)
	if err != nil {
		return nil, err
	}
	placed, err := template.Place(files, template.PlaceOptions{Dir: p.dir, Replace: p.options.force})
	if err != nil {
		return nil, err
	}
	m, err := p.build(ctx, placed)
	if err != nil {
		if undone := placed.Undo(); undone != nil {
			err = errors.Join(err, undone)
		}
		return nil, err
	}
	return m, nil
}

// build makes what belongs to the files.
func (p *plan) build(ctx context.Context, placed *template.Placed) (*made, error) {
	f := in(p.options.f, p.dir)
	project, err := f.Project()
	if err != nil {
		return nil, err
	}
	m := &made{project: project}
	if p.options.generateOnly {
		return m, nil
	}
	b, err := f.Backend(ctx)
	if err != nil {
		return nil, err
	}
	s, err := f.StackAt(b, p.stack, "")
	if err != nil {
		return nil, err
	}
	if err := placed.Keep(s.ConfigPath); err != nil {
		return nil, err
	}
	if !p.existing {
		if err := p.createStack(ctx, s, placed); err != nil {
			return nil, err
		}
	}
	if err := p.configure(ctx, s); err != nil {
		return nil, fmt.Errorf("save the configuration: %w", err)
	}
	if m.missing, err = missing(s); err != nil {
		return nil, err
	}
	return m, f.Select(p.stack)
}

func (p *plan) createStack(ctx context.Context, s *factory.Stack, placed *template.Placed) error {
	type key struct {
		manager secret.Manager
		keep    func() error
	}
	k, err := await(ctx, p.options.f, func() (key, error) {
		m, keep, err := s.FirstSecrets(ctx) // may ask for a passphrase
		return key{m, keep}, err
	})
	switch {
	case exit.Of(err) == exit.Canceled:
		return err
	case err != nil:
		return fmt.Errorf("could not create secrets manager for new stack: %w", err)
	}
	notices, err := session.Create(ctx, session.Options{
		Backend: s.Backend, Ref: s.Ref, Manager: k.manager, Version: release.Tag, Command: "new",
	}, nil)
	p.options.f.Tell(notices)
	if err != nil {
		return fmt.Errorf("could not create stack: %w", err)
	}
	placed.Then(func() error { return p.removeStack(context.WithoutCancel(ctx), s.Backend) })
	return k.keep()
}

// removeStack takes back a stack that was just made.
func (p *plan) removeStack(ctx context.Context, b *backend.Backend) error {
	lock, err := b.Locker.Lock(ctx, p.stack, backend.LockOptions{})
	if err != nil {
		return err
	}
	return errors.Join(b.Stacks.Remove(ctx, lock, backend.RemoveOptions{Backups: true}), lock.Release(ctx))
}

// configure writes the values into the stack's file.
func (p *plan) configure(ctx context.Context, s *factory.Stack) error {
	if len(p.config) == 0 {
		return nil
	}
	file, err := s.ConfigFile()
	if err != nil {
		return err
	}
	for _, c := range p.config {
		v := c.value
		if c.secret || declaredSecret(s.Project, c) {
			key, err := s.Encrypter(ctx)
			if err != nil {
				return err
			}
			if v, err = v.AsSecret().Conceal(ctx, key); err != nil {
				return err
			}
		}
		if err := file.Set(c.at, v); err != nil {
			return fmt.Errorf("%s: %w", c.at.Pretty(p.values.Project), err)
		}
	}
	return s.SaveConfig()
}

func declaredSecret(p *project.Project, c setting) bool {
	for _, entry := range p.Config {
		if entry.Secret && entry.Address.Key == c.at.Key {
			return true
		}
	}
	return false
}

// missing says what the program declares and nobody has set.
func missing(s *factory.Stack) (string, error) {
	file, err := s.ConfigFile()
	if err != nil {
		return "", err
	}
	effective, err := s.Project.EffectiveConfig(file.Config())
	if err != nil {
		return "", err
	}
	if err := s.Project.CheckConfig(s.Ref.Name, effective); err != nil {
		return err.Error(), nil
	}
	return "", nil
}
