package command

import (
	"encoding/json"
	"fmt"

	"github.com/cairn-iac/cairn/internal/schema"
)

// buildSchema describes the package as the published schema does, for what is in the box.
func buildSchema() ([]byte, error) {
	pkg := schema.Package{
		Name:        "command",
		DisplayName: "Command",
		Version:     Version,
		Description: "Run commands and scripts on this machine as resources.",
		Keywords:    []string{"pulumi", "command", "category/utility", "kind/native"},
		Homepage:    "https://pulumi.com",
		License:     "Apache-2.0",
		Repository:  "https://github.com/pulumi/pulumi-command",
		LogoURL:     "https://raw.githubusercontent.com/pulumi/pulumi-command/master/assets/logo.svg",
		Publisher:   "Pulumi",
		Language:    languages(),
		Types:       map[string]schema.ComplexType{loggingType: loggingEnum()},
		Resources:   map[string]schema.Resource{localCommand: commandResource()},
		Functions:   map[string]schema.Function{localRun: runFunction()},
	}
	text, err := json.Marshal(pkg)
	if err != nil {
		return nil, fmt.Errorf("write the schema of the command package: %w", err)
	}
	return text, nil
}

// languages holds the settings that name the published SDKs, so that generated programs import those.
func languages() map[string]json.RawMessage {
	return map[string]json.RawMessage{
		"csharp": json.RawMessage(`{"packageReferences":{"Pulumi":"3.*"},"respectSchemaVersion":true}`),
		"go": json.RawMessage(`{"generateResourceContainerTypes":true,` +
			`"importBasePath":"github.com/pulumi/pulumi-command/sdk/go/command","respectSchemaVersion":true}`),
		"java": json.RawMessage(`{"buildFiles":"gradle","dependencies":{"com.google.code.findbugs:jsr305":"3.0.2",` +
			`"com.google.code.gson:gson":"2.8.9","com.pulumi:pulumi":"1.0.0"},` +
			`"gradleNexusPublishPluginVersion":"2.0.0"}`),
		"nodejs": json.RawMessage(`{"respectSchemaVersion":true}`),
		"python": json.RawMessage(`{"pyproject":{"enabled":true},"respectSchemaVersion":true}`),
	}
}

func loggingEnum() schema.ComplexType {
	t := schema.ComplexType{ObjectType: schema.ObjectType{
		Type: "string", Description: "Which output of a command is shown while it runs.",
	}}
	for _, m := range loggingModes() {
		t.Enum = append(t.Enum, schema.EnumValue{Name: m.value, Value: m.value, Description: m.doc})
	}
	return t
}

func commandResource() schema.Resource {
	o := commandObject()
	inputs, requiredInputs := properties(o.inputs)
	outputs, required := properties(append(o.inputs, o.results...))
	return schema.Resource{
		ObjectType: schema.ObjectType{
			Description: "Runs one command when it is created, one when its inputs change and one when it is deleted.",
			Properties:  outputs,
			Required:    required,
		},
		InputProperties: inputs,
		RequiredInputs:  requiredInputs,
	}
}

func runFunction() schema.Function {
	o := runObject()
	inputs, requiredInputs := properties(o.inputs)
	outputs, required := properties(append(o.inputs, o.results...))
	return schema.Function{
		Description: "Runs a command every time the program runs, in previews too. Use `local.Command` for one that " +
			"runs only when something changed.",
		Inputs:  &schema.ObjectType{Type: "object", Properties: inputs, Required: requiredInputs},
		Outputs: &schema.Returns{Shape: schema.Shape{Type: "object"}, Properties: outputs, Required: required},
	}
}

func properties(fields []field) (props map[string]schema.Property, required []string) {
	props = map[string]schema.Property{}
	for _, f := range fields {
		props[f.name] = schema.Property{
			TypeSpec:         schema.TypeSpec{Shape: f.kind.shape()},
			Description:      f.doc,
			ReplaceOnChanges: f.replace,
		}
		if f.required {
			required = append(required, f.name)
		}
	}
	return props, required
}

func (k kind) shape() schema.Shape {
	element := func(s schema.Shape) *schema.TypeSpec { return &schema.TypeSpec{Shape: s} }
	text := schema.Shape{Type: "string"}
	switch k {
	case kindText:
		return text
	case kindFlag:
		return schema.Shape{Type: "boolean"}
	case kindTexts, kindGlobs:
		return schema.Shape{Type: "array", Items: element(text)}
	case kindEnvironment:
		return schema.Shape{Type: "object", AdditionalProperties: element(text)}
	case kindAnything:
		return schema.Shape{Type: "array", Items: element(schema.Shape{Ref: "pulumi.json#/Any"})}
	case kindLogging:
		return schema.Shape{Ref: "#/types/" + loggingType}
	case kindAssets:
		return schema.Shape{Type: "object", AdditionalProperties: element(schema.Shape{Ref: "pulumi.json#/Asset"})}
	case kindArchive:
		return schema.Shape{Ref: "pulumi.json#/Archive"}
	default:
		return schema.Shape{}
	}
}
