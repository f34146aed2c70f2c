package resource

import (
	"time"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Options are the resource options of a registration. The ones that state keeps are recorded as they were applied.
type Options struct {
	Parent               urn.URN
	Provider             urn.ProviderRef
	Dependencies         []urn.URN
	PropertyDependencies map[string][]urn.URN

	Protect        bool
	RetainOnDelete bool
	// DeleteBeforeReplace is nil when the provider may choose. State does not keep it.
	DeleteBeforeReplace *bool
	DeletedWith         urn.URN
	ReplaceWith         []urn.URN
	ReplacementTrigger  property.Value

	// The following hold property paths.
	IgnoreChanges           []string
	ReplaceOnChanges        []string
	HideDiffs               []string
	AdditionalSecretOutputs []string

	// Aliases are former URNs, resolved.
	Aliases  []urn.URN
	ImportID string
	Timeouts Timeouts
	Hooks    map[string][]string

	SourcePosition string
	StackTrace     []string
	SnippetID      string
	ExtensionRef   string
}

// Timeouts are the customTimeouts option; zero means the provider's default.
type Timeouts struct{ Create, Update, Delete, Read time.Duration }

// IsZero says whether no timeout is set.
func (t Timeouts) IsZero() bool { return t == Timeouts{} }

// Clone copies o so that its lists and maps can be changed independently.
func (o Options) Clone() Options { return cloneOptions(o) }
