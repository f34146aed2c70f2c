package plugin

import (
	"time"

	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// CheckRequest asks whether inputs are valid and completes them.
type CheckRequest struct {
	URN urn.URN
	// Olds are the inputs of the last deployment, empty for a new resource.
	Olds, News property.Map
	RandomSeed []byte
	Autonaming *Autonaming
	// Preview allows unknowns.
	Preview bool
}

// CheckResponse holds the completed inputs, or what is wrong with them.
type CheckResponse struct {
	Inputs   property.Map
	Failures []CheckFailure
	// AutonamingIgnored tells that the provider knows nothing of naming rules and was not told any.
	AutonamingIgnored bool
}

// DiffRequest asks what changes between recorded state and new inputs.
type DiffRequest struct {
	URN           urn.URN
	ID            resource.ID
	OldInputs     property.Map
	OldOutputs    property.Map
	News          property.Map
	IgnoreChanges []string
	Preview       bool
}

// Changes says whether anything changes.
type Changes int

// The answers. ChangesUnknown makes the engine compare inputs itself.
const (
	ChangesUnknown Changes = iota
	ChangesNone
	ChangesSome
)

// DiffResponse says what changes.
type DiffResponse struct {
	Changes Changes
	// Unavailable is set, with the reason, when the provider could not be asked (its configuration is not known yet).
	Unavailable string
	// ReplaceKeys are the properties whose change needs a replacement.
	ReplaceKeys []string
	StableKeys  []string
	ChangedKeys []string
	// DetailedDiff is nil when the provider gives none.
	DetailedDiff        map[string]event.PropertyDiff
	DeleteBeforeReplace bool
}

// Replace says whether the resource must be replaced.
func (d DiffResponse) Replace() bool {
	if len(d.ReplaceKeys) > 0 {
		return true
	}
	for _, p := range d.DetailedDiff {
		if p.Kind.IsReplace() {
			return true
		}
	}
	return false
}

// ConfigureRequest gives a provider its configuration, once.
type ConfigureRequest struct {
	URN    urn.URN
	ID     resource.ID
	Inputs property.Map
}

// CreateRequest makes a resource.
type CreateRequest struct {
	URN     urn.URN
	Inputs  property.Map
	Timeout time.Duration
	Preview bool
}

// CreateResponse is what was made.
type CreateResponse struct {
	// ID is empty in a preview.
	ID                  resource.ID
	Outputs             property.Map
	RefreshBeforeUpdate bool
}

// UpdateRequest changes a resource in place.
type UpdateRequest struct {
	URN           urn.URN
	ID            resource.ID
	OldInputs     property.Map
	OldOutputs    property.Map
	News          property.Map
	IgnoreChanges []string
	Timeout       time.Duration
	Preview       bool
}

// UpdateResponse is the resource after the change.
type UpdateResponse struct {
	Outputs             property.Map
	RefreshBeforeUpdate bool
}

// DeleteRequest deletes a resource.
type DeleteRequest struct {
	URN     urn.URN
	ID      resource.ID
	Inputs  property.Map
	Outputs property.Map
	Timeout time.Duration
}

// ReadRequest reads a resource. Inputs and State are empty for an import.
type ReadRequest struct {
	URN     urn.URN
	ID      resource.ID
	Inputs  property.Map
	State   property.Map
	Timeout time.Duration
}

// ReadResponse is the resource as it is now. An empty ID means that it is gone.
type ReadResponse struct {
	ID resource.ID
	// Inputs is nil when the provider does not know them.
	Inputs              *property.Map
	Outputs             property.Map
	RefreshBeforeUpdate bool
}

// InvokeRequest calls a function of the package.
type InvokeRequest struct {
	Token   string
	Args    property.Map
	Preview bool
}

// InvokeResponse is the result of a function, or what is wrong with its arguments.
type InvokeResponse struct {
	Return   property.Map
	Failures []CheckFailure
	// Unknown is set by the engine, never by a provider: the function was not called, because something that it depends on
	// does not exist yet.
	Unknown bool
}

// CallRequest calls a method of a resource.
type CallRequest struct {
	Token           string
	Args            property.Map
	ArgDependencies map[string][]urn.URN
	Environment     Environment
}

// CallResponse is the result of a method.
type CallResponse struct {
	Return             property.Map
	ReturnDependencies map[string][]urn.URN
	Failures           []CheckFailure
}

// Environment is the deployment that a component or method runs in.
type Environment struct {
	Organization     string
	Project          string
	Stack            string
	Config           map[string]string
	ConfigSecretKeys []string
	Preview          bool
	Parallel         int
	// MonitorAddress is where the component registers its resources (host:port).
	MonitorAddress string
}

// ConstructRequest makes a remote component.
type ConstructRequest struct {
	Type              urn.Type
	Name              string
	Inputs            property.Map
	InputDependencies map[string][]urn.URN
	Options           resource.Options
	// Providers maps packages to provider references for the component's children.
	Providers   map[string]string
	Environment Environment
}

// ConstructResponse is the component.
type ConstructResponse struct {
	URN               urn.URN
	State             property.Map
	StateDependencies map[string][]urn.URN
}
