package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

type execSuccess = exec.Success

func map0() property.Map { return property.MapOf(nil) }

func mapsClone[K comparable, V any](m map[K]V) map[K]V { return maps.Clone(m) }

// summary is what the log says of a run.
func (h *history) summary(r *run) string {
	var told []string
	for _, e := range r.events {
		switch e := e.(type) {
		case event.Diagnostic:
			told = append(told, "      "+string(e.Severity)+": "+strings.ReplaceAll(e.Message, "\n", " / "))
		case event.StepDone:
			if e.Step.Op != resource.OpSame {
				told = append(told, "      done "+string(e.Step.Op)+" "+e.Step.URN.Name())
			}
		case event.StepFailed:
			told = append(told, "      failed "+string(e.Step.Op)+" "+e.Step.URN.Name())
		}
	}
	return fmt.Sprintf("  -> %s %v calls %v\n%s", r.result.Outcome, r.result.Changes, r.calls, strings.Join(told, "\n"))
}

// own makes what was imported a resource that the engine may delete.
func (h *history) own(s exec.Success) {
	h.cloud.mu.Lock()
	defer h.cloud.mu.Unlock()
	for _, c := range s.Changes {
		if c.New == nil {
			continue
		}
		id := string(c.New.ID)
		imported := id == c.New.ImportID || id == c.New.URN.Name()
		if _, exists := h.cloud.resources[id]; exists && imported && h.cloud.owners[id] == "" {
			h.cloud.owners[id] = c.New.URN
		}
	}
}

// trackLoose notes what leaves the record while it goes on existing, and finds what must not.
func (h *history) trackLoose(r *run, s exec.Success) {
	h.cloud.mu.Lock()
	defer h.cloud.mu.Unlock()
	kept := map[resource.ID]bool{}
	for s := range r.journal.refs {
		// What was imported may be recorded under two URNs: one is enough.
		if strings.HasPrefix(string(s.ID), "import-") && !s.PendingReplacement && !s.External {
			kept[s.ID] = true
		}
	}
	for _, c := range s.Changes {
		if c.New == nil {
			continue
		}
		if !c.New.PendingReplacement && !c.New.External {
			kept[c.New.ID] = true
		}
		// A program may change its mind on what goes with what.
		id := string(c.New.ID)
		if to := h.cloud.attached[id]; h.cloud.owners[to] != c.New.DeletedWith {
			delete(h.cloud.attached, id)
		}
	}
	for _, c := range s.Changes {
		old := c.Old
		if old == nil || !old.Custom || old.IsProvider() || old.External || old.PendingReplacement || kept[old.ID] {
			continue
		}
		id := string(old.ID)
		if _, exists := h.cloud.resources[id]; !exists {
			_, existed := r.before.resources[id]
			if existed && old.Protect && !r.IgnoreProtect && !old.Delete && c.New == nil && h.cloud.went[id] == "" {
				r.journal.problem("%s (%s) was deleted although it is protected", old.URN, id)
			}
			continue
		}
		switch {
		case c.New != nil && c.New.External:
			r.loose[id] = looseEnd{why: "relinquished"}
		case old.RetainOnDelete:
			r.loose[id] = looseEnd{why: "retained"}
		case old.DeletedWith != "":
			r.loose[id] = looseEnd{why: "deletedWith", owners: h.idsOf(r, s, old.DeletedWith)}
		default:
			r.journal.problem("%s (%s) is not recorded any more but exists", old.URN, id)
		}
	}
}

// idsOf are all ids that are or were recorded for a URN.
func (h *history) idsOf(r *run, s exec.Success, u urn.URN) []string {
	var ids []string
	for _, c := range s.Changes {
		if c.Old != nil && c.Old.URN == u {
			ids = append(ids, string(c.Old.ID))
		}
	}
	for s := range r.journal.refs {
		if s.URN == u {
			ids = append(ids, string(s.ID))
		}
	}
	return ids
}

