package config

import "encoding/json"

// Shown is a value in the JSON of `config --json` and `config get --json`. Write it with an encoder that does not escape
// HTML and indents by two spaces to have the Pulumi CLI's bytes.
type Shown struct {
	// Value is the program text. It is absent for a secret that is not shown.
	Value *string `json:"value,omitempty"`
	// ObjectValue is the value itself when it is a list or an object.
	ObjectValue json.RawMessage `json:"objectValue,omitempty"`
	// Secret says whether the value is or contains a secret.
	Secret bool `json:"secret"`
}

// Show gives the JSON form. A value that still has a ciphertext in it shows nothing but that it is secret; reveal it to show
// all of it.
func (v Value) Show() Shown {
	if v.Encrypted() {
		return Shown{Secret: true}
	}
	text := v.ProgramText()
	shown := Shown{Value: &text, Secret: v.Secure()}
	if v.kind == List || v.kind == Object {
		shown.ObjectValue = appendJSON(nil, v, plain)
	}
	return shown
}

// Show gives the JSON form of every value by full key.
func (m Map) Show() map[string]Shown {
	out := make(map[string]Shown, len(m))
	for k, v := range m {
		out[k.String()] = v.Show()
	}
	return out
}

// Row is one line of the table that `config` prints.
type Row struct{ Key, Value string }

// Rows gives the table of a project's stack, sorted by full key. What is still encrypted shows as `[secret]`.
func (m Map) Rows(project string) []Row {
	rows := make([]Row, 0, len(m))
	for _, k := range m.Keys() {
		v := m[k]
		if v.Encrypted() {
			v = v.Masked()
		}
		rows = append(rows, Row{Key: k.Pretty(project), Value: v.ProgramText()})
	}
	return rows
}
