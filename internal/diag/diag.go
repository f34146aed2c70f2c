package diag

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cairn-iac/cairn/internal/urn"
)

// Severity orders diagnostics; its text is the one of the engine event protocol.
type Severity string

// The severities of the protocol. InfoErr is information that a program wrote to its error stream.
const (
	Debug   Severity = "debug"
	Info    Severity = "info"
	InfoErr Severity = "info#err"
	Warning Severity = "warning"
	Error   Severity = "error"
)

// Position is a place in a file; lines and columns count from 1, 0 means unknown.
type Position struct {
	File   string
	Line   int
	Column int
}

// IsZero says whether the place is unknown.
func (p Position) IsZero() bool { return p.File == "" }

func (p Position) String() string {
	switch {
	case p.IsZero():
		return ""
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
}

// Subject says what a diagnostic is about. Any part may be empty.
type Subject struct {
	Position Position
	// Source is the line of the program that Position points at, for display below the message.
	Source string
	URN    urn.URN
	// Property is a property path within the resource.
	Property string
}

// Diagnostic is one message to the user.
type Diagnostic struct {
	Severity Severity
	// Summary is one sentence: what happened.
	Summary string
	// Detail says how to mend it; it may span lines.
	Detail  string
	Subject Subject
}

// Error makes a diagnostic usable as an error: position, summary, detail.
func (d Diagnostic) Error() string {
	var b strings.Builder
	if !d.Subject.Position.IsZero() {
		b.WriteString(d.Subject.Position.String() + ": ")
	}
	b.WriteString(d.Summary)
	if d.Subject.Property != "" {
		b.WriteString(" (property " + d.Subject.Property + ")")
	}
	if d.Detail != "" {
		b.WriteString("\n" + d.Detail)
	}
	return b.String()
}

// Diagnostics is a list of messages. It is an error when it holds one of severity Error.
type Diagnostics []Diagnostic

// HasErrors says whether any message is an error.
func (ds Diagnostics) HasErrors() bool {
	for _, d := range ds {
		if d.Severity == Error {
			return true
		}
	}
	return false
}

// Err is nil unless an error is among the messages.
func (ds Diagnostics) Err() error {
	if !ds.HasErrors() {
		return nil
	}
	return ds
}

func (ds Diagnostics) Error() string {
	lines := make([]string, 0, len(ds))
	for _, d := range ds {
		lines = append(lines, d.Error())
	}
	return strings.Join(lines, "\n")
}

// As gives the diagnostics within err, if there are any.
func As(err error) (Diagnostics, bool) {
	var many Diagnostics
	if errors.As(err, &many) {
		return many, true
	}
	var one Diagnostic
	if errors.As(err, &one) {
		return Diagnostics{one}, true
	}
	return nil, false
}

// Infof makes a note about a resource.
func Infof(u urn.URN, format string, args ...any) Diagnostic {
	return Diagnostic{Severity: Info, Summary: fmt.Sprintf(format, args...), Subject: Subject{URN: u}}
}

// Errorf makes an error diagnostic about a resource.
func Errorf(u urn.URN, format string, args ...any) Diagnostic {
	return Diagnostic{Severity: Error, Summary: fmt.Sprintf(format, args...), Subject: Subject{URN: u}}
}
