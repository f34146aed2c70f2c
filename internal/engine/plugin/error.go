package plugin

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
)

// ErrUnimplemented is what a provider answers to a call it does not know.
var ErrUnimplemented = errors.New("the provider does not implement this call")

// InitError tells that a resource exists but did not become healthy. State is saved, the deployment fails.
type InitError struct {
	ID                  resource.ID
	Inputs              *property.Map
	Outputs             property.Map
	Reasons             []string
	RefreshBeforeUpdate bool
}

func (e *InitError) Error() string {
	return fmt.Sprintf("the resource was made or changed but is not healthy: %s", strings.Join(e.Reasons, "; "))
}

// UncertainError tells that nobody knows whether the provider did the work: its operation stays pending in state.
type UncertainError struct{ Err error }

func (e *UncertainError) Error() string { return e.Err.Error() }

func (e *UncertainError) Unwrap() error { return e.Err }

// MissingConfigError lists required provider configuration that is not set.
type MissingConfigError struct{ Keys []MissingKey }

// MissingKey is one key of provider configuration.
type MissingKey struct{ Name, Description string }

func (e *MissingConfigError) Error() string {
	names := make([]string, 0, len(e.Keys))
	for _, k := range e.Keys {
		names = append(names, k.Name)
	}
	return "missing required provider configuration: " + strings.Join(names, ", ")
}

// InputError lists what is wrong with the inputs of a component.
type InputError struct {
	Message  string
	Failures []CheckFailure
}

func (e *InputError) Error() string {
	lines := []string{e.Message}
	for _, f := range e.Failures {
		lines = append(lines, fmt.Sprintf("  %s: %s", f.Property, f.Reason))
	}
	return strings.Join(lines, "\n")
}

// MissingError tells that no plugin was found.
type MissingError struct {
	Package Package
	// Hint says how to get it.
	Hint string
}

func (e *MissingError) Error() string {
	at := ""
	if e.Package.Version != "" {
		at = " at version v" + e.Package.Version
	}
	return fmt.Sprintf("no resource plugin 'pulumi-resource-%s' found in the workspace%s or on your $PATH. %s",
		e.Package.Name, at, e.Hint)
}
