package plan

import (
	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Facts is everything a decision may depend on. The zero value of an answer means that it was not asked for yet.
type Facts struct {
	Goal resource.Goal
	// Old is the recorded live state of the resource, nil when there is none.
	Old     *resource.State
	Preview bool
	// LeftOut is true when the resource takes no part in this run: targets or excludes say so, or the kind of operation.
	LeftOut bool
	// ReplaceAsked is true for a resource named by a replace target.
	ReplaceAsked bool
	// IgnoreProtect is true when protected resources may be deleted.
	IgnoreProtect bool
	// Recreating is true when the resource was already deleted in this run as a dependent of a replaced one.
	Recreating bool
	// Imported is true when Old was imported by the steps of an earlier decision about the same registration.
	Imported bool
	// ReplacedWith is a resource named by replaceWith or deletedWith that is being replaced in this run; the key tells
	// which option.
	ReplacedWith    urn.URN
	ReplacedWithKey string

	Checked    *plugin.CheckResponse
	ConfigDiff *plugin.DiffResponse
	Diffed     *plugin.DiffResponse
	// Rechecked is the second check of a replacement, without old inputs, so that names are made anew.
	Rechecked *plugin.CheckResponse
	// Dependents are the resources that have to be deleted before this one can be, nearest last. Known tells an empty
	// list from one that was not computed.
	Dependents      []*resource.State
	DependentsKnown bool
}

// Need is a question to the provider, or to the graph, whose answer Next needs to go on.
type Need int

// The needs. Each is answered by the field of Facts of the same name.
const (
	NeedNothing Need = iota
	NeedCheck
	NeedConfigDiff
	NeedDiff
	NeedRecheck
	NeedDependents
)

// Outcome is a need, or the steps. Notes are diagnostics for the user either way; an error among them without steps means
// that the resource is not valid, one with steps that a preview may show them but fails.
type Outcome struct {
	Need Need
	// Olds and News are the inputs a check or diff is to be asked with; with the last steps, the recorded inputs that count and
	// those that were decided on.
	Olds, News property.Map
	Steps      []Step
	// Unfinished says that another decision, on new facts, follows once the steps are done.
	Unfinished bool
	Notes      diag.Diagnostics
}

func (f Facts) problem(format string, args ...any) Outcome {
	return Outcome{Notes: diag.Diagnostics{diag.Errorf(f.Goal.URN, format, args...)}}
}
