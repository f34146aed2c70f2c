package template

import (
	"github.com/cairn-iac/cairn/internal/diag"
)

// Program is a program, or a component plugin.
type Program struct {
	Name, Namespace, Description Text
	// Version is that of a component plugin.
	Version Text
	// RequiredVersion is the range of engine versions that the program works with.
	RequiredVersion Text

	// Packages say where the packages come from that are not found by their name alone.
	Packages   []Package
	Config     []Config
	Variables  []Variable
	Resources  []Resource
	Outputs    []Output
	Components []Component

	// Sources are the files that the program was read from.
	Sources []*Source
}

// Locate adds the source line to a diagnostic about the program.
func (p *Program) Locate(d diag.Diagnostic) diag.Diagnostic {
	for _, s := range p.Sources {
		d = s.Locate(d)
	}
	return d
}

// Package is one entry of packages, which is resolved elsewhere: the package's name, and its source as it is written.
type Package struct {
	Name   string
	Pos    diag.Position
	Source string
}

// Config is one configuration value of a program, or one input of a component.
type Config struct {
	Name string
	Pos  diag.Position
	// Key is the configuration key when it is not Name.
	Key Text
	// Type is nil when it is to be inferred from the default.
	Type *ConfigType
	// Default is nil when a value is required.
	Default Expr
	// Secret is nil when it is not said.
	Secret    *bool
	SecretPos diag.Position
	// Value is set by the short form that gives a value instead of a declaration.
	Value Expr
}

// Variable is a named value.
type Variable struct {
	Name  string
	Pos   diag.Position
	Value Expr
}

// Output is one output of the stack or component.
type Output struct {
	Name  string
	Pos   diag.Position
	Value Expr
}

// Component is a component that a plugin offers.
type Component struct {
	Name        string
	Pos         diag.Position
	Description Text

	Inputs    []Config
	Variables []Variable
	Resources []Resource
	Outputs   []Output
}

// Program is the component as a program whose configuration are the inputs.
func (c Component) Program(of *Program) *Program {
	return &Program{
		Name: of.Name, Description: c.Description, Packages: of.Packages, Sources: of.Sources,
		Config: c.Inputs, Variables: c.Variables, Resources: c.Resources, Outputs: c.Outputs,
	}
}

// Resource is one resource.
type Resource struct {
	Name string
	Pos  diag.Position
	Type Text
	// LogicalName is the name in the URN when it is not Name.
	LogicalName     Text
	DefaultProvider bool
	// Properties is nil, an *Object, or an expression that gives an object.
	Properties Expr
	Options    Options
	// Get is set when the resource is only read.
	Get *Get
}

// URNName is the name of the resource in its URN.
func (r *Resource) URNName() string {
	if r.LogicalName.Value != "" {
		return r.LogicalName.Value
	}
	return r.Name
}

// Get names an existing resource.
type Get struct {
	Pos   diag.Position
	ID    Expr
	State *Object
}

// Options are the resource options; unset ones are nil or zero. Expressions that name resources evaluate to resources.
type Options struct {
	AdditionalSecretOutputs []Text
	Aliases                 []Alias
	Timeouts                Timeouts
	DeleteBeforeReplace     Expr
	DependsOn               Expr
	IgnoreChanges           []Text
	Import                  Expr
	Parent                  Expr
	Protect                 Expr
	Provider                Expr
	// Providers is a list of providers, or an object by package.
	Providers          Expr
	Version            Text
	PluginDownloadURL  Text
	ReplaceOnChanges   []Text
	RetainOnDelete     Expr
	ReplaceWith        Expr
	ReplacementTrigger Expr
	DeletedWith        Expr
	HideDiffs          []Text
	EnvVarMappings     *Object
}

// Alias is a former identity: a whole URN, or the parts that were different. Unset parts are nil.
type Alias struct {
	Pos                             diag.Position
	URN, Name, Type, Stack, Project Expr
	// Parent is a resource, or a URN as a string.
	Parent   Expr
	NoParent Expr
}

// Timeouts are the customTimeouts option, as texts of Go durations. Unset ones are nil.
type Timeouts struct{ Create, Update, Delete, Read Expr }

// Expressions lists the expressions that the resource is made of.
func (r *Resource) Expressions() []Expr {
	o := &r.Options
	out := []Expr{
		r.Properties, o.DependsOn, o.Import, o.Parent, o.Protect, o.Provider, o.Providers,
		o.DeleteBeforeReplace, o.RetainOnDelete, o.ReplaceWith, o.ReplacementTrigger, o.DeletedWith,
	}
	for _, a := range o.Aliases {
		out = append(out, a.URN, a.Name, a.Type, a.Stack, a.Project, a.Parent, a.NoParent)
	}
	out = append(out, o.Timeouts.Create, o.Timeouts.Update, o.Timeouts.Delete, o.Timeouts.Read)
	if o.EnvVarMappings != nil {
		out = append(out, o.EnvVarMappings)
	}
	if r.Get != nil {
		out = append(out, r.Get.ID)
		if r.Get.State != nil {
			out = append(out, r.Get.State)
		}
	}
	return out
}
