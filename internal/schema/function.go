package schema

import "encoding/json"

// Function describes a function of the package, or a method of a resource (whose first input is then __self__).
type Function struct {
	Description string      `json:"description,omitempty"`
	Inputs      *ObjectType `json:"inputs,omitempty"`
	// MultiArgumentInputs orders the inputs for languages in which the function takes several arguments.
	MultiArgumentInputs []string `json:"multiArgumentInputs,omitempty"`
	// Outputs is nil for a function that returns nothing.
	Outputs                   *Returns                   `json:"outputs,omitempty"`
	DeprecationMessage        string                     `json:"deprecationMessage,omitempty"`
	Language                  map[string]json.RawMessage `json:"language,omitempty"`
	IsOverlay                 bool                       `json:"isOverlay,omitempty"`
	OverlaySupportedLanguages []string                   `json:"overlaySupportedLanguages,omitempty"`
	Plain                     *bool                      `json:"plain,omitempty"`
}

// Returns is what a function gives back: an object with properties, or any other type.
type Returns struct {
	Shape
	Description string                     `json:"description,omitempty"`
	Properties  map[string]Property        `json:"properties,omitempty"`
	Required    []string                   `json:"required,omitempty"`
	Language    map[string]json.RawMessage `json:"language,omitempty"`
	// Plain is a bool, or for objects a list of names; it matters to code generation only.
	Plain any `json:"plain,omitempty"`
}

// Object gives the object type that r is; ok is false for a scalar, list, map or reference.
func (r *Returns) Object() (t ObjectType, ok bool) {
	if r == nil || r.Properties == nil {
		return ObjectType{}, false
	}
	return ObjectType{
		Description: r.Description, Type: r.Type, Properties: r.Properties, Required: r.Required, Language: r.Language,
	}, true
}

// Value gives the type that r is; ok is false for an object with properties, and for nothing.
func (r *Returns) Value() (t TypeSpec, ok bool) {
	if r == nil || r.Properties != nil || (r.Type == "" && r.Ref == "" && len(r.OneOf) == 0) {
		return TypeSpec{}, false
	}
	return TypeSpec{Shape: r.Shape}, true
}
