package schema

import (
	"encoding/json"
	"slices"
)

// Shape holds the parts of a type expression; exactly one kind of them is set.
type Shape struct {
	// Type is boolean, integer, number, string, array or object. With Ref or OneOf it is the underlying type.
	Type string `json:"type,omitempty"`
	// Ref points at a type or resource: "#/types/<token>", "#/resources/<token>", "pulumi.json#/Asset", or
	// "/<package>/v<version>/schema.json#/...".
	Ref string `json:"$ref,omitempty"`
	// AdditionalProperties is the element type of a map; nil means strings.
	AdditionalProperties *TypeSpec      `json:"additionalProperties,omitempty"`
	Items                *TypeSpec      `json:"items,omitempty"`
	OneOf                []TypeSpec     `json:"oneOf,omitempty"`
	Discriminator        *Discriminator `json:"discriminator,omitempty"`
}

// TypeSpec is a type expression.
type TypeSpec struct {
	Shape
	// Plain means that the value must be known when the program runs.
	Plain bool `json:"plain,omitempty"`
}

// Discriminator tells the members of a union apart by the value of one property.
type Discriminator struct {
	PropertyName string            `json:"propertyName"`
	Mapping      map[string]string `json:"mapping,omitempty"`
}

// Property is one property of an object, or a configuration variable.
type Property struct {
	TypeSpec
	Description string `json:"description,omitempty"`
	// Const and Default are bool, float64 or string.
	Const                any                        `json:"const,omitempty"`
	Default              any                        `json:"default,omitempty"`
	DefaultInfo          *DefaultInfo               `json:"defaultInfo,omitempty"`
	DeprecationMessage   string                     `json:"deprecationMessage,omitempty"`
	Language             map[string]json.RawMessage `json:"language,omitempty"`
	Secret               bool                       `json:"secret,omitempty"`
	ReplaceOnChanges     bool                       `json:"replaceOnChanges,omitempty"`
	WillReplaceOnChanges bool                       `json:"willReplaceOnChanges,omitempty"`
}

// DefaultInfo says where else a default comes from.
type DefaultInfo struct {
	Environment []string                   `json:"environment,omitempty"`
	Language    map[string]json.RawMessage `json:"language,omitempty"`
}

// ObjectType is a set of named properties.
type ObjectType struct {
	Description string              `json:"description,omitempty"`
	Properties  map[string]Property `json:"properties,omitempty"`
	// Type is "object", or for enums the type of the values.
	Type                      string                     `json:"type,omitempty"`
	Required                  []string                   `json:"required,omitempty"`
	PlainNames                []string                   `json:"plain,omitempty"`
	Language                  map[string]json.RawMessage `json:"language,omitempty"`
	IsOverlay                 bool                       `json:"isOverlay,omitempty"`
	OverlaySupportedLanguages []string                   `json:"overlaySupportedLanguages,omitempty"`
}

// Requires says whether the property has to be set.
func (o ObjectType) Requires(name string) bool { return slices.Contains(o.Required, name) }

// ComplexType is a named type of the package: an enum when Enum is set, else an object.
type ComplexType struct {
	ObjectType
	Enum []EnumValue `json:"enum,omitempty"`
}

// IsEnum says whether t is an enum.
func (t ComplexType) IsEnum() bool { return len(t.Enum) > 0 }

// EnumValue is one value of an enum: a bool, float64 or string.
type EnumValue struct {
	Name               string `json:"name,omitempty"`
	Description        string `json:"description,omitempty"`
	Value              any    `json:"value"`
	DeprecationMessage string `json:"deprecationMessage,omitempty"`
}
