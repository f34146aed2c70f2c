package yaml

import (
	"encoding/json"

	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/schema"
)

// componentSchema is the package schema of a component plugin. Outputs may be anything: their types are not declared.
func componentSchema(p *template.Program) *schema.Package {
	out := &schema.Package{
		Name: p.Name.Value, Version: versionOf(p), Description: p.Description.Value, Namespace: p.Namespace.Value,
		Language:  map[string]json.RawMessage{},
		Resources: map[string]schema.Resource{},
	}
	for _, language := range []string{"nodejs", "python", "csharp", "java", "go"} {
		out.Language[language] = json.RawMessage(`{"respectSchemaVersion":true}`)
	}
	for _, c := range p.Components {
		out.Resources[p.Name.Value+":index:"+c.Name] = componentResource(c)
	}
	return out
}

func componentResource(c template.Component) schema.Resource {
	r := schema.Resource{
		ObjectType: schema.ObjectType{
			Description: c.Description.Value, Type: "object", Properties: map[string]schema.Property{},
		},
		InputProperties: map[string]schema.Property{},
		IsComponent:     true,
	}
	for _, in := range c.Inputs {
		p := schema.Property{TypeSpec: inputType(in.Type), Secret: in.Secret != nil && *in.Secret}
		if in.Default == nil {
			r.RequiredInputs = append(r.RequiredInputs, in.Name)
		} else if l, ok := in.Default.(*template.Literal); ok {
			p.Default = literalDefault(l)
		}
		r.InputProperties[in.Name] = p
	}
	for _, o := range c.Outputs {
		r.Properties[o.Name] = schema.Property{TypeSpec: schema.TypeSpec{Shape: schema.Shape{Ref: "pulumi.json#/Any"}}}
		r.Required = append(r.Required, o.Name)
	}
	return r
}

func literalDefault(l *template.Literal) any {
	if s, ok := l.Value.AsString(); ok {
		return s
	}
	if n, ok := l.Value.AsNumber(); ok {
		return n
	}
	if b, ok := l.Value.AsBool(); ok {
		return b
	}
	return nil
}

func inputType(t *template.ConfigType) schema.TypeSpec {
	anything := schema.TypeSpec{Shape: schema.Shape{Ref: "pulumi.json#/Any"}}
	if t == nil {
		return anything
	}
	switch t.Kind {
	case template.ConfigArray:
		items := inputType(t.Items)
		return schema.TypeSpec{Shape: schema.Shape{Type: "array", Items: &items}}
	case template.ConfigObject:
		return schema.TypeSpec{Shape: schema.Shape{Type: "object", AdditionalProperties: &anything}}
	case template.ConfigString, template.ConfigNumber, template.ConfigInteger, template.ConfigBoolean:
	}
	return schema.TypeSpec{Shape: schema.Shape{Type: string(t.Kind)}}
}
