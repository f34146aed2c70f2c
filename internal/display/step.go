package display

import (
	"strings"

	"github.com/cairn-iac/cairn/internal/display/difftext"
	"github.com/cairn-iac/cairn/internal/display/verb"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// isRoot says whether u is the stack's own resource.
func isRoot(u urn.URN) bool { return u.QualifiedType() == urn.StackType }

// parentOf is the parent of the step's resource.
func parentOf(s event.Step) urn.URN {
	if state := s.State(); state != nil {
		return state.Parent
	}
	return ""
}

// providerOf is the text form of the provider that does the step, "" for components and providers.
func providerOf(s event.Step) string {
	if state := s.State(); state != nil {
		return state.Provider.String()
	}
	return ""
}

// shown says whether a step is shown. Steps that change nothing are not, unless their protection changes; steps that
// make up a replacement are shown by the replacement itself where single is true, as in diffs and JSON.
func (o Options) shown(s event.Step, single bool) bool {
	if s.Op == resource.OpSame {
		return o.Show.Sames || s.Old != nil && s.New != nil && s.Old.Protect != s.New.Protect
	}
	if single && !o.Show.ReplacementSteps && !s.Logical && verb.Of(s.Op).Replacement {
		return false
	}
	return true
}

// retains says whether the step leaves the real resource where it is.
func retains(s event.Step) bool {
	if s.Old == nil || !s.Old.RetainOnDelete {
		return false
	}
	switch s.Op {
	case resource.OpDelete, resource.OpReplace, resource.OpCreateReplacement, resource.OpDeleteReplaced:
		return true
	default:
		return false
	}
}

func inputs(s *resource.State) property.Map {
	if s == nil {
		return property.Map{}
	}
	return s.Inputs
}

func outputs(s *resource.State) property.Map {
	if s == nil {
		return property.Map{}
	}
	return s.Outputs
}

// rules are the rules for comparing the properties of a step.
func (o Options) rules(s event.Step) difftext.Rules {
	r := difftext.Rules{ShowSecrets: o.Show.Secrets, SecretChanges: paths(s.SecretChanges)}
	if state := s.State(); state != nil {
		r.Hidden = paths(state.HideDiffs)
	}
	return r
}

func paths(texts []string) []property.Path {
	out := make([]property.Path, 0, len(texts))
	for _, text := range texts {
		out = append(out, pathOf(text))
	}
	return out
}

// pathOf reads a path; providers may name places that are no paths, which then count as keys.
func pathOf(text string) property.Path {
	p, err := property.ParsePath(text)
	if err != nil {
		return property.Path{property.Key(text)}
	}
	return p
}

// detailed builds the changes that the step's detailed diff names. Old values come from the outputs, or the inputs
// where the provider says so, new ones from the inputs; after a refresh from the outputs.
func (o Options) detailed(s event.Step, refresh bool) (difftext.Fields, []property.Path) {
	places := make([]difftext.Place, 0, len(s.DetailedDiff))
	for text, d := range s.DetailedDiff {
		p := difftext.Place{Path: pathOf(text), Kind: kindOf(d.Kind), Old: outputs(s.Old), New: inputs(s.New)}
		if d.InputDiff {
			p.Old = inputs(s.Old)
		} else if refresh {
			p.New = outputs(s.New)
		}
		places = append(places, p)
	}
	difftext.SortPlaces(places)
	return difftext.FromPlaces(places, o.rules(s))
}

func kindOf(k event.DiffKind) difftext.Kind {
	switch k {
	case event.DiffAdd, event.DiffAddReplace:
		return difftext.Added
	case event.DiffDelete, event.DiffDeleteReplace:
		return difftext.Deleted
	case event.DiffUpdate, event.DiffUpdateReplace:
		return difftext.Updated
	default:
		return difftext.Updated
	}
}

// lastLineEnd is text with exactly one line break at its end.
func lastLineEnd(text string) string { return strings.TrimRight(text, "\n") + "\n" }
