package engine

import (
	"context"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Monitor is what a running program, and the components it makes, may ask of the deployment: the published
// ResourceMonitor service in domain types. Package monitor serves it over gRPC. All methods may be called concurrently.
type Monitor interface {
	// Register declares a resource and returns once its step is done (or predicted, in a preview).
	Register(context.Context, Registration) (Registered, error)
	// RegisterOutputs completes a component or the stack.
	RegisterOutputs(context.Context, urn.URN, property.Map) error
	// Read looks up a resource that somebody else manages.
	Read(context.Context, ReadRegistration) (Registered, error)
	Invoke(context.Context, Invocation) (plugin.InvokeResponse, error)
	Call(context.Context, MethodCall) (plugin.CallResponse, error)
	// RegisterPackage names a package (base provider and parameterization) for later requests; equal packages get equal
	// references.
	RegisterPackage(context.Context, plugin.Package) (ref string, err error)
	// Info describes the deployment.
	Info() plugin.Environment
	// AwaitShutdown is the program's last call: it returns when all its steps are done.
	AwaitShutdown(context.Context) error
	// Log takes a message of a program or provider. A message of severity error makes the deployment fail.
	Log(plugin.Log)
	// RootResource gets the URN that old SDKs use as default parent; SetRootResource stores it.
	RootResource() urn.URN
	SetRootResource(urn.URN)
}

// PackageRef says whose provider serves a request: a package reference from RegisterPackage, or version and URL.
type PackageRef struct {
	Ref         string
	Version     string
	DownloadURL string
	Checksums   map[string][]byte
}

// Registration is one RegisterResource request.
type Registration struct {
	Type   urn.Type
	Name   string
	Custom bool
	// Remote components are made by their package's provider.
	Remote bool
	// Inputs carry secrets, unknowns and dependencies in the values.
	Inputs  property.Map
	Options resource.Options
	// AsFound is set for what an import names.
	AsFound *resource.AsFound
	// Set tells which of the options that a parent hands down the program set itself.
	Set struct{ Protect, RetainOnDelete bool }
	// Provider is a provider reference ("<urn>::<id>"), "" to inherit or use the default provider.
	Provider string
	// Providers maps packages to provider references for remote components and children.
	Providers map[string]string
	Package   PackageRef
	// AliasSpecs are former identities, resolved by the engine. Whole URNs are in Options.Aliases.
	AliasSpecs     []AliasSpec
	EnvVarMappings map[string]string
	// AcceptsResultReporting lets a failed or skipped step be told as a result instead of an error.
	AcceptsResultReporting bool
}

// AliasSpec describes a former identity by its parts; "" means as it is now.
type AliasSpec struct {
	Name, Type, Stack, Project string
	ParentURN                  urn.URN
	NoParent                   bool
}

// RegisterResult is how a registration ended, for SDKs that ask.
type RegisterResult int

// The results.
const (
	ResultSuccess RegisterResult = iota
	ResultFail
	ResultSkip
)

// Registered answers Register and Read.
type Registered struct {
	URN urn.URN
	// ID is empty when there is none or it is not known yet.
	ID      resource.ID
	Outputs property.Map
	// PropertyDependencies is set for remote components.
	PropertyDependencies map[string][]urn.URN
	Result               RegisterResult
	// Unknown is true when the resource was left out of this run, so that nothing about it is known.
	Unknown bool
}

// ReadRegistration is one ReadResource request.
type ReadRegistration struct {
	Type     urn.Type
	Name     string
	ID       property.Value
	Inputs   property.Map
	Options  resource.Options
	Provider string
	Package  PackageRef
}

// Invocation is one Invoke request.
type Invocation struct {
	Token     string
	Args      property.Map
	Provider  string
	Package   PackageRef
	Parent    urn.URN
	DependsOn []urn.URN
}

// MethodCall is one Call request.
type MethodCall struct {
	Token           string
	Args            property.Map
	ArgDependencies map[string][]urn.URN
	Provider        string
	Package         PackageRef
}
