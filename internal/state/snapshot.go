package state

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/cairn-iac/cairn/internal/resource"
)

// Snapshot is the state of one stack. It is not changed once made; edits make a new one.
type Snapshot struct {
	Manifest        Manifest
	SecretsProvider *SecretsProvider
	Resources       []*resource.State
	Pending         []PendingOperation
	Metadata        json.RawMessage
	Snippets        []json.RawMessage
	Extensions      map[string]json.RawMessage
	// Extra holds keys of the deployment that this version does not know, so that they survive.
	Extra map[string]json.RawMessage
}

// Manifest says when and by which version a snapshot was written.
type Manifest struct {
	Time    time.Time
	Magic   string
	Version string
	// Plugins is kept as found; it is no longer written for new states.
	Plugins json.RawMessage
}

// NewManifest makes the manifest of a snapshot that version writes at a time.
func NewManifest(at time.Time, version string) Manifest {
	return Manifest{Time: at, Version: version, Magic: magic(version)}
}

func magic(version string) string {
	if version == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(version))
	return hex.EncodeToString(sum[:])
}

// SecretsProvider names what encrypts the secrets of a snapshot, as the state file keeps it.
type SecretsProvider struct {
	Type  string          `json:"type"`
	State json.RawMessage `json:"state,omitempty"`
}

// PendingOperation is an operation that was begun and whose end was not recorded.
type PendingOperation struct {
	Kind     resource.PendingKind
	Resource *resource.State
}
