package urn

import "strings"

// Type is a type token: <package>:<module>:<name>, or any text for a local component.
type Type string

const (
	// StackType is the type of the root component of every stack.
	StackType Type = "pulumi:pulumi:Stack"
	// StackReferenceType is the built-in resource that reads another stack's outputs.
	StackReferenceType Type = "pulumi:pulumi:StackReference"

	providerPrefix = "pulumi:providers:"
)

// ProviderType is the type of provider resources of a package.
func ProviderType(pkg string) Type { return Type(providerPrefix + pkg) }

// IsProvider says whether t is the type of a provider resource.
func (t Type) IsProvider() bool { return strings.HasPrefix(string(t), providerPrefix) }

// ProviderPackage is the package a provider type belongs to, "" for other types.
func (t Type) ProviderPackage() string {
	pkg, ok := strings.CutPrefix(string(t), providerPrefix)
	if !ok {
		return ""
	}
	return pkg
}

// IsToken says whether t has the three parts that custom and remote resources need.
func (t Type) IsToken() bool {
	parts := strings.Split(string(t), ":")
	return len(parts) == 3 && parts[0] != "" && parts[2] != ""
}

// Package is the first part: the package whose provider owns the type.
func (t Type) Package() string {
	pkg, _, _ := strings.Cut(string(t), ":")
	return pkg
}

// Module is the middle part.
func (t Type) Module() string {
	parts := strings.SplitN(string(t), ":", 3)
	if len(parts) < 3 {
		return ""
	}
	return parts[1]
}

// Name is the last part.
func (t Type) Name() string {
	return string(t[strings.LastIndex(string(t), ":")+1:])
}

// Short drops the part of the module that repeats the name ("random:index/randomPet:RandomPet" becomes
// "random:index:RandomPet"), which is how rows of the progress display name types.
func (t Type) Short() string {
	parts := strings.SplitN(string(t), ":", 3)
	if len(parts) < 3 {
		return string(t)
	}
	module, rest, ok := strings.Cut(parts[1], "/")
	if !ok || parts[2] == "" {
		return string(t)
	}
	if lowerFirst(parts[2]) != rest {
		return string(t)
	}
	return parts[0] + ":" + module + ":" + parts[2]
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
