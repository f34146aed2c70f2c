package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// Resource describes a custom resource, a component or a provider. The embedded object type holds its outputs.
type Resource struct {
	ObjectType
	InputProperties    map[string]Property `json:"inputProperties,omitempty"`
	RequiredInputs     []string            `json:"requiredInputs,omitempty"`
	PlainInputs        []string            `json:"plainInputs,omitempty"`
	StateInputs        *ObjectType         `json:"stateInputs,omitempty"`
	ListInputs         *ObjectType         `json:"listInputs,omitempty"`
	Aliases            []Alias             `json:"aliases,omitempty"`
	DeprecationMessage string              `json:"deprecationMessage,omitempty"`
	IsComponent        bool                `json:"isComponent,omitempty"`
	// Methods maps names to function tokens.
	Methods map[string]string `json:"methods,omitempty"`
}

// SecretOutputs names the outputs that the schema marks secret, sorted.
func (r Resource) SecretOutputs() []string {
	var out []string
	for name, p := range r.Properties {
		if p.Secret {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Constants are the properties whose value the schema fixes, and those values.
func (r Resource) Constants() map[string]any {
	out := map[string]any{}
	for name, p := range r.Properties {
		if p.Const != nil {
			out[name] = p.Const
		}
	}
	for name, p := range r.InputProperties {
		if p.Const != nil {
			out[name] = p.Const
		}
	}
	return out
}

// Inputs is the object type of the resource's inputs.
func (r Resource) Inputs() ObjectType {
	return ObjectType{Type: "object", Properties: r.InputProperties, Required: r.RequiredInputs, PlainNames: r.PlainInputs}
}

// InputNames are the names of the inputs, sorted.
func (r Resource) InputNames() []string { return slices.Sorted(maps.Keys(r.InputProperties)) }

// Alias is a former type of a resource.
type Alias struct {
	Type string
	// malformed is found by Parse, which knows the place to report.
	malformed bool
}

// MarshalJSON writes the object form {"type": ...}.
func (a Alias) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"type": a.Type})
}

// UnmarshalJSON reads the object form and the short form, a string.
func (a *Alias) UnmarshalJSON(data []byte) error {
	var form struct {
		Type string `json:"type"`
	}
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte(`"`)) {
		return json.Unmarshal(data, &a.Type)
	}
	err := json.Unmarshal(data, &form)
	a.Type, a.malformed = form.Type, err != nil
	return nil
}
