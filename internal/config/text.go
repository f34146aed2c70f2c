package config

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// ProgramText is the value as a program gets it: a scalar's text, a list or object as JSON. True and false are in small
// letters, numbers in another base are decimal, null is empty; any other scalar has the characters of the file. JSON has its
// keys sorted and HTML characters escaped, as the Pulumi CLI writes it, and numbers with all their digits.
//
// Of a secret that is still encrypted it is the ciphertext: decrypt first ([Value.Reveal]) or hide it ([Value.Masked]).
func (v Value) ProgramText() string {
	switch v.kind {
	case Null:
		return ""
	case Bool:
		return strings.ToLower(v.text)
	case Int, Float:
		return numberText(v)
	case String, Ciphertext:
		return v.text
	case List, Object:
		return string(appendJSON(nil, v, htmlEscaped))
	default:
		return v.text
	}
}

// numberText is the file's text of a decimal number, and the decimal of another one.
func numberText(v Value) string {
	if strings.ContainsAny(v.text, "xXoObB_") {
		if plain, ok := plainNumber(v.text); ok {
			return plain
		}
	}
	return v.text
}

// escaping says what strings in JSON look like.
type escaping int

const (
	plain escaping = iota
	htmlEscaped
)

func appendJSON(b []byte, v Value, e escaping) []byte {
	switch v.kind {
	case Null:
		return append(b, "null"...)
	case Bool:
		return append(b, strings.ToLower(v.text)...)
	case Int, Float:
		return append(b, jsonNumber(v.kind, v.text)...)
	case List:
		b = append(b, '[')
		for i, item := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, item, e)
		}
		return append(b, ']')
	case Object:
		b = append(b, '{')
		for i, entry := range sortedEntries(v) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, entry.Name, e), ':')
			b = appendJSON(b, entry.Value, e)
		}
		return append(b, '}')
	case Ciphertext:
		b = append(appendString(append(b, '{'), secureKey, e), ':')
		return append(appendString(b, v.text, e), '}')
	case String:
		return appendString(b, v.text, e)
	default:
		return appendString(b, v.text, e)
	}
}

func sortedEntries(v Value) []Entry {
	return slices.SortedFunc(slices.Values(v.entries), func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
}

func appendString(b []byte, s string, e escaping) []byte {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(e == htmlEscaped)
	// A string always encodes.
	_ = encoder.Encode(s)
	return append(b, bytes.TrimRight(quoted.Bytes(), "\n")...)
}
