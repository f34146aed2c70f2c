//go:build linux

package chaos_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
)

const (
	projectName = "chaos"
	stackName   = "dev"
	nothing     = -1 // what is deployed when no program is
)

// world is one stack with its own backend, home and cloud.
type world struct {
	t      *testing.T
	random *rand.Rand
	seed   uint64
	tally  *tally

	dir, bin, project, backend string
	program                    string // the executable that commands run
	cloud                      *fakeprovidertest.Kit
	transcript                 *os.File

	programs [2]program
	profiles map[string]profile
	deployed int // index of the program that was deployed last, or nothing
	kills    int
	rounds   int
	started  time.Time       // when the last operation began
	since    time.Time       // start of the round: what is older was searched for secrets before
	drifted  bool            // this round changed things behind the program's back
	removed  map[string]bool // their ids, of those that it removed
}

func newWorld(t *testing.T, s settings, number uint64) *world {
	t.Helper()
	dir, err := os.MkdirTemp("", "chaos-")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, random: rand.New(rand.NewPCG(s.seed, number)), seed: s.seed, dir: dir, tally: newTally(),
		bin: filepath.Join(dir, "bin"), project: filepath.Join(dir, "project"), backend: filepath.Join(dir, "backend"),
		profiles: map[string]profile{}, deployed: nothing,
	}
	w.program = filepath.Join(w.bin, "pulumi")
	for _, sub := range []string{w.bin, w.project, w.backend, w.path("home"), w.path("tmp")} {
		w.must(os.Mkdir(sub, 0o700))
	}
	for _, binary := range []string{"pulumi", fakeprovidertest.BinaryName} {
		target, err := filepath.EvalSymlinks(filepath.Join(s.bin, binary))
		w.must(err)
		// A second name, so that the folder of a failed test is complete.
		if os.Link(target, filepath.Join(w.bin, binary)) != nil {
			w.must(os.Symlink(target, filepath.Join(w.bin, binary)))
		}
	}
	w.transcript, err = os.Create(w.path("transcript.txt"))
	w.must(err)
	w.cloud, err = fakeprovidertest.Setup(w.path("cloud"))
	w.must(err)
	w.programs = programs(w.random)
	return w
}

// leave removes the world unless the test failed.
func (w *world) leave() {
	_ = w.transcript.Close() // written for people; what it lacks does not matter
	if w.t.Failed() {
		w.t.Logf("seed %d; what happened is in %s (transcript.txt)", w.seed, w.dir)
		return
	}
	if err := os.RemoveAll(w.dir); err != nil {
		w.t.Errorf("remove the world: %v", err)
	}
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

// environment is all that a command gets to know.
func (w *world) environment() []string {
	path := w.bin + ":/usr/local/bin:/usr/bin:/bin"
	for _, name := range []string{envProgram, envUpstream} {
		if own := os.Getenv(name); own != "" {
			path = w.bin + ":" + filepath.Dir(own) + ":/usr/bin:/bin" // its language hosts are beside it
		}
	}
	return append(w.cloud.Env(),
		"PATH="+path,
		"HOME="+w.path("home"),
		"TMPDIR="+w.path("tmp"),
		"PULUMI_HOME="+w.path("home/.pulumi"),
		"PULUMI_BACKEND_URL=file://"+w.backend,
		"PULUMI_CONFIG_PASSPHRASE=chaos",
		"PULUMI_SKIP_UPDATE_CHECK=true",
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true",
		"NO_COLOR=1",
	)
}

// run runs a command to its end.
func (w *world) run(args ...string) result {
	w.t.Helper()
	r := w.launch(nil, args...)
	got := r.wait()
	if left := r.survivors(); len(left) > 0 {
		w.fatalf("%s\nleft processes behind: %v", got, left)
	}
	w.mustNotTell(got)
	return got
}

// succeed runs a command that must succeed.
func (w *world) succeed(args ...string) result {
	w.t.Helper()
	got := w.run(args...)
	if got.code != 0 {
		w.fatalf("%s\n%s", got, got.said())
	}
	return got
}

// operate is the command line of an operation that asks nobody.
func operate(operation string, more ...string) []string {
	args := []string{operation, "--yes", "--skip-preview", "--non-interactive", "--stack", stackName, "--parallel", "6"}
	return append(args, more...)
}

// put makes a program the project's.
func (w *world) put(index int) {
	w.must(os.WriteFile(filepath.Join(w.project, "Pulumi.yaml"), []byte(w.programs[index].yaml), 0o600))
}

// record adds a command to the transcript.
func (w *world) record(r result) {
	fmt.Fprintf(w.transcript, "=== %s %s (kill %d)\n%s\n", time.Now().Format("15:04:05.000"), r, w.kills, indent(r.stdout))
	if r.stderr != "" {
		fmt.Fprintf(w.transcript, "--- stderr\n%s\n", indent(r.stderr))
	}
}

// note adds a line to the transcript.
func (w *world) note(format string, args ...any) {
	fmt.Fprintf(w.transcript, "### %s %s\n", time.Now().Format("15:04:05.000"), fmt.Sprintf(format, args...))
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}

func (w *world) fatalf(format string, args ...any) {
	w.t.Helper()
	text := fmt.Sprintf(format, args...)
	w.note("FAILED: %s", text)
	w.t.Fatalf("seed %d, after kill %d, folder %s:\n%s", w.seed, w.kills, w.dir, text)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.fatalf("%v", err)
	}
}

// compact rewrites the cloud's files so that they hold only what exists: each plugin process reads all of them.
func (w *world) compact() {
	things, err := w.cloud.Things()
	w.must(err)
	var rows []byte
	for _, t := range things {
		row, err := json.Marshal(fakeprovidertest.Effect{Kind: fakeprovidertest.Created, Thing: t, Time: time.Now()})
		w.must(err)
		rows = append(append(rows, row...), '\n')
	}
	w.must(os.WriteFile(filepath.Join(w.cloud.Folder, "ledger.jsonl"), rows, 0o600))
	err = os.Remove(filepath.Join(w.cloud.Folder, "calls.jsonl"))
	if !errors.Is(err, fs.ErrNotExist) {
		w.must(err)
	}
	w.cloud, err = fakeprovidertest.Setup(w.cloud.Folder)
	w.must(err)
}
