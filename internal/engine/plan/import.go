package plan

import "github.com/cairn-iac/cairn/internal/resource"

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
