package deploymentjson

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendString writes a string as encoding/json does without HTML escaping.
func appendString(dst []byte, s string) []byte { return appendQuoted(dst, s, false) }

func appendQuoted(dst []byte, s string, html bool) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= 0x20 && c != '"' && c != '\\' && !(html && (c == '<' || c == '>' || c == '&')) {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, c)
			i++
			start = i
			continue
		}
		char, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case char == utf8.RuneError && size == 1:
			dst = append(dst, s[start:i]...)
			dst = append(dst, `\ufffd`...)
			start = i + size
		case char == '\u2028' || char == '\u2029':
			dst = append(dst, s[start:i]...)
			dst = append(dst, `\u202`...)
			dst = append(dst, hexDigits[char&0xf])
			start = i + size
		}
		i += size
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	default:
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
	}
}

// appendNumber writes the shortest form of a finite number as encoding/json does.
func appendNumber(dst []byte, f float64) []byte {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, format, -1, 64)
	// e-09 becomes e-9.
	if n := len(dst); format == 'e' && n-start >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

// fields writes the members of one object.
type fields struct {
	dst   []byte
	empty bool
	// html escapes HTML characters too.
	html bool
}

func openFields(dst []byte) *fields { return &fields{dst: append(dst, '{'), empty: true} }

func (f *fields) quote(dst []byte, s string) []byte { return appendQuoted(dst, s, f.html) }

func (f *fields) close() []byte { return append(f.dst, '}') }

// key writes a key; the caller appends the value to f.dst.
func (f *fields) key(k string) {
	if !f.empty {
		f.dst = append(f.dst, ',')
	}
	f.empty = false
	f.dst = f.quote(f.dst, k)
	f.dst = append(f.dst, ':')
}

// str writes a member unless it is empty; the other helpers do the same.
func (f *fields) str(k, v string) {
	if v != "" {
		f.key(k)
		f.dst = f.quote(f.dst, v)
	}
}

func (f *fields) flag(k string, v bool) {
	if v {
		f.key(k)
		f.dst = append(f.dst, "true"...)
	}
}

func (f *fields) raw(k string, v json.RawMessage) {
	if len(v) > 0 {
		f.key(k)
		f.dst = append(f.dst, v...)
	}
}

func (f *fields) extra(m map[string]json.RawMessage) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		f.raw(k, m[k])
	}
}

func appendStrings[S ~string](dst []byte, list []S) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, string(s))
	}
	return append(dst, ']')
}

func stringList[S ~string](f *fields, k string, list []S) {
	if len(list) > 0 {
		f.key(k)
		f.dst = appendStrings(f.dst, list)
	}
}

// compact takes spaces out of foreign JSON, so that it does not break lines or journal records.
func compact(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var buf bytes.Buffer
	if err := json.Compact(&buf, raw); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
