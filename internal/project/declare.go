package project

import (
	"errors"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/config"
	"github.com/cairn-iac/cairn/internal/config/document"
)

// TypeName is the declared type of a configuration value.
type TypeName string

// The types that a project file can declare.
const (
	StringType  TypeName = "string"
	IntegerType TypeName = "integer"
	NumberType  TypeName = "number"
	BooleanType TypeName = "boolean"
	ArrayType   TypeName = "array"
	ObjectType  TypeName = "object"
)

// Type is a declared type; an array has the type of its items.
type Type struct {
	Name  TypeName
	Items *Type
}

// String is the type as messages have it: `integer`, `array<string>`.
func (t *Type) String() string {
	if t.Items == nil {
		return string(t.Name)
	}
	return "array<" + t.Items.String() + ">"
}

// config reads the `config` block; in its older meaning it is a folder, what stackConfigDir is today.
func (r *reader) config(p *Project, n, stackConfigDir *yaml.Node) {
	if v := document.Resolve(n); v.Kind == yaml.ScalarNode && v.ShortTag() == "!!str" {
		if stackConfigDir != nil {
			r.problem(n, "Should not use both config and stackConfigDir to define the stack directory. Use only stackConfigDir instead.")
		}
		p.StackConfigDir = v.Value
		return
	}
	if p.Name == "" {
		return // nothing can be said about keys without the namespace
	}
	seen := map[string]string{}
	for _, pair := range r.mapping(n, "config") {
		entry, ok := r.configEntry(p.Name, pair)
		if !ok {
			continue
		}
		if other, twice := seen[entry.Address.String()]; twice {
			r.problem(pair.Key, "'%s' and '%s' are the same configuration key; keep one", other, entry.Name)
		}
		seen[entry.Address.String()] = entry.Name
		p.Config = append(p.Config, entry)
	}
}

// declaredAddress reads a key of the `config` block: a namespace, if any, then a path.
func declaredAddress(project, name string) (config.Address, error) {
	key, err := config.ParseKeyIn(project, name)
	if err != nil {
		return config.Address{}, err
	}
	path, err := config.ParsePath(key.Name)
	if err != nil {
		return config.Address{}, err
	}
	if path[0].IsIndex || path[0].Name == "" {
		return config.Address{}, errors.New("the first step of a config key path must be a name")
	}
	return config.Address{Key: config.Key{Namespace: key.Namespace, Name: path[0].Name}, Path: path[1:]}, nil
}

func (r *reader) configEntry(project string, pair document.Pair) (ConfigEntry, bool) {
	entry := ConfigEntry{
		Name: pair.Name, Position: r.doc.Position(pair.Key),
		Own: !strings.Contains(pair.Name, ":") || strings.HasPrefix(pair.Name, project+":"),
	}
	var err error
	if entry.Address, err = declaredAddress(project, pair.Name); err != nil {
		r.problem(pair.Key, "'%s' cannot be a configuration key: %v", pair.Name, err)
		return entry, false
	}
	before := len(r.problems)
	switch v := document.Resolve(pair.Value); {
	case isNull(v):
		r.problem(pair.Key, "config.%s needs a type or a default, or a value: `%s: {type: string}`", pair.Name, pair.Name)
	case v.Kind != yaml.MappingNode && entry.Own:
		entry.Default = r.value(pair.Value)
	case v.Kind != yaml.MappingNode:
		entry.Value = r.value(pair.Value)
	default:
		r.declaration(&entry, pair.Value)
		if len(r.problems) == before {
			r.checkDeclaration(&entry, pair.Key)
		}
	}
	return entry, len(r.problems) == before
}

func (r *reader) declaration(entry *ConfigEntry, n *yaml.Node) {
	what := "config." + entry.Name
	f := r.record(n, what, "type", "description", "items", "default", "secret", "value")
	entry.Description = r.text(f["description"], what+".description")
	entry.Secret = r.flag(f["secret"], what+".secret")
	if n := f["type"]; n != nil {
		entry.Type = r.typeOf(n, f["items"], what)
	} else if f["items"] != nil {
		r.problem(f["items"], "%s has items but no type; add `type: array`", what)
	}
	if f["default"] != nil {
		entry.Default = r.value(f["default"])
	}
	if f["value"] != nil {
		entry.Value = r.value(f["value"])
	}
}

func (r *reader) value(n *yaml.Node) *config.Value {
	v := config.FromNode(r.doc, n)
	if v.Encrypted() {
		r.problem(n, "a project file holds no secrets, which belong to a stack's key; set it with `pulumi config set --secret`")
	}
	if v.Kind() == config.Null {
		return nil
	}
	return &v
}

func (r *reader) typeOf(n, items *yaml.Node, what string) *Type {
	names := []string{string(StringType), string(IntegerType), string(NumberType), string(BooleanType), string(ArrayType), string(ObjectType)}
	v := document.Resolve(n)
	if v.Kind != yaml.ScalarNode || !slices.Contains(names, v.Value) {
		hint := ""
		if meant := document.Closest(v.Value, names); meant != "" {
			hint = "; did you mean '" + meant + "'?"
		}
		r.problem(n, "%s.type must be one of '%s'%s", what, strings.Join(names, "', '"), hint)
		return nil
	}
	t := &Type{Name: TypeName(v.Value)}
	switch {
	case t.Name == ArrayType && items == nil:
		r.problem(n, "The configuration key '%s' declares an array but does not specify the underlying type via the 'items' attribute",
			strings.TrimPrefix(what, "config."))
	case t.Name != ArrayType && items != nil:
		r.problem(items, "%s.items is for arrays only", what)
	case items != nil:
		f := r.record(items, what+".items", "type", "items")
		if f["type"] == nil {
			r.problem(items, "%s.items needs a type", what)
			return nil
		}
		t.Items = r.typeOf(f["type"], f["items"], what+".items")
	}
	return t
}

// checkDeclaration is about the attributes of an entry together.
func (r *reader) checkDeclaration(e *ConfigEntry, n *yaml.Node) {
	switch {
	case e.Default != nil && e.Value != nil:
		r.problem(n, "project config '%s' cannot have both a 'default' and 'value' attribute", e.Name)
	case e.Own && e.Type != nil && e.Default != nil && !e.Type.matches(*e.Default, nested):
		r.problem(n, "The default value specified for configuration key '%s' is not of the expected type '%s'", e.Name, e.Type)
	case e.Own:
	case e.Type != nil:
		r.problem(n, "Configuration key '%s' is not namespaced by the project and should not define a type", e.Name)
	case e.Default != nil:
		r.problem(n, "Configuration key '%s' is not namespaced by the project and should not define a default value. "+
			"Did you mean to use the 'value' attribute instead of 'default'?", e.Name)
	case e.Value == nil:
		r.problem(n, "Configuration key '%s' is namespaced and must provide an attribute 'value'", e.Name)
	}
}
