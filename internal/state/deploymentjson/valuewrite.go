package deploymentjson

import (
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/urn"
)

// valueWriter writes property values of one resource.
type valueWriter struct {
	ctx     context.Context
	secrets *Secrets
	urn     urn.URN
	// show writes secrets as plaintext.
	show bool
	// within is true for what is inside a secret.
	within bool
}

func (w valueWriter) properties(dst []byte, m property.Map, here *at) ([]byte, error) {
	f := w.object(dst)
	for k, v := range m.All() {
		if err := w.member(f, k, v, here.key(k)); err != nil {
			return nil, err
		}
	}
	return f.close(), nil
}

// object begins an object. The text of a secret escapes HTML characters: so does the Pulumi CLI, and the same text is what
// shows that a secret did not change.
func (w valueWriter) object(dst []byte) *fields {
	f := openFields(dst)
	f.html = w.within
	return f
}

func (w valueWriter) member(f *fields, key string, v property.Value, here *at) error {
	f.key(key)
	dst, err := w.value(f.dst, v, here)
	if err != nil {
		return err
	}
	f.dst = dst
	return nil
}

func (w valueWriter) value(dst []byte, v property.Value, here *at) ([]byte, error) {
	if v.Secret() {
		return w.secret(dst, v, here)
	}
	switch v.Kind() {
	case property.KindNull:
		return append(dst, "null"...), nil
	case property.KindBool:
		b, _ := v.AsBool()
		return strconv.AppendBool(dst, b), nil
	case property.KindNumber:
		n, _ := v.AsNumber()
		return w.number(dst, n), nil
	case property.KindString:
		s, _ := v.AsString()
		return w.text(dst, s), nil
	case property.KindUnknown:
		return appendString(dst, unknownText), nil
	case property.KindList:
		l, _ := v.AsList()
		return w.list(dst, l, here)
	case property.KindMap:
		m, _ := v.AsMap()
		return w.properties(dst, m, here)
	case property.KindAsset:
		a, _ := v.AsAsset()
		return w.asset(dst, a), nil
	case property.KindArchive:
		a, _ := v.AsArchive()
		return w.archive(dst, a, here)
	case property.KindReference:
		r, _ := v.AsReference()
		return w.reference(dst, r), nil
	case property.KindSealed:
		c, _ := v.AsSealed()
		return w.sealed(dst, c, here)
	default:
		return nil, fmt.Errorf("%s of %s: cannot write a %s", here, w.urn, v.Kind())
	}
}

func (w valueWriter) secret(dst []byte, v property.Value, here *at) ([]byte, error) {
	if c, ok := v.AsSealed(); ok {
		return w.sealed(dst, c, here)
	}
	inner := w
	inner.within = true
	plaintext, err := inner.value(nil, v.WithSecret(false), here)
	if err != nil {
		return nil, err
	}
	if w.show {
		return w.envelope(dst, "plaintext", string(plaintext)), nil
	}
	if w.within {
		// The whole is encrypted; the mark alone is kept.
		return w.envelope(dst, "ciphertext", string(plaintext)), nil
	}
	ciphertext, err := w.secrets.seal(w.ctx, place{urn: w.urn, path: here.String()}, string(plaintext))
	if err != nil {
		return nil, err
	}
	return w.envelope(dst, "ciphertext", ciphertext), nil
}

// sealed writes a secret that was read without its key. Where its plaintext is asked for, the key must be there by now.
func (w valueWriter) sealed(dst []byte, ciphertext string, here *at) ([]byte, error) {
	if !w.show && !w.within {
		return w.envelope(dst, "ciphertext", ciphertext), nil
	}
	where := place{urn: w.urn, path: here.String()}
	plaintext, sealed, err := w.secrets.open(w.ctx, where, ciphertext)
	if err != nil {
		return nil, err
	}
	if sealed {
		return nil, &SecretError{URN: where.urn, Path: where.path, Err: secret.ErrLocked}
	}
	key := "ciphertext"
	if w.show {
		key = "plaintext"
	}
	return w.envelope(dst, key, plaintext), nil
}

func (w valueWriter) envelope(dst []byte, key, content string) []byte {
	f := w.object(dst)
	f.str(sigKey, sigSecret)
	f.key(key)
	f.dst = f.quote(f.dst, content)
	return f.close()
}

func (w valueWriter) number(dst []byte, n float64) []byte {
	if !math.IsNaN(n) && !math.IsInf(n, 0) {
		return appendNumber(dst, n)
	}
	f := w.object(dst)
	f.str(sigKey, sigFloat)
	f.str("value", fmt.Sprintf("%016x", math.Float64bits(n)))
	return f.close()
}

func (w valueWriter) text(dst []byte, s string) []byte {
	if utf8.ValidString(s) {
		return appendQuoted(dst, s, w.within)
	}
	f := w.object(dst)
	f.str(sigKey, sigBytes)
	f.key("value")
	f.dst = f.quote(f.dst, base64.StdEncoding.EncodeToString([]byte(s)))
	return f.close()
}

func (w valueWriter) list(dst []byte, l property.List, here *at) ([]byte, error) {
	dst = append(dst, '[')
	for i, v := range l.All() {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = w.value(dst, v, here.index(i)); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func (w valueWriter) asset(dst []byte, a property.Asset) []byte {
	f := w.object(dst)
	f.str(sigKey, sigAsset)
	f.str("hash", a.Hash)
	if a.Source != property.SourceNone && (a.Location != "" || a.Hash != emptyHash) {
		f.key(string(a.Source))
		f.dst = f.quote(f.dst, a.Location)
	}
	return f.close()
}

func (w valueWriter) archive(dst []byte, a property.Archive, here *at) ([]byte, error) {
	f := w.object(dst)
	f.str(sigKey, sigArchive)
	if a.Source == property.SourceAssets {
		if err := w.member(f, "assets", property.FromMap(a.Assets), here.key("assets")); err != nil {
			return nil, err
		}
	}
	f.str("hash", a.Hash)
	if a.Source == property.SourcePath || a.Source == property.SourceURI {
		f.str(string(a.Source), a.Location)
	}
	return f.close(), nil
}

func (w valueWriter) reference(dst []byte, r property.Reference) []byte {
	f := w.object(dst)
	f.str(sigKey, sigReference)
	if r.HasID {
		id, _ := r.ID.AsString() // An unknown id is written as an empty one.
		f.key("id")
		f.dst = f.quote(f.dst, id)
	}
	f.key("packageVersion")
	f.dst = f.quote(f.dst, r.PackageVersion)
	f.str("urn", string(r.URN))
	return f.close()
}
