package difftext

import (
	"fmt"
	"slices"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
)

// Changes writes how the entries of a map differ, keys aligned. include, unless empty, limits it to these keys.
func (p Printer) Changes(f Fields, include []string) {
	keys := f.Keys()
	if len(include) > 0 {
		keys = slices.DeleteFunc(keys, func(k string) bool { return !slices.Contains(include, k) })
	}
	width := widest(keys)
	for _, k := range keys {
		p.Change(k, f[k], width)
	}
}

// Change writes how one entry differs; its key takes width columns. What is the same is written without a mark, unless
// it is empty or only changes are wanted.
func (p Printer) Change(key string, c Change, width int) {
	title := func(p Printer) { p.title(key, width) }
	switch {
	case c.Kind != Same:
		p.change(title, c)
	case !p.manner.Summary && Worth(c.Old):
		p.as(resource.OpSame).Marked(false).Property(key, c.Old, width)
	}
}

// change writes a difference of a kind other than Same.
func (p Printer) change(title func(Printer), c Change) {
	switch c.Kind {
	case Added:
		p.add(title, c.New)
	case Deleted:
		p.delete(title, c.Old)
	case Updated:
		p.as(resource.OpUpdate).Marked(true).update(title, c)
	case Same:
	}
}

func (p Printer) add(title func(Printer), v property.Value) {
	p = p.as(resource.OpCreate).Marked(true)
	title(p)
	p.value(v)
}

func (p Printer) delete(title func(Printer), v property.Value) {
	p = p.as(resource.OpDelete).Marked(true)
	title(p)
	p.value(v)
}

func (p Printer) update(title func(Printer), c Change) {
	switch {
	case c.Items != nil:
		title(p)
		p.text("[\n")
		p.items(c.Items)
		p.unmarked("]\n")
	case c.Fields != nil:
		title(p)
		p.text("{\n")
		p.in(1).Changes(c.Fields, nil)
		p.unmarked("}\n")
	default:
		p.leaf(title, c.Old, c.New)
	}
}

func (p Printer) items(items Items) {
	for i := range items.Len() {
		c, ok := items[i]
		title := func(p Printer) { p.in(-1).line(fmt.Sprintf("[%d]: ", i)) }
		element := p.in(2)
		switch {
		case !ok:
		case c.Kind != Same:
			element.change(title, c)
		case !p.manner.Summary:
			element = element.as(resource.OpSame).Marked(false)
			title(element)
			element.value(c.Old)
		}
	}
}

// leaf writes two different values that are not compared any deeper: on one line if both are scalars, else as one that
// went and one that came.
func (p Printer) leaf(title func(Printer), o, n property.Value) {
	if Worth(o) && Worth(n) {
		if p.archives(title, o, n) || p.scalars(title, o, n) {
			return
		}
	}
	if Worth(o) {
		p.delete(title, o)
	}
	if Worth(n) {
		p.add(title, n)
	}
}

func (p Printer) scalars(title func(Printer), o, n property.Value) bool {
	if !p.primitive(o) || !p.primitive(n) {
		return false
	}
	title(p)
	if older, newer, ok := p.texts(o, n); ok {
		p.textChange(older, newer)
		return true
	}
	p.as(resource.OpDelete).primitiveText(o)
	p.text(" => ")
	p.as(resource.OpCreate).primitiveText(n)
	p.text("\n")
	return true
}

// texts gives both values as texts that may be compared; secrets that are not shown may not.
func (p Printer) texts(o, n property.Value) (older, newer string, ok bool) {
	if !p.manner.ShowSecrets && (o.Secret() || n.Secret()) {
		return "", "", false
	}
	older, isText := o.AsString()
	newer, bothTexts := n.AsString()
	return older, newer, isText && bothTexts && valid(older, newer)
}

// archives writes the change of one archive to another of the same source.
func (p Printer) archives(title func(Printer), o, n property.Value) bool {
	older, ok := o.AsArchive()
	newer, both := n.AsArchive()
	if !ok || !both || !p.shown(o, n) {
		return false
	}
	p.archiveChange(title, older, newer)
	return true
}

// shown says whether neither value is a secret to hide.
func (p Printer) shown(o, n property.Value) bool {
	return p.manner.ShowSecrets || !o.Secret() && !n.Secret()
}

func (p Printer) archiveChange(title func(Printer), o, n property.Archive) {
	if o.Source != n.Source || o.Source == property.SourceNone {
		p.delete(title, property.FromArchive(o))
		p.add(title, property.FromArchive(n))
		return
	}
	hash := arrow(shortHash(o.Hash), shortHash(n.Hash))
	title(p)
	switch o.Source {
	case property.SourcePath:
		p.text("archive(file:" + hash + ") { " + arrow(o.Location, n.Location) + " }\n")
	case property.SourceURI:
		p.text("archive(uri:" + hash + ") { " + arrow(o.Location, n.Location) + " }\n")
	default:
		p.text("archive(assets:" + hash + ") {\n")
		p.in(1).members(o.Assets, n.Assets)
		p.unmarked("}\n")
	}
}

// members writes which members of an archive came, went or changed; the others are left out.
func (p Printer) members(o, n property.Map) {
	names := o.Keys()
	for _, name := range n.Keys() {
		if !o.Has(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	width := widest(names) + 2
	for _, name := range names {
		title := func(p Printer) { p.title(`"`+name+`"`, width) }
		older, had := o.Lookup(name)
		newer, has := n.Lookup(name)
		switch {
		case !had:
			p.in(1).add(title, newer)
		case !has:
			p.in(1).delete(title, older)
		case !older.EqualPlain(newer):
			p.member(title, older, newer)
		}
	}
}

func (p Printer) member(title func(Printer), o, n property.Value) {
	older, ok := o.AsAsset()
	newer, both := n.AsAsset()
	switch {
	case ok && both && older.Source == newer.Source && older.Source != property.SourceNone:
		title(p)
		p.assetChange(older, newer)
	case p.archives(title, o, n):
	default:
		p.delete(title, o)
		p.add(title, n)
	}
}

func (p Printer) assetChange(o, n property.Asset) {
	hash := arrow(shortHash(o.Hash), shortHash(n.Hash))
	switch o.Source {
	case property.SourceText:
		p.text("asset(text:" + hash + ") {\n")
		p.unmarked("    " + contents + "\n")
		p.unmarked("}\n")
	case property.SourcePath:
		p.text("asset(file:" + hash + ") { " + arrow(o.Location, n.Location) + " }\n")
	default:
		p.text("asset(uri:" + hash + ") { " + arrow(o.Location, n.Location) + " }\n")
	}
}

func arrow(o, n string) string {
	if o == n {
		return o
	}
	return o + "->" + n
}
