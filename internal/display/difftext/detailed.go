package difftext

import (
	"cmp"
	"slices"

	"github.com/cairn-iac/cairn/internal/property"
)

// Place is one entry of a provider's detailed diff.
type Place struct {
	Path property.Path
	// Kind is Added, Deleted or Updated.
	Kind     Kind
	Old, New property.Map
}

// FromPlaces builds the changes that a provider's detailed diff names. Only the named places are in it. hidden are the
// rules' hidden places that kept something out, in order.
func FromPlaces(places []Place, rules Rules) (changes Fields, hidden []property.Path) {
	c := &comparison{rules: rules}
	var root Change
	for _, p := range places {
		if h, ok := c.hiding(p.Path); ok {
			c.hidden = append(c.hidden, h)
			continue
		}
		c.place(&root, placing{
			at: 0, path: p.Path, kind: p.Kind,
			old: lookedUp{property.FromMap(p.Old), true}, new: lookedUp{property.FromMap(p.New), true},
		})
	}
	return root.Fields, uniquePaths(c.hidden)
}

func (c *comparison) hiding(path property.Path) (property.Path, bool) {
	for _, h := range c.rules.Hidden {
		if h.Contains(path) {
			return h, true
		}
	}
	return nil, false
}

// placing is the way down to one place: the values on both sides of the step path[at].
type placing struct {
	at       int
	path     property.Path
	kind     Kind
	old, new lookedUp
}

type lookedUp struct {
	value property.Value
	found bool
}

// orUnknown is the value, or unknown where a provider names a place that is not there.
func (l lookedUp) orUnknown() property.Value {
	if !l.found {
		return property.Unknown()
	}
	return l.value
}

func (c *comparison) place(parent *Change, p placing) {
	if len(p.path) == 0 {
		return
	}
	step := p.path[p.at]
	p.old.value, p.old.found = c.into(p.old.value, step)
	p.new.value, p.new.found = c.into(p.new.value, step)
	existing := parent.child(step)
	switch last := p.at == len(p.path)-1; {
	case last && p.kind == Added:
		existing = Change{Kind: Added, New: p.new.orUnknown()}
	case last && p.kind == Deleted:
		existing = Change{Kind: Deleted, Old: p.old.orUnknown()}
	case last:
		existing = c.update(p.path, p.old.value, p.new.value)
		existing.Kind = Updated
	case existing.Kind == Added || existing.Kind == Deleted:
		// An earlier place found that all of it came or went.
	case p.old.value.IsNull() && !p.new.value.IsNull():
		existing = Change{Kind: Added, New: p.new.value}
	case !p.old.value.IsNull() && p.new.value.IsNull():
		existing = Change{Kind: Deleted, Old: p.old.value}
	default:
		existing.Kind = Updated
		p.at++
		c.place(&existing, p)
	}
	parent.setChild(step, existing)
}

// into steps into a value. What is unknown or not to be seen counts as having everything: nobody can tell.
func (c *comparison) into(v property.Value, step property.Segment) (property.Value, bool) {
	if v.IsUnknown() || v.Secret() && !c.rules.ShowSecrets {
		return v, true
	}
	return property.Path{step}.Get(v)
}

func (c *Change) child(step property.Segment) Change {
	if i, ok := step.AsIndex(); ok {
		return c.Items[i]
	}
	key, _ := step.AsKey()
	return c.Fields[key]
}

func (c *Change) setChild(step property.Segment, to Change) {
	if i, ok := step.AsIndex(); ok {
		if c.Items == nil {
			c.Items = Items{}
		}
		c.Items[i] = to
		return
	}
	key, ok := step.AsKey()
	if !ok {
		key = "*"
	}
	if c.Fields == nil {
		c.Fields = Fields{}
	}
	c.Fields[key] = to
}

// SortPlaces orders places by path, so that the same diff always reads the same.
func SortPlaces(places []Place) {
	slices.SortFunc(places, func(a, b Place) int { return cmp.Compare(a.Path.String(), b.Path.String()) })
}
