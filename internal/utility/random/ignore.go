package random

import (
	"fmt"

	"github.com/cairn-iac/cairn/internal/property"
)

// ignoreChanges takes the values at the given paths from the recorded outputs. Paths that lead nowhere on either side
// are without effect.
func ignoreChanges(paths []string, outputs, news property.Map) (property.Map, error) {
	from, to := property.FromMap(outputs), property.FromMap(news)
	for _, text := range paths {
		path, err := property.ParsePath(text)
		if err != nil {
			return news, fmt.Errorf("ignoreChanges: %w", err)
		}
		for _, p := range append(path.Expand(from), path.Expand(to)...) {
			to = takeOver(p, from, to)
		}
	}
	m, _ := to.AsMap()
	return m, nil
}

// takeOver gives to with what from has at p, which has no wildcards.
func takeOver(p property.Path, from, to property.Value) property.Value {
	parent, last := p[:len(p)-1], p[len(p)-1]
	fromParent, inFrom := parent.Get(from)
	toParent, inTo := parent.Get(to)
	if !inFrom || !inTo || fromParent.Kind() != toParent.Kind() {
		return to
	}
	old, had := property.Path{last}.Get(fromParent)
	_, has := property.Path{last}.Get(toParent)
	next, ok := to, true
	switch {
	case had && (has || fromParent.Kind() == property.KindMap):
		next, ok = p.Set(to, old)
	case has && fromParent.Kind() == property.KindMap:
		next, ok = p.Delete(to)
	}
	if !ok {
		return to
	}
	return next
}
