package plan

import (
	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/resource"
)

// takesOver says whether the import option asks for a resource that is not the recorded one.
func (f Facts) takesOver() bool {
	if !f.Goal.Custom || f.Goal.ImportID == "" {
		return false
	}
	return f.Old == nil || f.Old.External || f.Old.ImportedBy() != f.Goal.ImportID
}

// takeOver imports a resource, and lets go of the one that had its place. What it comes to, compared with the program, is
// decided when it was read.
func (f Facts) takeOver() Outcome {
	if f.Goal.Type.IsProvider() {
		return f.problem("provider resources cannot be imported; remove the `import` option from %s", f.Goal.URN)
	}
	next := f.newState(f.Goal.Inputs)
	out := steps(Step{Op: resource.OpImport, Old: f.Old, New: next})
	if f.Old != nil && !f.Recreating && !f.Old.PendingReplacement {
		out = steps(
			Step{Op: resource.OpImportReplacement, Old: f.Old, New: next, MarkOld: true},
			Step{Op: resource.OpReplace, Old: f.Old, New: next},
		)
	}
	out.Unfinished = true
	return out
}

// asFound imports a resource that no program asks for. What is recorded already stays as it is, so that an import can be
// repeated. Inputs that the provider itself does not accept are told; whoever writes the program has to mend them.
func (f Facts) asFound() Outcome {
	next := f.newState(f.Goal.Inputs)
	switch {
	case f.Imported && f.Checked == nil && f.Goal.Custom:
		return Outcome{Need: NeedCheck, Olds: f.Old.Inputs, News: f.Old.Inputs}
	case f.Imported && f.Goal.Custom:
		return Outcome{Notes: warnings(f.checkFailures(f.Checked.Failures).Notes)}
	case f.Imported:
		return Outcome{}
	case f.Old == nil:
		return Outcome{Steps: []Step{{Op: resource.OpImport, New: next, AsFound: f.Goal.AsFound}}, Unfinished: true}
	case f.Goal.Custom && (f.Old.External || f.Old.ImportedBy() != f.Goal.ImportID):
		return f.problem("resource '%s' already exists: it is recorded with the id %q", f.Goal.URN, f.Old.ID)
	default:
		return steps(LeftOut(f.Goal, f.Old)...)
	}
}

func warnings(notes diag.Diagnostics) diag.Diagnostics {
	for i := range notes {
		notes[i].Severity = diag.Warning
	}
	return notes
}
