package template

import (
	"fmt"
	"strings"
)

// ConfigKind is the kind of a configuration type.
type ConfigKind string

// The kinds, as package schemas name them.
const (
	ConfigString  ConfigKind = "string"
	ConfigNumber  ConfigKind = "number"
	ConfigInteger ConfigKind = "integer"
	ConfigBoolean ConfigKind = "boolean"
	ConfigObject  ConfigKind = "object"
	ConfigArray   ConfigKind = "array"
)

// ConfigType is the declared type of a configuration value or component input.
type ConfigType struct {
	Kind ConfigKind
	// Items is the element type of an array, nil when any is allowed.
	Items *ConfigType
}

func (t *ConfigType) String() string {
	if t.Kind == ConfigArray && t.Items != nil {
		return "array of " + t.Items.String()
	}
	return string(t.Kind)
}

// parseConfigType reads a type's name: those of schemas, and the older String, Int, List<T>.
func parseConfigType(name string) (*ConfigType, error) {
	lower := strings.ToLower(strings.TrimSpace(name))
	if inner, ok := strings.CutPrefix(lower, "list<"); ok && strings.HasSuffix(inner, ">") {
		items, err := parseConfigType(strings.TrimSuffix(inner, ">"))
		if err != nil {
			return nil, err
		}
		return &ConfigType{Kind: ConfigArray, Items: items}, nil
	}
	switch lower {
	case "string":
		return &ConfigType{Kind: ConfigString}, nil
	case "number":
		return &ConfigType{Kind: ConfigNumber}, nil
	case "int", "integer":
		return &ConfigType{Kind: ConfigInteger}, nil
	case "bool", "boolean":
		return &ConfigType{Kind: ConfigBoolean}, nil
	case "object":
		return &ConfigType{Kind: ConfigObject}, nil
	case "array":
		return &ConfigType{Kind: ConfigArray}, nil
	default:
		return nil, fmt.Errorf("unexpected configuration type '%s': valid types are string, number, integer, boolean, "+
			"object, array", name)
	}
}
