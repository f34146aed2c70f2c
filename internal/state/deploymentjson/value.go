package deploymentjson

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

// valueReader reads property values of one resource.
type valueReader struct {
	*reader
	ctx context.Context
	// secrets is nil within a secret, where nothing is encrypted any more.
	secrets *Secrets
	urn     urn.URN
}

// DecodeProperties reads properties in the shape of a state file; secrets in them may be in plain text.
func DecodeProperties(ctx context.Context, data []byte, s *Secrets) (property.Map, error) {
	v := &valueReader{reader: newReader(data), ctx: ctx, secrets: s}
	m, err := v.properties(nil)
	if err == nil {
		err = v.end()
	}
	return m, err
}

func (v *valueReader) value(here *at) (property.Value, error) {
	switch c := v.peek(); {
	case c == '{':
		return v.objectValue(here)
	case c == '[':
		var items []property.Value
		err := v.list(func(i int) error {
			item, err := v.value(here.index(i))
			items = append(items, item)
			return err
		})
		return property.NewList(items...), err
	case c == '"':
		s, err := v.str()
		if s == unknownText {
			return property.Unknown(), err
		}
		return property.String(s), err
	case c == 't' || c == 'f':
		b, err := v.boolean()
		return property.Bool(b), err
	case v.skipNull():
		return property.Null(), nil
	case c == '-' || c >= '0' && c <= '9':
		f, err := v.number()
		return property.Number(f), err
	}
	return property.Value{}, v.fail("expected a value, found %s", v.found())
}

// properties reads an object whose members are values; null is empty.
func (v *valueReader) properties(here *at) (property.Map, error) {
	if v.skipNull() {
		return property.Map{}, nil
	}
	m, err := v.members(here)
	return property.MapOf(m), err
}

func (v *valueReader) members(here *at) (map[string]property.Value, error) {
	m := map[string]property.Value{}
	err := v.object(func(key string) error {
		x, err := v.value(here.key(key))
		m[key] = x
		return err
	})
	return m, err
}

func (v *valueReader) objectValue(here *at) (property.Value, error) {
	v.peek()
	start := v.pos
	m, err := v.members(here)
	if err != nil {
		return property.Value{}, err
	}
	mark, has := m[sigKey]
	if !has {
		return property.NewMap(m), nil
	}
	sig, ok := mark.AsString()
	if !ok {
		v.pos = start
		return property.Value{}, v.fail("%s: the signature of a special value is not a string", here)
	}
	special, err := v.special(sig, m, here)
	var secretErr *SecretError
	if err != nil && !errors.As(err, &secretErr) {
		v.pos = start
		return property.Value{}, v.fail("%s: %v", here, err)
	}
	return special, err
}

func (v *valueReader) special(sig string, m map[string]property.Value, here *at) (property.Value, error) {
	switch sig {
	case sigSecret:
		return v.secret(m, here)
	case sigReference:
		return reference(m)
	case sigAsset:
		return asset(m)
	case sigArchive:
		return archive(m)
	case sigBytes:
		raw, err := base64.StdEncoding.DecodeString(text(m, "value"))
		if err != nil {
			return property.Value{}, errors.New("a malformed byte string: its value is not base64")
		}
		return property.String(string(raw)), nil
	case sigFloat:
		bits, err := strconv.ParseUint(text(m, "value"), 16, 64)
		if err != nil {
			return property.Value{}, errors.New("a malformed number: its value is not hexadecimal")
		}
		return property.Number(math.Float64frombits(bits)), nil
	default:
		return property.Value{}, errors.New("an unknown signature: a newer program wrote this value")
	}
}

// text is the string under a key, "" for anything else.
func text(m map[string]property.Value, key string) string {
	s, _ := m[key].AsString()
	return s
}

