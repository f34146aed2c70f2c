package engine_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

// TestHistories lives through made-up histories of made-up stacks: programs that change between runs, providers that
// fail in every way they can, targets, cancellations and kills. After every record the integrity rules hold; after
// every run the record says what exists; a run without faults converges, and then nothing is left to do.
func TestHistories(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := &history{
			t: t, author: author{t: t}, cloud: newCloud(), base: &state.Snapshot{}, loose: map[string]looseEnd{},
			vanished: map[string]bool{},
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
	})
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
	log    []string
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

// order says what to do in one run.
type order struct {
	runOptions
	sequential bool
	reports    bool
	foldAll    bool
	// faults are by call and resource; cancelAt and killAt count provider calls and records.
	faults   map[string]fault
	cancelAt int
	killAt   int
	slow     uint64 // seed of the delays, 0 for none
}

func (o order) undisturbed() bool { return len(o.faults) == 0 && o.cancelAt == 0 && o.killAt == 0 }

func (o order) String() string {
	names := map[engine.Kind]string{engine.Update: "up", engine.Refresh: "refresh", engine.Destroy: "destroy"}
	out := names[o.kind]
	if o.preview {
		out = "preview of " + out
	}
	return fmt.Sprintf("%s %+v sequential=%v reports=%v faults=%v cancelAt=%d killAt=%d slow=%d", out, o.Options,
		o.sequential, o.reports, o.faults, o.cancelAt, o.killAt, o.slow)
}

// plan makes up what to do next.
func (h *history) plan() order {
	a := &h.author
	o := order{sequential: a.odds(50, "sequential"), reports: a.odds(50, "reports"), foldAll: a.odds(20, "fold")}
	o.kind = rapid.SampledFrom([]engine.Kind{
		engine.Update, engine.Update, engine.Update, engine.Update, engine.Refresh, engine.Destroy,
	}).Draw(h.t, "kind")
	o.Parallel = rapid.SampledFrom([]int{1, 2, 8}).Draw(h.t, "parallel")
	o.Options.ContinueOnError = a.odds(30, "continue")
	o.Options.Refresh = o.kind != engine.Refresh && a.odds(20, "with refresh")
	o.ByProgram = a.odds(25, "by program")
	o.DefaultVersions = h.versions()
	if a.odds(20, "slow") {
		o.slow = rapid.Uint64Range(1, 1<<40).Draw(h.t, "seed")
	}
	switch rapid.IntRange(0, 9).Draw(h.t, "limits") {
	case 0, 1:
		o.Targets = h.names("target")
		o.TargetDependents = a.odds(50, "dependents")
	case 2:
		o.Excludes = h.names("exclude")
	}
	if a.odds(10, "replace") {
		o.Replace = h.names("replace")
	}
	switch rapid.IntRange(0, 9).Draw(h.t, "trouble") {
	case 0, 1, 2, 3:
		o.faults = map[string]fault{}
		for range rapid.IntRange(1, 3).Draw(h.t, "faults") {
			call := rapid.SampledFrom([]string{"create", "create", "update", "delete", "delete", "read", "check", "diff", "configure"}).Draw(h.t, "call")
			o.faults[call+" "+h.anyName()] = fault(rapid.IntRange(1, int(faultKinds)-1).Draw(h.t, "fault"))
		}
	case 4:
		o.cancelAt = rapid.IntRange(1, 40).Draw(h.t, "cancel at")
	case 5:
		o.killAt = rapid.IntRange(1, 40).Draw(h.t, "kill at")
	}
	if a.odds(15, "drift") {
		h.drift()
	}
	return o
}

func (h *history) versions() map[string]plugin.Package {
	return map[string]plugin.Package{"fp": {Name: "fp", Version: fmt.Sprintf("1.%d.0", h.author.version)}}
}

// anyName is the name of a resource, registered or recorded.
func (h *history) anyName() string {
	names := []string{"default_1_0_0"}
	for _, s := range h.author.specs {
		names = append(names, s.name)
	}
	for _, s := range h.base.Resources {
		names = append(names, s.URN.Name())
	}
	return rapid.SampledFrom(names).Draw(h.t, "name")
}

// names are targets: globs, so that they need not exist.
func (h *history) names(what string) []string {
	var out []string
	for range rapid.IntRange(1, 3).Draw(h.t, what+"s") {
		out = append(out, "**::"+h.anyName())
	}
	return out
}

// drift makes something disappear behind the engine's back.
func (h *history) drift() {
	var ids []string
	for _, s := range h.base.Resources {
		if h.cloud.owners[string(s.ID)] != "" {
			ids = append(ids, string(s.ID))
		}
	}
	if len(ids) == 0 {
		return
	}
	id := rapid.SampledFrom(ids).Draw(h.t, "drift id")
	before := h.cloud.ids()
	h.cloud.remove(id)
	for _, other := range before {
		if _, left := h.cloud.resources[other]; !left {
			h.vanished[other] = true
		}
	}
	h.log = append(h.log, "drift: "+id+" is gone")
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
	h.base = folded
	h.settle(r, killed)
	return r
}

// execute runs the engine.
func (h *history) execute(r *run) {
	o := r.order
	play := &performance{
		specs: h.author.specs, preview: o.preview, sequential: o.sequential, reports: o.reports, ids: map[urn.URN]resource.ID{},
	}
	for _, s := range h.base.Resources {
		if !s.Delete {
			play.ids[s.URN] = s.ID
		}
	}
	p := &program{body: play.run}
	cancel := make(chan struct{})
	h.cloud.hook, h.cloud.attach = hook(o, cancel), play.ownerOf
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
	if o.kind != engine.Update && !o.ByProgram {
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
func hook(o order, cancel chan struct{}) func(string, urn.URN) fault {
	var mu sync.Mutex
	calls := 0
	random := rand.New(rand.NewPCG(o.slow, 1))
	return func(call string, u urn.URN) fault {
		mu.Lock()
		calls++
		if calls == o.cancelAt {
			close(cancel)
		}
		pause := 0
		if o.slow != 0 {
			pause = random.IntN(6)
		}
		f := o.faults[call+" "+u.Name()]
		mu.Unlock()
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