// settle takes over what a run left and checks that the record says what exists.
func (h *history) settle(r *run, killed bool) {
	maps.Copy(h.loose, r.loose)
	pendingCreates := map[urn.URN]bool{}
	for _, p := range h.base.Pending {
		h.unsure = true
		switch p.Kind {
		case resource.PendingCreating:
			pendingCreates[p.Resource.URN] = true
		case resource.PendingDeleting:
			h.vanished[string(p.Resource.ID)] = true
			for other, with := range h.cloud.went {
				if with == string(p.Resource.ID) {
					h.vanished[other] = true
				}
			}
		case resource.PendingUpdating, resource.PendingReading, resource.PendingImporting:
		}
	}
	h.unsure = h.unsure || killed
	recorded := map[string]bool{}
	for _, s := range h.base.Resources {
		if !s.Custom || s.IsProvider() || s.External || s.PendingReplacement {
			continue
		}
		id := string(s.ID)
		// What was imported may still be recorded under the URN that it had before a move.
		if recorded[id] && !strings.HasPrefix(id, "import-") {
			h.fatalf("id %s is recorded twice", id)
		}
		recorded[id] = true
		delete(h.loose, id)
		if _, exists := h.cloud.resources[id]; !exists && !h.vanished[id] {
			h.fatalf("%s (%s) is recorded but does not exist", s.URN, id)
		}
	}
	for id, owner := range h.cloud.owners {
		if recorded[id] {
			continue
		}
		if pendingCreates[owner] {
			h.loose[id] = looseEnd{why: "pending"}
		}
		if _, ok := h.loose[id]; !ok {
			h.fatalf("%s of %s exists but is not recorded", id, owner)
		}
	}
	if r.result.Outcome == event.Succeeded && !killed && r.undisturbed() {
		h.checkOwners()
	}
}

// checkOwners checks that what was left to go with its owner has an owner that is gone.
func (h *history) checkOwners() {
	for id, l := range h.loose {
		if _, exists := h.cloud.resources[id]; exists && l.why == "deletedWith" && !h.orphaned(l, map[string]bool{}) {
			h.fatalf("%s was left to be deleted with one of %v, but they live", id, l.owners)
		}
	}
}

// orphaned says whether an owner is gone, or was itself left to one that is: a program that says only later what goes
// with what is taken at its word, but the cloud does not know of it.
func (h *history) orphaned(l looseEnd, seen map[string]bool) bool {
	return slices.ContainsFunc(l.owners, func(owner string) bool {
		if _, alive := h.cloud.resources[owner]; !alive {
			return true
		}
		next, loose := h.loose[owner]
		if seen[owner] || !loose || next.why != "deletedWith" {
			return false
		}
		seen[owner] = true
		return h.orphaned(next, seen)
	})
}

// checkEvents checks what was told.
func (h *history) checkEvents(r *run) {
	n := len(r.events)
	if n < 3 {
		h.fatalf("only %d events", n)
	}
	_, first := r.events[0].(event.Prelude)
	summary, second := r.events[n-2].(event.Summary)
	_, last := r.events[n-1].(event.Finished)
	if !first || !second || !last || summary.Result != r.result.Outcome {
		h.fatalf("events begin with %T and end with %T, %T", r.events[0], r.events[n-2], r.events[n-1])
	}
	open := map[string]int{}
	key := func(s event.Step) string { return fmt.Sprintf("%s %s", s.URN, s.Op) }
	told := false
	for _, e := range r.events {
		for _, text := range texts(e) {
			if strings.Contains(text, canary) {
				h.fatalf("a secret is in an event: %s", text)
			}
		}
		switch e := e.(type) {
		case event.StepStarted:
			open[key(e.Step)]++
		case event.StepDone:
			h.closeStep(open, e.Step, r)
		case event.StepFailed:
			h.closeStep(open, e.Step, r)
		case event.Diagnostic:
			told = told || e.Severity == "error"
		}
	}
	for k, n := range open {
		if n > 0 && !strings.Contains(k, "my:index:Group::") && !strings.Contains(k, string(urn.StackType)) {
			h.fatalf("step %s was never done", k)
		}
	}
	if r.result.Outcome == event.Failed && !told {
		h.fatalf("the run failed (%v) but no error was told", r.result.Err)
	}
	if r.result.Outcome == event.Succeeded && told {
		h.fatalf("the run succeeded but an error was told")
	}
}

