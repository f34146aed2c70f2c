package plan

import (
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
)

// Drift is how a resource that was read differs from what is recorded of it, as its provider sees it.
type Drift struct {
	Changed      bool
	Diffs        []string
	DetailedDiff map[string]event.PropertyDiff
}

// DriftQuestion asks the provider what an update would do to a resource that was read: it leads from what is there to
// what is recorded, which is the other way round.
func DriftQuestion(seen, recorded *resource.State) plugin.DiffRequest {
	return plugin.DiffRequest{
		URN: seen.URN, ID: seen.ID, OldInputs: seen.Inputs, OldOutputs: seen.Outputs, News: recorded.Inputs,
		IgnoreChanges: recorded.IgnoreChanges,
	}
}

// DriftOf turns the answer to DriftQuestion round.
func DriftOf(seen, recorded *resource.State, r plugin.DiffResponse) Drift {
	goal := resource.Goal{URN: seen.URN, Inputs: recorded.Inputs, Options: recorded.Options}
	wanted := recorded.Clone()
	wanted.Inputs, _ = IgnoreChanges(goal, seen.Inputs)
	d := Facts{Goal: goal, Old: seen}.fromProvider(wanted, r)
	out := Drift{Changed: d.changed, Diffs: d.diffs}
	if d.detailed != nil {
		out.DetailedDiff = make(map[string]event.PropertyDiff, len(d.detailed))
		for path, p := range d.detailed {
			p.Kind = turned(p.Kind)
			out.DetailedDiff[path] = p
		}
	}
	return out
}

func turned(k event.DiffKind) event.DiffKind {
	switch k {
	case event.DiffAdd:
		return event.DiffDelete
	case event.DiffDelete:
		return event.DiffAdd
	case event.DiffAddReplace:
		return event.DiffDeleteReplace
	case event.DiffDeleteReplace:
		return event.DiffAddReplace
	case event.DiffUpdate, event.DiffUpdateReplace:
		return k
	default:
		return k
	}
}
