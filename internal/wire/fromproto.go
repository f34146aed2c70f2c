package wire

import (
	"encoding/base64"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

// FromStruct decodes a map; nil is the empty map. Errors are *Error.
func FromStruct(s *structpb.Struct, o Options) (property.Map, error) {
	d := decoder{o}
	m, err := d.fields(s.GetFields(), nil)
	if err == nil && o.SkipInternalKeys {
		m = m.Filter(func(k string, _ property.Value) bool { return !isInternal(k) })
	}
	return m, err
}

// FromValue decodes one value; nil and a dropped unknown are null.
func FromValue(v *structpb.Value, o Options) (property.Value, error) {
	out, known, err := decoder{o}.value(v, nil)
	if err != nil || !known {
		return property.Null(), err
	}
	return out, nil
}

type decoder struct{ o Options }

func (o Options) keepingUnknowns() Options {
	o.Unknowns = KeepUnknowns
	return o
}

func sortedKeys(m map[string]*structpb.Value) []string { return slices.Sorted(maps.Keys(m)) }

// fields decodes in the order of the keys, so that of many errors always the same one is reported.
func (d decoder) fields(fields map[string]*structpb.Value, a *at) (property.Map, error) {
	out := make(map[string]property.Value, len(fields))
	for _, k := range sortedKeys(fields) {
		v, known, err := d.value(fields[k], a.key(k))
		if err != nil {
			return property.Map{}, err
		}
		if !known || d.o.SkipNulls && v.IsNull() {
			continue
		}
		out[k] = v
	}
	return property.MapOf(out), nil
}

// value decodes v. known is false for a dropped unknown.
func (d decoder) value(v *structpb.Value, a *at) (_ property.Value, known bool, _ error) {
	switch k := v.GetKind().(type) {
	case nil, *structpb.Value_NullValue:
		return property.Null(), true, nil
	case *structpb.Value_BoolValue:
		return property.Bool(k.BoolValue), true, nil
	case *structpb.Value_NumberValue:
		return property.Number(k.NumberValue), true, nil
	case *structpb.Value_StringValue:
		if IsUnknown(k.StringValue) {
			return d.unknown(a)
		}
		return property.String(k.StringValue), true, nil
	case *structpb.Value_ListValue:
		l, err := d.list(k.ListValue.GetValues(), a)
		return l, true, err
	case *structpb.Value_StructValue:
		return d.object(k.StructValue.GetFields(), a)
	default:
		return property.Value{}, false, a.errorf("a value of type %T is not part of the protocol", k)
	}
}

func (d decoder) unknown(a *at) (_ property.Value, known bool, _ error) {
	switch d.o.Unknowns {
	case RejectUnknowns:
		return property.Value{}, false, a.errorf("unexpected unknown property value for %q", a.name())
	case KeepUnknowns:
		return property.Unknown(), true, nil
	case DropUnknowns:
	}
	return property.Value{}, false, nil
}

func (d decoder) list(values []*structpb.Value, a *at) (property.Value, error) {
	items := make([]property.Value, len(values))
	for i, e := range values {
		v, known, err := d.value(e, a.index(i))
		if err != nil {
			return property.Value{}, err
		}
		if known {
			items[i] = v
		}
	}
	return property.NewList(items...), nil
}

func (d decoder) object(fields map[string]*structpb.Value, a *at) (_ property.Value, known bool, _ error) {
	signature, special := fields[sigKey]
	if !special {
		m, err := d.fields(fields, a)
		return property.FromMap(m), true, err
	}
	switch s := signature.GetStringValue(); s {
	case sigSecret:
		return d.secret(fields, a)
	case sigOutput:
		return d.output(fields, a)
	case sigReference:
		return d.reference(fields, a)
	case sigAsset:
		return d.asset(fields, a)
	case sigArchive:
		return d.archive(fields, a)
	case sigBytes:
		return d.bytes(fields, a)
	default:
		return property.Value{}, false, a.errorf("unrecognized signature '%s' in property map for %q", s, a.name())
	}
}

func (d decoder) secret(fields map[string]*structpb.Value, a *at) (_ property.Value, known bool, _ error) {
	inner, has := fields["value"]
	if !has {
		return property.Value{}, false, a.errorf("malformed RPC secret: missing value for %q", a.name())
	}
	v, known, err := d.value(inner, a)
	if err != nil || !known {
		return property.Value{}, known, err
	}
	return d.marked(v, property.Null().MakeSecret()), true, nil
}

// marked adds marks to v, as far as they are kept.
func (d decoder) marked(v, marks property.Value) property.Value {
	if !d.o.KeepSecrets {
		marks = marks.WithSecret(false)
	}
	if !d.o.KeepOutputValues {
		marks = marks.WithDependencies(nil)
	}
	return lift(v, marks)
}

func (d decoder) output(fields map[string]*structpb.Value, a *at) (_ property.Value, known bool, err error) {
	var v property.Value
	if inner, has := fields["value"]; has {
		v, known, err = d.value(inner, a)
	} else {
		v, known, err = d.unknown(a)
	}
	if err != nil {
		return property.Value{}, false, err
	}
	marks := property.Null()
	if raw, has := fields["secret"]; has {
		secret, ok := raw.GetKind().(*structpb.Value_BoolValue)
		if !ok {
			return property.Value{}, false, a.errorf("malformed output value for %q: secret not a bool", a.name())
		}
		marks = marks.WithSecret(secret.BoolValue)
	}
	deps, err := d.dependencies(fields, a)
	if err != nil {
		return property.Value{}, false, err
	}
	return d.marked(v, marks.WithDependencies(deps)), known, nil
}

func (d decoder) dependencies(fields map[string]*structpb.Value, a *at) ([]urn.URN, error) {
	raw, has := fields["dependencies"]
	if !has {
		return nil, nil
	}
	list, ok := raw.GetKind().(*structpb.Value_ListValue)
	if !ok {
		return nil, a.errorf("malformed output value for %q: dependencies not an array", a.name())
	}
	var deps []urn.URN
	for _, e := range list.ListValue.GetValues() {
		s, ok := e.GetKind().(*structpb.Value_StringValue)
		if !ok {
			return nil, a.errorf("malformed output value for %q: element in dependencies not a string", a.name())
		}
		deps = append(deps, urn.URN(s.StringValue))
	}
	return deps, nil
}

func (d decoder) bytes(fields map[string]*structpb.Value, a *at) (_ property.Value, known bool, _ error) {
	raw, has := fields["value"]
	if !has {
		return property.Value{}, false, a.errorf("malformed byte string for %q: missing value", a.name())
	}
	s, ok := raw.GetKind().(*structpb.Value_StringValue)
	if !ok {
		return property.Value{}, false, a.errorf("malformed byte string for %q: value is not a string", a.name())
	}
	decoded, err := base64.StdEncoding.DecodeString(s.StringValue)
	if err != nil {
		return property.Value{}, false, a.errorf("malformed byte string for %q: value is not valid base64", a.name())
	}
	if IsUnknown(string(decoded)) {
		return d.unknown(a)
	}
	return property.String(string(decoded)), true, nil
}
