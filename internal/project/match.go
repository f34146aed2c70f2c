package project

import (
	"strconv"

	"github.com/cairn-iac/cairn/internal/config"
)

// level says where a value stands. At the top every scalar is a text to the program, so only its characters count; within a
// list or object a value has the type the file gives it.
type level int

const (
	topLevel level = iota
	nested
)

// matches says whether a value can pass for the type.
func (t *Type) matches(v config.Value, at level) bool {
	isScalar := v.Kind() != config.List && v.Kind() != config.Object
	switch t.Name {
	case StringType:
		return v.Kind() == config.String || v.Kind() == config.Ciphertext || at == topLevel && isScalar
	case IntegerType:
		return isScalar && isInteger(v)
	case NumberType:
		return isScalar && isNumber(v)
	case BooleanType:
		text := v.ProgramText()
		return v.Kind() == config.Ciphertext || isScalar && (text == "true" || text == "false")
	case ObjectType:
		return v.Kind() == config.Object
	case ArrayType:
		if v.Kind() != config.List {
			return false
		}
		for _, item := range v.Items() {
			if t.Items != nil && !t.Items.matches(item, nested) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

func isInteger(v config.Value) bool {
	switch v.Kind() {
	case config.Ciphertext, config.Int:
		return true
	case config.Float:
		_, whole := v.Whole()
		return whole
	case config.String:
		text := v.ProgramText()
		if len(text) > 1 && (text[0] == '-' || text[0] == '+') {
			text = text[1:]
		}
		for _, r := range text {
			if r < '0' || r > '9' {
				return false
			}
		}
		return text != ""
	case config.Null, config.Bool, config.List, config.Object:
		return false
	default:
		return false
	}
}

func isNumber(v config.Value) bool {
	switch v.Kind() {
	case config.Ciphertext, config.Int, config.Float:
		return true
	case config.String:
		_, err := strconv.ParseFloat(v.ProgramText(), 64)
		return err == nil && !isWord(v.ProgramText())
	case config.Null, config.Bool, config.List, config.Object:
		return false
	default:
		return false
	}
}

// isWord knows what ParseFloat takes besides numbers: infinity, not a number, other bases.
func isWord(text string) bool {
	for _, r := range text {
		if (r < '0' || r > '9') && r != '.' && r != '-' && r != '+' && r != 'e' && r != 'E' {
			return true
		}
	}
	return false
}

// inexact finds a number in a value that is declared to be one, or a list of them, and that float64 cannot hold.
func (t *Type) inexact(v config.Value) (string, bool) {
	switch {
	case t.Items != nil:
		for _, item := range v.Items() {
			if text, bad := t.Items.inexact(item); bad {
				return text, true
			}
		}
	case (t.Name == IntegerType || t.Name == NumberType) && !v.Encrypted() && !config.FitsFloat64(v.ProgramText()):
		return v.Masked().ProgramText(), true
	}
	return "", false
}
