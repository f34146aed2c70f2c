package resource

import (
	"encoding/json"
	"time"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Goal is what a program wants of one resource.
type Goal struct {
	URN    urn.URN
	Type   urn.Type
	Name   string
	Custom bool
	Inputs property.Map
	// AsFound makes an import record the resource with the inputs that it is found with; Inputs only fill in what is not
	// read of it. It is nil for a resource of a program.
	AsFound *AsFound
	Options
}

// AsFound says what of a resource that was found is recorded as its inputs.
type AsFound struct {
	// Properties are the inputs that are wanted; none means all.
	Properties []string
	// Remote is true for a component that a provider makes: it is recorded with that provider.
	Remote bool
}

// ID is a provider's identifier of a resource; "" is none.
type ID string

// State is what was recorded of one resource. Once it is part of a snapshot it is not changed any more: Clone it.
type State struct {
	URN     urn.URN
	Type    urn.Type
	Custom  bool
	ID      ID
	Inputs  property.Map
	Outputs property.Map
	Options

	// Delete marks the old half of a replacement: it is to be deleted.
	Delete bool
	// PendingReplacement marks a resource that was deleted and has to be created again.
	PendingReplacement  bool
	External            bool
	Taint               bool
	RefreshBeforeUpdate bool
	InitErrors          []string
	ViewOf              urn.URN
	Created             *time.Time
	Modified            *time.Time
	// Extra holds keys of the state file that this version does not know, so that they survive.
	Extra map[string]json.RawMessage
}

// IsProvider says whether the resource is a provider.
func (s *State) IsProvider() bool { return s.Type.IsProvider() }

// IsComponent says whether the resource only groups others.
func (s *State) IsComponent() bool { return !s.Custom }

// ImportedBy is the id by which an import finds the resource: the one that it was imported by, if it was, which some
// providers spell differently from the id that they give to what they find.
func (s *State) ImportedBy() string {
	if s.ImportID != "" {
		return s.ImportID
	}
	return string(s.ID)
}

// ProviderRef is the reference other resources use when this resource is a provider.
func (s *State) ProviderRef() urn.ProviderRef { return urn.ProviderRef{URN: s.URN, ID: string(s.ID)} }

// Edge is one reference from a resource to another one.
type Edge struct {
	Kind EdgeKind
	To   urn.URN
	// ProviderID is set for EdgeProvider.
	ProviderID string
	// Property is set for EdgeProperty.
	Property string
}

// EdgeKind says why a resource refers to another one.
type EdgeKind int

// The kinds of reference that state keeps.
const (
	EdgeProvider EdgeKind = iota
	EdgeParent
	EdgeDependency
	EdgeProperty
	EdgeDeletedWith
	EdgeReplaceWith
	EdgeView
)

func (k EdgeKind) String() string {
	names := [...]string{"provider", "parent", "dependency", "property dependency", "deletedWith", "replaceWith", "viewOf"}
	return names[k]
}

// Edges lists every reference the options hold. Rewriting and checking references go through here, so that no kind
// of reference can be forgotten.
func (s *State) Edges() []Edge {
	var out []Edge
	if !s.Provider.IsZero() {
		out = append(out, Edge{Kind: EdgeProvider, To: s.Provider.URN, ProviderID: s.Provider.ID})
	}
	if s.Parent != "" {
		out = append(out, Edge{Kind: EdgeParent, To: s.Parent})
	}
	for _, d := range s.Dependencies {
		out = append(out, Edge{Kind: EdgeDependency, To: d})
	}
	for _, k := range sortedKeys(s.PropertyDependencies) {
		for _, d := range s.PropertyDependencies[k] {
			out = append(out, Edge{Kind: EdgeProperty, To: d, Property: k})
		}
	}
	if s.DeletedWith != "" {
		out = append(out, Edge{Kind: EdgeDeletedWith, To: s.DeletedWith})
	}
	for _, d := range s.ReplaceWith {
		out = append(out, Edge{Kind: EdgeReplaceWith, To: d})
	}
	if s.ViewOf != "" {
		out = append(out, Edge{Kind: EdgeView, To: s.ViewOf})
	}
	return out
}
