package newcmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/cli/cmd/new/template"
	"github.com/cairn-iac/cairn/internal/config"
	"github.com/cairn-iac/cairn/internal/project"
)

// plan is what will be made. It is complete before anything is written.
type plan struct {
	options  *options
	template *template.Template
	// dir is the project's absolute folder.
	dir    string
	target target

	values template.Values
	// stack is zero when only files are wanted; existing says that it is there already.
	stack    backend.StackRef
	existing bool
	config   []setting
}

// setting is one configuration value.
type setting struct {
	at     config.Address
	value  config.Value
	secret bool
}

// answer fills the plan in.
func (p *plan) answer(ctx context.Context, ask *asker) error {
	if err := p.answerName(ctx, ask); err != nil {
		return err
	}
	p.values.Description = p.options.description
	if p.values.Description == "" {
		suggested := p.template.ProjectDescription
		if suggested == "" {
			suggested = p.template.Description
		}
		var err error
		p.values.Description, err = ask.value(ctx, question{
			label: "Project description", suggested: suggested, check: checkDescription, flag: "--description",
		})
		if err != nil {
			return err
		}
	} else if err := checkDescription(p.values.Description); err != nil {
		return fmt.Errorf("--description: %w", err)
	}
	if p.options.generateOnly {
		return nil
	}
	if err := p.answerStack(ctx, ask); err != nil {
		return err
	}
	return p.answerConfig(ctx, ask)
}

func (p *plan) answerName(ctx context.Context, ask *asker) error {
	var err error
	if p.values.Project = p.options.name; p.values.Project != "" {
		if p.options.stackIsWhole {
			return nil
		}
		return p.checkProject(ctx, ask, p.values.Project)
	}
	suggested := p.template.ProjectName
	if suggested == "" {
		suggested = nameOf(filepath.Base(p.dir))
	}
	p.values.Project, err = ask.value(ctx, question{
		label: "Project name", suggested: suggested, flag: "--name",
		check: func(name string) error {
			if err := checkName(name); err != nil {
				return err
			}
			return p.checkProject(ctx, ask, name)
		},
	})
	return err
}

// checkProject refuses a project that has stacks already, unless the user wants it.
func (p *plan) checkProject(ctx context.Context, ask *asker, name string) error {
	if p.target.backend == nil {
		return nil
	}
	refs, err := p.target.backend.Stacks.List(ctx, backend.StackFilter{Project: name})
	if err != nil {
		return &refusal{err}
	}
	if len(refs) == 0 {
		return nil
	}
	if ask.yes {
		return fmt.Errorf("a project with this name already exists: %s\nIt has the stack %s. To add another one, run `pulumi stack "+
			"init` in its folder; for another project choose another --name", name, refs[0].Name)
	}
	answer, err := await(ctx, p.options.f, func() (string, error) {
		return p.options.f.Streams.Choose(fmt.Sprintf("A project named '%s' already has stacks here. Use the name anyway?", name), "no", "yes")
	})
	if err != nil {
		return &refusal{err}
	}
	if answer == "no" {
		return errors.New("a project with this name already exists; give it another name")
	}
	return nil
}

func (p *plan) answerStack(ctx context.Context, ask *asker) error {
	text := p.options.stack
	check := func(text string) error {
		ref, err := backend.ParseStackRef(text, p.values.Project)
		if err != nil {
			return err
		}
		if ref.Project != p.values.Project {
			return fmt.Errorf("it names the project %s, but the project is %s", ref.Project, p.values.Project)
		}
		if p.existing, err = p.target.backend.Stacks.Exists(ctx, ref); err != nil {
			return &refusal{err}
		}
		if p.existing && !p.options.stackIsWhole {
			return &backend.StackError{Ref: ref, Err: backend.ErrStackExists}
		}
		p.stack = ref
		return nil
	}
	if text != "" {
		return check(text)
	}
	_, err := ask.value(ctx, question{label: "Stack name", suggested: "dev", check: check, flag: "--stack"})
	return err
}

// answerConfig takes the values of --config, and asks for the others of the template.
func (p *plan) answerConfig(ctx context.Context, ask *asker) error {
	given := map[config.Key]bool{}
	for _, pair := range p.options.config {
		s, err := p.given(pair)
		if err != nil {
			return fmt.Errorf("--config: %w", err)
		}
		given[s.at.Key] = true
		p.config = append(p.config, s)
	}
	wanted, err := p.wanted()
	if err != nil {
		return err
	}
	for _, w := range wanted {
		if given[w.key] {
			continue
		}
		label := w.key.Pretty(p.values.Project)
		if w.Description != "" {
			label = w.Description + " (" + label + ")"
		}
		text, err := ask.value(ctx, question{label: label, suggested: w.Default, secret: w.Secret})
		if err != nil {
			return err
		}
		if text != "" {
			p.config = append(p.config, setting{at: config.Address{Key: w.key}, value: config.NewString(text), secret: w.Secret})
		}
	}
	slices.SortStableFunc(p.config, func(a, b setting) int { return a.at.Key.Compare(b.at.Key) })
	return nil
}

// given reads a value of --config. What the template declares as secret is kept as one.
func (p *plan) given(pair string) (setting, error) {
	name, text, _ := strings.Cut(pair, "=")
	var s setting
	var err error
	if p.options.configPath {
		s.at, err = config.ParseAddress(p.values.Project, name)
	} else {
		s.at.Key, err = config.ParseKeyIn(p.values.Project, name)
	}
	if err != nil {
		return s, err
	}
	if s.value, err = config.ParseScalar(s.at, text, ""); err != nil {
		return s, err
	}
	for _, c := range p.template.Config {
		if key, err := config.ParseKeyIn(p.values.Project, c.Name); err == nil && key == s.at.Key && c.Secret {
			s.secret, s.value = true, config.NewString(text)
		}
	}
	return s, nil
}

// wantedValue is a value that the template asks for.
type wantedValue struct {
	project.TemplateConfig
	key config.Key
}

func (p *plan) wanted() ([]wantedValue, error) {
	var out []wantedValue
	for _, c := range p.template.Config {
		key, err := config.ParseKeyIn(p.values.Project, c.Name)
		if err != nil {
			return nil, fmt.Errorf("the template %s asks for a value: %w", p.template.Name, err)
		}
		out = append(out, wantedValue{TemplateConfig: c, key: key})
	}
	slices.SortFunc(out, func(a, b wantedValue) int { return a.key.Compare(b.key) })
	return out, nil
}

// checkName says why a text cannot be the name of a new project.
func checkName(name string) error {
	if err := project.ValidateName(name); err != nil {
		return err
	}
	// Libraries of other languages have this name.
	if lower := strings.ToLower(name); lower == "pulumi" || strings.HasPrefix(lower, "pulumi.") {
		return errors.New("project names must not be Pulumi or start with Pulumi. (with the period)")
	}
	return nil
}

func checkDescription(text string) error {
	const most = 256
	if len(text) > most {
		return fmt.Errorf("a project description must be %d characters or less", most)
	}
	return nil
}

// nameOf makes a project's name of a folder's.
func nameOf(folder string) string {
	name := strings.Map(func(r rune) rune {
		if project.ValidateName("x"+string(r)) != nil {
			return -1
		}
		return r
	}, folder)
	if checkName(name) != nil {
		return "project"
	}
	return name
}