// closeStep matches the end of a step with its start. Components are told again when their outputs arrive, and only
// then in an update; what a refresh came to replaces its operation.
func (h *history) closeStep(open map[string]int, s event.Step, r *run) {
	for _, op := range []resource.Op{s.Op, resource.OpRefresh} {
		k := fmt.Sprintf("%s %s", s.URN, op)
		if open[k] > 0 {
			open[k]--
			return
		}
	}
	if s.State().Custom {
		h.fatalf("step %s %s is done but never started", s.URN, s.Op)
	}
}

// texts prints everything an event holds.
func texts(e event.Event) []string {
	out := []string{fmt.Sprintf("%+v", e)}
	step := func(s event.Step) {
		for _, st := range []*resource.State{s.Old, s.New} {
			if st != nil {
				out = append(out, fmt.Sprintf("%+v", *st))
			}
		}
	}
	switch e := e.(type) {
	case event.StepStarted:
		step(e.Step)
	case event.StepDone:
		step(e.Step)
	case event.StepFailed:
		step(e.Step)
	}
	return out
}

// checkPreview checks that nothing changed.
func (h *history) checkPreview(r *run) {
	if len(r.journal.records) > 0 {
		h.fatalf("a preview recorded %d things", len(r.journal.records))
	}
	if !cmp.Equal(r.before.ids(), h.cloud.ids()) {
		h.fatalf("a preview changed the cloud")
	}
	for _, c := range r.calls {
		if !strings.HasPrefix(c, "read ") {
			h.fatalf("a preview called %s", c)
		}
	}
}

// compare checks that a preview predicted what happened.
func (h *history) compare(predicted, real *run) {
	if predicted.result.Outcome != real.result.Outcome {
		h.fatalf("the preview %s, the run %s", predicted.result.Outcome, real.result.Outcome)
	}
	if real.result.Outcome != event.Succeeded {
		return
	}
	// What a preview does not read, since what it depends on is yet to be made, is not known to be the same.
	delete(predicted.result.Changes, resource.OpRead)
	delete(real.result.Changes, resource.OpRead)
	if diff := cmp.Diff(predicted.result.Changes, real.result.Changes); diff != "" {
		h.fatalf("the preview predicted other changes (-preview +run):\n%s", diff)
	}
}

// converge runs without faults until the stack is as the program wants it, and checks that it then stays.
func (h *history) converge() {
	h.unprotect()
	for _, s := range h.author.specs {
		s.importID = "" // what would have to be replaced needs that
	}
	o := order{runOptions: runOptions{Options: engine.Options{Parallel: 4, DefaultVersions: h.versions()}}}
	o.sequential = h.author.odds(50, "sequential")
	if h.unsure || len(h.vanished) > 0 {
		f := o
		f.kind, f.ClearPendingCreates = engine.Refresh, true
		if r := h.operate(f); r.result.Outcome != event.Succeeded {
			h.fatalf("refresh %s: %v", r.result.Outcome, r.result.Err)
		}
		clear(h.vanished)
		h.unsure = false
		for _, s := range h.base.Resources {
			if _, exists := h.cloud.resources[string(s.ID)]; s.Custom && !s.IsProvider() && !s.PendingReplacement && !exists {
				h.fatalf("%s (%s) is still recorded after a refresh", s.URN, s.ID)
			}
		}
	}
	if r := h.operate(o); r.result.Outcome != event.Succeeded {
		h.fatalf("a run without faults %s: %v", r.result.Outcome, r.result.Err)
	}
	h.checkConverged()
	before := h.cloud.ids()
	r := h.operate(o)
	if r.result.Outcome != event.Succeeded {
		h.fatalf("the second run %s: %v", r.result.Outcome, r.result.Err)
	}
	for op, n := range r.result.Changes {
		if op != resource.OpSame && n > 0 {
			h.fatalf("the second run has %d of %s", n, op)
		}
	}
	if len(r.journal.records) > 0 {
		h.fatalf("the second run recorded %d things, the last %+v", len(r.journal.records), r.journal.records[len(r.journal.records)-1])
	}
	for _, c := range r.calls {
		if !strings.HasPrefix(c, "read ") {
			h.fatalf("the second run called %s", c)
		}
	}
	if !slices.Equal(before, h.cloud.ids()) {
		h.fatalf("the second run changed the cloud")
	}
}

