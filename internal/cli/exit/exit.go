// Package exit chooses exit codes, in one place. It refuses to print.
package exit

import (
	"context"
	"errors"
)

// Code is a process exit code. The numbers are those of the Pulumi CLI.
type Code int

// The codes.
const (
	OK              Code = 0
	Failure         Code = 1
	Usage           Code = 2
	Authentication  Code = 3
	StackNotFound   Code = 6
	UnwantedChanges Code = 7
	Canceled        Code = 8
	Bug             Code = 255
)

// Error carries a code with an error. Err nil means that everything was told already.
type Error struct {
	Code Code
	Err  error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return "already reported"
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// With gives err the code.
func With(code Code, err error) error { return &Error{Code: code, Err: err} }

// Reported is the failure of a command that told everything already.
func Reported() error { return &Error{Code: Failure} }

// Of is the code of an error.
func Of(err error) Code {
	var coded *Error
	switch {
	case err == nil:
		return OK
	case errors.As(err, &coded):
		return coded.Code
	case errors.Is(err, context.Canceled):
		return Canceled
	default:
		return Failure
	}
}

// IsReported says whether there is nothing left to print about err.
func IsReported(err error) bool {
	var coded *Error
	return errors.As(err, &coded) && coded.Err == nil
}
