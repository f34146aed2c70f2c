package engine_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

// discard is a journal that keeps what is recorded and writes nothing.
type discard struct {
	mu   sync.Mutex
	all  map[*resource.State]bool
	last exec.Ticket
}

func (j *discard) Begin(context.Context, exec.Begin) (exec.Ticket, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last++
	return j.last, nil
}

func (j *discard) Success(_ context.Context, s exec.Success) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range s.Changes {
		delete(j.all, c.Old)
		if c.New != nil {
			j.all[c.New] = true
		}
	}
	return nil
}

func (j *discard) Failure(context.Context, exec.Ticket) error { return nil }

func (j *discard) ClearPending(context.Context, []int) error { return nil }

// fleet registers n resources, 32 at a time, in components of 50; each has a secret and depends on the one before it in
// its component.
func fleet(n int, v string) func(*program) error {
	return func(p *program) error {
		var group sync.WaitGroup
		limit := make(chan struct{}, 32)
		const size = 50
		for from := 0; from < n; from += size {
			limit <- struct{}{}
			group.Go(func() {
				defer func() { <-limit }()
				c, err := p.component(fmt.Sprint("c", from))
				if err != nil {
					return
				}
				last := property.Null()
				for i := from; i < min(n, from+size); i++ {
					in := props("v", v, "name", fmt.Sprint("name-", i), "password", str(fmt.Sprint("secret-", i)).MakeSecret(),
						"text", "some text that is as long as texts in resources often are")
					if !last.IsNull() {
						in["before"] = last
					}
					r, err := p.thing(fmt.Sprint("n", i), in, parent(c.URN))
					if err != nil {
						return
					}
					last = r.Outputs.Get("serial").WithDependencies([]urn.URN{r.URN})
				}
				_ = p.monitor.RegisterOutputs(context.Background(), c.URN, property.MapOf(props("done", "yes")))
			})
		}
		group.Wait()
		return p.monitor.RegisterOutputs(context.Background(), p.stack, property.Map{})
	}
}

func benchmarkRun(b *testing.B, c *cloud, base []*resource.State, o runOptions, body func(*program) error) []*resource.State {
	b.Helper()
	j := &discard{all: map[*resource.State]bool{}}
	for _, s := range base {
		j.all[s] = true
	}
	p := &program{body: body}
	deps := engine.Deps{
		Host: c, Journal: j, Program: p, Now: time.Now, Emit: func(event.Event) {},
		Serve: func(m engine.Monitor) (string, func(), error) {
			p.monitor = m
			return "", func() {}, nil
		},
	}
	if o.kind != engine.Update {
		deps.Program = nil
	}
	o.Parallel = 32
	r := engine.Run(context.Background(), engine.Operation{
		Kind: o.kind, Preview: o.preview, Base: &state.Snapshot{Resources: base}, Options: o.Options,
		Stack: engine.Stack{Organization: "organization", Project: "proj", Name: "dev"},
	}, deps)
	if r.Outcome != event.Succeeded {
		b.Fatal(r.Err)
	}
	list := make([]*resource.State, 0, len(j.all))
	for s := range j.all {
		list = append(list, s)
	}
	return state.Sort(list)
}

// BenchmarkRun shows that what a resource costs does not depend on how many there are.
func BenchmarkRun(b *testing.B) {
	kinds := []struct {
		name string
		// made says whether the resources exist already.
		made bool
		o    runOptions
		v    string
	}{
		{name: "create", v: "1"},
		{name: "same", made: true, v: "1"},
		{name: "preview-same", made: true, v: "1", o: runOptions{preview: true}},
		{name: "update", made: true, v: "2"},
		{name: "refresh", made: true, o: runOptions{kind: engine.Refresh}},
		{name: "destroy", made: true, o: runOptions{kind: engine.Destroy}},
	}
	for _, k := range kinds {
		for _, n := range []int{100, 1_000, 10_000} {
			b.Run(fmt.Sprint(k.name, "/", n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					c := newCloud()
					c.unnamed = true
					var base []*resource.State
					if k.made {
						base = benchmarkRun(b, c, nil, runOptions{}, fleet(n, "1"))
					}
					b.StartTimer()
					benchmarkRun(b, c, base, k.o, fleet(n, k.v))
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/resource")
			})
		}
	}
}
