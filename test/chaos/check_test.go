//go:build linux

package chaos_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
)

// standing is what state and cloud say at one moment.
type standing struct {
	state *deployment
	cloud map[string]fakeprovidertest.Thing
	// orphans are things that the state does not know; ghosts are things of the state that do not exist.
	orphans []fakeprovidertest.Thing
	ghosts  []entry
}

// compare exports the state and holds it against the cloud.
func (w *world) compare() standing {
	w.t.Helper()
	exported := w.succeed("stack", "export", "--show-secrets", "--stack", stackName)
	state, err := readDocument([]byte(exported.stdout))
	if err != nil {
		w.fatalf("the exported state cannot be read: %v\n%s", err, exported.stdout)
	}
	if problems := state.problems(); len(problems) > 0 {
		w.fatalf("the state is not consistent:\n  %s", strings.Join(problems, "\n  "))
	}
	things, err := w.cloud.Things()
	w.must(err)
	s := standing{state: state, cloud: map[string]fakeprovidertest.Thing{}}
	known := map[string]bool{}
	for _, t := range things {
		s.cloud[t.ID] = t
	}
	for _, e := range state.Resources {
		if !e.isThing() {
			continue
		}
		known[e.ID] = true
		if _, exists := s.cloud[e.ID]; !exists {
			s.ghosts = append(s.ghosts, e)
		}
	}
	for _, t := range things {
		if !known[t.ID] {
			s.orphans = append(s.orphans, t)
		}
	}
	return s
}

// pendingURNs are the resources with a pending operation of a kind.
func (s standing) pendingURNs(kind string) map[string]bool {
	urns := map[string]bool{}
	for _, p := range s.state.PendingOperations {
		if p.Type == kind {
			urns[p.Resource.URN] = true
		}
	}
	return urns
}

// settled checks everything after a run that succeeded: r deployed a program, or nothing.
func (w *world) settled(r result) standing {
	w.t.Helper()
	s := w.compare()
	w.checkIDs(s)
	w.checkContents(s)
	w.checkProgram(s)
	w.checkReport(s, r)
	w.checkFiles()
	return s
}

// checkIDs compares ids: the state may lack only things whose create was under way when a run was killed.
func (w *world) checkIDs(s standing) {
	w.t.Helper()
	for _, e := range s.ghosts {
		w.fatalf("%s (%s) is in the state and does not exist", e.URN, e.ID)
	}
	creating := s.pendingURNs("creating")
	for _, t := range s.orphans {
		if !creating[t.URN] {
			w.fatalf("%s (%s) exists, and the state neither has it nor names it as pending", t.URN, t.ID)
		}
	}
	for _, p := range s.state.PendingOperations {
		if p.Type != "creating" {
			w.fatalf("a finished run left a pending operation: %s %s", p.Type, p.Resource.URN)
		}
	}
}

// checkContents compares the properties of what state and cloud both have.
func (w *world) checkContents(s standing) {
	w.t.Helper()
	for _, e := range s.state.Resources {
		t, exists := s.cloud[e.ID]
		if !exists || !e.isThing() {
			continue
		}
		if t.URN != e.URN {
			w.fatalf("%s has the id %s of %s", e.URN, e.ID, t.URN)
		}
		w.same(e.URN+" inputs", e.Inputs, t.Inputs)
		w.same(e.URN+" outputs", e.Outputs, t.Outputs)
	}
}

func (w *world) same(what string, state map[string]any, cloud json.RawMessage) {
	w.t.Helper()
	var there map[string]any
	w.must(json.Unmarshal(cloud, &there))
	here := plain(state)
	if real := plain(there); !reflect.DeepEqual(here, real) {
		w.fatalf("%s: the state says\n  %v\nthe cloud says\n  %v", what, here, real)
	}
}

// plain takes the marks of secrets off a value, as they are in state and in the provider protocol.
func plain(value any) any {
	switch v := value.(type) {
	case map[string]any:
		if v["4dabf18193072939515e22adb298388d"] == "1b47061264138c4ac30d75fd1eb44270" {
			return unwrapped(v)
		}
		out := map[string]any{}
		for key, member := range v {
			out[key] = plain(member)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = plain(element)
		}
		return out
	default:
		return value
	}
}

func unwrapped(secret map[string]any) any {
	text, ok := secret["plaintext"].(string)
	if !ok {
		return plain(secret["value"])
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return "no JSON: " + text
	}
	return plain(value)
}

