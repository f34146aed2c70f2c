package config

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cairn-iac/cairn/internal/secret"
)

// mask is what people see in place of a secret.
const mask = "[secret]"

// Masked is the value with every secret, encrypted or not, replaced by the text `[secret]`.
func (v Value) Masked() Value {
	if v.secret || v.kind == Ciphertext {
		return NewString(mask)
	}
	// Nothing can fail here.
	masked, _ := v.mapChildren(func(_ Step, child Value) (Value, error) { return child.Masked(), nil })
	return masked
}

// Reveal decrypts. What was encrypted is a text marked as secret afterwards. A failure names the path, not the ciphertext.
func (v Value) Reveal(ctx context.Context, d secret.Decrypter) (Value, error) {
	return v.reveal(ctx, d, nil)
}

func (v Value) reveal(ctx context.Context, d secret.Decrypter, at Path) (Value, error) {
	if v.kind != Ciphertext {
		return v.mapChildren(func(s Step, child Value) (Value, error) { return child.reveal(ctx, d, at.then(s)) })
	}
	text, err := d.Decrypt(ctx, v.text)
	if err != nil {
		if len(at) > 0 {
			err = fmt.Errorf("%v: %w", at, err)
		}
		return Value{}, err
	}
	return Value{kind: String, text: text, secret: true, at: v.at}, nil
}

// Conceal is the way back: every scalar that is marked as secret, or stands in something that is, becomes a ciphertext of its
// program text. It is for moving a value to a stack with another key.
func (v Value) Conceal(ctx context.Context, e secret.Encrypter) (Value, error) {
	isSecret := v.secret
	v.secret = false
	if v.kind == List || v.kind == Object {
		return v.mapChildren(func(_ Step, child Value) (Value, error) {
			child.secret = child.secret || isSecret
			return child.Conceal(ctx, e)
		})
	}
	if !isSecret || v.kind == Ciphertext {
		return v, nil
	}
	ciphertext, err := e.Encrypt(ctx, v.ProgramText())
	if err != nil {
		return Value{}, err
	}
	return Value{kind: Ciphertext, text: ciphertext, at: v.at}, nil
}

// mapChildren replaces the elements of a list or object; any other value stays.
func (v Value) mapChildren(f func(Step, Value) (Value, error)) (Value, error) {
	var err error
	if v.kind == List {
		items := make([]Value, len(v.items))
		for i, item := range v.items {
			if items[i], err = f(Step{Index: i, IsIndex: true}, item); err != nil {
				return Value{}, err
			}
		}
		v.items = items
	}
	if v.kind == Object {
		entries := make([]Entry, len(v.entries))
		for i, e := range v.entries {
			entries[i].Name = e.Name
			if entries[i].Value, err = f(Step{Name: e.Name}, e.Value); err != nil {
				return Value{}, err
			}
		}
		v.entries = entries
	}
	return v, nil
}

func (p Path) then(s Step) Path { return append(p[:len(p):len(p)], s) }

// Reveal decrypts every value of the map; a failure names the key.
func (m Map) Reveal(ctx context.Context, d secret.Decrypter) (Map, error) {
	out := make(Map, len(m))
	for _, k := range m.Keys() {
		v, err := m[k].Reveal(ctx, d)
		if err != nil {
			return nil, fmt.Errorf("decrypt the configuration value %s: %w", k, err)
		}
		out[k] = v
	}
	return out, nil
}

// Conceal encrypts every value of the map that is marked as secret; a failure names the key.
func (m Map) Conceal(ctx context.Context, e secret.Encrypter) (Map, error) {
	out := make(Map, len(m))
	for _, k := range m.Keys() {
		v, err := m[k].Conceal(ctx, e)
		if err != nil {
			return nil, fmt.Errorf("encrypt the configuration value %s: %w", k, err)
		}
		out[k] = v
	}
	return out, nil
}

// Program is the configuration in the form that language runtimes get: texts by `namespace:name`, and the keys whose values
// are or contain secrets, sorted.
type Program struct {
	Values     map[string]string
	SecretKeys []string
}

// Program gives the map's program form. The map must be revealed: a ciphertext in it is an error, so that no program ever
// takes one for its value.
func (m Map) Program() (Program, error) {
	p := Program{Values: make(map[string]string, len(m))}
	for _, k := range m.Keys() {
		v := m[k]
		if v.Encrypted() {
			return Program{}, fmt.Errorf("the configuration value %s is still encrypted", k)
		}
		p.Values[k.String()] = v.ProgramText()
		if v.Secure() {
			p.SecretKeys = append(p.SecretKeys, k.String())
		}
	}
	return p, nil
}

// String lists the keys only: values may be secrets.
func (p Program) String() string { return fmt.Sprint(slices.Sorted(maps.Keys(p.Values))) }

// GoString is String.
func (p Program) GoString() string { return p.String() }
