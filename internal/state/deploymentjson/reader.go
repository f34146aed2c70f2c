package deploymentjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds nesting, as encoding/json does.
const maxDepth = 10_000

// reader takes JSON text apart in one pass, without a tree in between. It accepts what encoding/json accepts and reads
// strings as that package does: bytes that are not UTF-8 become U+FFFD.
type reader struct {
	data  []byte
	pos   int
	depth int
	keys  map[string]string
}

func newReader(data []byte) *reader { return &reader{data: data, keys: map[string]string{}} }

func (r *reader) fail(format string, args ...any) error {
	return &SyntaxError{Offset: r.pos, Resource: -1, Reason: fmt.Sprintf(format, args...)}
}

// peek gives the next byte that is not space, 0 at the end.
func (r *reader) peek() byte {
	for r.pos < len(r.data) {
		switch c := r.data[r.pos]; c {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return c
		}
	}
	return 0
}

// found describes what comes next, for messages. It shows no text of the file: that may be secret.
func (r *reader) found() string {
	switch c := r.peek(); {
	case r.pos >= len(r.data):
		return "the end of the file"
	case c == '{':
		return "an object"
	case c == '[':
		return "a list"
	case c == '"':
		return "a string"
	case c == 't' || c == 'f':
		return "a boolean"
	case c == 'n':
		return "null"
	case c == '-' || c >= '0' && c <= '9':
		return "a number"
	case c < 0x20 || c >= 0x7f:
		return fmt.Sprintf("the byte 0x%02x", c)
	default:
		return fmt.Sprintf("%q", c)
	}
}

func (r *reader) expect(c byte) error {
	if r.peek() != c {
		return r.fail("expected %q, found %s", c, r.found())
	}
	r.pos++
	return nil
}

func (r *reader) end() error {
	if r.peek() != 0 || r.pos < len(r.data) {
		return r.fail("expected the end of the file, found %s", r.found())
	}
	return nil
}

// skipNull takes a null, if that is next.
func (r *reader) skipNull() bool {
	if r.peek() == 'n' && bytes.HasPrefix(r.data[r.pos:], []byte("null")) {
		r.pos += len("null")
		return true
	}
	return false
}

func (r *reader) enter(open byte, what string) error {
	if r.peek() != open {
		return r.fail("expected %s, found %s", what, r.found())
	}
	if r.depth++; r.depth > maxDepth {
		return r.fail("nested deeper than %d levels", maxDepth)
	}
	r.pos++
	return nil
}

// object reads an object; field must read the value of each key.
func (r *reader) object(field func(key string) error) error {
	if err := r.enter('{', "an object"); err != nil {
		return err
	}
	for first := true; ; first = false {
		if r.peek() == '}' {
			break
		}
		if !first {
			if err := r.separator('}'); err != nil {
				return err
			}
		}
		if r.peek() != '"' {
			return r.fail("expected a key, found %s", r.found())
		}
		key, err := r.key()
		if err != nil {
			return err
		}
		if err := r.expect(':'); err != nil {
			return err
		}
		if err := field(key); err != nil {
			return err
		}
	}
	r.pos++
	r.depth--
	return nil
}

// list reads a list; element must read each element.
func (r *reader) list(element func(i int) error) error {
	if err := r.enter('[', "a list"); err != nil {
		return err
	}
	for i := 0; ; i++ {
		if r.peek() == ']' {
			break
		}
		if i > 0 {
			if err := r.separator(']'); err != nil {
				return err
			}
			if r.peek() == ']' {
				return r.fail("expected a value, found \"]\"")
			}
		}
		if err := element(i); err != nil {
			return err
		}
	}
	r.pos++
	r.depth--
	return nil
}

func (r *reader) separator(end byte) error {
	if r.peek() != ',' {
		return r.fail("expected \",\" or %q, found %s", end, r.found())
	}
	r.pos++
	return nil
}

// key reads a string and shares the memory of equal ones.
func (r *reader) key() (string, error) {
	start := r.pos + 1
	if n := plainLength(r.data[start:]); n >= 0 {
		raw := r.data[start : start+n]
		r.pos = start + n + 1
		key, ok := r.keys[string(raw)]
		if !ok {
			key = string(raw)
			r.keys[key] = key
		}
		return key, nil
	}
	return r.str()
}

// plainLength is the length of a string without escapes and control bytes up to its closing quote, -1 for others.
func plainLength(data []byte) int {
	for i, c := range data {
		switch {
		case c == '"':
			return i
		case c == '\\' || c < 0x20 || c >= utf8.RuneSelf:
			return -1
		}
	}
	return -1
}

