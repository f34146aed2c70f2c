package config

import (
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/diag"
)

// Kind is the type of a [Value].
type Kind int

// The kinds. Numbers are two kinds as the file writes them; a secret that is still encrypted is a kind of its own.
const (
	Null Kind = iota
	Bool
	Int
	Float
	String
	Ciphertext
	List
	Object
)

// Entry is one key of an [Object] value.
type Entry struct {
	Name  string
	Value Value
}

// Value is one immutable configuration value, as the file has it. The zero value is null.
type Value struct {
	kind    Kind
	text    string // of a scalar: its characters, quotes taken off; of a ciphertext: that
	secret  bool   // plaintext that must not be shown
	items   []Value
	entries []Entry
	at      diag.Position
}

// NewString makes a text.
func NewString(text string) Value { return Value{kind: String, text: text} }

// NewCiphertext makes a secret out of its encrypted form.
func NewCiphertext(ciphertext string) Value { return Value{kind: Ciphertext, text: ciphertext} }

// NewList makes a list.
func NewList(items ...Value) Value { return Value{kind: List, items: slices.Clone(items)} }

// NewObject makes an object; of entries with the same name the last counts.
func NewObject(entries ...Entry) Value {
	v := Value{kind: Object}
	for _, e := range entries {
		v = v.with(e.Name, e.Value)
	}
	return v
}

// Kind is the value's type.
func (v Value) Kind() Kind { return v.kind }

// Position is where the value stands in its file, if it came from one.
func (v Value) Position() diag.Position { return v.at }

// Items are the elements of a list.
func (v Value) Items() []Value { return slices.Clone(v.items) }

// Entries are the keys of an object in the file's order.
func (v Value) Entries() []Entry { return slices.Clone(v.entries) }

// SourceText is the text of a scalar just as the file has it (of a ciphertext: the ciphertext): what a value that is declared
// to be a string means, whether or not somebody put quotes around it. Lists and objects have none.
func (v Value) SourceText() string { return v.text }

// AsSecret marks a plaintext value, with everything in it, as one that must not be shown.
func (v Value) AsSecret() Value { v.secret = true; return v }

// Secure says whether the value is or contains a secret, encrypted or decrypted.
func (v Value) Secure() bool {
	return v.secret || v.any(func(leaf Value) bool { return leaf.secret || leaf.kind == Ciphertext })
}

// Encrypted says whether the value is or contains a ciphertext.
func (v Value) Encrypted() bool {
	return v.any(func(leaf Value) bool { return leaf.kind == Ciphertext })
}

func (v Value) any(is func(Value) bool) bool {
	if is(v) {
		return true
	}
	return slices.ContainsFunc(v.items, func(item Value) bool { return item.any(is) }) ||
		slices.ContainsFunc(v.entries, func(e Entry) bool { return e.Value.any(is) })
}

// Equal says whether two values are written alike, but for quoting and the order of an object's keys. Positions do not count.
func (v Value) Equal(w Value) bool {
	if v.kind != w.kind || v.secret != w.secret || len(v.entries) != len(w.entries) {
		return false
	}
	switch v.kind {
	case Null:
		return true
	case Bool:
		return strings.EqualFold(v.text, w.text)
	case Int, Float, String, Ciphertext:
		return v.text == w.text
	case List, Object:
	}
	for _, e := range v.entries {
		if other, ok := w.entry(e.Name); !ok || !e.Value.Equal(other) {
			return false
		}
	}
	return slices.EqualFunc(v.items, w.items, Value.Equal)
}

func (v Value) entry(name string) (Value, bool) {
	for _, e := range v.entries {
		if e.Name == name {
			return e.Value, true
		}
	}
	return Value{}, false
}

// with is the object with one entry set.
func (v Value) with(name string, value Value) Value {
	v.entries = slices.Clone(v.entries)
	for i := range v.entries {
		if v.entries[i].Name == name {
			v.entries[i].Value = value
			return v
		}
	}
	v.entries = append(v.entries, Entry{Name: name, Value: value})
	return v
}

// without is the object with one entry gone.
func (v Value) without(name string) Value {
	v.entries = slices.DeleteFunc(slices.Clone(v.entries), func(e Entry) bool { return e.Name == name })
	return v
}

// Map is a configuration by key.
type Map map[Key]Value

// Keys lists the keys by namespace, then name.
func (m Map) Keys() []Key {
	keys := make([]Key, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, Key.Compare)
	return keys
}

// Encrypted says whether any value holds a ciphertext: whether reading all of it needs the stack's key.
func (m Map) Encrypted() bool {
	for _, v := range m {
		if v.Encrypted() {
			return true
		}
	}
	return false
}

// WithPosition is the value with another place of origin.
func (v Value) WithPosition(at diag.Position) Value { v.at = at; return v }

// Whole is a number without a fraction as an integer: 2.0 and 2e0 are 2. It is false for anything else.
func (v Value) Whole() (Value, bool) {
	if v.kind != Int && v.kind != Float {
		return Value{}, false
	}
	plain, ok := plainNumber(v.text)
	if !ok {
		return Value{}, false
	}
	d, ok := parseDecimal(plain)
	if !ok || d.exponent < 0 || d.exponent > 400 {
		return Value{}, false
	}
	return Value{kind: Int, text: d.String(), secret: v.secret, at: v.at}, true
}

// String is the program text with secrets masked: a value in a log line or an error tells none.
func (v Value) String() string { return v.Masked().ProgramText() }

// GoString is String.
func (v Value) GoString() string { return v.String() }
