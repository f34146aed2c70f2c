package engine

import "errors"

var (
	// ErrReported tells that something failed and the user was already told.
	ErrReported = errors.New("the failure was already reported")
	// ErrShuttingDown answers requests that come after the deployment stopped. SDKs take it as a silent exit.
	ErrShuttingDown = errors.New("resource monitor shut down")
	// ErrCanceled tells that the operation was cancelled.
	ErrCanceled = errors.New("canceled")
)
