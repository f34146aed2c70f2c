package table

import "github.com/cairn-iac/cairn/internal/display/palette"

// ConfigValue is one value of a configuration as JSON gives it. Value is nil for a secret that is not shown.
type ConfigValue struct {
	Value       *string `json:"value,omitempty"`
	ObjectValue any     `json:"objectValue,omitempty"`
	Secret      bool    `json:"secret"`
}

// ConfigEntry is one line of a configuration: the key as it is shown, and the value or [secret].
type ConfigEntry struct{ Key, Value string }

// Config lists a configuration in the order given: `config`.
func Config(entries []ConfigEntry, p palette.Palette) string {
	t := Table{Headers: []string{"KEY", "VALUE"}, Palette: p}
	for _, e := range entries {
		t.Rows = append(t.Rows, Row{Cells: []string{e.Key, e.Value}})
	}
	return t.String()
}

// ConfigJSON is a configuration by full key: `config --json`.
func ConfigJSON(values map[string]ConfigValue) (string, error) {
	if values == nil {
		values = map[string]ConfigValue{}
	}
	return JSON(values)
}
