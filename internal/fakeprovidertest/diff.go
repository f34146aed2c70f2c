package fakeprovidertest

import (
	"slices"
	"strconv"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/structpb"
)

// diffRules say what a change of a top-level property means.
type diffRules struct {
	replace []string
	ignore  []string
	rule    Rule
}

// diffResponse compares inputs without their secret marks and details every changed path.
func diffResponse(olds, news *structpb.Struct, rules diffRules) *pulumirpc.DiffResponse {
	if rules.rule.DiffUnknown {
		return &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_UNKNOWN}
	}
	response := &pulumirpc.DiffResponse{
		Changes:             pulumirpc.DiffResponse_DIFF_NONE,
		DeleteBeforeReplace: rules.rule.DeleteBeforeReplace,
		DetailedDiff:        map[string]*pulumirpc.PropertyDiff{},
		HasDetailedDiff:     true,
	}
	for _, key := range unionKeys(olds.GetFields(), news.GetFields()) {
		if slices.Contains(rules.ignore, key) {
			continue
		}
		d := differ{out: response.DetailedDiff}
		d.replace = slices.Contains(rules.replace, key) || slices.Contains(rules.rule.ReplaceOn, key)
		if !d.field("", key, olds.GetFields(), news.GetFields()) {
			continue
		}
		response.Changes = pulumirpc.DiffResponse_DIFF_SOME
		response.Diffs = append(response.Diffs, key)
		if d.replace {
			response.Replaces = append(response.Replaces, key)
		}
	}
	return response
}

// differ collects the changed paths of one top-level property.
type differ struct {
	out     map[string]*pulumirpc.PropertyDiff
	replace bool
}

func (d differ) field(path, key string, olds, news map[string]*structpb.Value) bool {
	path = fieldPath(path, key)
	before, had := olds[key]
	after, has := news[key]
	switch {
	case !had:
		d.add(path, pulumirpc.PropertyDiff_ADD, pulumirpc.PropertyDiff_ADD_REPLACE)
	case !has:
		d.add(path, pulumirpc.PropertyDiff_DELETE, pulumirpc.PropertyDiff_DELETE_REPLACE)
	default:
		return d.value(path, plain(before), plain(after))
	}
	return true
}

// value goes down into objects and lists of the same kind and reports whether anything differs.
func (d differ) value(path string, before, after *structpb.Value) bool {
	if same(before, after) {
		return false
	}
	olds, news := before.GetStructValue().GetFields(), after.GetStructValue().GetFields()
	if olds != nil && news != nil && signature(before) == "" && signature(after) == "" {
		for _, key := range unionKeys(olds, news) {
			d.field(path, key, olds, news)
		}
		return true
	}
	oldList, newList := before.GetListValue(), after.GetListValue()
	if oldList == nil || newList == nil {
		d.add(path, pulumirpc.PropertyDiff_UPDATE, pulumirpc.PropertyDiff_UPDATE_REPLACE)
		return true
	}
	for i := range max(len(oldList.Values), len(newList.Values)) {
		element := path + "[" + strconv.Itoa(i) + "]"
		switch {
		case i >= len(oldList.Values):
			d.add(element, pulumirpc.PropertyDiff_ADD, pulumirpc.PropertyDiff_ADD_REPLACE)
		case i >= len(newList.Values):
			d.add(element, pulumirpc.PropertyDiff_DELETE, pulumirpc.PropertyDiff_DELETE_REPLACE)
		default:
			d.value(element, oldList.Values[i], newList.Values[i])
		}
	}
	return true
}

func (d differ) add(path string, kind, replacing pulumirpc.PropertyDiff_Kind) {
	if d.replace {
		kind = replacing
	}
	d.out[path] = &pulumirpc.PropertyDiff{Kind: kind, InputDiff: true}
}

// fieldPath writes a path as the protocol does: dots, and quoted brackets where a key needs them.
func fieldPath(path, key string) string {
	if key == "" || strings.ContainsAny(key, `."[]`) {
		return path + "[" + strconv.Quote(key) + "]"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func unionKeys(a, b map[string]*structpb.Value) []string {
	keys := slices.Concat(sortedKeys(a), sortedKeys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}
