package engine_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

// TestHistories lives through made-up histories of made-up stacks: programs that change between runs, providers that
// fail in every way they can, targets, cancellations and kills. After every record the integrity rules hold; after
// every run the record says what exists; a run without faults converges, and then nothing is left to do.
//
// PROVE_FOR=10m makes it go on for that long, on every core, each time with another seed.
func TestHistories(t *testing.T) {
	t.Parallel()
	counts := &tally{}
	t.Cleanup(func() { t.Log(counts) })
	live := func(t *rapid.T) {
		h := &history{
			t: t, author: author{t: t}, cloud: newCloud(), base: &state.Snapshot{}, loose: map[string]looseEnd{},
			vanished: map[string]bool{}, counts: counts,
		}
		h.cloud.blind = rapid.Bool().Draw(t, "blind")
		for range rapid.IntRange(1, 8).Draw(t, "first") {
			h.author.add()
		}
		h.author.normalize()
		for range rapid.IntRange(1, 6).Draw(t, "rounds") {
			h.round()
		}
		h.converge()
		counts.histories.Add(1)
	}
	long := os.Getenv("PROVE_FOR")
	if long == "" {
		rapid.Check(t, live)
		return
	}
	duration, err := time.ParseDuration(long)
	if err != nil {
		t.Fatalf("PROVE_FOR must be a duration like 10m: %v", err)
	}
	end := time.Now().Add(duration)
	for i := range runtime.GOMAXPROCS(0) {
		t.Run(fmt.Sprint("worker ", i+1), func(t *testing.T) {
			t.Parallel()
			for time.Now().Before(end) {
				rapid.Check(t, live)
			}
		})
	}
}

// tally counts what was lived through.
type tally struct {
	histories, runs, previews, calls, faults, cancels, kills, drifts, records atomic.Int64
}

func (c *tally) String() string {
	return fmt.Sprintf("%d histories without a failure: %d operations and %d previews, %d provider calls, %d faults, "+
		"%d cancellations, %d kills, %d times drift; the integrity rules held after each of %d records",
		c.histories.Load(), c.runs.Load(), c.previews.Load(), c.calls.Load(), c.faults.Load(), c.cancels.Load(),
		c.kills.Load(), c.drifts.Load(), c.records.Load())
}

// history is a stack and what happened to it.
type history struct {
	t      *rapid.T
	author author
	cloud  *cloud
	base   *state.Snapshot
	// loose is what exists without being recorded, vanished what is recorded without existing; both for good reasons.
	loose    map[string]looseEnd
	vanished map[string]bool
	// unsure is set once outcomes are unknown: only a refresh tells.
	unsure bool
	clock  int64
	found  int
	log    []string
	counts *tally
}

// looseEnd says why a resource may exist without being recorded.
type looseEnd struct {
	why string
	// owners are the ids of the resources it goes with; one of them must go.
	owners []string
}

// round is one operation, after an edit.
func (h *history) round() {
	h.author.edit()
	o := h.plan()
	if o.preview = h.author.odds(30, "preview"); o.preview {
		o.foldAll, o.killAt, o.cancelAt, o.faults = false, 0, 0, nil
		h.operate(o)
		return
	}
	predicted := (*run)(nil)
	if o.sequential && h.author.odds(50, "predict") && o.undisturbed() && !h.unsure && len(h.vanished) == 0 {
		p := o
		p.preview, p.MakePlan = true, o.kind == engine.Update
		predicted = h.operate(p)
		o.Plan = predicted.result.Plan // an update is as its plan
	}
	r := h.operate(o)
	if predicted != nil && !slices.ContainsFunc(h.author.specs, func(s *spec) bool { return s.kind == lookup && len(s.needs()) > 0 }) {
		h.compare(predicted, r)
	}
	if h.author.odds(30, "converge") {
		h.converge()
	}
}

// run is what happened in one run.
type run struct {
	order
	result  engine.Result
	events  []event.Event
	journal *memory
	calls   []string
	before  *cloud
	loose   map[string]looseEnd
}

