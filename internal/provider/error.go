package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/status"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
)

// callError is a failed call. Its text is the provider's, without the code.
type callError struct {
	code codes.Code
	err  error
	// cut is true when the call was not answered, so that the provider may have done its work.
	cut     bool
	details []any
}

func (e *callError) Error() string { return e.err.Error() }

func (e *callError) Unwrap() error { return e.err }

// uncertain says whether the provider may have done its work all the same.
func (e *callError) uncertain() bool {
	switch e.code {
	case codes.Internal, codes.DataLoss, codes.Unknown:
		return true
	default:
		return e.cut
	}
}

// call runs one call of the service. A failure is a *callError, except that a call that a dead provider cannot get any
// more fails with how it died.
func (p *client) call(ctx context.Context, f func(context.Context) error) error {
	if p.dead() {
		return p.c.Process.Death()
	}
	err := f(ctx)
	if err == nil {
		return nil
	}
	s := status.Convert(err)
	failed := &callError{code: s.Code(), err: errors.New(message(s)), details: s.Details()}
	switch s.Code() {
	case codes.Unavailable:
		if p.gone() {
			failed.cut = true
		}
		if p.dead() {
			failed.err = p.c.Process.Death()
		}
	case codes.Canceled, codes.DeadlineExceeded:
		failed.cut = ctx.Err() != nil
	case codes.ResourceExhausted:
		failed.cut = strings.Contains(s.Message(), "received message larger than max")
	case codes.Unimplemented:
		failed.err = plugin.ErrUnimplemented
		if s.Message() != "" {
			failed.err = fmt.Errorf("%w: %s", plugin.ErrUnimplemented, s.Message())
		}
	default:
	}
	if detailed := fromDetails(s); detailed != nil {
		failed.err = detailed
	}
	if awaits(failed.details) {
		failed.code = codes.FailedPrecondition
	}
	return failed
}

// awaits says whether the provider put the work off, whatever code it chose to say so: nothing was made or changed.
func awaits(details []any) bool {
	return slices.ContainsFunc(details, func(d any) bool {
		_, ok := d.(*pulumirpc.ErrorResourceAwaitFailed)
		return ok
	})
}

// noticeTime is how long it may take until a process or connection that just broke is known to be broken.
const noticeTime = 2 * time.Second

// gone tells a provider that answers "unavailable" from one that is not there any more.
func (p *client) gone() bool {
	var exited <-chan struct{}
	if p.c.Process != nil {
		exited = p.c.Process.Exited()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if p.c.Conn.GetState() == connectivity.Ready && !p.c.Conn.WaitForStateChange(ctx, connectivity.Ready) {
		return p.dead()
	}
	select {
	case <-exited:
	case <-time.After(noticeTime):
	}
	return true
}

// message is the provider's text, with the cause that some Go providers send along.
func message(s *status.Status) string {
	text := s.Message()
	for _, d := range s.Details() {
		if cause, ok := d.(*pulumirpc.ErrorCause); ok && !strings.Contains(text, cause.GetMessage()) {
			text += ": " + cause.GetMessage()
		}
	}
	if text == "" {
		text = "the provider failed without a message (" + s.Code().String() + ")"
	}
	return text
}

// fromDetails makes the error that a detail of the answer describes.
func fromDetails(s *status.Status) error {
	for _, d := range s.Details() {
		switch d := d.(type) {
		case *pulumirpc.ConfigureErrorMissingKeys:
			missing := &plugin.MissingConfigError{}
			for _, k := range d.GetMissingKeys() {
				missing.Keys = append(missing.Keys, plugin.MissingKey{Name: k.GetName(), Description: k.GetDescription()})
			}
			return missing
		case *pulumirpc.InputPropertiesError:
			wrong := &plugin.InputError{Message: s.Message()}
			for _, e := range d.GetErrors() {
				wrong.Failures = append(wrong.Failures, plugin.CheckFailure{Property: e.GetPropertyPath(), Reason: e.GetReason()})
			}
			return wrong
		}
	}
	return nil
}

// initFailure gives the detail of a resource that was made or changed but is not healthy.
func initFailure(err error) (*pulumirpc.ErrorResourceInitFailed, bool) {
	var failed *callError
	if !errors.As(err, &failed) {
		return nil, false
	}
	for _, d := range failed.details {
		if f, ok := d.(*pulumirpc.ErrorResourceInitFailed); ok {
			return f, true
		}
	}
	return nil, false
}

// effect turns the failure of a call that changes something into one that says whether it may have.
func effect(err error) error {
	var failed *callError
	if errors.As(err, &failed) && failed.uncertain() {
		return &plugin.UncertainError{Err: err}
	}
	return err
}
