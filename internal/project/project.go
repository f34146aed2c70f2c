package project

import (
	"path/filepath"
	"strings"

	"github.com/cairn-iac/cairn/internal/config"
	"github.com/cairn-iac/cairn/internal/config/document"
	"github.com/cairn-iac/cairn/internal/diag"
)

// Project is what `Pulumi.yaml` says. Texts that are not there are empty.
type Project struct {
	// Path is the file's name as it was given to [Load].
	Path string
	Name string
	// Runtime is what runs the program; its name is empty in a file that does not say.
	Runtime Runtime
	// Main is the program's folder or file, relative to the project's.
	Main        string
	Description string
	Author      string
	Website     string
	License     string
	// Config is the configuration the project declares, in the file's order.
	Config []ConfigEntry
	// StackConfigDir is where the stacks' files are, relative to the project's folder.
	StackConfigDir string
	// BackendURL is where the project wants its state.
	BackendURL string
	// RefreshAlways says that every operation refreshes first (`options: {refresh: always}`).
	RefreshAlways bool
	// GuardMissing is the share of resources, in percent, that a refresh may find missing (`cairn: {guardMissing: 20}`); nil
	// is no limit. Only this program knows the section; the Pulumi CLI leaves it alone.
	GuardMissing *int
	Template     *Template
	// Packages are the packages the program depends on, in the file's order.
	Packages []Package
	// Plugins are plugins to take from a folder.
	Plugins Plugins
	// RequiredPulumiVersion is a range of versions; see [CheckVersion].
	RequiredPulumiVersion string
	// Document is the whole file: other keys (resources, outputs, ...) belong to the YAML runtime.
	Document *document.Document
	// Warnings are what is odd about the file and no error.
	Warnings diag.Diagnostics
}

// Runtime names a language runtime and its options: nil, bool, int, float64, string, []any and map[string]any in each other.
type Runtime struct {
	Name    string
	Options map[string]any
}

// Package is a dependency on a package, as it is written: nothing is looked up or resolved.
type Package struct {
	Name string
	// Source is a package's name, a URL or a path.
	Source            string
	Version           string
	Parameters        []string
	PluginDownloadURL string
	// Checksums are by platform, in base64.
	Checksums  map[string]string
	Extensions []string
	Position   diag.Position
}

// Plugins are the plugins that a project takes from folders, by kind.
type Plugins struct{ Providers, Languages, Analyzers []Plugin }

// Plugin is one of them. Without a version it answers to any.
type Plugin struct{ Name, Version, Path string }

// Template describes the project as a template for new ones.
type Template struct {
	DisplayName string
	Description string
	Quickstart  string
	Important   bool
	Metadata    map[string]string
	Config      []TemplateConfig
}

// TemplateConfig is a value that a template asks for.
type TemplateConfig struct {
	Name        string
	Description string
	Default     string
	Secret      bool
}

// ConfigEntry is one declared configuration value.
type ConfigEntry struct {
	// Name is the key as it is written; Address is what it means.
	Name    string
	Address config.Address
	// Own says that the key is of the project's namespace. Others only have a Value.
	Own bool
	// Type is nil when none is declared.
	Type        *Type
	Description string
	// Default and Value are nil when they are not there.
	Default  *config.Value
	Value    *config.Value
	Secret   bool
	Position diag.Position
}

// Dir is the project's folder.
func (p *Project) Dir() string { return filepath.Dir(p.Path) }

// StackFile is the name of a stack's file. Of a qualified stack name (`org/project/stack`) only the last part counts.
func (p *Project) StackFile(stack string) string {
	stack = stack[strings.LastIndex(stack, "/")+1:]
	return filepath.Join(p.Dir(), p.StackConfigDir, "Pulumi."+stack+filepath.Ext(p.Path))
}

// PluginProject is what `PulumiPlugin.yaml` says.
type PluginProject struct {
	Path string
	// Name is empty unless the runtime wants one in the file, as the YAML runtime does.
	Name                  string
	Runtime               Runtime
	Packages              []Package
	RequiredPulumiVersion string
	// Document is the whole file.
	Document *document.Document
}
