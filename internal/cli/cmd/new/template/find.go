package template

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/config/document"
)

//go:embed all:builtin
var builtin embed.FS

// Query says which templates are wanted, and where they may be.
type Query struct {
	// Text is what the user typed: a template's name, the path of a folder, the URL of a git repository; "" is every template
	// at hand.
	Text string
	// Dir is the folder that relative paths start from.
	Dir string
	// Installed is a folder with templates, which may be missing.
	Installed string
	// Offline is why nothing may be fetched, "" when it may.
	Offline string
	// Repository, and perhaps Branch, are where names are looked up that are not at hand. They may be empty.
	Repository, Branch string
	// Environ is the environment for git.
	Environ []string
}

// Found are the templates that a query means, by name.
type Found struct {
	Templates []*Template
	// Broken is what is wrong with others at the same place.
	Broken error

	close []func() error
}

// Close removes what was fetched. The templates cannot be used afterwards.
func (f *Found) Close() error {
	var failed []error
	for _, c := range slices.Backward(f.close) {
		failed = append(failed, c())
	}
	f.close = nil
	return errors.Join(failed...)
}

// NotFoundError tells that no template has a name, and which ones there are.
type NotFoundError struct {
	Name  string
	Known []string
}

func (e *NotFoundError) Error() string {
	text := fmt.Sprintf("template '%s' not found", e.Name)
	if meant := document.Closest(e.Name, e.Known); meant != "" {
		text += fmt.Sprintf("; did you mean '%s'?", meant)
	}
	return text + "\nTemplates at hand: " + strings.Join(e.Known, ", ") + ". A folder is named by its path (./" + e.Name +
		"), a git repository by its URL (https://github.com/<owner>/<repository>/tree/<branch>/<folder>)."
}

// Find finds templates. Close what it gives.
func Find(ctx context.Context, q Query) (*Found, error) {
	found := &Found{}
	if err := found.find(ctx, q); err != nil {
		return nil, errors.Join(err, found.Close())
	}
	slices.SortFunc(found.Templates, func(a, b *Template) int { return cmp.Compare(a.Name, b.Name) })
	return found, nil
}

func (f *Found) find(ctx context.Context, q Query) error {
	switch {
	case IsURL(q.Text):
		return f.fetch(ctx, q, q.Text)
	case looksLikePath(q.Text):
		return f.open(at(q.Dir, q.Text))
	}
	if err := f.atHand(q); err != nil {
		return err
	}
	if q.Text == "" {
		return nil
	}
	known := f.names()
	f.Templates = slices.DeleteFunc(f.Templates, func(t *Template) bool { return t.Name != q.Text })
	if len(f.Templates) > 0 {
		f.Broken = nil
		return nil
	}
	if isDir(at(q.Dir, q.Text)) {
		return f.open(at(q.Dir, q.Text))
	}
	if q.Repository != "" && q.Offline == "" {
		err := f.fetch(ctx, q, strings.TrimSuffix(q.Repository, "/")+"/tree/"+cmp.Or(q.Branch, "master")+"/"+q.Text)
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return errors.Join(&NotFoundError{Name: q.Text, Known: known}, f.Broken)
}

func (f *Found) names() []string {
	var out []string
	for _, t := range f.Templates {
		out = append(out, t.Name)
	}
	slices.Sort(out)
	return out
}

// atHand takes the templates of the program and the installed ones. One of the program's wins.
func (f *Found) atHand(q Query) error {
	own, err := fs.Sub(builtin, "builtin")
	if err != nil {
		return err
	}
	if f.Templates, f.Broken = loadAll(own); f.Broken != nil {
		return f.Broken
	}
	if q.Installed == "" || !isDir(q.Installed) {
		return nil
	}
	root, err := f.root(q.Installed)
	if err != nil {
		return err
	}
	installed, broken := loadAll(root)
	f.Broken = broken
	names := f.names()
	for _, t := range installed {
		if !slices.Contains(names, t.Name) {
			f.Templates = append(f.Templates, t)
		}
	}
	return nil
}

// open takes the template of a folder, or the templates of its folders.
func (f *Found) open(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("read the template: %w", err)
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder; a template is a folder with a %s", dir, projectFile)
	}
	root, err := f.root(dir)
	if err != nil {
		return err
	}
	return f.take(root, place{name: filepath.Base(dir), shown: dir})
}

// place is where templates were looked for.
type place struct {
	name, shown string
}

func (f *Found) take(files fs.FS, p place) error {
	t, err := load(files, p.name)
	if err == nil {
		f.Templates = []*Template{t}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f.Templates, err = loadAll(files)
	switch {
	case len(f.Templates) > 0:
		f.Broken = err
		return nil
	case err != nil:
		return err
	default:
		return fmt.Errorf("%s is no template: neither it nor a folder in it has a %s", p.shown, projectFile)
	}
}

// root opens a folder so that no link leads out of it.
func (f *Found) root(dir string) (fs.FS, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("read the template: %w", err)
	}
	f.close = append(f.close, root.Close)
	return root.FS(), nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func at(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// looksLikePath tells a path from a name by its shape, so that a folder that happens to be there changes nothing.
func looksLikePath(text string) bool {
	return text == "." || text == ".." || strings.Contains(text, "/") || strings.ContainsRune(text, filepath.Separator)
}
