package template

import (
	"fmt"
	"slices"

	"github.com/cairn-iac/cairn/internal/diag"
)

// Parse reads a program: Pulumi.yaml, Main.yaml or Main.json. Keys that belong to the project are skipped. The program
// is nil when the file is not readable; with errors it holds what could be read.
func Parse(file string, text []byte) (*Program, diag.Diagnostics) {
	p := &parser{problems: &problems{}, src: newSource(file, string(text))}
	out := &Program{Sources: []*Source{p.src}}
	n := readTree(p.src, string(text), p.problems)
	switch {
	case n == nil:
	case n.kind != nodeMap:
		p.errorAt(n.pos, fmt.Sprintf("the top level of %s must be an object, not %s", file, n), "")
	default:
		p.program(out, n)
	}
	for i := range p.list {
		p.list[i] = p.src.Locate(p.list[i])
	}
	if n == nil {
		return nil, p.list
	}
	return out, p.list
}

func (p *parser) program(out *Program, n *node) {
	var old []Config
	p.fields(n, fieldSet{owner: "the program", open: true, ignored: projectKeys(), fields: []field{
		{"name", func(v *node) { out.Name = p.text("name", v) }},
		{"namespace", func(v *node) { out.Namespace = p.text("namespace", v) }},
		{"description", func(v *node) { out.Description = p.text("description", v) }},
		{"version", func(v *node) { out.Version = p.text("version", v) }},
		{"configuration", func(v *node) {
			// What config says goes before it.
			p.warnAt(v.pos, "the top-level key configuration is deprecated", "Write config instead.")
			old = p.configs("configuration", v)
		}},
		{"config", func(v *node) { out.Config = append(out.Config, p.configs("config", v)...) }},
		{"variables", func(v *node) { out.Variables = p.variables(v) }},
		{"resources", func(v *node) { out.Resources = p.resources(v) }},
		{"outputs", func(v *node) { out.Outputs = p.outputs(v) }},
		{"packages", func(v *node) { out.Packages = packages(v) }},
		{"components", func(v *node) { out.Components = p.components(v) }},
		{"pulumi", func(v *node) {
			if p.isMap(v, "pulumi") {
				p.fields(v, fieldSet{owner: "pulumi", fields: []field{
					{"requiredVersion", func(v *node) { out.RequiredVersion = p.text("requiredVersion", v) }},
				}})
			}
		}},
	}})
	for _, c := range old {
		if !slices.ContainsFunc(out.Config, func(o Config) bool { return o.Name == c.Name }) {
			out.Config = append(out.Config, c)
		}
	}
}

// projectKeys are the keys of a project file that say nothing of the program.
func projectKeys() []string {
	return []string{
		"runtime", "main", "author", "website", "license", "stackConfigDir", "backend", "options", "cairn", "template", "plugins",
		"requiredPulumiVersion",
	}
}

// packages reads what is readable: the project's own reader tells what is wrong.
func packages(n *node) []Package {
	var out []Package
	for _, e := range n.entries {
		source := e.value
		for _, inner := range e.value.entries {
			if inner.key.scalar.text == "source" {
				source = inner.value
			}
		}
		if source.kind == nodeScalar && source.scalar.kind == scalarString {
			out = append(out, Package{Name: e.key.scalar.text, Pos: e.key.pos, Source: source.scalar.text})
		}
	}
	return out
}

func (p *parser) variables(n *node) []Variable {
	var out []Variable
	if p.isMap(n, "variables") {
		for _, e := range n.entries {
			out = append(out, Variable{Name: e.key.scalar.text, Pos: e.key.pos, Value: p.expr(e.value)})
		}
	}
	return out
}

func (p *parser) outputs(n *node) []Output {
	var out []Output
	if p.isMap(n, "outputs") {
		for _, e := range n.entries {
			out = append(out, Output{Name: e.key.scalar.text, Pos: e.key.pos, Value: p.expr(e.value)})
		}
	}
	return out
}

func (p *parser) components(n *node) []Component {
	var out []Component
	if !p.isMap(n, "components") {
		return nil
	}
	for _, e := range n.entries {
		c := Component{Name: e.key.scalar.text, Pos: e.key.pos}
		if p.isMap(e.value, "component "+c.Name) {
			p.fields(e.value, fieldSet{owner: "component " + c.Name, ignored: []string{"name"}, fields: []field{
				{"description", func(v *node) { c.Description = p.text("description", v) }},
				{"inputs", func(v *node) { c.Inputs = p.configs("inputs", v) }},
				{"variables", func(v *node) { c.Variables = p.variables(v) }},
				{"resources", func(v *node) { c.Resources = p.resources(v) }},
				{"outputs", func(v *node) { c.Outputs = p.outputs(v) }},
			}})
		}
		out = append(out, c)
	}
	return out
}

func (p *parser) configs(what string, n *node) []Config {
	var out []Config
	if !p.isMap(n, what) {
		return nil
	}
	for _, e := range n.entries {
		out = append(out, p.config(what, e))
	}
	return out
}

func (p *parser) config(what string, e entry) Config {
	c := Config{Name: e.key.scalar.text, Pos: e.key.pos}
	if e.value.kind != nodeMap {
		c.Value = p.expr(e.value)
		return c
	}
	owner := fmt.Sprintf("%s %s", what, c.Name)
	var items *node
	p.fields(e.value, fieldSet{owner: owner, ignored: []string{"description"}, fields: []field{
		{"type", func(v *node) { c.Type = p.configType(v) }},
		{"name", func(v *node) { c.Key = p.text("name", v) }},
		{"default", func(v *node) { c.Default = p.expr(v) }},
		{"value", func(v *node) { c.Value = p.expr(v) }},
		{"secret", func(v *node) { c.Secret, c.SecretPos = p.boolean("secret", v), v.pos }},
		{"items", func(v *node) { items = v }},
	}})
	if items != nil && c.Type != nil && c.Type.Kind == ConfigArray && c.Type.Items == nil {
		c.Type.Items = p.itemType(owner, items)
	}
	if c.Secret != nil && *c.Secret {
		p.src.hide(e.key.pos.Line, e.value.last)
	}
	return c
}

func (p *parser) configType(n *node) *ConfigType {
	text := p.text("type", n)
	if !text.IsSet() {
		return nil
	}
	t, err := parseConfigType(text.Value)
	if err != nil {
		p.errorAt(n.pos, err.Error(), "")
	}
	return t
}

func (p *parser) itemType(owner string, n *node) *ConfigType {
	if n.kind == nodeScalar {
		return p.configType(n)
	}
	if !p.isMap(n, "items") {
		return nil
	}
	var t *ConfigType
	var items *node
	p.fields(n, fieldSet{owner: "items of " + owner, fields: []field{
		{"type", func(v *node) { t = p.configType(v) }},
		{"items", func(v *node) { items = v }},
	}})
	if items != nil && t != nil && t.Kind == ConfigArray {
		t.Items = p.itemType(owner, items)
	}
	return t
}
