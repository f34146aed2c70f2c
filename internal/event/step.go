package event

import (
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Step describes one step. Old and New hold masked values; they are not to be changed.
type Step struct {
	Op  resource.Op
	URN urn.URN
	Old *resource.State
	New *resource.State
	// Keys are the properties (or reasons such as "provider") that force a replacement.
	Keys []string
	// Diffs are the top-level properties that differ.
	Diffs []string
	// DetailedDiff maps property paths to how they differ; nil when the provider gave none.
	DetailedDiff map[string]PropertyDiff
	// SecretChanges are the paths of inputs whose masked values differ behind the mask.
	SecretChanges []string
	// Why says what forces a replacement, in words; "" for other steps.
	Why string
	// Logical steps are the ones a person thinks in: a replace, not its create-replacement and delete-replaced.
	Logical bool
	// Internal steps (default providers) are left out of text and counts, not of the event log.
	Internal bool
}

// Type is the type of the resource.
func (s Step) Type() urn.Type { return s.URN.Type() }

// State is the newest state at hand: New, else Old.
func (s Step) State() *resource.State {
	if s.New != nil {
		return s.New
	}
	return s.Old
}

// PropertyDiff says how one property differs.
type PropertyDiff struct {
	Kind DiffKind
	// InputDiff is true when the path is one of the inputs, false when it is one of the outputs.
	InputDiff bool
}

// DiffKind is how a property differs and whether that forces a replacement; the texts are those of the protocol.
type DiffKind string

// The kinds.
const (
	DiffAdd           DiffKind = "add"
	DiffAddReplace    DiffKind = "add-replace"
	DiffDelete        DiffKind = "delete"
	DiffDeleteReplace DiffKind = "delete-replace"
	DiffUpdate        DiffKind = "update"
	DiffUpdateReplace DiffKind = "update-replace"
)

// IsReplace says whether k forces a replacement.
func (k DiffKind) IsReplace() bool {
	return k == DiffAddReplace || k == DiffDeleteReplace || k == DiffUpdateReplace
}