// operate carries an order out and checks everything that must hold after any run.
func (h *history) operate(o order) *run {
	h.log = append(h.log, o.String()+"\n"+describe(h.author.specs))
	for _, s := range h.author.specs {
		if s.kind == lookup {
			h.cloud.resources["external-"+s.name] = map0()
		}
		if _, exists := h.cloud.resources[s.importID]; s.importID != "" && !exists && !h.vanished[s.importID] {
			h.cloud.resources[s.importID] = property.MapOf(props("name", s.importID, "v", "open 1", "force", "open 1"))
		}
	}
	r := &run{order: o, journal: newMemory(h.base), before: newCloud(), loose: map[string]looseEnd{}}
	r.before.copyFrom(h.cloud)
	r.journal.foldAll = o.foldAll
	r.journal.changed = func(s execSuccess) {
		h.own(s)
		h.trackLoose(r, s)
	}
	h.cloud.takeCalls()
	world := h.cloud
	killed := false
	folded := (*state.Snapshot)(nil)
	r.journal.after = func(n int) {
		if n == o.killAt {
			// The process ends here: what comes later never happened.
			h.counts.kills.Add(1)
			killed, folded = true, r.journal.compareFold(r.journal.snapshotLocked())
			world = newCloud()
			world.blind = h.cloud.blind
			world.copyFrom(h.cloud)
			r.loose = mapsClone(r.loose)
			r.journal.changed = h.own
		}
	}
	h.execute(r)
	r.calls = h.cloud.takeCalls()
	h.counts.records.Add(int64(len(r.journal.records)))
	if o.preview {
		h.counts.previews.Add(1)
	} else {
		h.counts.runs.Add(1)
	}
	problems := slices.Concat(r.journal.problems, h.cloud.problems)
	h.cloud = world
	h.log = append(h.log, h.summary(r))
	if len(problems) > 0 {
		h.fatalf("problems:\n%s", strings.Join(problems, "\n"))
	}
	h.checkEvents(r)
	if o.preview {
		h.checkPreview(r)
		return r
	}
	if !killed {
		folded = r.journal.fold()
		if len(r.journal.problems) > 0 {
			h.fatalf("problems:\n%s", strings.Join(r.journal.problems, "\n"))
		}
	}
	was := h.base.Resources
	h.base = folded
	h.settle(r, killed)
	if !killed && r.undisturbed() {
		h.checkTargets(r, was)
	}
	return r
}

// execute runs the engine.
func (h *history) execute(r *run) {
	o := r.order
	play := &performance{
		specs: h.author.specs, preview: o.preview, sequential: o.sequential, reports: o.reports, ids: map[urn.URN]resource.ID{},
		found: o.found,
	}
	if o.kind == engine.Import {
		play.specs = nil
	}
	for _, s := range h.base.Resources {
		if !s.Delete {
			play.ids[s.URN] = s.ID
		}
	}
	p := &program{body: play.run}
	cancel := make(chan struct{})
	h.cloud.hook, h.cloud.attach = h.hook(o, cancel), play.ownerOf
	var mu sync.Mutex
	deps := engine.Deps{
		Host: h.cloud, Journal: r.journal, Program: p, Cancel: cancel,
		Serve: func(m engine.Monitor) (string, func(), error) {
			p.monitor = m
			return "in process", func() {}, nil
		},
		Emit: func(e event.Event) { r.events = append(r.events, e) },
		Now: func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			h.clock++
			return time.Unix(h.clock, 0)
		},
	}
	if o.kind != engine.Update && o.kind != engine.Import && !o.ByProgram {
		deps.Program = nil
	}
	r.result = engine.Run(h.t.Context(), engine.Operation{
		Kind: o.kind, Preview: o.preview, Base: h.base, Options: o.Options,
		Stack: engine.Stack{
			Organization: "organization", Project: "proj", Name: "dev",
			Config:     map[string]string{"fp:token": canary + "config"},
			SecretKeys: []string{"fp:token"},
		},
	}, deps)
	h.cloud.hook = nil
}

// hook delays calls and makes them fail as the order says.
func (h *history) hook(o order, cancel chan struct{}) func(string, urn.URN) fault {
	var mu sync.Mutex
	calls := 0
	random := rand.New(rand.NewPCG(o.slow, 1))
	return func(call string, u urn.URN) fault {
		mu.Lock()
		calls++
		h.counts.calls.Add(1)
		if calls == o.cancelAt {
			h.counts.cancels.Add(1)
			close(cancel)
		}
		pause := 0
		if o.slow != 0 {
			pause = random.IntN(6)
		}
		f := max(o.faults[call+" "+u.Name()], o.faults[call+" *"])
		mu.Unlock()
		if f != healthy {
			h.counts.faults.Add(1)
		}
		switch pause {
		case 1, 2:
			runtime.Gosched()
		case 3:
			time.Sleep(20 * time.Microsecond)
		case 4:
			time.Sleep(200 * time.Microsecond)
		}
		return f
	}
}

func (h *history) fatalf(format string, args ...any) {
	h.t.Helper()
	h.t.Fatalf("%s\n\nhistory:\n%s", fmt.Sprintf(format, args...), strings.Join(h.log, "\n"))
}
