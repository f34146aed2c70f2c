package fakeprovidertest

import (
	_ "embed"
	"encoding/json"
)

//go:embed schema.json
var schemaSource []byte

// schemaJSON is the package schema at a version.
func schemaJSON(version string) (string, error) {
	schema := map[string]any{}
	if err := json.Unmarshal(schemaSource, &schema); err != nil {
		return "", err
	}
	schema["version"] = version
	text, err := json.Marshal(schema)
	return string(text), err
}
