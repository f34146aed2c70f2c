package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/state/updateplan"
)

// violation is a property that does not change as planned.
type violation struct {
	key string
	// planned and actual are the signs of the Pulumi CLI: + add, ~ update, - delete, = leave alone.
	planned, actual string
	// want and have are nil where there is no value to tell.
	want, have *property.Value
}

// violations lists the properties of a change that are not as planned, in order. Unknown values of a plan may turn out as
// anything, even as nothing.
func violations(older, newer property.Map, planned updateplan.Diff) []violation {
	var out []violation
	for _, key := range keysOf(older, newer, planned.Adds, planned.Updates) {
		if updateplan.IsInternal(key) {
			continue
		}
		v := violation{key: key, planned: "=", actual: signOf(older.Get(key), newer.Get(key))}
		have := newer.Get(key)
		if !have.IsNull() {
			v.have = &have
		}
		add, adds := planned.Adds.Lookup(key)
		update, updates := planned.Updates.Lookup(key)
		var ok bool
		switch {
		case adds:
			v.planned, v.want = "+", &add
			// A change, where somebody else has added the property meanwhile, comes to the same.
			ok = Matches(add, have)
		case updates:
			v.planned, v.want = "~", &update
			ok = v.actual != "+" && Matches(update, have)
		case slices.Contains(planned.Deletes, key):
			v.planned, ok = "-", have.IsNull()
		default:
			ok = v.actual == "="
		}
		if !ok {
			out = append(out, v)
		}
	}
	return out
}

// keysOf are the keys of several maps, sorted.
func keysOf(maps ...property.Map) []string {
	var keys []string
	for _, m := range maps {
		keys = append(keys, m.Keys()...)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// signOf says how a property changes. Null is as good as absent.
func signOf(old, now property.Value) string {
	switch {
	case now.IsNull() && old.IsNull(), now.IsNull() && old.IsUnknown():
		return "="
	case now.IsNull():
		return "-"
	case old.IsNull():
		return "+"
	case Matches(old, now):
		return "="
	default:
		return "~"
	}
}

// Matches says whether a value is as planned: the same and as secret, where what is unknown on either side may be anything.
func Matches(want, have property.Value) bool {
	if want.IsUnknown() || have.IsUnknown() {
		return true
	}
	if want.Secret() != have.Secret() {
		return false
	}
	if a, ok := want.AsList(); ok {
		b, ok := have.AsList()
		return ok && slices.EqualFunc(a.Slice(), b.Slice(), Matches)
	}
	if a, ok := want.AsMap(); ok {
		b, ok := have.AsMap()
		return ok && !slices.ContainsFunc(keysOf(a, b), func(key string) bool { return !Matches(a.Get(key), b.Get(key)) })
	}
	return want.Equal(have)
}

// text is how the Pulumi CLI writes a violation, with secrets masked.
func (v violation) text() string {
	want, have := v.values()
	values := ""
	switch {
	case want != "" && have != "":
		values = "[" + want + "!=" + have + "]"
	case want != "" || have != "":
		values = "[" + want + have + "]"
	}
	sign := v.actual
	if v.have == nil {
		sign = "-"
	}
	return v.planned + sign + v.key + values
}

// values writes both values; if one is secret, so is the other, which may well be the same.
func (v violation) values() (want, have string) {
	secret := v.want != nil && v.want.Secret() || v.have != nil && v.have.Secret()
	text := func(p *property.Value) string {
		switch {
		case p == nil:
			return ""
		case secret:
			return valueText(p.MakeSecret())
		default:
			return valueText(*p)
		}
	}
	return text(v.want), text(v.have)
}

// words says the same for people.
func (v violation) words() string {
	want, have := v.values()
	planned := map[string]string{
		"+": "planned as " + want, "~": "planned to become " + want, "-": "planned to be removed", "=": "planned to stay as it is",
	}[v.planned]
	actual := "is now " + have
	switch {
	case v.have == nil:
		actual = "is now missing"
	case want != "" && want == have && v.planned == "~":
		actual = "is not recorded any more"
	case want != "" && want == have:
		actual = "is now another one"
	}
	return fmt.Sprintf("  %s: %s, %s", v.key, planned, actual)
}

// propertyError tells what is not as planned, nil for nothing: the line that users of the Pulumi CLI know, and one per
// property.
func propertyError(list []violation) *Violation {
	if len(list) == 0 {
		return nil
	}
	var short, long []string
	for _, v := range list {
		short, long = append(short, v.text()), append(long, v.words())
	}
	slices.Sort(short)
	return &Violation{Reason: "properties changed: " + strings.Join(short, ", "), Detail: strings.Join(long, "\n")}
}
