package config

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// ParseScalar reads the VALUE argument of `config set` for an address. typ is the `--type` flag: string, int, float, bool, or
// empty. Without a type a value at a key is a text, just as it was typed; a value within one ("true", "false", or an integer
// whose text says no more than its number) is what it looks like, and a text otherwise: "007", "-0" and "1.10" are.
func ParseScalar(a Address, text, typ string) (Value, error) {
	if !utf8.ValidString(text) {
		return Value{}, fmt.Errorf("the value of %v is not valid UTF-8; encode it, for example as base64", a)
	}
	switch typ {
	case "":
		if len(a.Path) > 0 {
			return coerce(text), nil
		}
		return NewString(text), nil
	case "string":
		return NewString(text), nil
	case "bool":
		if lower := strings.ToLower(text); lower == "true" || lower == "false" {
			return Value{kind: Bool, text: lower}, nil
		}
		return Value{}, fmt.Errorf("%q is no bool; give true or false", text)
	case "int", "float":
		return parseNumber(text, typ)
	default:
		return Value{}, fmt.Errorf("invalid type %q; must be one of string, int, bool, or float", typ)
	}
}

func parseNumber(text, typ string) (Value, error) {
	d, ok := parseDecimal(text)
	kind := Int
	if typ == "float" {
		kind = Float
	}
	switch {
	case !ok || kind == Int && strings.ContainsAny(text, ".eE"):
		return Value{}, fmt.Errorf("%q is no %s", text, typ)
	case kind == Int:
		return Value{kind: Int, text: d.String()}, nil
	}
	// A number that is written as JSON would write it stays as it is; the file may be JSON.
	if !regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`).MatchString(text) {
		text = d.String()
	}
	if !strings.ContainsAny(text, ".eE") {
		kind = Int
	}
	return Value{kind: kind, text: text}, nil
}

func coerce(text string) Value {
	switch {
	case text == "true" || text == "false":
		return Value{kind: Bool, text: text}
	case len(text) <= 20 && text != "-0" && regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`).MatchString(text):
		return Value{kind: Int, text: text}
	default:
		return NewString(text)
	}
}
