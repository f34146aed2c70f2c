package deploymentjson

import (
	"slices"
	"unicode/utf8"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
)

// The versions of the format: documents that use a feature have the newer one.
const (
	versionOldest = 1
	versionPlain  = 3
	versionNewest = 4
)

// The features, each set when what it names is used anywhere.
const (
	featureByteString          = "byteString"
	featureExtension           = "extensionParameterization"
	featureHooks               = "hooks"
	featureRefreshBeforeUpdate = "refreshBeforeUpdate"
	featureReplaceWith         = "replaceWith"
	featureSnippets            = "snippets-prototype"
	featureTaint               = "taint"
	featureViews               = "views"
)

func supported(feature string) bool {
	switch feature {
	case featureByteString, featureExtension, featureHooks, featureRefreshBeforeUpdate, featureReplaceWith,
		featureSnippets, featureTaint, featureViews:
		return true
	default:
		return false
	}
}

// featuresOf lists the features a snapshot uses, sorted.
func featuresOf(s *state.Snapshot) []string {
	if s == nil {
		return nil
	}
	used := map[string]bool{featureSnippets: len(s.Snippets) > 0}
	for _, r := range s.Resources {
		addFeatures(used, r)
	}
	for _, p := range s.Pending {
		addFeatures(used, p.Resource)
	}
	var out []string
	for f, is := range used {
		if is {
			out = append(out, f)
		}
	}
	slices.Sort(out)
	return out
}

func addFeatures(used map[string]bool, r *resource.State) {
	set := func(feature string, is bool) { used[feature] = used[feature] || is }
	set(featureRefreshBeforeUpdate, r.RefreshBeforeUpdate)
	set(featureViews, r.ViewOf != "")
	set(featureHooks, len(r.Hooks) > 0)
	set(featureTaint, r.Taint)
	set(featureReplaceWith, len(r.ReplaceWith) > 0)
	set(featureExtension, r.ExtensionRef != "")
	set(featureSnippets, r.SnippetID != "")
	if !used[featureByteString] {
		set(featureByteString, hasBytes(property.FromMap(r.Inputs)) || hasBytes(property.FromMap(r.Outputs)) ||
			hasBytes(r.ReplacementTrigger))
	}
}

// hasBytes says whether a string in v is not UTF-8.
func hasBytes(v property.Value) bool {
	switch v.Kind() {
	case property.KindString:
		s, _ := v.AsString()
		return !utf8.ValidString(s)
	case property.KindList:
		l, _ := v.AsList()
		for _, e := range l.All() {
			if hasBytes(e) {
				return true
			}
		}
	case property.KindMap:
		m, _ := v.AsMap()
		for _, e := range m.All() {
			if hasBytes(e) {
				return true
			}
		}
	default:
	}
	return false
}
