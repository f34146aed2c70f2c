package verb

import (
	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/resource"
)

// Verb is how an operation is shown.
type Verb struct {
	// Mark is the two characters in front of a line.
	Mark string
	// Doing, Done and Failed are the words of the status column of an update; Plan those of a preview and Planned those
	// of a preview that has come to its end.
	Doing, Done, Failed string
	Plan, Planned       string
	// Counted is the word behind a number of finished ones: "3 created".
	Counted string
	// Style is the colour.
	Style palette.Style
	// Replacement is true for the steps that make up a replacement.
	Replacement bool
}

// Of gives the verb of an operation. An operation that is not known shows by its own name.
func Of(op resource.Op) Verb {
	if v, ok := change(op); ok {
		return v
	}
	if v, ok := replacement(op); ok {
		return v
	}
	if v, ok := observation(op); ok {
		return v
	}
	name := string(op)
	return Verb{
		Mark: "  ", Doing: name, Done: name, Failed: name + " failed", Plan: name, Planned: name, Counted: name,
	}
}

// change is the part of the table for operations that change one resource.
func change(op resource.Op) (Verb, bool) {
	switch op {
	case resource.OpSame:
		return Verb{Mark: "  ", Failed: "failed", Counted: "unchanged"}, true
	case resource.OpCreate:
		return Verb{
			Mark: "+ ", Doing: "creating", Done: "created", Failed: "creating failed",
			Plan: "create", Planned: "create", Counted: "created", Style: palette.Add,
		}, true
	case resource.OpUpdate:
		return Verb{
			Mark: "~ ", Doing: "updating", Done: "updated", Failed: "updating failed",
			Plan: "update", Planned: "update", Counted: "updated", Style: palette.Change,
		}, true
	case resource.OpDelete:
		return Verb{
			Mark: "- ", Doing: "deleting", Done: "deleted", Failed: "deleting failed",
			Plan: "delete", Planned: "delete", Counted: "deleted", Style: palette.Delete,
		}, true
	case resource.OpImport:
		return Verb{
			Mark: "= ", Doing: "importing", Done: "imported", Failed: "importing failed",
			Plan: "import", Planned: "import", Counted: "imported", Style: palette.Add,
		}, true
	default:
		return Verb{}, false
	}
}

// replacement is the part of the table for the steps of a replacement.
func replacement(op resource.Op) (Verb, bool) {
	v := Verb{Replacement: true, Planned: "replace"}
	switch op {
	case resource.OpReplace:
		v.Mark, v.Doing, v.Done, v.Failed = "+-", "replacing", "replaced", "replacing failed"
		v.Plan, v.Counted, v.Style = "replace", "replaced", palette.Replace
	case resource.OpCreateReplacement:
		v.Mark, v.Doing, v.Done, v.Failed = "++", "creating replacement", "created replacement", "creating failed"
		v.Plan, v.Counted, v.Style = "create replacement", "created as replacements", palette.Replacement
	case resource.OpDeleteReplaced:
		v.Mark, v.Doing, v.Done, v.Failed = "--", "deleting original", "deleted original", "deleting failed"
		v.Plan, v.Counted, v.Style = "delete original", "deleted", palette.Replaced
	case resource.OpReadReplacement:
		v.Mark, v.Doing, v.Done, v.Failed = ">>", "reading for replacement", "read for replacement", "reading failed"
		v.Plan, v.Counted, v.Style = "read for replacement", "read for replacement", palette.Replace
	case resource.OpDiscardReplaced:
		v.Mark, v.Doing, v.Done, v.Failed = "<<", "discarding original", "discarded original", "discarding failed"
		v.Plan, v.Counted, v.Style = "discard original", "discarded", palette.Delete
	case resource.OpImportReplacement:
		v.Mark, v.Doing, v.Done, v.Failed = "=>", "importing replacement", "imported replacement", "importing failed"
		v.Plan, v.Planned, v.Counted, v.Style = "import replacement", "import", "imported", palette.Replace
	case resource.OpRemovePendingReplace:
		v.Mark, v.Planned, v.Counted = "~ ", "", "removed"
	default:
		return Verb{}, false
	}
	return v, true
}

// observation is the part of the table for operations that only look.
func observation(op resource.Op) (Verb, bool) {
	switch op {
	case resource.OpRead:
		return Verb{
			Mark: "> ", Doing: "reading", Done: "read", Failed: "reading failed",
			Plan: "read", Planned: "read", Counted: "read", Style: palette.Read,
		}, true
	case resource.OpRefresh:
		return Verb{
			Mark: "~ ", Doing: "refreshing", Done: "refresh", Failed: "refreshing failed",
			Plan: "refreshing", Planned: "refresh", Counted: "refreshed", Style: palette.Change,
		}, true
	case resource.OpDiscard:
		return Verb{
			Mark: "< ", Doing: "discarding", Done: "discarded", Failed: "discarding failed",
			Plan: "discard", Planned: "discard", Counted: "discarded", Style: palette.Delete,
		}, true
	default:
		return Verb{}, false
	}
}

// Counted lists the operations that a summary counts as changes, in the order it shows them.
func Counted() []resource.Op {
	return []resource.Op{
		resource.OpCreate, resource.OpUpdate, resource.OpDelete, resource.OpReplace, resource.OpCreateReplacement,
		resource.OpDeleteReplaced, resource.OpRefresh, resource.OpDiscardReplaced, resource.OpRemovePendingReplace,
		resource.OpImport, resource.OpImportReplacement,
	}
}