func (r *reader) str() (string, error) {
	if r.peek() != '"' {
		return "", r.fail("expected a string, found %s", r.found())
	}
	start := r.pos + 1
	if n := plainLength(r.data[start:]); n >= 0 {
		r.pos = start + n + 1
		return string(r.data[start : start+n]), nil
	}
	r.pos = start
	var out []byte
	for r.pos < len(r.data) {
		switch c := r.data[r.pos]; {
		case c == '"':
			r.pos++
			return string(out), nil
		case c == '\\':
			var err error
			if out, err = r.escape(out); err != nil {
				return "", err
			}
		case c < 0x20:
			return "", r.fail("the control byte 0x%02x in a string", c)
		default:
			char, size := utf8.DecodeRune(r.data[r.pos:])
			out = utf8.AppendRune(out, char)
			r.pos += size
		}
	}
	return "", r.fail("the file ends within a string")
}

func (r *reader) escape(out []byte) ([]byte, error) {
	if r.pos+1 >= len(r.data) {
		r.pos = len(r.data)
		return nil, r.fail("the file ends within a string")
	}
	const from, to = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	c := r.data[r.pos+1]
	if i := bytes.IndexByte([]byte(from), c); i >= 0 {
		r.pos += 2
		return append(out, to[i]), nil
	}
	char, ok := r.hexEscape(r.pos)
	if !ok {
		return nil, r.fail("an unknown escape in a string")
	}
	r.pos += 6
	if utf16.IsSurrogate(char) {
		if low, ok := r.hexEscape(r.pos); ok {
			if pair := utf16.DecodeRune(char, low); pair != utf8.RuneError {
				r.pos += 6
				return utf8.AppendRune(out, pair), nil
			}
		}
		char = utf8.RuneError
	}
	return utf8.AppendRune(out, char), nil
}

// hexEscape reads a \uXXXX at a position.
func (r *reader) hexEscape(at int) (rune, bool) {
	if at+6 > len(r.data) || r.data[at] != '\\' || r.data[at+1] != 'u' {
		return 0, false
	}
	var char rune
	for _, c := range r.data[at+2 : at+6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		char = char<<4 | rune(c)
	}
	return char, true
}

// numberText takes the text of a number.
func (r *reader) numberText() (string, error) {
	c := r.peek()
	if c != '-' && (c < '0' || c > '9') {
		return "", r.fail("expected a number, found %s", r.found())
	}
	start := r.pos
	if c == '-' {
		r.pos++
	}
	whole := r.digits()
	if whole == 0 || whole > 1 && r.data[r.pos-whole] == '0' {
		return "", r.fail("a malformed number")
	}
	if r.at('.') {
		r.pos++
		if r.digits() == 0 {
			return "", r.fail("a malformed number")
		}
	}
	if r.at('e') || r.at('E') {
		r.pos++
		if r.at('+') || r.at('-') {
			r.pos++
		}
		if r.digits() == 0 {
			return "", r.fail("a malformed number")
		}
	}
	return string(r.data[start:r.pos]), nil
}

func (r *reader) at(c byte) bool { return r.pos < len(r.data) && r.data[r.pos] == c }

func (r *reader) digits() int {
	start := r.pos
	for r.pos < len(r.data) && r.data[r.pos] >= '0' && r.data[r.pos] <= '9' {
		r.pos++
	}
	return r.pos - start
}

func (r *reader) number() (float64, error) {
	text, err := r.numberText()
	if err != nil {
		return 0, err
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		r.pos -= len(text)
		return 0, r.fail("the number %s is out of range", text)
	}
	return f, nil
}

func (r *reader) boolean() (bool, error) {
	switch c := r.peek(); {
	case c == 't' && bytes.HasPrefix(r.data[r.pos:], []byte("true")):
		r.pos += len("true")
		return true, nil
	case c == 'f' && bytes.HasPrefix(r.data[r.pos:], []byte("false")):
		r.pos += len("false")
		return false, nil
	}
	return false, r.fail("expected a boolean, found %s", r.found())
}

// skip passes over any value.
func (r *reader) skip() error {
	switch c := r.peek(); {
	case c == '{':
		return r.object(func(string) error { return r.skip() })
	case c == '[':
		return r.list(func(int) error { return r.skip() })
	case c == '"':
		_, err := r.key()
		return err
	case c == 't' || c == 'f':
		_, err := r.boolean()
		return err
	case c == 'n' && r.skipNull():
		return nil
	case c == '-' || c >= '0' && c <= '9':
		_, err := r.numberText()
		return err
	}
	return r.fail("expected a value, found %s", r.found())
}

// raw takes any value as it is, without spaces.
func (r *reader) raw() (json.RawMessage, error) {
	r.peek()
	start := r.pos
	if err := r.skip(); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if err := json.Compact(&buf, r.data[start:r.pos]); err != nil {
		return nil, r.fail("%v", err)
	}
	return buf.Bytes(), nil
}
