package eval

import (
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/property"
)

// toJSON writes a value as JSON: keys sorted, and <, > and & escaped, as the Pulumi YAML runtime writes it.
func toJSON(x *template.Call, v property.Value) (property.Value, error) {
	plain, err := jsonValue(x, v)
	if err != nil {
		return property.Value{}, err
	}
	data, err := json.Marshal(plain)
	if err != nil {
		return property.Value{}, problemAt(x.Pos(), "failed to encode JSON: %v", err)
	}
	return property.String(string(data)), nil
}

func jsonValue(x *template.Call, v property.Value) (any, error) {
	if b, ok := v.AsBool(); ok {
		return b, nil
	}
	if n, ok := v.AsNumber(); ok {
		return n, nil
	}
	if s, ok := v.AsString(); ok {
		return s, nil
	}
	if l, ok := v.AsList(); ok {
		out := make([]any, l.Len())
		for i, item := range l.All() {
			j, err := jsonValue(x, item)
			if err != nil {
				return nil, err
			}
			out[i] = j
		}
		return out, nil
	}
	if m, ok := v.AsMap(); ok {
		out := make(map[string]any, m.Len())
		for k, item := range m.All() {
			j, err := jsonValue(x, item)
			if err != nil {
				return nil, err
			}
			out[k] = j
		}
		return out, nil
	}
	if v.IsNull() {
		return nil, nil
	}
	return nil, problemAt(x.Args[0].Pos(), "fn::toJSON cannot encode %s", kindName(v))
}

// underlying gives what the system said, without the path, which the message has already.
func underlying(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