// unprotect is what `pulumi state unprotect --all` does.
func (h *history) unprotect() {
	next := *h.base
	next.Resources = nil
	for _, s := range h.base.Resources {
		c := s.Clone()
		c.Protect = false
		next.Resources = append(next.Resources, c)
	}
	h.base = &next
}

// checkConverged checks that the record holds what the program wants, and nothing else.
func (h *history) checkConverged() {
	if len(h.base.Pending) > 0 {
		h.fatalf("operations are pending after a run without faults: %v", h.base.Pending)
	}
	index, ids := map[string]*resource.State{}, map[resource.ID]bool{}
	for _, s := range h.base.Resources {
		if ids[s.ID] && s.ID != "" && !s.External {
			h.fatalf("%s is recorded twice", s.ID)
		}
		ids[s.ID] = true
		if s.Delete || s.PendingReplacement {
			h.fatalf("%s is left over: delete %v, pending replacement %v", s.URN, s.Delete, s.PendingReplacement)
		}
		if s.Taint || len(s.InitErrors) > 0 {
			h.fatalf("%s is not well: %v", s.URN, s.InitErrors)
		}
		index[s.URN.Name()] = s
	}
	known := map[string]bool{"proj-dev": true}
	for _, s := range h.author.specs {
		known[s.name] = true
		h.checkSpec(s, index)
	}
	for name, s := range index {
		if !known[name] && !strings.HasPrefix(name, "default_") {
			h.fatalf("%s is recorded but not registered", s.URN)
		}
	}
}

// checkSpec checks that the record of a resource follows the program.
func (h *history) checkSpec(s *spec, index map[string]*resource.State) {
	got := index[s.name]
	if got == nil {
		h.fatalf("%s is not recorded", s.name)
	}
	for _, d := range s.deps {
		if !slices.Contains(got.Dependencies, index[d].URN) {
			h.fatalf("%s does not depend on %s", s.name, d)
		}
	}
	parent := "proj-dev"
	if s.parent != "" {
		parent = s.parent
	}
	if got.Parent != index[parent].URN {
		h.fatalf("the parent of %s is %s", s.name, got.Parent)
	}
	if s.kind == lookup {
		if !got.External {
			h.fatalf("%s was read but is managed", s.name)
		}
		return
	}
	if s.deletedWith != "" && got.DeletedWith != index[s.deletedWith].URN {
		h.fatalf("%s is deleted with %q", s.name, got.DeletedWith)
	}
	if s.protect != nil && got.Protect != *s.protect {
		h.fatalf("protect of %s is %v", s.name, got.Protect)
	}
	for k, v := range s.inputs {
		in := got.Inputs.Get(k)
		text, _ := in.AsString()
		if _, taken := s.refs[k]; taken || slices.Contains(s.ignore, k) {
			continue
		}
		if !strings.HasSuffix(text, v) || in.Secret() != s.secret[k] {
			h.fatalf("input %s of %s is %q, secret %v", k, s.name, text, in.Secret())
		}
		if out, ok := got.Outputs.Lookup(k); s.kind == thing && (!ok || s.secret[k] && !out.Secret()) {
			h.fatalf("output %s of %s is %v, secret %v", k, s.name, ok, out.Secret())
		}
	}
	if s.kind == thing {
		if real := h.cloud.resources[string(got.ID)]; !real.EqualPlain(got.Inputs) {
			h.fatalf("%s is recorded with %v but is %v", s.name, plainText(got.Inputs), plainText(real))
		}
	}
}

var _ = state.Sort
