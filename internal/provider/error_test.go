package provider_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/provider"
	"github.com/cairn-iac/cairn/internal/resource"
)

const unknownSentinel = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

// Every code of gRPC means either that nothing was done or that nobody knows.
func TestCodes(t *testing.T) {
	t.Parallel()
	var code codes.Code
	r := &raw{
		HandshakeFn: modern,
		CreateFn: func(context.Context, *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
			return nil, status.Error(code, "the provider's words")
		},
		UpdateFn: func(*pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
			return nil, status.Error(code, "the provider's words")
		},
		DeleteFn: func(*pulumirpc.DeleteRequest) error { return status.Error(code, "the provider's words") },
	}
	p := ready(t, r)
	for code = codes.Canceled; code <= codes.Unauthenticated; code++ {
		uncertain := code == codes.Internal || code == codes.DataLoss || code == codes.Unknown
		_, create := p.Create(t.Context(), plugin.CreateRequest{URN: thing})
		_, update := p.Update(t.Context(), plugin.UpdateRequest{URN: thing, ID: "x"})
		remove := p.Delete(t.Context(), plugin.DeleteRequest{URN: thing, ID: "x"})
		for what, err := range map[string]error{"create": create, "update": update, "delete": remove} {
			var u *plugin.UncertainError
			if errors.As(err, &u) != uncertain || !strings.Contains(err.Error(), "the provider's words") {
				t.Errorf("%s, %s: %v", what, code, err)
			}
			if errors.Is(err, plugin.ErrUnimplemented) != (code == codes.Unimplemented) {
				t.Errorf("%s, %s: %v", what, code, err)
			}
			if strings.Contains(err.Error(), "rpc error") {
				t.Errorf("%s, %s: %v", what, code, err)
			}
		}
	}
}

func TestErrorDetails(t *testing.T) {
	t.Parallel()
	r := &raw{
		HandshakeFn: modern,
		ConfigureFn: func(*pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
			return nil, fail(t, codes.InvalidArgument, "missing", &pulumirpc.ConfigureErrorMissingKeys{
				MissingKeys: []*pulumirpc.ConfigureErrorMissingKeys_MissingKey{{Name: "pkg:region", Description: "where"}},
			})
		},
	}
	err := connect(t, r).Configure(t.Context(), plugin.ConfigureRequest{URN: providerURN})
	var missing *plugin.MissingConfigError
	if !errors.As(err, &missing) || missing.Keys[0] != (plugin.MissingKey{Name: "pkg:region", Description: "where"}) {
		t.Errorf("got %v", err)
	}
	r.ConfigureFn = nil
	r.ConstructFn = func(*pulumirpc.ConstructRequest) (*pulumirpc.ConstructResponse, error) {
		return nil, fail(t, codes.InvalidArgument, "bad inputs", &pulumirpc.InputPropertiesError{
			Errors: []*pulumirpc.InputPropertiesError_PropertyError{{PropertyPath: "a.b", Reason: "no"}},
		})
	}
	r.CreateFn = func(context.Context, *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
		return nil, fail(t, codes.Unknown, "awaiting approval", &pulumirpc.ErrorResourceAwaitFailed{})
	}
	r.CheckFn = func(*pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
		return nil, fail(t, codes.Unknown, "outer", &pulumirpc.ErrorCause{Message: "inner"})
	}
	p := ready(t, r)
	_, err = p.Construct(t.Context(), plugin.ConstructRequest{Type: "pkg:index:C", Name: "c"})
	var wrong *plugin.InputError
	if !errors.As(err, &wrong) || wrong.Message != "bad inputs" || wrong.Failures[0] != (plugin.CheckFailure{Property: "a.b", Reason: "no"}) {
		t.Errorf("got %v", err)
	}
	var uncertain *plugin.UncertainError
	if _, err := p.Create(t.Context(), plugin.CreateRequest{URN: thing}); err == nil || errors.As(err, &uncertain) || err.Error() != "awaiting approval" {
		t.Errorf("got %v", err)
	}
	if _, err := p.Check(t.Context(), plugin.CheckRequest{URN: thing}); err == nil || err.Error() != "outer: inner" {
		t.Errorf("got %v", err)
	}
}

func TestResourcesThatAreNotHealthyAreKept(t *testing.T) {
	t.Parallel()
	detail := &pulumirpc.ErrorResourceInitFailed{
		Id: "x", Properties: object(t, map[string]any{"out": "s3cret text"}), Reasons: []string{"no pods", "no luck"},
		Inputs: object(t, map[string]any{"in": "1"}), RefreshBeforeUpdate: true,
	}
	unhealthy := func() error { return fail(t, codes.Unknown, "failed", detail) }
	r := &raw{
		HandshakeFn: blind,
		CreateFn: func(context.Context, *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
			return nil, unhealthy()
		},
		UpdateFn: func(*pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) { return nil, unhealthy() },
		ReadFn:   func(*pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) { return nil, unhealthy() },
	}
	p := ready(t, r)
	in := props("token", secretOf("s3cret text"))
	_, create := p.Create(t.Context(), plugin.CreateRequest{URN: thing, Inputs: in})
	_, update := p.Update(t.Context(), plugin.UpdateRequest{URN: thing, ID: "x", News: in})
	_, read := p.Read(t.Context(), plugin.ReadRequest{URN: thing, ID: "x", Inputs: in})
	for what, err := range map[string]error{"create": create, "update": update, "read": read} {
		var e *plugin.InitError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if e.ID != "x" || len(e.Reasons) != 2 || !e.RefreshBeforeUpdate || !e.Outputs.Get("out").Secret() || !e.Inputs.Has("in") {
			t.Errorf("%s: %+v", what, e)
		}
	}
	detail.Id = ""
	var u *plugin.UncertainError
	if _, err := p.Create(t.Context(), plugin.CreateRequest{URN: thing, Inputs: in}); !errors.As(err, &u) {
		t.Errorf("without an id: %v", err)
	}
}

