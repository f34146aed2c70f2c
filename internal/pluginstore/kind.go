package pluginstore

import (
	"fmt"
	"slices"
)

// Kind is a kind of plugin, as its name and its folder say it.
type Kind string

// The kinds.
const (
	KindResource  Kind = "resource"
	KindLanguage  Kind = "language"
	KindAnalyzer  Kind = "analyzer"
	KindConverter Kind = "converter"
	KindTool      Kind = "tool"
)

// ParseKind reads a kind.
func ParseKind(text string) (Kind, error) {
	k := Kind(text)
	if !k.Valid() {
		return "", fmt.Errorf("unrecognized plugin kind: %s (must be one of: analyzer, language, resource, converter, tool)", text)
	}
	return k, nil
}

// Valid says whether k is one of the kinds.
func (k Kind) Valid() bool {
	return slices.Contains([]Kind{KindResource, KindLanguage, KindAnalyzer, KindConverter, KindTool}, k)
}

// Executable is the name of a plugin's executable, without extension.
func (k Kind) Executable(name string) string { return "pulumi-" + string(k) + "-" + name }

// Manifest is the file that makes a folder without an executable a plugin of the kind; "" when none does.
func (k Kind) Manifest() string {
	switch k {
	case KindLanguage:
		return ""
	case KindAnalyzer:
		return "PulumiPolicy.yaml"
	case KindResource, KindConverter, KindTool:
		return "PulumiPlugin.yaml"
	default:
		return ""
	}
}
