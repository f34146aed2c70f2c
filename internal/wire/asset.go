package wire

import (
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/cairn-iac/cairn/internal/property"
)

func (e encoder) asset(x property.Asset, a *at) (*structpb.Value, error) {
	if e.o.RejectAssets {
		return nil, a.errorf("unexpected asset")
	}
	if e.o.ElideAssetContents {
		x = property.Asset{Hash: x.Hash}
	}
	if !utf8.ValidString(x.Location) || !utf8.ValidString(x.Hash) {
		return nil, a.errorf("the %s of the asset is not valid UTF-8; use a file asset", x.Source)
	}
	return object(sigAsset, sourceFields(x.Source, x.Location, x.Hash)), nil
}

func (e encoder) archive(x property.Archive, a *at) (*structpb.Value, error) {
	if e.o.RejectAssets {
		return nil, a.errorf("unexpected archive")
	}
	if e.o.ElideAssetContents {
		x = property.Archive{Hash: x.Hash}
	}
	if !utf8.ValidString(x.Location) || !utf8.ValidString(x.Hash) {
		return nil, a.errorf("the %s of the archive is not valid UTF-8", x.Source)
	}
	fields := sourceFields(x.Source, x.Location, x.Hash)
	if x.Source == property.SourceAssets {
		entries, err := e.entries(x.Assets, a)
		if err != nil {
			return nil, err
		}
		fields["assets"] = entries
	}
	return object(sigArchive, fields), nil
}

// entries encodes the members of an archive. Their marks were moved to the archive.
func (e encoder) entries(m property.Map, a *at) (*structpb.Value, error) {
	entries := make(map[string]*structpb.Value, m.Len())
	for name, v := range m.All() {
		here := a.key(name)
		if k := v.Kind(); k != property.KindAsset && k != property.KindArchive {
			return nil, here.errorf("a member of an archive must be an asset or archive, not %s", k)
		}
		if !utf8.ValidString(name) {
			return nil, here.errorf("the name is not valid UTF-8 and cannot be sent")
		}
		p, err := e.plain(v, here)
		if err != nil {
			return nil, err
		}
		entries[name] = p
	}
	return structpb.NewStructValue(&structpb.Struct{Fields: entries}), nil
}

func sourceFields(s property.Source, location, hash string) map[string]*structpb.Value {
	fields := map[string]*structpb.Value{}
	if hash != "" {
		fields["hash"] = structpb.NewStringValue(hash)
	}
	switch s {
	case property.SourceText, property.SourcePath, property.SourceURI:
		fields[string(s)] = structpb.NewStringValue(location)
	case property.SourceAssets, property.SourceNone:
	}
	return fields
}

// asset decodes an asset. One whose contents are not known yet is unknown as a whole.
func (d decoder) asset(fields map[string]*structpb.Value, a *at) (property.Value, bool, error) {
	if d.o.RejectAssets {
		return property.Value{}, false, a.errorf("unexpected asset")
	}
	f, err := d.textFields(fields, a, "asset", "hash", "path", "uri", "text")
	if err != nil {
		return property.Value{}, false, err
	}
	if f.unknown {
		return d.unknown(a)
	}
	x := property.Asset{Hash: f.text["hash"]}
	x.Source, x.Location = firstSource(f.text, property.SourcePath, property.SourceURI, property.SourceText)
	if _, has := fields["text"]; x.Source == property.SourceNone && (has || x.Hash == "" || x.Hash == emptyAssetHash) {
		x.Source = property.SourceText
	}
	return property.FromAsset(x), true, nil
}

func (d decoder) archive(fields map[string]*structpb.Value, a *at) (property.Value, bool, error) {
	if d.o.RejectAssets {
		return property.Value{}, false, a.errorf("unexpected archive")
	}
	f, err := d.textFields(fields, a, "archive", "hash", "path", "uri")
	if err != nil {
		return property.Value{}, false, err
	}
	if f.unknown {
		return d.unknown(a)
	}
	x := property.Archive{Hash: f.text["hash"]}
	x.Source, x.Location = firstSource(f.text, property.SourcePath, property.SourceURI)
	if x.Source != property.SourceNone {
		return property.FromArchive(x), true, nil
	}
	assets, has := fields["assets"]
	if !has && x.Hash != "" && x.Hash != emptyArchiveHash {
		return property.FromArchive(x), true, nil
	}
	return d.members(x, assets, a)
}

// members decodes the assets of an archive. A secret or unknown member makes the archive secret or unknown.
func (d decoder) members(x property.Archive, assets *structpb.Value, a *at) (property.Value, bool, error) {
	marks := property.Null()
	members := map[string]property.Value{}
	if assets != nil && !isNull(assets) {
		inner, ok := assets.GetKind().(*structpb.Value_StructValue)
		if !ok {
			return property.Value{}, false, a.errorf("malformed archive: assets is not an object")
		}
		for _, name := range sortedKeys(inner.StructValue.GetFields()) {
			here := a.key(name)
			v, known, err := decoder{d.o.keepingUnknowns()}.value(inner.StructValue.GetFields()[name], here)
			if err != nil {
				return property.Value{}, false, err
			}
			if !known || v.IsUnknown() {
				v, known, err := d.unknown(here)
				return lift(v, marks), known, err
			}
			if k := v.Kind(); k != property.KindAsset && k != property.KindArchive {
				return property.Value{}, false, here.errorf("archive member is not an asset or archive")
			}
			marks, members[name] = lift(marks, v), v.Plain()
		}
	}
	x.Source, x.Assets = property.SourceAssets, property.MapOf(members)
	return lift(property.FromArchive(x), marks), true, nil
}

func firstSource(text map[string]string, order ...property.Source) (property.Source, string) {
	for _, s := range order {
		if text[string(s)] != "" {
			return s, text[string(s)]
		}
	}
	return property.SourceNone, ""
}

// textFields are the fields of an object that must be strings.
type textFields struct {
	text map[string]string
	// unknown is true when one of them is a sentinel.
	unknown bool
}

func (d decoder) textFields(fields map[string]*structpb.Value, a *at, what string, names ...string) (textFields, error) {
	out := textFields{text: map[string]string{}}
	for _, name := range names {
		v, has := fields[name]
		if !has || isNull(v) {
			continue
		}
		s, ok := v.GetKind().(*structpb.Value_StringValue)
		if !ok {
			return out, a.errorf("malformed %s: %s is not a string", what, name)
		}
		out.text[name] = s.StringValue
		out.unknown = out.unknown || IsUnknown(s.StringValue)
	}
	return out, nil
}
