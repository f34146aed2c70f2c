package engine_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

// program registers through the monitor directly.
type program struct {
	t       *testing.T
	monitor engine.Monitor
	body    func(*program) error
	stack   urn.URN
}

func (p *program) Run(ctx context.Context, env plugin.Environment) error {
	if p.body == nil {
		return nil
	}
	r, err := p.monitor.Register(ctx, engine.Registration{Type: urn.StackType, Name: env.Project + "-" + env.Stack})
	if err != nil {
		return err
	}
	p.stack = r.URN
	return p.body(p)
}

// thing registers a custom resource of the model provider.
func (p *program) thing(name string, inputs map[string]property.Value, edit ...func(*engine.Registration)) (engine.Registered, error) {
	r := engine.Registration{
		Type: "fp:index:Thing", Name: name, Custom: true, Inputs: property.MapOf(inputs),
		Options: resource.Options{Parent: p.stack},
	}
	for _, e := range edit {
		e(&r)
	}
	return p.monitor.Register(context.Background(), r)
}

func (p *program) component(name string, edit ...func(*engine.Registration)) (engine.Registered, error) {
	r := engine.Registration{Type: "my:index:Group", Name: name, Options: resource.Options{Parent: p.stack}}
	for _, e := range edit {
		e(&r)
	}
	return p.monitor.Register(context.Background(), r)
}

func dependsOn(us ...urn.URN) func(*engine.Registration) {
	return func(r *engine.Registration) { r.Options.Dependencies = append(r.Options.Dependencies, us...) }
}

func parent(u urn.URN) func(*engine.Registration) {
	return func(r *engine.Registration) { r.Options.Parent = u }
}

// world is a stack in the model: the cloud, the recorded state and what happened.
type world struct {
	t      *testing.T
	cloud  *cloud
	base   *state.Snapshot
	events []event.Event
	result engine.Result
	// journal is that of the last run.
	journal *memory
	clock   int64
}

func newWorld(t *testing.T) *world { return &world{t: t, cloud: newCloud(), base: &state.Snapshot{}} }

type runOptions struct {
	engine.Options
	kind    engine.Kind
	preview bool
	// pending allows operations whose end is not known.
	pending bool
	// loose allows resources that are gone with others.
	loose   bool
	cancel  <-chan struct{}
	config  map[string]string
	secrets []string
}

// run carries one operation out and takes over the state unless it is a preview.
func (w *world) run(o runOptions, body func(*program) error) engine.Result {
	w.t.Helper()
	w.events = nil
	w.cloud.takeCalls()
	if o.Parallel == 0 {
		o.Parallel = 8
	}
	journal := newMemory(w.base)
	p := &program{t: w.t, body: body}
	var mu sync.Mutex
	deps := engine.Deps{
		Host: w.cloud, Journal: journal, Program: p, Cancel: o.cancel,
		Serve: func(m engine.Monitor) (string, func(), error) {
			p.monitor = m
			return "in process", func() {}, nil
		},
		Emit: func(e event.Event) { w.events = append(w.events, e) },
		Now: func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			w.clock++
			return time.Unix(w.clock, 0)
		},
	}
	if o.kind != engine.Update && o.kind != engine.Import && !o.ByProgram {
		deps.Program = nil
	}
	w.result = engine.Run(context.Background(), engine.Operation{
		Kind: o.kind, Preview: o.preview, Base: w.base, Options: o.Options,
		Stack: engine.Stack{Organization: "organization", Project: "proj", Name: "dev", Config: o.config, SecretKeys: o.secrets},
	}, deps)
	if !o.preview {
		w.base = journal.fold()
		w.journal = journal
		if n := len(journal.open); n > 0 && !o.pending {
			w.t.Errorf("%d operations are still pending", n)
		}
		if !o.loose {
			w.check()
		}
	}
	for _, problem := range append(journal.problems, w.cloud.problems...) {
		w.t.Error(problem)
	}
	return w.result
}

// check compares the recorded ids with the cloud's.
func (w *world) check() {
	w.t.Helper()
	var recorded []string
	for _, s := range w.base.Resources {
		if s.Custom && !s.IsProvider() && !s.External && !s.PendingReplacement {
			recorded = append(recorded, string(s.ID))
		}
	}
	slices.Sort(recorded)
	if got := w.cloud.ids(); !slices.Equal(got, recorded) {
		w.t.Errorf("recorded ids %v, cloud has %v", recorded, got)
	}
}

func (w *world) ops() map[string]int {
	out := map[string]int{}
	for op, n := range w.result.Changes {
		out[string(op)] = n
	}
	return out
}

func (w *world) errors() []string {
	var out []string
	for _, e := range w.events {
		if d, ok := e.(event.Diagnostic); ok && d.Severity == diag.Error {
			out = append(out, d.Message)
		}
	}
	return out
}

func (w *world) find(name string) *resource.State {
	for _, s := range w.base.Resources {
		if s.URN.Name() == name && !s.Delete {
			return s
		}
	}
	return nil
}

func str(s string) property.Value { return property.String(s) }

func props(kv ...any) map[string]property.Value {
	out := map[string]property.Value{}
	for i := 0; i < len(kv); i += 2 {
		switch v := kv[i+1].(type) {
		case string:
			out[kv[i].(string)] = str(v)
		case bool:
			out[kv[i].(string)] = property.Bool(v)
		case property.Value:
			out[kv[i].(string)] = v
		}
	}
	return out
}
