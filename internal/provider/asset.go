package provider

import "github.com/cairn-iac/cairn/internal/property"

// restoreAssets puts the contents back into assets and archives of which a provider, which was sent hashes only, sent
// only the hash back.
func restoreAssets(m property.Map, olds ...property.Map) property.Map {
	var known contents
	for _, old := range olds {
		known.collect(property.FromMap(old))
	}
	if len(known.assets) == 0 && len(known.archives) == 0 {
		return m
	}
	return m.Transform(known.restore)
}

// contents are assets and archives by their hash.
type contents struct {
	assets   map[string]property.Asset
	archives map[string]property.Archive
}

func (c *contents) collect(v property.Value) {
	switch v.Kind() {
	case property.KindAsset:
		if a, _ := v.AsAsset(); a.Hash != "" && a.Source != property.SourceNone {
			if c.assets == nil {
				c.assets = map[string]property.Asset{}
			}
			c.assets[a.Hash] = a
		}
	case property.KindArchive:
		if a, _ := v.AsArchive(); a.Hash != "" && a.Source != property.SourceNone {
			if c.archives == nil {
				c.archives = map[string]property.Archive{}
			}
			c.archives[a.Hash] = a
		}
	case property.KindList:
		l, _ := v.AsList()
		for _, e := range l.All() {
			c.collect(e)
		}
	case property.KindMap:
		m, _ := v.AsMap()
		for _, e := range m.All() {
			c.collect(e)
		}
	default:
	}
}

func (c *contents) restore(v property.Value) property.Value {
	if a, ok := v.AsAsset(); ok && a.Source == property.SourceNone {
		if old, ok := c.assets[a.Hash]; ok {
			return like(property.FromAsset(old), v)
		}
	}
	if a, ok := v.AsArchive(); ok && a.Source == property.SourceNone {
		if old, ok := c.archives[a.Hash]; ok {
			return like(property.FromArchive(old), v)
		}
	}
	return v
}

// like gives v the marks of w.
func like(v, w property.Value) property.Value {
	return v.WithSecret(w.Secret()).WithDependencies(w.Dependencies())
}