func (v *valueReader) secret(m map[string]property.Value, here *at) (property.Value, error) {
	ciphertext, plaintext := text(m, "ciphertext"), text(m, "plaintext")
	if (ciphertext == "") == (plaintext == "") {
		return property.Value{}, errors.New("a malformed secret: it must have either a ciphertext or a plaintext")
	}
	if plaintext == "" && v.secrets == nil {
		plaintext = ciphertext
	}
	if plaintext == "" {
		p, sealed, err := v.secrets.open(v.ctx, place{urn: v.urn, path: here.String()}, ciphertext)
		if err != nil {
			return property.Value{}, err
		}
		if sealed {
			return property.Sealed(ciphertext), nil
		}
		plaintext = p
	}
	inner := &valueReader{reader: newReader([]byte(plaintext)), ctx: v.ctx, urn: v.urn}
	inner.depth = v.depth
	x, err := inner.value(here)
	if err == nil {
		err = inner.end()
	}
	if err != nil {
		// What exactly is wrong with it could tell a part of the secret.
		return property.Value{}, &SecretError{URN: v.urn, Path: here.String(),
			Err: errors.New("what it holds is not the JSON text of a value")}
	}
	return x.MakeSecret(), nil
}

func reference(m map[string]property.Value) (property.Value, error) {
	u := text(m, "urn")
	if u == "" {
		return property.Value{}, errors.New("a malformed resource reference: it has no urn")
	}
	if v := m["packageVersion"]; v.Kind() != property.KindString && !v.IsNull() {
		return property.Value{}, errors.New("a malformed resource reference: packageVersion is not a string")
	}
	r := property.Reference{URN: urn.URN(u), PackageVersion: text(m, "packageVersion")}
	id, has := m["id"]
	if wrapped, ok := id.AsMap(); ok {
		// Some old versions wrote the id as an object with the member V.
		id = wrapped.Get("V")
		has = !id.IsNull()
		if _, unknown := id.AsMap(); unknown {
			id = property.Unknown()
		}
	}
	if !has {
		return property.FromReference(r), nil
	}
	s, ok := id.AsString()
	switch {
	case !ok && !id.IsUnknown():
		return property.Value{}, errors.New("a malformed resource reference: id is not a string")
	case s == "":
		id = property.Unknown()
	}
	r.ID, r.HasID = id, true
	return property.FromReference(r), nil
}

func asset(m map[string]property.Value) (property.Value, error) {
	source, location, err := source(m, property.SourceText, property.SourcePath, property.SourceURI)
	if err != nil {
		return property.Value{}, fmt.Errorf("a malformed asset: %w", err)
	}
	a := property.Asset{Source: source, Location: location, Hash: text(m, "hash")}
	if a.Source == property.SourceNone && a.Hash == emptyHash {
		a.Source = property.SourceText
	}
	return property.FromAsset(a), nil
}

func archive(m map[string]property.Value) (property.Value, error) {
	source, location, err := source(m, property.SourcePath, property.SourceURI)
	if err != nil {
		return property.Value{}, fmt.Errorf("a malformed archive: %w", err)
	}
	a := property.Archive{Source: source, Location: location, Hash: text(m, "hash")}
	entries, has := m["assets"]
	if !has || entries.IsNull() {
		return property.FromArchive(a), nil
	}
	assets, ok := entries.AsMap()
	if !ok {
		return property.Value{}, errors.New("a malformed archive: assets is not an object")
	}
	for name, e := range assets.All() {
		if k := e.Kind(); k != property.KindAsset && k != property.KindArchive {
			return property.Value{}, fmt.Errorf("a malformed archive: its member %q is neither asset nor archive", name)
		}
	}
	a.Source, a.Assets = property.SourceAssets, assets
	return property.FromArchive(a), nil
}

// source finds which of the keys says where contents come from.
func source(m map[string]property.Value, keys ...property.Source) (property.Source, string, error) {
	for _, key := range keys {
		v, has := m[string(key)]
		if !has || v.IsNull() {
			continue
		}
		s, ok := v.AsString()
		if !ok {
			return "", "", fmt.Errorf("%s is not a string", key)
		}
		return key, s, nil
	}
	return property.SourceNone, "", nil
}
