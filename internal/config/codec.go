package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cairn-iac/cairn/internal/config/document"
)

// MarshalJSON writes the map as an update's history keeps it: scalars as texts, lists and objects as themselves, secrets
// encrypted as `{"secure": <ciphertext>}`. A decrypted secret is an error: it must not come into a file.
func (m Map) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, k := range m.Keys() {
		v := m[k]
		if v.plaintextSecret() {
			return nil, fmt.Errorf("the configuration value %s is a decrypted secret", k)
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, k.String(), htmlEscaped), ':')
		switch v.kind {
		case List, Object, Ciphertext:
			b = appendJSON(b, v, htmlEscaped)
		case Null, Bool, Int, Float, String:
			b = appendString(b, v.ProgramText(), htmlEscaped)
		}
	}
	return append(b, '}'), nil
}

func (v Value) plaintextSecret() bool { return v.any(func(part Value) bool { return part.secret }) }

// UnmarshalJSON reads what MarshalJSON writes.
func (m *Map) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	doc, err := document.Parse("config.json", data)
	if err != nil {
		return err
	}
	root, err := doc.Mapping()
	if err != nil {
		return err
	}
	out := Map{}
	for _, p := range document.Pairs(root) {
		k, err := ParseKey(p.Name)
		if err != nil {
			return err
		}
		out[k] = FromNode(doc, p.Value)
	}
	*m = out
	return nil
}

// ParseJSON reads one value out of JSON text. It is not for secrets that are already encrypted: `{"secure": text}` is refused,
// as [Map.Set] refuses it.
func ParseJSON(data []byte) (Value, error) {
	if !json.Valid(data) {
		return Value{}, errors.New("the value is not valid JSON")
	}
	doc, err := document.Parse("value.json", data)
	if err != nil {
		return Value{}, err
	}
	v := FromNode(doc, doc.Root)
	if v.Encrypted() {
		return Value{}, errSecureReserved
	}
	return v, nil
}
