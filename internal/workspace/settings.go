package workspace

import (
	"encoding/json"
	"fmt"
	"path/filepath"
)

// Settings is the content of config.json: what the user prefers, by backend.
type Settings struct {
	Backends map[string]BackendSettings `json:"backends,omitempty"`

	rest map[string]json.RawMessage
}

// BackendSettings are the preferences for one backend.
type BackendSettings struct {
	// DefaultOrg is the organization of stack names that name none.
	DefaultOrg string `json:"defaultOrg,omitempty"`
}

func (h Home) settingsPath() string { return filepath.Join(h.CredentialsDir, "config.json") }

// Settings reads config.json. A file that is not there holds none.
func (h Home) Settings() (Settings, error) {
	var s Settings
	rest, _, err := readRecord(h.settingsPath(), &s, "backends")
	if err != nil {
		return Settings{}, fmt.Errorf("read the settings in %s (fix or delete the file): %w", h.settingsPath(), err)
	}
	s.rest = rest
	return s, nil
}

// SaveSettings writes config.json.
func (h Home) SaveSettings(s Settings) error {
	if _, err := h.Settings(); err != nil {
		return err
	}
	data, err := record{known: &s, rest: s.rest}.text()
	if err != nil {
		return fmt.Errorf("write %s: %w", h.settingsPath(), err)
	}
	return file{path: h.settingsPath(), data: data, perm: 0o600, dirPerm: 0o700}.write()
}
