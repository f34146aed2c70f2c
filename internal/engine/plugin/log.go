package plugin

import (
	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Log is one message of a provider or program.
type Log struct {
	Severity  diag.Severity
	Message   string
	URN       urn.URN
	StreamID  int32
	Ephemeral bool
}

// LogFunc takes messages; it may be called concurrently.
type LogFunc func(Log)
