package wire

import (
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
)

// FromDiff decodes the answer to Diff and DiffConfig.
func FromDiff(r *pulumirpc.DiffResponse) plugin.DiffResponse {
	out := plugin.DiffResponse{
		ReplaceKeys: r.GetReplaces(), StableKeys: r.GetStables(), ChangedKeys: r.GetDiffs(),
		DeleteBeforeReplace: r.GetDeleteBeforeReplace(),
	}
	switch r.GetChanges() {
	case pulumirpc.DiffResponse_DIFF_NONE:
		out.Changes = plugin.ChangesNone
	case pulumirpc.DiffResponse_DIFF_SOME:
		out.Changes = plugin.ChangesSome
	case pulumirpc.DiffResponse_DIFF_UNKNOWN:
		out.Changes = plugin.ChangesUnknown
	}
	if r.GetHasDetailedDiff() {
		out.DetailedDiff = make(map[string]event.PropertyDiff, len(r.GetDetailedDiff()))
		for path, d := range r.GetDetailedDiff() {
			out.DetailedDiff[path] = event.PropertyDiff{Kind: fromDiffKind(d.GetKind()), InputDiff: d.GetInputDiff()}
		}
	}
	return out
}

// ToDiff encodes the answer to Diff and DiffConfig.
func ToDiff(d plugin.DiffResponse) *pulumirpc.DiffResponse {
	out := &pulumirpc.DiffResponse{
		Replaces: d.ReplaceKeys, Stables: d.StableKeys, Diffs: d.ChangedKeys,
		DeleteBeforeReplace: d.DeleteBeforeReplace,
	}
	switch d.Changes {
	case plugin.ChangesNone:
		out.Changes = pulumirpc.DiffResponse_DIFF_NONE
	case plugin.ChangesSome:
		out.Changes = pulumirpc.DiffResponse_DIFF_SOME
	case plugin.ChangesUnknown:
		out.Changes = pulumirpc.DiffResponse_DIFF_UNKNOWN
	}
	if d.DetailedDiff != nil {
		out.HasDetailedDiff = true
		out.DetailedDiff = make(map[string]*pulumirpc.PropertyDiff, len(d.DetailedDiff))
		for path, p := range d.DetailedDiff {
			out.DetailedDiff[path] = &pulumirpc.PropertyDiff{Kind: toDiffKind(p.Kind), InputDiff: p.InputDiff}
		}
	}
	return out
}

// fromDiffKind reads a kind that this version does not know as an update.
func fromDiffKind(k pulumirpc.PropertyDiff_Kind) event.DiffKind {
	switch k {
	case pulumirpc.PropertyDiff_ADD:
		return event.DiffAdd
	case pulumirpc.PropertyDiff_ADD_REPLACE:
		return event.DiffAddReplace
	case pulumirpc.PropertyDiff_DELETE:
		return event.DiffDelete
	case pulumirpc.PropertyDiff_DELETE_REPLACE:
		return event.DiffDeleteReplace
	case pulumirpc.PropertyDiff_UPDATE_REPLACE:
		return event.DiffUpdateReplace
	default:
		return event.DiffUpdate
	}
}

func toDiffKind(k event.DiffKind) pulumirpc.PropertyDiff_Kind {
	switch k {
	case event.DiffAdd:
		return pulumirpc.PropertyDiff_ADD
	case event.DiffAddReplace:
		return pulumirpc.PropertyDiff_ADD_REPLACE
	case event.DiffDelete:
		return pulumirpc.PropertyDiff_DELETE
	case event.DiffDeleteReplace:
		return pulumirpc.PropertyDiff_DELETE_REPLACE
	case event.DiffUpdateReplace:
		return pulumirpc.PropertyDiff_UPDATE_REPLACE
	default:
		return pulumirpc.PropertyDiff_UPDATE
	}
}

// FromFailures decodes check failures.
func FromFailures(fs []*pulumirpc.CheckFailure) []plugin.CheckFailure {
	var out []plugin.CheckFailure
	for _, f := range fs {
		out = append(out, plugin.CheckFailure{Property: f.GetProperty(), Reason: f.GetReason()})
	}
	return out
}

// ToFailures encodes check failures.
func ToFailures(fs []plugin.CheckFailure) []*pulumirpc.CheckFailure {
	var out []*pulumirpc.CheckFailure
	for _, f := range fs {
		out = append(out, &pulumirpc.CheckFailure{Property: f.Property, Reason: f.Reason})
	}
	return out
}
