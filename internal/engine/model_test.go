package engine_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

// cloud is a model provider: a map from ids to inputs. The input "v" updates, "force" replaces, "dbr" makes a
// replacement delete first. failures maps "<call> <name>" to how often it still fails.
type cloud struct {
	mu        sync.Mutex
	next      int
	resources map[string]property.Map
	calls     []string
	failures  map[string]int
	configs   []property.Map
	gone      map[string]bool
}

func newCloud() *cloud {
	return &cloud{resources: map[string]property.Map{}, failures: map[string]int{}, gone: map[string]bool{}}
}

func (c *cloud) call(kind string, u urn.URN) error {
	c.calls = append(c.calls, kind+" "+u.Name())
	key := kind + " " + u.Name()
	if c.failures[key] > 0 {
		c.failures[key]--
		return fmt.Errorf("model failure of %s", key)
	}
	return nil
}

func (c *cloud) ids() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.resources))
}

func (c *cloud) takeCalls() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls := c.calls
	c.calls = nil
	return calls
}

// Load implements plugin.Host.
func (c *cloud) Load(_ context.Context, pkg plugin.Package, _ plugin.LoadOptions) (plugin.Provider, error) {
	if pkg.Name != "fp" {
		return nil, &plugin.MissingError{Package: pkg, Hint: "The model only has fp."}
	}
	return &modelProvider{cloud: c}, nil
}

type modelProvider struct{ *cloud }

func (p *modelProvider) CheckConfig(_ context.Context, r plugin.CheckRequest) (plugin.CheckResponse, error) {
	return plugin.CheckResponse{Inputs: r.News}, nil
}

func (p *modelProvider) DiffConfig(_ context.Context, r plugin.DiffRequest) (plugin.DiffResponse, error) {
	if r.OldInputs.Get("region").EqualPlain(r.News.Get("region")) {
		return plugin.DiffResponse{Changes: plugin.ChangesNone}, nil
	}
	return plugin.DiffResponse{Changes: plugin.ChangesSome, ReplaceKeys: []string{"region"}}, nil
}

func (p *modelProvider) Configure(_ context.Context, r plugin.ConfigureRequest) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.configs = append(p.configs, r.Inputs)
	return nil
}

func (p *modelProvider) Check(_ context.Context, r plugin.CheckRequest) (plugin.CheckResponse, error) {
	if r.News.Has("invalid") {
		return plugin.CheckResponse{Failures: []plugin.CheckFailure{{Property: "invalid", Reason: "must not be set"}}}, nil
	}
	return plugin.CheckResponse{Inputs: r.News}, nil
}

func (p *modelProvider) Diff(_ context.Context, r plugin.DiffRequest) (plugin.DiffResponse, error) {
	var d plugin.DiffResponse
	d.Changes = plugin.ChangesNone
	for _, c := range property.Changes(r.OldInputs, r.News) {
		key, _ := c.Path[0].AsKey()
		d.Changes = plugin.ChangesSome
		d.ChangedKeys = append(d.ChangedKeys, key)
		if key == "force" {
			d.ReplaceKeys = append(d.ReplaceKeys, key)
		}
	}
	if first, _ := r.News.Get("dbr").AsBool(); first {
		d.DeleteBeforeReplace = true
	}
	return d, nil
}

