package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
)

// decision is what a comparison of old and new comes to.
type decision struct {
	changed     bool
	replace     bool
	deleteFirst bool
	keys        []string
	diffs       []string
	detailed    map[string]event.PropertyDiff
	why         string
}

// forced is a replacement that no property of the resource asks for.
func forced(key, why string) decision {
	return decision{changed: true, replace: true, keys: []string{key}, why: why}
}

// compare decides between same, update and replace for a resource that is recorded.
func (f Facts) compare(next *resource.State) Outcome {
	d, need := f.difference(next)
	if need.Need != NeedNothing || need.Notes.HasErrors() {
		return need
	}
	out := f.fromDecision(next, d)
	out.Notes = append(need.Notes, out.Notes...)
	return out
}

func (f Facts) fromDecision(next *resource.State, d decision) Outcome {
	if f.Old.PendingReplacement && !d.replace {
		d.replace, d.why = true, "an earlier run deleted it and could not create its successor"
	}
	switch {
	case d.replace:
		return f.replaceSteps(next, d)
	case d.changed, len(f.Old.InitErrors) > 0:
		next.ID = f.Old.ID
		return steps(Step{
			Op: resource.OpUpdate, Old: f.Old, New: next, Diffs: d.diffs, DetailedDiff: d.detailed,
		})
	default:
		return f.same(next)
	}
}

// difference walks the rules in the order the Pulumi engine applies them.
func (f Facts) difference(next *resource.State) (decision, Outcome) {
	replace, out := f.triggered()
	switch {
	case out.Notes.HasErrors():
		return decision{}, out
	case replace:
		return forced("replacementTrigger", "the replacement trigger changed"), Outcome{}
	case f.ReplaceAsked:
		return forced("id", "it was named by --replace or --target-replace"), Outcome{}
	case f.Old.Taint:
		return forced("id", "it is marked as tainted"), Outcome{}
	case f.ReplacedWith != "":
		return forced(f.ReplacedWithKey, fmt.Sprintf("%s (option %s) is replaced", f.ReplacedWith, f.ReplacedWithKey)), Outcome{}
	case f.providerChanged():
		if f.Old.Provider.IsZero() != f.Goal.Provider.IsZero() {
			return forced("provider", "its provider changed"), Outcome{}
		}
		if f.ConfigDiff == nil {
			return decision{}, Outcome{Need: NeedConfigDiff}
		}
		if f.ConfigDiff.Replace() {
			return forced("provider", "its provider's configuration changed in a way that needs new resources"), Outcome{}
		}
	}
	if !f.Goal.Custom {
		return componentDifference(f.Old.Inputs, next.Inputs), Outcome{}
	}
	if f.Diffed == nil {
		return decision{}, Outcome{Need: NeedDiff, Olds: f.Old.Inputs, News: next.Inputs}
	}
	d := f.fromProvider(next, *f.Diffed)
	f.replaceOnChanges(&d)
	if d.replace && d.why == "" {
		d.why = "the provider cannot change " + strings.Join(d.keys, ", ") + " in place"
	}
	if f.Diffed.Unavailable != "" {
		return d, Outcome{Notes: warn(f, f.Diffed.Unavailable)}
	}
	return d, Outcome{}
}

// triggered compares the replacement trigger. Null on either side means: not set.
func (f Facts) triggered() (bool, Outcome) {
	older, newer := f.Old.ReplacementTrigger, f.Goal.ReplacementTrigger
	if newer.ContainsUnknown() && !f.Preview {
		return false, f.problem("the replacementTrigger of %s is unknown; it must be known when the resource is updated", f.Goal.URN)
	}
	if older.IsNull() || newer.IsNull() {
		return false, Outcome{}
	}
	if older.ContainsUnknown() || newer.ContainsUnknown() {
		return true, Outcome{}
	}
	return !older.EqualPlain(newer), Outcome{}
}

// providerChanged compares provider references. A preview of a new provider has no id yet; the provider then differs.
func (f Facts) providerChanged() bool { return f.Old.Provider != f.Goal.Provider }

func componentDifference(older, newer property.Map) decision {
	if older.EqualPlain(newer) {
		return decision{}
	}
	return decision{changed: true, diffs: topKeys(property.Changes(older, newer))}
}

func topKeys(changes []property.Change) []string {
	seen := map[string]bool{}
	for _, c := range changes {
		if k, ok := c.Path[0].AsKey(); ok {
			seen[k] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// fromProvider reads a provider's answer; where it does not know, inputs are compared.
func (f Facts) fromProvider(next *resource.State, r plugin.DiffResponse) decision {
	d := decision{
		replace: r.Replace(), deleteFirst: r.DeleteBeforeReplace,
		keys: replaceKeys(r), diffs: r.ChangedKeys, detailed: r.DetailedDiff,
	}
	switch {
	case r.Unavailable != "":
		d.changed = true
	case r.Changes == plugin.ChangesSome:
		d.changed = true
	case r.Changes == plugin.ChangesNone:
		d.changed = d.replace
	default:
		changes := property.Changes(f.Old.Inputs.StripSecrets(), next.Inputs.StripSecrets())
		d.changed = len(changes) > 0 || d.replace
		if d.diffs == nil {
			d.diffs = topKeys(changes)
		}
		if d.changed && d.detailed == nil {
			d.detailed = detailed(changes)
		}
	}
	return d
}

// replaceKeys are the properties that force a replacement; a provider may name them in its detailed diff only.
func replaceKeys(r plugin.DiffResponse) []string {
	if len(r.ReplaceKeys) > 0 {
		return r.ReplaceKeys
	}
	var keys []string
	for _, path := range slices.Sorted(maps.Keys(r.DetailedDiff)) {
		if r.DetailedDiff[path].Kind.IsReplace() {
			keys = append(keys, path)
		}
	}
	return keys
}

func detailed(changes []property.Change) map[string]event.PropertyDiff {
	out := make(map[string]event.PropertyDiff, len(changes))
	for _, c := range changes {
		kind := event.DiffUpdate
		switch c.Kind {
		case property.Added:
			kind = event.DiffAdd
		case property.Deleted:
			kind = event.DiffDelete
		case property.Updated:
		}
		out[c.Path.String()] = event.PropertyDiff{Kind: kind, InputDiff: true}
	}
	return out
}

// replaceOnChanges turns changes of the listed paths into a replacement.
func (f Facts) replaceOnChanges(d *decision) {
	var hit []string
	for _, text := range f.Goal.ReplaceOnChanges {
		if text == "#initerror" {
			if len(f.Old.InitErrors) > 0 {
				hit = append(hit, text)
			}
			continue
		}
		path, err := property.ParsePath(text)
		if err != nil {
			continue // the monitor has refused paths that do not parse
		}
		hit = append(hit, f.hitBy(path, d)...)
	}
	if len(hit) == 0 {
		return
	}
	slices.Sort(hit)
	d.replace, d.changed = true, true
	d.keys = append(slices.Clone(d.keys), slices.Compact(hit)...)
	d.why = "the replaceOnChanges option names " + strings.Join(slices.Compact(hit), ", ")
}

// hitBy lists the changed paths that lie at or below path.
func (f Facts) hitBy(path property.Path, d *decision) []string {
	changed := slices.Sorted(maps.Keys(d.detailed))
	if len(changed) == 0 {
		changed = d.diffs
	}
	var hit []string
	for _, c := range changed {
		at, err := property.ParsePath(c)
		if err != nil {
			at = property.Path{property.Key(c)}
		}
		if path.Contains(at) || at.Contains(path) {
			hit = append(hit, c)
		}
	}
	return hit
}
