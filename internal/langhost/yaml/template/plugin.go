package template

import (
	"fmt"
	"slices"

	"github.com/cairn-iac/cairn/internal/diag"
)

// File is one file of a plugin.
type File struct {
	Name string
	Text []byte
}

// ParsePlugin reads a component plugin: all its YAML files together. The program is nil when a file is not readable.
func ParsePlugin(files []File) (*Program, diag.Diagnostics) {
	out := &Program{}
	var problems problems
	for _, f := range files {
		part, ds := Parse(f.Name, f.Text)
		problems.list = append(problems.list, ds...)
		if part == nil {
			return nil, problems.list
		}
		problems.rejectRoot(part)
		out.Sources = append(out.Sources, part.Sources...)
		problems.single(&out.Name, part.Name, "name")
		problems.single(&out.Namespace, part.Namespace, "namespace")
		problems.single(&out.Description, part.Description, "description")
		problems.single(&out.Version, part.Version, "version")
		out.Packages = append(out.Packages, part.Packages...)
		for _, c := range part.Components {
			if i := slices.IndexFunc(out.Components, func(o Component) bool { return o.Name == c.Name }); i >= 0 {
				problems.errorAt(c.Pos, "duplicate component name "+c.Name,
					fmt.Sprintf("It is first declared at %s.", out.Components[i].Pos))
				continue
			}
			out.Components = append(out.Components, c)
		}
	}
	if out.Name.Value == "" && !problems.list.HasErrors() {
		problems.errorAt(diag.Position{File: "PulumiPlugin.yaml"}, "the plugin has no name", "Set name: to the package's name.")
	}
	for i := range problems.list {
		problems.list[i] = out.Locate(problems.list[i])
	}
	return out, problems.list
}

func (p *problems) single(into *Text, value Text, what string) {
	switch {
	case !value.IsSet():
	case into.IsSet() && into.Value != value.Value:
		p.errorAt(value.Pos, fmt.Sprintf("the plugin has two values for %s", what),
			fmt.Sprintf("The other one is at %s.", into.Pos))
	default:
		*into = value
	}
}

func (p *problems) rejectRoot(part *Program) {
	reject := func(key string, at diag.Position) {
		p.errorAt(at, fmt.Sprintf("PulumiPlugin.yaml: root-level `%s` is not supported in plugins", key),
			"Declare it within a component.")
	}
	if len(part.Config) > 0 {
		reject("config", part.Config[0].Pos)
	}
	if len(part.Variables) > 0 {
		reject("variables", part.Variables[0].Pos)
	}
	if len(part.Resources) > 0 {
		reject("resources", part.Resources[0].Pos)
	}
	if len(part.Outputs) > 0 {
		reject("outputs", part.Outputs[0].Pos)
	}
}
