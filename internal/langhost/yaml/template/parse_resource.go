package template

import (
	"fmt"
	"strings"
)

func (p *parser) resources(n *node) []Resource {
	var out []Resource
	if !p.isMap(n, "resources") {
		return nil
	}
	for _, e := range n.entries {
		out = append(out, p.resource(e))
	}
	return out
}

func (p *parser) resource(e entry) Resource {
	r := Resource{Name: e.key.scalar.text, Pos: e.key.pos}
	if e.value.kind != nodeMap {
		p.errorAt(e.value.pos, fmt.Sprintf("resource %s must be an object, not %s", r.Name, e.value), "")
		return r
	}
	typed := false
	p.fields(e.value, fieldSet{
		owner: "resource " + r.Name,
		fields: []field{
			{"type", func(v *node) { r.Type, typed = p.text("type", v), true }},
			{"name", func(v *node) { r.LogicalName = p.text("name", v) }},
			{"defaultProvider", func(v *node) {
				if b := p.boolean("defaultProvider", v); b != nil {
					r.DefaultProvider = *b
				}
				if r.DefaultProvider && r.Type.IsSet() && !strings.HasPrefix(r.Type.Value, "pulumi:providers:") {
					p.errorAt(v.pos, "cannot set defaultProvider on non-provider resource", "")
				}
			}},
			{"properties", func(v *node) { r.Properties = p.properties(v) }},
			{"options", func(v *node) { p.options(&r.Options, v) }},
			{"get", func(v *node) { r.Get = p.get(v) }},
		},
		ignored: []string{"condition", "metadata"},
		elsewhere: func(key string) string {
			if _, ok := p.optionFields(&Options{}).find(key); ok {
				return fmt.Sprintf("%s is an option: put it under options.", key)
			}
			return fmt.Sprintf("Properties go under properties. There are: %s.",
				"type, name, defaultProvider, properties, options, get")
		},
	})
	if r.URNName() == "" {
		p.errorAt(r.Pos, "a resource needs a name that is not empty", "")
	}
	if !typed {
		p.errorAt(r.Pos, fmt.Sprintf("Required field 'type' is missing on resource %q", r.Name), "")
	}
	if r.Get != nil && !isEmptyObject(r.Properties) {
		p.errorAt(r.Pos, "Resource fields properties and get are mutually exclusive",
			"properties describes a resource that this stack manages; get one that is managed elsewhere.")
	}
	return r
}

func isEmptyObject(e Expr) bool {
	o, ok := e.(*Object)
	return e == nil || ok && len(o.Entries) == 0
}

// properties reads an object, or an access or function that gives one.
func (p *parser) properties(n *node) Expr {
	if n.kind == nodeScalar && n.scalar.kind == scalarNull {
		return nil
	}
	x := p.expr(n)
	if _, ok := x.(*Access); n.kind != nodeMap && !ok {
		p.errorAt(n.pos, fmt.Sprintf("properties must be an object, not %s", n), "")
		return nil
	}
	return x
}

func (p *parser) get(n *node) *Get {
	g := &Get{Pos: n.pos}
	if !p.isMap(n, "get") {
		return g
	}
	p.fields(n, fieldSet{owner: "get", fields: []field{
		{"id", func(v *node) { g.ID = p.expr(v) }},
		{"state", func(v *node) {
			if p.isMap(v, "state") {
				g.State = p.object(v)
			}
		}},
	}})
	if g.ID == nil {
		p.errorAt(n.pos, "get has no id", "Name the resource to read: get: {id: ...}.")
	}
	return g
}

func (p *parser) options(o *Options, n *node) {
	if p.isMap(n, "options") {
		p.fields(n, p.optionFields(o))
	}
}

// OptionNames lists the resource options.
func OptionNames() []string { return (&parser{}).optionFields(&Options{}).names() }

// into gives a parser of a field whose value may be any expression.
func (p *parser) into(dst *Expr) func(*node) { return func(v *node) { *dst = p.expr(v) } }

func (p *parser) optionFields(o *Options) fieldSet {
	text := func(what string, dst *Text) func(*node) { return func(v *node) { *dst = p.text(what, v) } }
	texts := func(what string, dst *[]Text) func(*node) { return func(v *node) { *dst = p.texts(what, v) } }
	return fieldSet{owner: "resource options", fields: []field{
		{"additionalSecretOutputs", texts("additionalSecretOutputs", &o.AdditionalSecretOutputs)},
		{"aliases", func(v *node) { o.Aliases = p.aliases(v) }},
		{"customTimeouts", func(v *node) { p.timeouts(&o.Timeouts, v) }},
		{"deleteBeforeReplace", p.into(&o.DeleteBeforeReplace)},
		{"dependsOn", p.into(&o.DependsOn)},
		{"ignoreChanges", texts("ignoreChanges", &o.IgnoreChanges)},
		{"import", p.into(&o.Import)},
		{"parent", p.into(&o.Parent)},
		{"protect", p.into(&o.Protect)},
		{"provider", p.into(&o.Provider)},
		{"providers", p.into(&o.Providers)},
		{"version", func(v *node) { o.Version = p.version(v) }},
		{"pluginDownloadURL", text("pluginDownloadURL", &o.PluginDownloadURL)},
		{"replaceOnChanges", texts("replaceOnChanges", &o.ReplaceOnChanges)},
		{"retainOnDelete", p.into(&o.RetainOnDelete)},
		{"replaceWith", p.into(&o.ReplaceWith)},
		{"replacementTrigger", p.into(&o.ReplacementTrigger)},
		{"deletedWith", p.into(&o.DeletedWith)},
		{"hideDiffs", texts("hideDiffs", &o.HideDiffs)},
		{"envVarMappings", func(v *node) {
			if p.isMap(v, "envVarMappings") {
				o.EnvVarMappings = p.object(v)
			}
		}},
	}}
}

func (p *parser) timeouts(t *Timeouts, n *node) {
	if !p.isMap(n, "customTimeouts") {
		return
	}
	p.fields(n, fieldSet{owner: "customTimeouts", fields: []field{
		{"create", p.into(&t.Create)},
		{"update", p.into(&t.Update)},
		{"delete", p.into(&t.Delete)},
		{"read", p.into(&t.Read)},
	}})
}

func (p *parser) aliases(n *node) []Alias {
	if n.kind != nodeList {
		p.errorAt(n.pos, fmt.Sprintf("aliases must be a list, not %s", n), "")
		return nil
	}
	var out []Alias
	for _, item := range n.items {
		a := Alias{Pos: item.pos}
		if item.kind == nodeMap {
			p.alias(&a, item)
		} else {
			a.URN = p.expr(item)
		}
		out = append(out, a)
	}
	return out
}

func (p *parser) alias(a *Alias, n *node) {
	p.fields(n, fieldSet{owner: "an alias", fields: []field{
		{"urn", p.into(&a.URN)},
		{"name", p.into(&a.Name)},
		{"type", p.into(&a.Type)},
		{"stack", p.into(&a.Stack)},
		{"project", p.into(&a.Project)},
		{"parent", p.into(&a.Parent)},
		{"noParent", p.into(&a.NoParent)},
	}})
	if a.NoParent != nil && a.Parent != nil {
		p.errorAt(n.pos, "an alias has either parent or noParent", "")
	}
}
