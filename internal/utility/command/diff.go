package command

import (
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
)

// diff compares recorded with new inputs. Every change is an update, except for an input such as triggers that appears,
// goes, or turns into a value of another kind as a whole: that replaces the resource. A change within triggers updates
// it: the published SDKs ask for a replacement then through replaceOnChanges.
func (o object) diff(req plugin.DiffRequest) plugin.DiffResponse {
	olds := withoutInternal(req.OldInputs)
	news := withoutInternal(o.ignore(req.News, req.OldInputs, req.IgnoreChanges))
	d := plugin.DiffResponse{Changes: plugin.ChangesNone, DetailedDiff: map[string]event.PropertyDiff{}}
	o.compare(&d, nil, property.FromMap(olds), property.FromMap(news))
	if len(d.DetailedDiff) > 0 {
		d.Changes = plugin.ChangesSome
	}
	for _, keys := range []*[]string{&d.ReplaceKeys, &d.ChangedKeys} {
		slices.Sort(*keys)
		*keys = slices.Compact(*keys)
	}
	return d
}

// compare walks into maps and lists that both sides have in the open. A secret is compared as a whole, and differs from
// an equal value that is not one: what is recorded has to become secret.
func (o object) compare(d *plugin.DiffResponse, at property.Path, older, newer property.Value) {
	if !older.Secret() && !newer.Secret() {
		om, isMap := older.AsMap()
		nm, bothMaps := newer.AsMap()
		if isMap && bothMaps {
			o.compareMaps(d, at, om, nm)
			return
		}
		ol, isList := older.AsList()
		nl, bothLists := newer.AsList()
		if isList && bothLists {
			o.compareLists(d, at, ol, nl)
			return
		}
	}
	switch {
	case older.Equal(newer):
	case older.IsNull():
		o.note(d, at, event.DiffAdd)
	case newer.IsNull():
		o.note(d, at, event.DiffDelete)
	default:
		o.note(d, at, event.DiffUpdate)
	}
}

func (o object) compareMaps(d *plugin.DiffResponse, at property.Path, older, newer property.Map) {
	for k, v := range older.All() {
		o.compare(d, at.Append(property.Key(k)), v, newer.Get(k))
	}
	for k, v := range newer.All() {
		if !older.Has(k) {
			o.compare(d, at.Append(property.Key(k)), property.Null(), v)
		}
	}
}

func (o object) compareLists(d *plugin.DiffResponse, at property.Path, older, newer property.List) {
	for i := range max(older.Len(), newer.Len()) {
		at := at.Append(property.Index(i))
		switch {
		case i >= older.Len():
			o.note(d, at, event.DiffAdd)
		case i >= newer.Len():
			o.note(d, at, event.DiffDelete)
		default:
			o.compare(d, at, older.At(i), newer.At(i))
		}
	}
}

func (o object) note(d *plugin.DiffResponse, at property.Path, kind event.DiffKind) {
	name, _ := at[0].AsKey()
	if f, ok := o.input(name); ok && f.replace && len(at) == 1 {
		kind = forced(kind)
		d.ReplaceKeys = append(d.ReplaceKeys, name)
	}
	d.DetailedDiff[at.String()] = event.PropertyDiff{Kind: kind}
	d.ChangedKeys = append(d.ChangedKeys, name)
}

func forced(kind event.DiffKind) event.DiffKind {
	switch kind {
	case event.DiffAdd:
		return event.DiffAddReplace
	case event.DiffDelete:
		return event.DiffDeleteReplace
	case event.DiffUpdate:
		return event.DiffUpdateReplace
	default:
		return kind
	}
}

// ignore puts the recorded values of whole inputs that ignoreChanges names back. The engine does so before it asks; this
// keeps the answer right for one that does not.
func (o object) ignore(news, olds property.Map, ignored []string) property.Map {
	for _, name := range ignored {
		_, known := o.input(name)
		if old, ok := olds.Lookup(name); ok && known {
			news = news.With(name, old)
		}
	}
	return news
}

// withoutInternal drops what engines keep among the inputs for themselves.
func withoutInternal(m property.Map) property.Map {
	return m.Filter(func(k string, _ property.Value) bool { return k != "version" && !strings.HasPrefix(k, "__") })
}
