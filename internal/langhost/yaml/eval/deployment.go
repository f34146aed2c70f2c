package eval

import (
	"context"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Deployment is what a program declares its resources to: the ResourceMonitor service in domain types. All methods may
// be called concurrently. Errors that wrap engine.ErrReported or engine.ErrShuttingDown are not reported again.
type Deployment interface {
	Register(context.Context, engine.Registration) (engine.Registered, error)
	RegisterOutputs(context.Context, urn.URN, property.Map) error
	Read(context.Context, engine.ReadRegistration) (engine.Registered, error)
	Invoke(context.Context, engine.Invocation) (Invoked, error)
	RegisterPackage(context.Context, plugin.Package) (ref string, err error)
}

// Invoked is the result of a function.
type Invoked struct {
	plugin.InvokeResponse
	// Unknown is true when the function was not called, because something it depends on does not exist yet.
	Unknown bool
}
