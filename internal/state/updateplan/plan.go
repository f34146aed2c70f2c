package updateplan

import (
	"encoding/json"
	"slices"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Plan is what an update of one stack is to do. Once made it is not changed: an update may be held to it many times.
type Plan struct {
	Manifest state.Manifest
	// Config is the stack's configuration with its secrets encrypted. It is kept for people: what of it matters shows in the
	// inputs of resources.
	Config    json.RawMessage
	Resources map[urn.URN]*Resource
}

// Resource is what is planned for one resource.
type Resource struct {
	// Goal is nil for a resource that is only deleted.
	Goal *Goal
	// Steps are the operations in their order.
	Steps []resource.Op
	// Outputs are those that the preview predicted, nil if it did not get that far. Nothing is held to them.
	Outputs *property.Map
	// Seed is what the provider makes random names of.
	Seed []byte
}

// Goal is what the program asked for.
type Goal struct {
	Type   urn.Type
	Name   string
	Custom bool
	// Inputs and Outputs are how the properties differ from the recorded ones; Outputs are those that a component or the
	// stack registers.
	Inputs, Outputs Diff
	// Options are those of the program. Plan files keep the ones that plans of the Pulumi CLI have.
	Options resource.Options
	Aliases []Alias
}

// Alias is a former identity as the program gave it: a whole URN, or parts of one.
type Alias struct {
	URN, Parent                urn.URN
	Name, Type, Project, Stack string
	NoParent                   bool
}

// Diff is how top-level properties are to change. Values of Adds and Updates are the new ones.
type Diff struct {
	Adds    property.Map
	Deletes []string
	Updates property.Map
}

// IsInternal says whether a property is book-keeping of a provider, such as __defaults: it is not the same in each run, so
// nothing is held to it.
func IsInternal(key string) bool { return key != "" && key[0] == '_' }

// DiffOf compares two maps. Null is as good as absent.
func DiffOf(older, newer property.Map) Diff {
	adds, updates := map[string]property.Value{}, map[string]property.Value{}
	var d Diff
	for k, v := range newer.All() {
		old := older.Get(k)
		switch {
		case IsInternal(k), v.IsNull(), old.Equal(v):
		case old.IsNull():
			adds[k] = v
		default:
			updates[k] = v
		}
	}
	for k, old := range older.All() {
		if !IsInternal(k) && !old.IsNull() && newer.Get(k).IsNull() {
			d.Deletes = append(d.Deletes, k)
		}
	}
	slices.Sort(d.Deletes)
	d.Adds, d.Updates = property.MapOf(adds), property.MapOf(updates)
	return d
}
