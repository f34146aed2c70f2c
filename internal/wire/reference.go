package wire

import (
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

// reference encodes a resource reference. No id means a component, an empty id a resource whose id is not known.
func (e encoder) reference(r property.Reference, a *at) (*structpb.Value, error) {
	fields := map[string]*structpb.Value{"urn": structpb.NewStringValue(string(r.URN))}
	if r.URN.IsValid() {
		fields["name"] = structpb.NewStringValue(r.URN.Name())
		fields["type"] = structpb.NewStringValue(string(r.URN.Type()))
	}
	if r.PackageVersion != "" {
		fields["packageVersion"] = structpb.NewStringValue(r.PackageVersion)
	}
	if r.HasID {
		id, ok := r.ID.AsString()
		if !ok && !r.ID.IsUnknown() {
			return nil, a.errorf("the id of a resource reference must be a string, not %s", r.ID.Kind())
		}
		fields["id"] = structpb.NewStringValue(id)
	}
	for _, v := range fields {
		if !utf8.ValidString(v.GetStringValue()) {
			return nil, a.errorf("the resource reference is not valid UTF-8")
		}
	}
	return object(sigReference, fields), nil
}

func (d decoder) reference(fields map[string]*structpb.Value, a *at) (property.Value, bool, error) {
	f, err := d.textFields(fields, a, "resource reference", "urn", "name", "type", "packageVersion")
	if err != nil {
		return property.Value{}, false, err
	}
	u, has := f.text["urn"]
	if !has || IsUnknown(u) {
		return property.Value{}, false, a.errorf("malformed resource reference: missing urn")
	}
	id, hasID, err := d.referenceID(fields, a)
	if err != nil {
		return property.Value{}, false, err
	}
	r := property.Reference{URN: urn.URN(u), ID: id.Plain(), HasID: hasID, PackageVersion: f.text["packageVersion"]}
	if d.o.KeepResources {
		return lift(property.FromReference(r), id), true, nil
	}
	if !hasID {
		return property.String(u), true, nil
	}
	if id.IsUnknown() {
		v, known, err := d.unknown(a)
		return lift(v, id), known, err
	}
	return id, true, nil
}

// referenceID reads the id of a reference, which may be an output value.
func (d decoder) referenceID(fields map[string]*structpb.Value, a *at) (property.Value, bool, error) {
	raw, has := fields["id"]
	if !has {
		return property.Value{}, false, nil
	}
	id, _, err := decoder{d.o.keepingUnknowns()}.value(raw, a)
	if err != nil {
		return property.Value{}, false, err
	}
	s, isText := id.AsString()
	switch {
	case id.IsUnknown():
		return id, true, nil
	case !isText:
		return property.Value{}, false, a.errorf("malformed resource reference: id is not a string")
	case s == "":
		return lift(property.Unknown(), id), true, nil
	default:
		return id, true, nil
	}
}
