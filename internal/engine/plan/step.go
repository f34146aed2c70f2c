package plan

import (
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Step is one operation on one resource. States are not changed after planning; applying a step makes new ones.
type Step struct {
	Op  resource.Op
	Old *resource.State
	New *resource.State

	// Keys are the properties, or reasons, that force a replacement.
	Keys []string
	// Diffs are the changed top-level properties as the provider names them.
	Diffs        []string
	DetailedDiff map[string]event.PropertyDiff
	// Why says in words what forces a replacement.
	Why string

	// MarkOld makes a create-replacement mark Old for deletion at the end (create before delete).
	MarkOld bool
	// PendingReplacement makes a delete-replaced keep Old in state, marked, until its successor exists.
	PendingReplacement bool
	// With are resources that are gone once Old is deleted, since they are deleted with it.
	With []*resource.State
	// Undrifted marks a refresh that read something else than was recorded, in which the provider sees no difference.
	Undrifted bool
	// AsFound makes an import take its inputs from what is found.
	AsFound *resource.AsFound
	// Skipped is a create or update left out of this run by targets: nothing is recorded.
	Skipped bool
}

// URN is the resource the step is about.
func (s Step) URN() urn.URN {
	if s.New != nil {
		return s.New.URN
	}
	return s.Old.URN
}

// State is the newest state the step knows.
func (s Step) State() *resource.State {
	if s.New != nil {
		return s.New
	}
	return s.Old
}

// Logical says whether a person would count the step: a replacement is one "replace", not the create and delete that
// make it up.
func (s Step) Logical() bool {
	switch s.Op {
	case resource.OpCreateReplacement, resource.OpDeleteReplaced, resource.OpReadReplacement, resource.OpDiscardReplaced,
		resource.OpRemovePendingReplace, resource.OpImportReplacement:
		return false
	case resource.OpSame, resource.OpCreate, resource.OpUpdate, resource.OpDelete, resource.OpReplace, resource.OpRead,
		resource.OpRefresh, resource.OpDiscard, resource.OpImport:
		return true
	default:
		return true
	}
}
