package operation

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/backend/session"
	"github.com/cairn-iac/cairn/internal/cli/provenance"
	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/state"
)

// opened is the stack's state for one phase, with its configuration.
type opened struct {
	base *state.Snapshot
	// session is nil in a preview.
	session *session.Session
	started time.Time
}

func (o *opened) journal() exec.Journal {
	if o.session == nil {
		return nil
	}
	return o.session
}

func (r *runner) kind() backend.UpdateKind {
	switch r.spec.kind {
	case engine.Refresh:
		return backend.UpdateKindRefresh
	case engine.Destroy:
		return backend.UpdateKindDestroy
	case engine.Import:
		return backend.UpdateKindResourceImport
	case engine.Update:
		return backend.UpdateKindUpdate
	default:
		return backend.UpdateKindUpdate
	}
}

// sessionOptions open the stack with the secrets manager of its file, or of its state.
func (r *runner) sessionOptions(ctx context.Context) (session.Options, error) {
	opts, err := r.stack.SessionOptions(ctx)
	if err != nil {
		return opts, fmt.Errorf("getting stack configuration: %w", err)
	}
	opts.Kind, opts.Command = r.kind(), r.spec.asks
	opts.Lock = backend.LockOptions{Wait: r.flags.waitForLock, OnWait: func(holders []backend.Holder) {
		r.f.Streams.Errorf("waiting for the lock of stack %s", r.stack.Ref.Name)
		for _, h := range holders {
			r.f.Streams.Errorf("\n  %s", h)
		}
		r.f.Streams.Errorf("\n")
	}}
	return opts, nil
}

// look reads the state without a lock.
func (r *runner) look(ctx context.Context) (*opened, error) {
	opts, err := r.sessionOptions(ctx)
	if err != nil {
		return nil, err
	}
	view, err := session.Read(ctx, opts)
	if err != nil {
		return nil, err
	}
	r.warn(view.Notices)
	return &opened{base: view.Snapshot, started: time.Now()}, nil
}

// lock opens the stack for changes.
func (r *runner) lock(ctx context.Context) (*opened, error) {
	opts, err := r.sessionOptions(ctx)
	if err != nil {
		return nil, err
	}
	s, err := session.Open(ctx, opts)
	if err != nil {
		return nil, err
	}
	r.warn(s.Notices())
	return &opened{base: s.Base(), session: s, started: time.Now()}, nil
}

func (r *runner) warn(notices diag.Diagnostics) {
	for _, n := range notices {
		r.f.Streams.Errorf("%s: %s\n", n.Severity, n.Error())
	}
}

// finish stores what was done, with a history entry that says who did it. An update that never ran leaves none.
func (o *opened) finish(r *runner, result engine.Result, runErr error) error {
	ctx := context.WithoutCancel(r.stop.ctx)
	if runErr != nil && result.Outcome == "" {
		notices, err := o.session.Abandon(ctx)
		r.warn(notices)
		return err
	}
	info := &backend.UpdateInfo{
		Kind: r.kind(), StartTime: o.started.Unix(), EndTime: time.Now().Unix(), Message: r.flags.message,
		Environment: r.provenance(ctx), Config: r.historyConfig(), Result: backend.ResultSucceeded,
		ResourceChanges: map[string]int{},
	}
	if result.Outcome != event.Succeeded {
		info.Result = backend.ResultFailed
	}
	for op, n := range result.Changes {
		info.ResourceChanges[string(op)] = n
	}
	notices, err := o.session.Close(ctx, session.Outcome{Info: info})
	r.warn(notices)
	return err
}

// historyConfig is the stack's configuration for the history, secrets encrypted.
func (r *runner) historyConfig() json.RawMessage {
	if r.history == nil {
		return json.RawMessage("{}")
	}
	return r.history
}

func (r *runner) provenance(ctx context.Context) map[string]string {
	request := provenance.Request{
		Lookup: r.f.Env.Lookup, Names: r.f.Env.Names, Flags: r.given,
		ExecKind: r.flags.execKind, ExecAgent: r.flags.execAgent, Username: r.f.Username,
		Planned: r.flags.plan != "",
	}
	if p := r.stack.Project; p != nil {
		request.Dir, request.Runtime = p.Dir(), p.Runtime.Name
	}
	return provenance.Collect(ctx, request)
}

// watchLock makes a lost lock a graceful stop: nothing may be changed under a lock that is gone.
func (r *runner) watchLock(o *opened, finished <-chan struct{}) {
	if o.session == nil {
		return
	}
	go func() {
		select {
		case <-o.session.Lost():
			r.f.Streams.Errorf("error: the lock of stack %s was lost (it was cancelled, or its lease could not be renewed); stopping\n",
				r.stack.Ref.Name)
			r.stop.stopGracefully()
		case <-finished:
		}
	}()
}