// checkProgram compares the state with the program that was deployed.
func (w *world) checkProgram(s standing) {
	w.t.Helper()
	var want, got []string
	if w.deployed != nothing {
		want = slices.Sorted(slices.Values(w.programs[w.deployed].names))
	}
	for _, e := range s.state.Resources {
		if e.Delete || e.PendingReplacement {
			w.fatalf("a run that succeeded left %s marked: delete %v, pendingReplacement %v", e.URN, e.Delete, e.PendingReplacement)
		}
		if e.isThing() {
			got = append(got, e.name())
		}
	}
	slices.Sort(got)
	if !slices.Equal(want, got) {
		w.fatalf("the program has %v\nthe state has %v", want, got)
	}
	if w.deployed == nothing && len(s.state.Resources) > 0 {
		w.fatalf("nothing is deployed and the state has %d resources, the first is %s", len(s.state.Resources), s.state.Resources[0].URN)
	}
}

// checkReport checks that a run named each pending create once, with the commands that resolve it.
func (w *world) checkReport(s standing, r result) {
	w.t.Helper()
	if r.args[0] == "refresh" {
		return
	}
	output := r.stdout + r.stderr
	for urn := range s.pendingURNs("creating") {
		adopt := fmt.Sprintf("pulumi refresh --import-pending-creates '%s,<id>'", urn)
		if n := strings.Count(output, adopt); n != 1 {
			w.fatalf("the run must name the pending create of %s once, and named it %d times:\n%s", urn, n, r.said())
		}
		if !strings.Contains(output, "pulumi refresh --clear-pending-creates") {
			w.fatalf("the run does not say how to drop the pending create of %s:\n%s", urn, r.said())
		}
	}
}

// expectedFiles are the files that a backend may hold while no operation runs.
var expectedFiles = regexp.MustCompile(`^\.pulumi/(meta\.yaml` +
	`|stacks/chaos/dev\.(json|json\.bak|pulumi-tags)` +
	`|history/chaos/dev/dev-\d+\.(history|checkpoint)\.json` +
	`|backups/chaos/dev/dev\.\d+\.json)(\.attrs)?$`)

// lockLitter is half a lock file of a process that was killed while it wrote it. It may be another's who is writing it
// right now, so the next holder of the lock takes it away only when it is old enough.
var lockLitter = regexp.MustCompile(`^\.pulumi/locks/organization/chaos/dev/\.dev\.cairn-[0-9a-f]+\.attrs$`)

const litterAge = time.Minute

// checkFiles checks that nothing is left over: no lock, no journal, no temporary file.
func (w *world) checkFiles() {
	w.t.Helper()
	for path := range w.files() {
		info, err := os.Lstat(filepath.Join(w.backend, path))
		w.must(err)
		isYoung := w.started.Sub(info.ModTime()) < litterAge
		if !expectedFiles.MatchString(path) && !(lockLitter.MatchString(path) && isYoung) {
			w.fatalf("a run that succeeded left %s in the backend", path)
		}
	}
}

// files lists the files of the backend, with what tells whether one was changed.
func (w *world) files() map[string]string {
	w.t.Helper()
	files := map[string]string{}
	w.must(filepath.WalkDir(w.backend, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(w.backend, path)
		files[name] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		return err
	}))
	return files
}

// unchanged runs look and checks that it wrote nothing into the backend.
func (w *world) unchanged(look func()) {
	w.t.Helper()
	before := w.files()
	look()
	after := w.files()
	if maps.Equal(before, after) {
		return
	}
	w.fatalf("a command that only reads changed the backend:\nbefore %v\nafter  %v", before, after)
}

// mustNotTell checks that neither what a command printed nor what the round wrote so far holds a secret in clear.
func (w *world) mustNotTell(r result) {
	w.t.Helper()
	if slices.Contains(r.args, "--show-secrets") {
		return
	}
	if strings.Contains(r.stdout+r.stderr, canary) {
		w.fatalf("%s\nprinted a secret", r)
	}
	for name := range w.files() {
		path := filepath.Join(w.backend, name)
		if info, err := os.Stat(path); err != nil || info.ModTime().Before(w.since) {
			continue
		}
		text, err := os.ReadFile(path)
		w.must(err)
		if bytes.Contains(text, []byte(canary)) {
			w.fatalf("%s\nleft a secret in clear in %s", r, path)
		}
	}
}
