package fakeprovidertest

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// before does what the rule wants before the effect.
func (s *Server) before(ctx context.Context, r Rule) error {
	if err := s.sleep(ctx, r.Sleep, r); err != nil {
		return err
	}
	return s.at(Before, r)
}

// after does what the rule wants once the effect is durable. A sleep that is cut short does not fail the call.
func (s *Server) after(ctx context.Context, r Rule) error {
	if err := s.sleep(ctx, r.SleepAfter, r); err != nil && ctx.Err() != nil {
		return err
	}
	return s.at(After, r)
}

func (s *Server) at(m Moment, r Rule) error {
	if r.Crash == m {
		s.opts.Exit(crashCode)
		return status.Error(codes.Unavailable, "crashed on demand")
	}
	if r.Fail != m {
		return nil
	}
	code := r.Code
	if code == codes.OK {
		code = codes.Unknown
	}
	message := r.Message
	if message == "" {
		message = fmt.Sprintf("told to fail %s the effect", m)
	}
	return status.Error(code, message)
}

// crashCode is the exit code of a crash on demand.
const crashCode = 3

func (s *Server) sleep(ctx context.Context, milliseconds int, r Rule) error {
	if milliseconds == 0 {
		return nil
	}
	canceled, gone := s.canceled, ctx.Done()
	if r.IgnoreCancel {
		canceled, gone = nil, nil
	}
	timer := time.NewTimer(time.Duration(milliseconds) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-canceled:
		return status.Error(codes.Canceled, "canceled")
	case <-gone:
		return status.FromContextError(ctx.Err()).Err()
	}
}

type ruleKey struct{}

func withRule(ctx context.Context, r Rule) context.Context {
	return context.WithValue(ctx, ruleKey{}, r)
}

// ruleOf is the rule that the interceptor chose for the call.
func ruleOf(ctx context.Context) Rule {
	r, _ := ctx.Value(ruleKey{}).(Rule)
	return r
}