func (p *modelProvider) Create(_ context.Context, r plugin.CreateRequest) (plugin.CreateResponse, error) {
	if r.Preview {
		return plugin.CreateResponse{Outputs: r.Inputs.With("serial", property.Unknown())}, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.call("create", r.URN); err != nil {
		return plugin.CreateResponse{}, err
	}
	p.next++
	id := fmt.Sprintf("%s-%d", r.URN.Name(), p.next)
	p.resources[id] = r.Inputs
	return plugin.CreateResponse{ID: resource.ID(id), Outputs: r.Inputs.With("serial", property.Number(float64(p.next)))}, nil
}

func (p *modelProvider) Update(_ context.Context, r plugin.UpdateRequest) (plugin.UpdateResponse, error) {
	if r.Preview {
		return plugin.UpdateResponse{Outputs: r.News.With("serial", r.OldOutputs.Get("serial"))}, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.call("update", r.URN); err != nil {
		return plugin.UpdateResponse{}, err
	}
	p.resources[string(r.ID)] = r.News
	return plugin.UpdateResponse{Outputs: r.News.With("serial", r.OldOutputs.Get("serial"))}, nil
}

func (p *modelProvider) Delete(_ context.Context, r plugin.DeleteRequest) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.call("delete", r.URN); err != nil {
		return err
	}
	delete(p.resources, string(r.ID))
	return nil
}

func (p *modelProvider) Read(_ context.Context, r plugin.ReadRequest) (plugin.ReadResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.call("read", r.URN); err != nil {
		return plugin.ReadResponse{}, err
	}
	inputs, ok := p.resources[string(r.ID)]
	if !ok || p.gone[string(r.ID)] {
		return plugin.ReadResponse{}, nil
	}
	return plugin.ReadResponse{ID: r.ID, Inputs: &inputs, Outputs: inputs.With("serial", r.State.Get("serial"))}, nil
}

func (p *modelProvider) Invoke(_ context.Context, r plugin.InvokeRequest) (plugin.InvokeResponse, error) {
	return plugin.InvokeResponse{Return: r.Args}, nil
}

func (p *modelProvider) Call(context.Context, plugin.CallRequest) (plugin.CallResponse, error) {
	return plugin.CallResponse{}, plugin.ErrUnimplemented
}

func (p *modelProvider) Construct(context.Context, plugin.ConstructRequest) (plugin.ConstructResponse, error) {
	return plugin.ConstructResponse{}, plugin.ErrUnimplemented
}

func (p *modelProvider) Schema(context.Context) ([]byte, error) { return []byte(`{"name":"fp"}`), nil }

func (p *modelProvider) Info(context.Context) (plugin.Info, error) { return plugin.Info{}, nil }

func (p *modelProvider) Cancel(context.Context) error { return nil }

func (p *modelProvider) Close() error { return nil }

// memory is a journal that keeps the record in memory and checks the integrity rules after every record.
type memory struct {
	t       *testing.T
	mu      sync.Mutex
	all     map[*resource.State]bool
	pending map[exec.Ticket]exec.Begin
	next    exec.Ticket
	records int
	cleared []int
}

func newMemory(t *testing.T, base []*resource.State) *memory {
	m := &memory{t: t, all: map[*resource.State]bool{}, pending: map[exec.Ticket]exec.Begin{}}
	for _, s := range base {
		m.all[s] = true
	}
	return m
}

func (m *memory) Begin(_ context.Context, b exec.Begin) (exec.Ticket, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b.Existing != nil && !m.all[b.Existing] {
		m.t.Errorf("begin %s refers to a state that is not recorded: %s", b.Kind, b.Existing.URN)
	}
	m.next++
	m.pending[m.next] = b
	return m.next, nil
}

func (m *memory) Success(_ context.Context, s exec.Success) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records++
	delete(m.pending, s.Ticket)
	for _, c := range s.Changes {
		if c.Old != nil && !m.all[c.Old] {
			m.t.Errorf("a change refers to a state that is not recorded: %s", c.Old.URN)
		}
		delete(m.all, c.Old)
		if c.New != nil {
			m.all[c.New] = true
		}
	}
	if err := m.snapshotLocked().Verify(); err != nil {
		m.t.Errorf("after record %d: %v", m.records, err)
	}
	return nil
}

func (m *memory) Failure(_ context.Context, t exec.Ticket) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.pending, t)
	return nil
}

func (m *memory) ClearPending(_ context.Context, base []int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cleared = append(m.cleared, base...)
	return nil
}

func (m *memory) snapshotLocked() *state.Snapshot {
	list := make([]*resource.State, 0, len(m.all))
	for s := range m.all {
		list = append(list, s)
	}
	return &state.Snapshot{Resources: state.Sort(list)}
}

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
}

func newWorld(t *testing.T) *world { return &world{t: t, cloud: newCloud(), base: &state.Snapshot{}} }

type runOptions struct {
	engine.Options
	kind    engine.Kind
	preview bool
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
	journal := newMemory(w.t, w.base.Resources)
	p := &program{t: w.t, body: body}
	var clock int64
	var mu sync.Mutex
	deps := engine.Deps{
		Host: w.cloud, Journal: journal, Program: p,
		Serve: func(m engine.Monitor) (string, func(), error) {
			p.monitor = m
			return "in process", func() {}, nil
		},
		Emit: func(e event.Event) { w.events = append(w.events, e) },
		Now: func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			clock++
			return time.Unix(clock, 0)
		},
	}
	if o.kind != engine.Update {
		deps.Program = nil
	}
	w.result = engine.Run(context.Background(), engine.Operation{
		Kind: o.kind, Preview: o.preview, Base: w.base, Options: o.Options,
		Stack: engine.Stack{Organization: "organization", Project: "proj", Name: "dev", Config: o.config, SecretKeys: o.secrets},
	}, deps)
	if !o.preview {
		w.base = journal.snapshotLocked()
		if n := len(journal.pending); n > 0 {
			w.t.Errorf("%d operations are still pending", n)
		}
		w.check()
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
