package engine_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
)

// order says what to do in one run.
type order struct {
	runOptions
	sequential bool
	reports    bool
	foldAll    bool
	// faults are by call and resource, "*" for any; cancelAt and killAt count provider calls and records.
	faults   map[string]fault
	cancelAt int
	killAt   int
	slow     uint64 // seed of the delays, 0 for none
	found    []string
}

func (o order) undisturbed() bool { return len(o.faults) == 0 && o.cancelAt == 0 && o.killAt == 0 }

func (o order) String() string {
	names := map[engine.Kind]string{engine.Update: "up", engine.Refresh: "refresh", engine.Destroy: "destroy", engine.Import: "import"}
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
		if a.odds(30, "destroy them") {
			o.kind = engine.Destroy
		}
	case 2:
		o.Excludes = h.names("exclude")
		o.ExcludeDependents = a.odds(50, "dependents")
	}
	o.IgnoreProtect = a.odds(10, "ignore protect")
	if a.odds(10, "replace") {
		o.Replace = h.names("replace")
	}
	switch rapid.IntRange(0, 9).Draw(h.t, "trouble") {
	case 0, 1, 2, 3:
		o.faults = map[string]fault{}
		for range rapid.IntRange(1, 3).Draw(h.t, "faults") {
			call := rapid.SampledFrom([]string{"create", "create", "update", "delete", "delete", "read", "check", "diff", "configure"}).Draw(h.t, "call")
			name := h.anyName()
			if a.odds(40, "whichever comes") {
				name = "*"
			}
			o.faults[call+" "+name] = fault(rapid.IntRange(1, int(faultKinds)-1).Draw(h.t, "fault"))
		}
	case 4:
		o.cancelAt = rapid.IntRange(1, 12).Draw(h.t, "cancel at")
	case 5:
		o.killAt = rapid.IntRange(1, 12).Draw(h.t, "kill at")
	}
	if a.odds(15, "drift") {
		h.drift()
	}
	if a.odds(8, "import") {
		h.discover(&o)
	}
	return o
}

// discover turns an order into the import of things that exist without the engine.
func (h *history) discover(o *order) {
	o.kind, o.Options = engine.Import, engine.Options{Parallel: o.Parallel, DefaultVersions: o.DefaultVersions}
	for range rapid.IntRange(1, 3).Draw(h.t, "found") {
		h.found++
		id := fmt.Sprint("found-", h.found)
		h.cloud.resources[id] = property.MapOf(props("name", id, "v", "open 1"))
		o.found = append(o.found, id)
	}
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
	h.counts.drifts.Add(1)
}
