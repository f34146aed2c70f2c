package wire

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

// ToStruct encodes a map for a peer that understands what o says. It is never nil. Errors are *Error.
func ToStruct(m property.Map, o Options) (*structpb.Struct, error) {
	e := encoder{o}
	if o.SkipInternalKeys {
		m = m.Filter(func(k string, _ property.Value) bool { return !isInternal(k) })
	}
	return e.fields(m, nil)
}

// ToValue encodes one value. It is nil when the value is a dropped unknown.
func ToValue(v property.Value, o Options) (*structpb.Value, error) {
	return encoder{o}.value(v, nil)
}

func isInternal(key string) bool { return strings.HasPrefix(key, "__") }

type encoder struct{ o Options }

func (e encoder) fields(m property.Map, a *at) (*structpb.Struct, error) {
	out := make(map[string]*structpb.Value, m.Len())
	for k, v := range m.All() {
		here := a.key(k)
		if !utf8.ValidString(k) {
			return nil, here.errorf("the key is not valid UTF-8 and cannot be sent")
		}
		p, err := e.value(v, here)
		if err != nil {
			return nil, err
		}
		if p == nil || e.o.SkipNulls && isNull(p) {
			continue
		}
		out[k] = p
	}
	return &structpb.Struct{Fields: out}, nil
}

func isNull(v *structpb.Value) bool {
	_, null := v.GetKind().(*structpb.Value_NullValue)
	return null
}

// value encodes v with its marks. The answer is nil for a dropped unknown.
func (e encoder) value(v property.Value, a *at) (*structpb.Value, error) {
	v = e.resolve(v)
	if v.IsUnknown() {
		switch e.o.Unknowns {
		case RejectUnknowns:
			return nil, a.errorf("unexpected unknown property value for %q", a.name())
		case DropUnknowns:
			return nil, nil
		case KeepUnknowns:
		}
	}
	secret := v.Secret() && e.o.KeepSecrets
	var deps []urn.URN
	if e.o.KeepOutputValues {
		deps = v.Dependencies()
		if len(deps) > 0 || e.o.UpgradeToOutputValues && (secret || v.IsUnknown()) {
			return e.output(v, secret, a)
		}
	}
	plain, err := e.plain(v, a)
	if err != nil || !secret {
		return plain, err
	}
	return object(sigSecret, map[string]*structpb.Value{"value": plain}), nil
}

// resolve replaces a reference that the peer does not understand, and moves marks that have no place of their own on
// the wire to the value.
func (e encoder) resolve(v property.Value) property.Value {
	if r, ok := v.AsReference(); ok {
		inner := property.String(string(r.URN))
		if r.HasID {
			v = lift(v, r.ID)
			inner = r.ID.Plain()
		}
		if !e.o.KeepResources {
			return lift(inner, v)
		}
	}
	if archive, ok := v.AsArchive(); ok && !e.o.ElideAssetContents {
		entries := property.FromMap(archive.Assets)
		if entries.ContainsSecret() {
			v = v.MakeSecret()
		}
		if deps := entries.AllDependencies(); len(deps) > 0 {
			v = v.WithDependencies(append(deps, v.Dependencies()...))
		}
	}
	return v
}

// lift adds the marks of from to v.
func lift(v, from property.Value) property.Value {
	if from.Secret() {
		v = v.MakeSecret()
	}
	if deps := from.Dependencies(); len(deps) > 0 {
		v = v.WithDependencies(append(deps[:len(deps):len(deps)], v.Dependencies()...))
	}
	return v
}

func (e encoder) output(v property.Value, secret bool, a *at) (*structpb.Value, error) {
	fields := map[string]*structpb.Value{}
	if !v.IsUnknown() {
		plain, err := e.plain(v, a)
		if err != nil {
			return nil, err
		}
		fields["value"] = plain
	}
	if secret {
		fields["secret"] = structpb.NewBoolValue(true)
	}
	if deps := v.Dependencies(); len(deps) > 0 {
		list := make([]*structpb.Value, len(deps))
		for i, d := range deps {
			list[i] = structpb.NewStringValue(string(d))
		}
		fields["dependencies"] = structpb.NewListValue(&structpb.ListValue{Values: list})
	}
	return object(sigOutput, fields), nil
}

// plain encodes v without its own marks; its parts keep theirs.
func (e encoder) plain(v property.Value, a *at) (*structpb.Value, error) {
	switch v.Kind() {
	case property.KindNull:
		return structpb.NewNullValue(), nil
	case property.KindBool:
		b, _ := v.AsBool()
		return structpb.NewBoolValue(b), nil
	case property.KindNumber:
		n, _ := v.AsNumber()
		return structpb.NewNumberValue(n), nil
	case property.KindString:
		s, _ := v.AsString()
		return e.text(s, a)
	case property.KindList:
		l, _ := v.AsList()
		return e.list(l, a)
	case property.KindMap:
		m, _ := v.AsMap()
		fields, err := e.fields(m, a)
		return structpb.NewStructValue(fields), err
	case property.KindAsset:
		x, _ := v.AsAsset()
		return e.asset(x, a)
	case property.KindArchive:
		x, _ := v.AsArchive()
		return e.archive(x, a)
	case property.KindReference:
		r, _ := v.AsReference()
		return e.reference(r, a)
	case property.KindUnknown:
		return structpb.NewStringValue(Unknown), nil
	case property.KindSealed:
		return nil, a.errorf("the value is an encrypted secret and its key is not at hand")
	default:
		return nil, a.errorf("a value of kind %s cannot be sent", v.Kind())
	}
}

func (e encoder) text(s string, a *at) (*structpb.Value, error) {
	if utf8.ValidString(s) {
		return structpb.NewStringValue(s), nil
	}
	if !e.o.KeepByteStrings {
		return nil, a.errorf("the string contains bytes that are not UTF-8, which the receiver does not support")
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(s))
	return object(sigBytes, map[string]*structpb.Value{"value": structpb.NewStringValue(encoded)}), nil
}

func (e encoder) list(l property.List, a *at) (*structpb.Value, error) {
	items := make([]*structpb.Value, l.Len())
	for i, v := range l.All() {
		p, err := e.value(v, a.index(i))
		if err != nil {
			return nil, err
		}
		if p == nil {
			p = structpb.NewNullValue()
		}
		items[i] = p
	}
	return structpb.NewListValue(&structpb.ListValue{Values: items}), nil
}

func object(signature string, fields map[string]*structpb.Value) *structpb.Value {
	fields[sigKey] = structpb.NewStringValue(signature)
	return structpb.NewStructValue(&structpb.Struct{Fields: fields})
}
