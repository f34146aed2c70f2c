package random

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
)

// randomData draws n bytes from the system's cryptographic source.
func randomData(n int64) ([]byte, error) {
	b := make([]byte, n)
	if _, err := rand.Read(b); err != nil {
		return nil, fmt.Errorf("draw %d random bytes: %w", n, err)
	}
	return b, nil
}

// randomBytes defines RandomBytes. Its id is the secret itself in base64, as the published provider has it.
func randomBytes() *definition {
	return &definition{
		name: "RandomBytes",
		doc:  "Random bytes to use as a key or another secret.",
		attributes: []attribute{
			keepers(onChange),
			{name: "length", kind: kindInt, mode: required, replacement: onChange, limits: &limits{1, maxSize},
				doc: "How many bytes to draw, at least 1."},
			{name: "base64", kind: kindString, mode: computed, secret: true, doc: "The bytes in base64."},
			{name: "hex", kind: kindString, mode: computed, secret: true,
				doc: "The bytes in lowercase hexadecimal, two digits each."},
		},
		idFrom: "base64",
		create: func(in values) (values, error) {
			b, err := randomData(in.num("length"))
			return bytesOf(b), err
		},
		importID: func(text string) (values, error) {
			b, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return nil, fmt.Errorf("the id must be the bytes in base64: %w", err)
			}
			return bytesOf(b).with(values{"base64": {text}, "length": {int64(len(b))}}), nil
		},
	}
}

func bytesOf(b []byte) values {
	return values{"base64": {base64.StdEncoding.EncodeToString(b)}, "hex": {hex.EncodeToString(b)}}
}

// randomID defines RandomId.
func randomID() *definition {
	return &definition{
		name: "RandomId",
		doc:  "A random number to use as an identifier, in several notations. For secrets use RandomBytes.",
		attributes: []attribute{
			identifier(), keepers(onNewEntries),
			{name: "byteLength", kind: kindInt, mode: required, replacement: onChange, limits: &limits{1, maxSize},
				doc: "How many random bytes make the number, at least 1."},
			{name: "prefix", kind: kindString, mode: optional, replacement: onChange,
				doc: "Text to put before each of the notations, as it is."},
			{name: "b64Std", kind: kindString, mode: computed, echoes: "prefix",
				doc: "The prefix and the number in base64."},
			{name: "b64Url", kind: kindString, mode: computed, echoes: "prefix",
				doc: "The prefix and the number in the URL-safe base64 without padding."},
			{name: "dec", kind: kindString, mode: computed, echoes: "prefix",
				doc: "The prefix and the number in decimal digits without leading zeros."},
			{name: "hex", kind: kindString, mode: computed, echoes: "prefix",
				doc: "The prefix and the number in hexadecimal, two digits for each byte."},
		},
		idFrom: idAttribute,
		create: func(in values) (values, error) {
			b, err := randomData(in.num("byteLength"))
			return idOf(in.str("prefix"), b), err
		},
		importID: func(text string) (values, error) {
			prefix, digits := "", text
			if comma := strings.LastIndex(text, ","); comma >= 0 {
				prefix, digits = text[:comma], text[comma+1:]
			}
			b, err := base64.RawURLEncoding.DecodeString(digits)
			if err != nil || len(b) == 0 {
				return nil, fmt.Errorf("the id must be B64URL or PREFIX,B64URL, where B64URL is URL-safe base64 without padding")
			}
			out := idOf(prefix, b).with(values{"byteLength": {int64(len(b))}})
			if prefix != "" {
				out["prefix"] = value{prefix}
			}
			return out, nil
		},
	}
}

func idOf(prefix string, b []byte) values {
	id := base64.RawURLEncoding.EncodeToString(b)
	return values{
		idAttribute: {id},
		"b64Url":    {prefix + id},
		"b64Std":    {prefix + base64.StdEncoding.EncodeToString(b)},
		"hex":       {prefix + hex.EncodeToString(b)},
		"dec":       {prefix + new(big.Int).SetBytes(b).String()},
	}
}
