package template

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/config/document"
	"github.com/cairn-iac/cairn/internal/project"
)

// The placeholders of a template's files.
const (
	projectMark     = "${PROJECT}"
	descriptionMark = "${DESCRIPTION}"
)

// projectFile is the file that makes a folder a template.
const projectFile = "Pulumi.yaml"

// Template is one template.
type Template struct {
	// Name is what people call it: the name of its folder.
	Name string
	// Description is one line about it.
	Description string
	// Quickstart is shown when the project is made.
	Quickstart string
	// Config are the values that it asks for, in the file's order.
	Config []project.TemplateConfig
	// ProjectName and ProjectDescription are those of a template that does not leave them open; else they are empty.
	ProjectName, ProjectDescription string
	// Runtime is what runs the program, "" where the template does not say.
	Runtime string
	// BackendURL is where the template wants the project's state.
	BackendURL string

	files fs.FS
}

// load reads a template. The error wraps fs.ErrNotExist when the folder is none.
func load(files fs.FS, name string) (*Template, error) {
	text, err := fs.ReadFile(files, projectFile)
	if err != nil {
		return nil, fmt.Errorf("read the template %s: %w", name, err)
	}
	at := path.Join(name, projectFile)
	open, err := document.Parse(at, text)
	if err != nil {
		return nil, err
	}
	// The placeholder is no project name: the file is read as it will be.
	p, err := project.Parse(at, fill(text, projectFile, Values{Project: "project", Description: "description"}))
	if err != nil {
		return nil, err
	}
	t := &Template{
		Name: name, Runtime: p.Runtime.Name, BackendURL: p.BackendURL, files: files,
		ProjectName: written(open, "name", projectMark), ProjectDescription: written(open, "description", descriptionMark),
	}
	if p.Template != nil {
		t.Description, t.Quickstart, t.Config = p.Template.Description, p.Template.Quickstart, p.Template.Config
	}
	t.Description = cmp.Or(t.Description, t.ProjectDescription)
	return t, nil
}

// written is a text at the top of a file, "" where it is left open.
func written(doc *document.Document, key, mark string) string {
	p, ok := document.Lookup(doc.Root, key)
	if !ok {
		return ""
	}
	n := document.Resolve(p.Value)
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" || strings.Contains(n.Value, mark) {
		return ""
	}
	return n.Value
}

// loadAll reads the templates in the folders of a folder, and says what is wrong with those that are broken.
func loadAll(files fs.FS) ([]*Template, error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, err
	}
	var out []*Template
	var broken []error
	for _, e := range entries {
		if !e.IsDir() || e.Name() == gitDir {
			continue
		}
		sub, err := fs.Sub(files, e.Name())
		if err != nil {
			return nil, err
		}
		t, err := load(sub, e.Name())
		switch {
		case err == nil:
			out = append(out, t)
		case !errors.Is(err, fs.ErrNotExist):
			broken = append(broken, err)
		}
	}
	return out, errors.Join(broken...)
}
