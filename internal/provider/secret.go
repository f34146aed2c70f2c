package provider

import (
	"encoding/json"
	"strings"

	"github.com/cairn-iac/cairn/internal/property"
)

// remark puts secret marks on what a provider answered that could not be told what is secret: at the places where ins
// has them, and wherever a secret text of ins shows up.
//
// Where both sides have a map its entries are compared. Any other value is secret as a whole when anything within the
// value at its place is: providers reorder lists, so that no element of one is known to be the same.
func remark(outs property.Map, ins ...property.Map) property.Map {
	var known canaries
	for _, in := range ins {
		if in.ContainsSecret() {
			outs = remarkPlaces(outs, in)
			known.collect(property.FromMap(in), false)
		}
	}
	if len(known.texts) == 0 {
		return outs
	}
	out, _ := known.mark(property.FromMap(outs)).AsMap()
	return out
}

func remarkPlaces(outs, ins property.Map) property.Map {
	c := outs.Clone()
	for k, in := range ins.All() {
		out, has := outs.Lookup(k)
		if !has || out.Secret() || !in.ContainsSecret() {
			continue
		}
		outMap, isMap := out.AsMap()
		inMap, wasMap := in.AsMap()
		if isMap && wasMap && !in.Secret() {
			c[k] = property.FromMap(remarkPlaces(outMap, inMap)).WithDependencies(out.Dependencies())
		} else {
			c[k] = out.MakeSecret()
		}
	}
	return property.MapOf(c)
}

// The least length of a secret text that is looked for: as a whole value, and within another text. Shorter ones are
// found everywhere by chance.
const (
	minWhole  = 4
	minWithin = 8
)

// canaries are the secret texts that must not show up in the open.
type canaries struct{ texts []string }

func (c *canaries) collect(v property.Value, secret bool) {
	secret = secret || v.Secret()
	switch v.Kind() {
	case property.KindString:
		if s, _ := v.AsString(); secret && len(s) >= minWhole {
			c.texts = append(c.texts, s)
		}
	case property.KindList:
		l, _ := v.AsList()
		for _, e := range l.All() {
			c.collect(e, secret)
		}
	case property.KindMap:
		m, _ := v.AsMap()
		for _, e := range m.All() {
			c.collect(e, secret)
		}
	default:
	}
}

// mark makes every text in v secret that is or holds a canary.
func (c *canaries) mark(v property.Value) property.Value {
	if v.Secret() {
		return v
	}
	switch v.Kind() {
	case property.KindString:
		if s, _ := v.AsString(); c.in(s) {
			return v.MakeSecret()
		}
	case property.KindList:
		l, _ := v.AsList()
		items := l.Slice()
		for i, e := range items {
			items[i] = c.mark(e)
		}
		return property.NewList(items...).WithDependencies(v.Dependencies())
	case property.KindMap:
		m, _ := v.AsMap()
		entries := m.Clone()
		for k, e := range entries {
			entries[k] = c.mark(e)
		}
		return property.NewMap(entries).WithDependencies(v.Dependencies())
	default:
	}
	return v
}

func (c *canaries) in(s string) bool {
	for _, secret := range c.texts {
		if s == secret || len(secret) >= minWithin && (strings.Contains(s, secret) || strings.Contains(s, asJSON(secret))) {
			return true
		}
	}
	return false
}

// asJSON is how a text looks within a JSON document.
func asJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return string(b[1 : len(b)-1])
}

// allSecret marks every value of a function's result whose arguments held a secret.
func allSecret(m property.Map) property.Map {
	out := m.Clone()
	for k, v := range out {
		if !v.ContainsSecret() {
			out[k] = v.MakeSecret()
		}
	}
	return property.MapOf(out)
}
