package fakeprovidertest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// The wire's marks of special values.
const (
	signatureKey      = "4dabf18193072939515e22adb298388d"
	secretSignature   = "1b47061264138c4ac30d75fd1eb44270"
	outputSignature   = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
	resourceSignature = "5cf8f73096256a8f31e491e813e4eb8e"
	unknownString     = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
)

// isUnknownText reports whether the string stands for an unknown value of some type.
func isUnknownText(text string) bool {
	switch text {
	case unknownString,
		"1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
		"3eeb2bf0-c639-47a8-9e75-3b44932eb421",
		"6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
		"030794c1-ac77-496b-92df-f27374a8bd58",
		"e48ece36-62e2-4504-bad9-02848725956a",
		"dd056dcd-154b-4c76-9bd3-c8f88648b5ff":
		return true
	}
	return false
}

func signature(v *structpb.Value) string {
	return v.GetStructValue().GetFields()[signatureKey].GetStringValue()
}

// plain takes the secret and output marks off a value, everywhere in it. An output without a value is unknown.
func plain(v *structpb.Value) *structpb.Value {
	switch kind := v.GetKind().(type) {
	case *structpb.Value_ListValue:
		list := make([]*structpb.Value, 0, len(kind.ListValue.GetValues()))
		for _, element := range kind.ListValue.GetValues() {
			list = append(list, plain(element))
		}
		return structpb.NewListValue(&structpb.ListValue{Values: list})
	case *structpb.Value_StructValue:
		fields := kind.StructValue.GetFields()
		switch signature(v) {
		case secretSignature:
			return plain(fields["value"])
		case outputSignature:
			if inner, ok := fields["value"]; ok {
				return plain(inner)
			}
			return structpb.NewStringValue(unknownString)
		}
		object := make(map[string]*structpb.Value, len(fields))
		for key, value := range fields {
			object[key] = plain(value)
		}
		return structpb.NewStructValue(&structpb.Struct{Fields: object})
	}
	return v
}

// hasSecret reports a secret mark anywhere in the value.
func hasSecret(v *structpb.Value) bool {
	return anywhere(v, func(v *structpb.Value) bool {
		switch signature(v) {
		case secretSignature:
			return true
		case outputSignature:
			return v.GetStructValue().GetFields()["secret"].GetBoolValue()
		}
		return false
	})
}

func hasUnknown(v *structpb.Value) bool {
	return anywhere(v, func(v *structpb.Value) bool {
		if signature(v) == outputSignature {
			_, known := v.GetStructValue().GetFields()["value"]
			return !known
		}
		return isUnknownText(v.GetStringValue())
	})
}

func anywhere(v *structpb.Value, found func(*structpb.Value) bool) bool {
	if found(v) {
		return true
	}
	for _, element := range v.GetListValue().GetValues() {
		if anywhere(element, found) {
			return true
		}
	}
	for _, field := range v.GetStructValue().GetFields() {
		if anywhere(field, found) {
			return true
		}
	}
	return false
}

// firstUnknown names a property with an unknown part, or is empty.
func firstUnknown(s *structpb.Struct) string {
	for _, key := range sortedKeys(s.GetFields()) {
		if hasUnknown(s.GetFields()[key]) {
			return key
		}
	}
	return ""
}

func secretValue(v *structpb.Value) *structpb.Value {
	return structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
		signatureKey: structpb.NewStringValue(secretSignature),
		"value":      v,
	}})
}

// same compares values without their marks: a value that becomes secret has not changed.
func same(a, b *structpb.Value) bool { return proto.Equal(plain(a), plain(b)) }

func copyStruct(s *structpb.Struct) *structpb.Struct {
	fields := make(map[string]*structpb.Value, len(s.GetFields())+2)
	maps.Copy(fields, s.GetFields())
	return &structpb.Struct{Fields: fields}
}

func encodeStruct(s *structpb.Struct) ([]byte, error) { return protojson.Marshal(orEmpty(s)) }

func decodeStruct(text []byte) (*structpb.Struct, error) {
	s := &structpb.Struct{}
	if err := protojson.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("ledger value: %w", err)
	}
	return s, nil
}

// urnName is the last part of a URN, whose name may itself hold the separator.
func urnName(urn string) string {
	parts := strings.SplitN(urn, "::", 4)
	if len(parts) < 4 {
		return ""
	}
	return parts[3]
}

// urnType is the resource's own type, without its parents'.
func urnType(urn string) string {
	parts := strings.SplitN(urn, "::", 4)
	if len(parts) < 4 {
		return ""
	}
	return parts[2][strings.LastIndex(parts[2], "$")+1:]
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
