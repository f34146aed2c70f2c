package newcmd_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	newcmd "github.com/cairn-iac/cairn/internal/cli/cmd/new"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/iostreams"
)

// world is a machine with an empty backend, and an empty folder to work in.
type world struct {
	t                *testing.T
	root, dir, state string
	env              []string
	// answers make the world interactive: one a line, for plain and secret questions.
	answers, secrets []string
	interrupts       chan struct{}
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root := t.TempDir()
	w := &world{t: t, root: root, dir: filepath.Join(root, "work"), state: filepath.Join(root, "state")}
	for _, dir := range []string{w.dir, w.state} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.env = []string{
		"HOME=" + root, "PULUMI_HOME=" + filepath.Join(root, "home"), "PULUMI_BACKEND_URL=file://" + w.state,
		"PULUMI_CONFIG_PASSPHRASE=fixture", "PATH=" + os.Getenv("PATH"),
		// Nothing of the user's own settings of git counts.
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull,
	}
	return w
}

type result struct {
	err         error
	out, errout string
}

func (w *world) run(args ...string) result {
	w.t.Helper()
	var out, errout buffer
	streams := &iostreams.Streams{In: strings.NewReader(strings.Join(append(w.answers, ""), "\n")), Out: &out, Err: &errout}
	if w.answers != nil || w.interrupts != nil {
		streams.Interactive = true
		streams.ReadSecret = func() (string, error) {
			if len(w.secrets) == 0 {
				return "", fs.ErrClosed
			}
			first := w.secrets[0]
			w.secrets = w.secrets[1:]
			return first, nil
		}
	}
	if w.interrupts != nil {
		streams.In = blocked{}
	}
	f := &factory.Factory{
		Streams: streams, Env: w.env, Dir: w.dir, Username: "tester", Hostname: "host", Interrupts: w.interrupts,
	}
	root := &cobra.Command{Use: "pulumi", SilenceErrors: true, SilenceUsage: true}
	root.SetOut(&out)
	root.SetErr(&errout)
	root.AddCommand(newcmd.NewCmd(f))
	root.SetArgs(append([]string{"new"}, args...))
	return result{err: root.ExecuteContext(context.Background()), out: out.String(), errout: errout.String()}
}

func (w *world) must(args ...string) result {
	w.t.Helper()
	r := w.run(args...)
	if r.err != nil {
		w.t.Fatalf("pulumi new %s: %v\n%s%s", strings.Join(args, " "), r.err, r.out, r.errout)
	}
	return r
}

// fails wants an error with all these parts, and nothing left behind.
func (w *world) fails(args []string, parts ...string) {
	w.t.Helper()
	before := w.snapshot()
	r := w.run(args...)
	if r.err == nil {
		w.t.Errorf("pulumi new %s worked:\n%s%s", strings.Join(args, " "), r.out, r.errout)
		return
	}
	for _, part := range parts {
		if !strings.Contains(r.err.Error(), part) {
			w.t.Errorf("pulumi new %s: %q is not in:\n%v", strings.Join(args, " "), part, r.err)
		}
	}
	if diff := cmp.Diff(before, w.snapshot()); diff != "" {
		w.t.Errorf("pulumi new %s left something behind (-before +after):\n%s", strings.Join(args, " "), diff)
	}
}

// buffer is written by a question that nobody waits for any more, too.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// blocked is a terminal at which nobody types.
type blocked struct{}

func (blocked) Read([]byte) (int, error) { select {} }

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.root, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// snapshot is every file below the root but what a backend notes about itself.
func (w *world) snapshot() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(w.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(w.root, path)
		if err != nil || strings.HasPrefix(name, filepath.Join("state", ".pulumi")) {
			return err
		}
		out[name] = "folder"
		if d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			out[name] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, name := range w.stacks() {
		out["stack "+name] = "stack"
	}
	return out
}

// stacks are the checkpoints in the backend.
func (w *world) stacks() []string {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.state, ".pulumi", "stacks", "*", "*.json"))
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, path := range found {
		out = append(out, filepath.Base(filepath.Dir(path))+"/"+strings.TrimSuffix(filepath.Base(path), ".json"))
	}
	return out
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=tester", "-c", "user.email=tester@example.com"}, args...)...)
	cmd.Env = w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}
