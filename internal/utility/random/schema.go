package random

import (
	"encoding/json"
	"slices"

	"github.com/cairn-iac/cairn/internal/schema"
)

// methodToken is the one method of the provider resource.
const methodToken = "pulumi:providers:random/terraformConfig"

// packageSchema is the schema that follows from the definitions.
func packageSchema() schema.Package {
	pkg := schema.Package{
		Name:        Name,
		Version:     Version(),
		Description: "Random names, identifiers, numbers and secrets that stay the same until their inputs change.",
		Keywords:    []string{"pulumi", "random"},
		License:     "Apache-2.0",
		Language:    languages(),
		Meta:        &schema.Meta{ModuleFormat: "(.*)(?:/[^/]*)"},
		Provider: &schema.Resource{
			ObjectType: schema.ObjectType{Description: "The provider resource of the random package. It has no settings of its own."},
			Methods:    map[string]string{"terraformConfig": methodToken},
		},
		Resources: map[string]schema.Resource{},
		Functions: map[string]schema.Function{methodToken: terraformConfig()},
	}
	for _, d := range definitions() {
		pkg.Resources[string(d.token())] = d.schema()
	}
	return pkg
}

func (d *definition) schema() schema.Resource {
	all, inputs := map[string]schema.Property{}, map[string]schema.Property{}
	var given, needed []string
	for _, a := range d.attributes {
		if a.name == idAttribute {
			continue
		}
		p := a.schema()
		all[a.name] = p
		if a.mode != optional {
			given = append(given, a.name)
		}
		if a.mode == computed {
			continue
		}
		inputs[a.name] = p
		if a.mode == required {
			needed = append(needed, a.name)
		}
	}
	slices.Sort(given)
	slices.Sort(needed)
	return schema.Resource{
		ObjectType:      schema.ObjectType{Description: d.doc, Properties: all, Required: given},
		InputProperties: inputs,
		RequiredInputs:  needed,
		StateInputs: &schema.ObjectType{
			Description: "What is known of an existing " + d.name + ".", Properties: all, Type: "object",
		},
	}
}

func (a attribute) schema() schema.Property {
	text := schema.TypeSpec{Shape: schema.Shape{Type: "string"}}
	p := schema.Property{TypeSpec: text, Description: a.doc, DeprecationMessage: a.deprecated, Secret: a.secret}
	switch a.kind {
	case kindInt:
		p.Type = "integer"
	case kindBool:
		p.Type = "boolean"
	case kindStringList:
		p.Shape = schema.Shape{Type: "array", Items: &text}
	case kindStringMap:
		p.Shape = schema.Shape{Type: "object", AdditionalProperties: &text}
	case kindString:
	}
	return p
}

func terraformConfig() schema.Function {
	self := schema.Property{TypeSpec: schema.TypeSpec{Shape: schema.Shape{Type: "ref", Ref: "#/provider"}}}
	anything := schema.TypeSpec{Shape: schema.Shape{Ref: "pulumi.json#/Any"}}
	result := schema.Property{TypeSpec: schema.TypeSpec{Shape: schema.Shape{Type: "object", AdditionalProperties: &anything}}}
	return schema.Function{
		Description: "The provider's configuration under Terraform's names, for Terraform modules.",
		Inputs: &schema.ObjectType{
			Type: methodToken, Properties: map[string]schema.Property{"__self__": self}, Required: []string{"__self__"},
		},
		Outputs: &schema.Returns{
			Shape:      schema.Shape{Type: "object"},
			Properties: map[string]schema.Property{"result": result}, Required: []string{"result"},
		},
	}
}

// languages is what code generators need to write programs against the published SDKs.
func languages() map[string]json.RawMessage {
	return map[string]json.RawMessage{
		"csharp": json.RawMessage(`{"compatibility":"tfbridge20","namespaces":{"random":"Random"},` +
			`"packageReferences":{"Pulumi":"3.*"},"respectSchemaVersion":true}`),
		"go": json.RawMessage(`{"generateExtraInputTypes":true,"generateResourceContainerTypes":true,` +
			`"importBasePath":"github.com/pulumi/pulumi-random/sdk/v4/go/random","respectSchemaVersion":true}`),
		"nodejs": json.RawMessage(`{"compatibility":"tfbridge20","disableUnionOutputTypes":true,"respectSchemaVersion":true}`),
		"python": json.RawMessage(`{"compatibility":"tfbridge20","pyproject":{"enabled":true},"respectSchemaVersion":true}`),
	}
}