// An answer that cannot be used does not make us forget what was made.
func TestUnusableAnswersKeepTheResource(t *testing.T) {
	t.Parallel()
	id := "x"
	bad := map[string]any{"out": unknownSentinel}
	r := &raw{
		HandshakeFn: modern,
		CreateFn: func(context.Context, *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
			return &pulumirpc.CreateResponse{Id: id, Properties: object(t, bad)}, nil
		},
		UpdateFn: func(*pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
			return &pulumirpc.UpdateResponse{Properties: object(t, bad)}, nil
		},
	}
	p := ready(t, r)
	in := props("a", "b")
	var unhealthy *plugin.InitError
	_, err := p.Create(t.Context(), plugin.CreateRequest{URN: thing, Inputs: in})
	if !errors.As(err, &unhealthy) || unhealthy.ID != resource.ID(id) || !unhealthy.Outputs.Equal(in) || !strings.Contains(err.Error(), "property out") {
		t.Errorf("create: %v", err)
	}
	var uncertain *plugin.UncertainError
	if _, err := p.Update(t.Context(), plugin.UpdateRequest{URN: thing, ID: "x", News: in}); !errors.As(err, &uncertain) {
		t.Errorf("update: %v", err)
	}
	if resp, err := p.Create(t.Context(), plugin.CreateRequest{URN: thing, Inputs: in, Preview: true}); err != nil || !resp.Outputs.Get("out").IsUnknown() {
		t.Errorf("preview: %v, %v", resp, err)
	}
	id, bad = "", map[string]any{}
	_, err = p.Create(t.Context(), plugin.CreateRequest{URN: thing, Inputs: in})
	if !errors.As(err, &uncertain) || !strings.Contains(err.Error(), "empty resource.ID") {
		t.Errorf("without an id: %v", err)
	}
}

// What is cut off may have been done; what did not reach the provider was not.
func TestCutCallsAreUncertain(t *testing.T) {
	t.Parallel()
	started := make(chan struct{}, 1)
	r := &raw{HandshakeFn: modern, CreateFn: func(ctx context.Context, _ *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
		started <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	c, server := connection(t, r)
	p, err := provider.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	configure(t, p, property.Map{})
	create := func(ctx context.Context, interfere func()) error {
		failed := make(chan error, 1)
		go func() {
			_, err := p.Create(ctx, plugin.CreateRequest{URN: thing})
			failed <- err
		}()
		<-started
		interfere()
		return <-failed
	}
	var uncertain *plugin.UncertainError
	ctx, cancel := context.WithCancel(t.Context())
	if err := create(ctx, cancel); !errors.As(err, &uncertain) {
		t.Errorf("canceled by us: %v", err)
	}
	if err := create(t.Context(), server.Stop); !errors.As(err, &uncertain) {
		t.Errorf("server gone: %v", err)
	}
}

// Messages and the details of errors may be far larger than what gRPC allows by itself.
func TestLargeMessages(t *testing.T) {
	t.Parallel()
	for _, size := range []int{7 << 20, 50 << 20} {
		big := strings.Repeat("x", size)
		r := &raw{
			HandshakeFn: modern,
			CreateFn: func(_ context.Context, q *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
				return &pulumirpc.CreateResponse{Id: "x", Properties: q.GetProperties()}, nil
			},
		}
		resp, err := ready(t, r).Create(t.Context(), plugin.CreateRequest{URN: thing, Inputs: props("big", big)})
		if err != nil {
			t.Fatal(err)
		}
		if s, _ := resp.Outputs.Get("big").AsString(); s != big {
			t.Errorf("%d bytes came back as %d", size, len(s))
		}
	}
	detail := &pulumirpc.ErrorResourceInitFailed{Id: "x", Properties: object(t, map[string]any{"big": strings.Repeat("x", 5<<20)})}
	r := &raw{HandshakeFn: modern, CreateFn: func(context.Context, *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
		return nil, fail(t, codes.Unknown, "failed", detail)
	}}
	_, err := ready(t, r).Create(t.Context(), plugin.CreateRequest{URN: thing})
	var unhealthy *plugin.InitError
	if !errors.As(err, &unhealthy) || unhealthy.ID != "x" {
		t.Errorf("got %.200v", err)
	}
}
