package difftext

import (
	"maps"
	"slices"

	"github.com/cairn-iac/cairn/internal/property"
)

// Kind says how a place differs.
type Kind int

// The kinds.
const (
	Same Kind = iota
	Added
	Deleted
	Updated
)

// Change is how one place differs between two values. For Updated maps and lists, Fields or Items say where.
type Change struct {
	Kind     Kind
	Old, New property.Value
	Fields   Fields
	Items    Items
}

// Fields is how the entries of a map differ; entries that are the same may be left out. nil is no difference at all.
type Fields map[string]Change

// Keys are the keys in order.
func (f Fields) Keys() []string { return slices.Sorted(maps.Keys(f)) }

// OfKind are the keys of one kind, in order.
func (f Fields) OfKind(k Kind) []string {
	var keys []string
	for _, key := range f.Keys() {
		if f[key].Kind == k {
			keys = append(keys, key)
		}
	}
	return keys
}

// Changed says whether key is known to differ.
func (f Fields) Changed(key string) bool { return f[key].Kind != Same }

// AnyChanged says whether any entry differs.
func (f Fields) AnyChanged() bool {
	for _, c := range f {
		if c.Kind != Same {
			return true
		}
	}
	return false
}

// Items is how the elements of a list differ; nil is no difference.
type Items map[int]Change

// Len is one more than the last index.
func (x Items) Len() int {
	n := 0
	for i := range x {
		n = max(n, i+1)
	}
	return n
}

// Rules tune Compare.
type Rules struct {
	// Hidden places are not compared.
	Hidden []property.Path
	// SecretChanges are places whose masked values differ although they look the same.
	SecretChanges []property.Path
	// ShowSecrets compares secrets by what they hold; otherwise a secret masks the other side too.
	ShowSecrets bool
	// ShowUnknown tells secrets that are not known yet from others.
	ShowUnknown bool
}

// Compare lists how two maps differ, entries that are the same included; nil when nothing does. Keys that start with
// "__" are bookkeeping of providers and left out. hidden are the rules' hidden places that kept something from being
// compared, in order.
func Compare(older, newer property.Map, rules Rules) (changes Fields, hidden []property.Path) {
	c := &comparison{rules: rules}
	changes = c.maps(nil, older, newer)
	return changes, uniquePaths(c.hidden)
}

// Alike says whether two values of one property are the same but for places that are hidden within.
func Alike(key string, a, b property.Value, rules Rules) bool {
	c := &comparison{rules: rules}
	return c.update(property.Path{property.Key(key)}, a, b).Kind == Same
}

// IsInternal says whether a key is bookkeeping that is not shown.
func IsInternal(key string) bool { return len(key) >= 2 && key[:2] == "__" }

type comparison struct {
	rules  Rules
	hidden []property.Path
}

// maps compares two maps; nil means no difference.
func (c *comparison) maps(at property.Path, older, newer property.Map) Fields {
	fields, changed := Fields{}, false
	for k, o := range older.All() {
		path := at.Append(property.Key(k))
		if c.skip(k, path) {
			continue
		}
		n, has := newer.Lookup(k)
		if !has {
			if !o.IsNull() {
				fields[k], changed = Change{Kind: Deleted, Old: o}, true
			}
			continue
		}
		change := c.values(path, o, n)
		fields[k], changed = change, changed || change.Kind != Same
	}
	for k, n := range newer.All() {
		if older.Has(k) || n.IsNull() || c.skip(k, at.Append(property.Key(k))) {
			continue
		}
		fields[k], changed = Change{Kind: Added, New: n}, true
	}
	if !changed {
		return nil
	}
	return fields
}

func (c *comparison) skip(key string, path property.Path) bool {
	if IsInternal(key) {
		return true
	}
	for _, h := range c.rules.Hidden {
		if h.Contains(path) {
			c.hidden = append(c.hidden, h)
			return true
		}
	}
	return false
}

// values compares two values that are both there. A change from or to null is an addition or a deletion.
func (c *comparison) values(at property.Path, o, n property.Value) Change {
	change := c.update(at, o, n)
	switch {
	case change.Kind == Same:
	case o.IsNull():
		change.Kind = Added
	case n.IsNull():
		change.Kind = Deleted
	}
	return change
}

func (c *comparison) update(at property.Path, o, n property.Value) Change {
	if !c.rules.ShowSecrets && !c.rules.ShowUnknown {
		o, n = maskUnknown(o), maskUnknown(n)
	}
	if c.secretlyChanged(at) {
		return Change{Kind: Updated, Old: o, New: n}
	}
	if !c.rules.ShowSecrets && o.Secret() != n.Secret() {
		return Change{Kind: Updated, Old: masked(o), New: masked(n)}
	}
	if ol, ok := o.AsList(); ok {
		if nl, ok := n.AsList(); ok {
			items := c.lists(at, ol, nl)
			if items == nil {
				return Change{Old: o, New: n}
			}
			return Change{Kind: Updated, Old: o, New: n, Items: items}
		}
	}
	if om, ok := o.AsMap(); ok {
		if nm, ok := n.AsMap(); ok {
			fields := c.maps(at, om, nm)
			if fields == nil {
				return Change{Old: o, New: n}
			}
			return Change{Kind: Updated, Old: o, New: n, Fields: fields}
		}
	}
	if o.EqualPlain(n) {
		return Change{Old: o, New: n}
	}
	return Change{Kind: Updated, Old: o, New: n}
}

func (c *comparison) lists(at property.Path, o, n property.List) Items {
	items, changed := Items{}, false
	for i := range max(o.Len(), n.Len()) {
		switch {
		case i >= o.Len():
			items[i] = Change{Kind: Added, New: n.At(i)}
		case i >= n.Len():
			items[i] = Change{Kind: Deleted, Old: o.At(i)}
		default:
			items[i] = c.update(at.Append(property.Index(i)), o.At(i), n.At(i))
		}
		changed = changed || items[i].Kind != Same
	}
	if !changed {
		return nil
	}
	return items
}

func (c *comparison) secretlyChanged(at property.Path) bool {
	for _, p := range c.rules.SecretChanges {
		if len(p) == len(at) && p.Contains(at) {
			return true
		}
	}
	return false
}

// maskUnknown makes a secret that is not known yet look like any other secret.
func maskUnknown(v property.Value) property.Value {
	if v.IsUnknown() && v.Secret() {
		return property.String(property.Mask).MakeSecret()
	}
	return v
}

// masked hides a value whose other side is secret. Unknown and null tell nothing.
func masked(v property.Value) property.Value {
	if v.IsUnknown() || v.IsNull() {
		return v
	}
	return property.String(property.Mask).MakeSecret()
}

func uniquePaths(paths []property.Path) []property.Path {
	byText := map[string]property.Path{}
	for _, p := range paths {
		byText[p.String()] = p
	}
	var out []property.Path
	for _, text := range slices.Sorted(maps.Keys(byText)) {
		out = append(out, byText[text])
	}
	return out
}
