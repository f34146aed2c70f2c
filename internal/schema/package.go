package schema

import "encoding/json"

// Package is one package schema. Maps of resources, functions and types are keyed by token.
type Package struct {
	Name              string                     `json:"name"`
	DisplayName       string                     `json:"displayName,omitempty"`
	Version           string                     `json:"version,omitempty"`
	Description       string                     `json:"description,omitempty"`
	Keywords          []string                   `json:"keywords,omitempty"`
	Homepage          string                     `json:"homepage,omitempty"`
	License           string                     `json:"license,omitempty"`
	Attribution       string                     `json:"attribution,omitempty"`
	Repository        string                     `json:"repository,omitempty"`
	LogoURL           string                     `json:"logoUrl,omitempty"`
	PluginDownloadURL string                     `json:"pluginDownloadURL,omitempty"`
	ConfigurationURL  string                     `json:"configurationDocsUrl,omitempty"`
	ValidateOnNew     bool                       `json:"validateCredentialsOnNew,omitempty"`
	Publisher         string                     `json:"publisher,omitempty"`
	Namespace         string                     `json:"namespace,omitempty"`
	Dependencies      []Dependency               `json:"dependencies,omitempty"`
	Meta              *Meta                      `json:"meta,omitempty"`
	AllowedNames      []string                   `json:"allowedPackageNames,omitempty"`
	Language          map[string]json.RawMessage `json:"language,omitempty"`
	Parameterization  *Parameterization          `json:"parameterization,omitempty"`
	Extension         *Extension                 `json:"extensionParameterization,omitempty"`

	Config    Config                 `json:"config"`
	Types     map[string]ComplexType `json:"types,omitempty"`
	Provider  *Resource              `json:"provider,omitempty"`
	Resources map[string]Resource    `json:"resources,omitempty"`
	Functions map[string]Function    `json:"functions,omitempty"`
}

// Meta says how tokens of the package are formed.
type Meta struct {
	// ModuleFormat is a regular expression whose group is the module's name.
	ModuleFormat string `json:"moduleFormat,omitempty"`
	SupportPack  bool   `json:"supportPack,omitempty"`
}

// Config lists the package's configuration variables.
type Config struct {
	Variables map[string]Property `json:"variables,omitempty"`
	// Defaults names variables that need no value; the published format calls the list so.
	Defaults []string `json:"defaults,omitempty"`
}

// Dependency names another package that this one refers to.
type Dependency struct {
	Name              string          `json:"name"`
	Version           string          `json:"version,omitempty"`
	PluginDownloadURL string          `json:"pluginDownloadURL,omitempty"`
	Parameterization  json.RawMessage `json:"parameterization,omitempty"`
}

// Plugin names a base provider.
type Plugin struct {
	Name             string               `json:"name"`
	Version          string               `json:"version"`
	Parameterization *PluginParameterized `json:"parameterization,omitempty"`
}

// PluginParameterized is the parameterization that a base provider of an extension has itself.
type PluginParameterized struct {
	BasePlugin Plugin `json:"basePlugin"`
	Parameter  []byte `json:"parameter"`
}

// Parameterization tells that the package is a base provider with a parameter.
type Parameterization struct {
	BaseProvider Plugin `json:"baseProvider"`
	Parameter    []byte `json:"parameter"`
}

// Extension tells that the package adds to what its base provider offers.
type Extension struct {
	BaseProvider Plugin `json:"baseProvider"`
	Parameter    []byte `json:"parameter"`
}
