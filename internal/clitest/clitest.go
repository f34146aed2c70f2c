// Package clitest runs the command line in process, with a world of its own for each test: home, backend, project,
// environment. It refuses to share anything between worlds; tests that use it run in parallel.
package clitest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-iac/cairn/internal/cli"
	"github.com/cairn-iac/cairn/internal/cli/iostreams"
	"github.com/cairn-iac/cairn/internal/secret/passphrase"
)

// World is a machine with nothing on it but a project and an empty local backend.
type World struct {
	t testing.TB
	// Root holds the following folders.
	Root, Project, State, Home string
	// Env is the whole environment; later entries win.
	Env []string
	// Username and Hostname are who runs commands, and where: "tester" on "host" unless changed.
	Username, Hostname string
	keys               *passphrase.Keys
}

// Result is what a command did.
type Result struct {
	Code           int
	Stdout, Stderr string
}

// New makes a world. The passphrase is "fixture".
func New(t testing.TB) *World {
	t.Helper()
	w := &World{t: t, Root: t.TempDir(), Username: "tester", Hostname: "host", keys: &passphrase.Keys{}}
	w.Project, w.State, w.Home = filepath.Join(w.Root, "project"), filepath.Join(w.Root, "state"), filepath.Join(w.Root, "home")
	for _, dir := range []string{w.Project, w.State, w.Home} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.Env = []string{
		"PULUMI_BACKEND_URL=file://" + w.State, "PULUMI_HOME=" + w.Home, "HOME=" + w.Home,
		"PULUMI_CONFIG_PASSPHRASE=fixture", "PATH=" + os.Getenv("PATH"),
	}
	return w
}

// Write makes a file of the project.
func (w *World) Write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.Project, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// Run runs a command in the project's folder.
func (w *World) Run(args ...string) Result {
	w.t.Helper()
	var out, errs buffer
	code := cli.Main(cli.Invocation{
		Args: append([]string{"pulumi"}, args...), Environ: w.Env, Dir: w.Project, Executable: "/nonexistent/pulumi",
		Streams:  &iostreams.Streams{In: strings.NewReader(""), Out: &out, Err: &errs},
		Username: w.Username, Hostname: w.Hostname, PID: os.Getpid(), Keys: w.keys,
	})
	return Result{Code: code, Stdout: out.String(), Stderr: errs.String()}
}

// Must is Run for a command that has to succeed.
func (w *World) Must(args ...string) Result {
	w.t.Helper()
	r := w.Run(args...)
	if r.Code != 0 {
		w.t.Fatalf("pulumi %s: exit code %d\n%s%s", strings.Join(args, " "), r.Code, r.Stdout, r.Stderr)
	}
	return r
}

// buffer is a bytes.Buffer for writers on several goroutines.
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
