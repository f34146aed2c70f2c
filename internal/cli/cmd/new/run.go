package newcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/cli/cmd/new/template"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/workspace"
)

// run asks first, then writes.
func (o *options) run(ctx context.Context) error {
	dir, err := o.check()
	if err != nil {
		return err
	}
	found, err := template.Find(ctx, o.query())
	if err != nil {
		return err
	}
	err = o.make(ctx, found, dir)
	return errors.Join(err, found.Close())
}

func (o *options) make(ctx context.Context, found *template.Found, dir string) error {
	ask := &asker{f: o.f, yes: o.yes}
	t, err := o.choose(ctx, ask, found)
	if err != nil {
		return err
	}
	p := &plan{options: o, template: t, dir: dir}
	if p.target, err = o.openBackend(ctx, p); err != nil {
		return err
	}
	if err := p.answer(ctx, ask); err != nil {
		return err
	}
	done, err := p.carryOut(ctx)
	if err != nil {
		return err
	}
	p.tell(done)
	return nil
}

// check looks at the flags and the folder.
func (o *options) check() (dir string, err error) {
	o.yes = o.yes || o.f.Env.Truthy("PULUMI_SKIP_CONFIRMATIONS")
	if !o.yes && !o.f.Interactive() {
		return "", errNoAnswers
	}
	if o.name != "" {
		if err := checkName(o.name); err != nil {
			return "", fmt.Errorf("--name: '%s' is not a valid project name: %w", o.name, err)
		}
	}
	if err := checkSecretsProvider(o.secretsProvider); err != nil {
		return "", err
	}
	if err := o.checkStack(); err != nil {
		return "", err
	}
	for _, pair := range o.config {
		if key, _, _ := strings.Cut(pair, "="); key == "" {
			return "", fmt.Errorf("--config: %q has no key; write key=value", pair)
		}
	}
	dir = o.f.Dir
	if o.dir != "" {
		dir = filepath.Clean(o.f.Path(o.dir))
	}
	return dir, checkFolder(dir, o.force)
}

// checkStack reads a whole stack name, whose project counts.
func (o *options) checkStack() error {
	if o.stack == "" || o.generateOnly || strings.Count(o.stack, "/") != 2 {
		return nil
	}
	ref, err := backend.ParseStackRef(o.stack, "")
	if err != nil {
		return fmt.Errorf("--stack: %w", err)
	}
	if o.name != "" && o.name != ref.Project {
		return fmt.Errorf("project name (--name %s) and stack reference project name (--stack %s) must be the same; leave --name out",
			o.name, ref.Project)
	}
	o.name, o.stackIsWhole = ref.Project, true
	return checkName(o.name)
}

// checkFolder refuses a folder with anything in it but the data of a version control system.
func checkFolder(dir string, force bool) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at the project's folder: %w", err)
	case force:
		return nil
	}
	for _, e := range entries {
		if !slices.Contains([]string{".git", ".hg", ".bzr"}, e.Name()) {
			return fmt.Errorf("%s is not empty; use --force to write into it and over files of the template's names, or --dir to "+
				"name another folder", dir)
		}
	}
	return nil
}

// target is where the stack will be. The zero target is for files only.
type target struct {
	backend *backend.Backend
}

// openBackend finds out that there is a place for the stack before anyone is asked anything.
func (o *options) openBackend(ctx context.Context, p *plan) (target, error) {
	if o.generateOnly {
		return target{}, nil
	}
	home, err := o.f.Home()
	if err != nil {
		return target{}, err
	}
	chosen, err := workspace.ChooseBackend(workspace.BackendQuery{
		Lookup: o.f.Env.Lookup, ProjectURL: p.template.BackendURL, Credentials: home.Credentials,
	})
	if err != nil {
		return target{}, err
	}
	// Paths in the address of a backend start from the project.
	b, err := in(o.f, p.dir).OpenBackend(ctx, chosen)
	if err != nil {
		return target{}, err
	}
	return target{backend: b}, nil
}

// in is the factory for another folder: what it found out about this one does not count there.
func in(f *factory.Factory, dir string) *factory.Factory {
	return &factory.Factory{
		Streams: f.Streams, Env: f.Env, Dir: dir, Executable: f.Executable, Username: f.Username, Hostname: f.Hostname,
		Interrupts: f.Interrupts, Flags: f.Flags,
	}
}
