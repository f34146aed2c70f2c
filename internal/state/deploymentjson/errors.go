package deploymentjson

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cairn-iac/cairn/internal/urn"
)

// The errors that callers tell apart.
var (
	// ErrTooNew means that a newer program wrote the state.
	ErrTooNew = errors.New("this stack's deployment version is too new")
	// ErrTooOld means that the document has no version, or one from before the first.
	ErrTooOld = errors.New("this stack's deployment is too old")
)

// FeatureError lists features of a state file that this version does not support.
type FeatureError struct{ Features []string }

func (e *FeatureError) Error() string {
	return "this stack's deployment needs support for the following features: " + strings.Join(e.Features, ", ") +
		"; use a newer release"
}

// SyntaxError says where a state file is not what it should be.
type SyntaxError struct {
	// Offset counts bytes from 0.
	Offset int
	// Resource is the index of the resource in its list, -1 outside of resources; URN is set once it was read.
	Resource int
	URN      urn.URN
	Reason   string
}

func (e *SyntaxError) Error() string {
	at := fmt.Sprintf("byte %d", e.Offset)
	if e.Resource >= 0 {
		at += fmt.Sprintf(", in resource %d", e.Resource)
	}
	if e.URN != "" {
		at += " (" + string(e.URN) + ")"
	}
	return at + ": " + e.Reason
}

// SecretError says which value could not be decrypted or encrypted.
type SecretError struct {
	URN urn.URN
	// Path is where in the resource the value is, such as outputs.password.
	Path string
	Err  error
}

func (e *SecretError) Error() string {
	if e.URN == "" {
		return fmt.Sprintf("secret %s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("secret %s of %s: %v", e.Path, e.URN, e.Err)
}

func (e *SecretError) Unwrap() error { return e.Err }
