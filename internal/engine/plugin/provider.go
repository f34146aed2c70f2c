package plugin

import (
	"context"

	"github.com/cairn-iac/cairn/internal/property"
)

// Provider is one provider instance: the mirror of the published ResourceProvider service in domain types. Secrets,
// unknowns and references are part of the values; an implementation that talks to a provider without support for them
// strips and restores them itself. All methods may be called concurrently once Configure has returned.
type Provider interface {
	// CheckConfig validates and completes the configuration. ErrUnimplemented means: take the news as they are.
	CheckConfig(context.Context, CheckRequest) (CheckResponse, error)
	DiffConfig(context.Context, DiffRequest) (DiffResponse, error)
	Configure(context.Context, ConfigureRequest) error

	Check(context.Context, CheckRequest) (CheckResponse, error)
	Diff(context.Context, DiffRequest) (DiffResponse, error)
	// Create makes the resource, or in a preview predicts its outputs. The errors that tell more: *InitError (made, but
	// not healthy), *UncertainError (nobody knows whether it was made).
	Create(context.Context, CreateRequest) (CreateResponse, error)
	Update(context.Context, UpdateRequest) (UpdateResponse, error)
	Delete(context.Context, DeleteRequest) error
	// Read gets the current state. A response with an empty ID means that the resource is gone.
	Read(context.Context, ReadRequest) (ReadResponse, error)

	Invoke(context.Context, InvokeRequest) (InvokeResponse, error)
	Call(context.Context, CallRequest) (CallResponse, error)
	Construct(context.Context, ConstructRequest) (ConstructResponse, error)

	// Schema is the package's schema as JSON.
	Schema(context.Context) ([]byte, error)
	// Info says which version answers.
	Info(context.Context) (Info, error)
	// Cancel asks the provider to abort what it is doing, gracefully.
	Cancel(context.Context) error
	// Close ends the instance; nothing may be called afterwards.
	Close() error
}

// Info describes a running provider.
type Info struct {
	// Version is the semantic version without "v", "" when the provider does not tell.
	Version string
	// Builtin is true for a provider that is part of this program.
	Builtin bool
	// Path is the executable or folder, "" for a built-in one.
	Path string
	// SupportsPreview is false when Create and Update must not be called in a preview.
	SupportsPreview bool
}

// CheckFailure is one reason why inputs are not valid.
type CheckFailure struct {
	// Property is a property path, "" for the resource as a whole.
	Property string
	Reason   string
}

// Autonaming tells a provider how to name a resource whose program gives no name.
type Autonaming struct {
	ProposedName string
	// Mode is propose, enforce or disable.
	Mode string
}

// Parameterization turns a base provider into a package of its own.
type Parameterization struct {
	Name    string
	Version string
	Value   []byte
}

// Package says which provider plugin is wanted.
type Package struct {
	Name string
	// Version is a semantic version without "v", "" for any.
	Version     string
	DownloadURL string
	// Checksums maps "<os>-<arch>" to the sha256 of the archive.
	Checksums        map[string][]byte
	Parameterization *Parameterization
}

// Host starts providers.
type Host interface {
	// Load starts an unconfigured instance. A plugin that cannot be found is a *MissingError.
	Load(ctx context.Context, pkg Package, opts LoadOptions) (Provider, error)
}

// LoadOptions belong to one provider resource.
type LoadOptions struct {
	// EnvVarMappings gives the provider a variable (key) the value of another one (value).
	EnvVarMappings map[string]string
	// Inputs of a provider resource's __internal object etc. are not part of this: they are resolved into Package.
	Config property.Map
}
