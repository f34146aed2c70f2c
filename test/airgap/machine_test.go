//go:build linux

package airgap

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
)

// machine is a home, a folder for state and one for projects.
type machine struct {
	t    *testing.T
	name string
	// program is the path of the real program.
	program                string
	home, state, work, dir string
	env                    []string
	// cut is true when it has no network.
	cut bool
}

func newMachine(t *testing.T, name, program string, cloud *fakeprovidertest.Kit) *machine {
	t.Helper()
	root := t.TempDir()
	m := &machine{
		t: t, name: name, program: program, cut: name == "cut off",
		home: filepath.Join(root, "home"), state: filepath.Join(root, "state"), work: filepath.Join(root, "work"),
	}
	for _, dir := range []string{m.home, m.state, m.work} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	m.dir = m.work
	m.env = append([]string{
		"HOME=" + m.home, "PULUMI_HOME=" + filepath.Join(m.home, ".pulumi"), "PULUMI_BACKEND_URL=file://" + m.state,
		"PULUMI_CONFIG_PASSPHRASE=fixture", "PATH=" + os.Getenv("PATH"),
	}, cloud.Env()...)
	return m
}

// sealed is a command line in a namespace where only the loopback device is up.
func sealed(args ...string) []string {
	return append([]string{"unshare", "--map-root-user", "--net", "sh", "-c", `ip link set lo up && exec "$0" "$@"`}, args...)
}

// needsNamespaces skips the test where namespaces may not be made, and checks that they have no way out.
func needsNamespaces(t *testing.T) {
	t.Helper()
	for _, tool := range []string{"unshare", "ip"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s", tool)
		}
	}
	args := sealed("cat", "/proc/net/route", "/proc/net/dev")
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		t.Skipf("a network namespace may not be made here: %v: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if device, _, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(device) != "lo" {
			t.Fatalf("the namespace has a device besides lo:\n%s", out)
		}
	}
}

// result is what a command did.
type result struct {
	code int
	text string
}

// run runs the program and writes what happens into the test's log.
func (m *machine) run(args ...string) result {
	m.t.Helper()
	line := append([]string{m.program}, args...)
	if m.cut {
		line = sealed(line...)
	}
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir, cmd.Env = m.dir, m.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatal(err)
	}
	r := result{cmd.ProcessState.ExitCode(), out.String()}
	end := ""
	if r.code != 0 {
		end = fmt.Sprintf("[exit code %d]\n", r.code)
	}
	m.t.Logf("(%s) $ pulumi %s\n%s%s", m.name, strings.Join(args, " "), r.text, end)
	return r
}

func (m *machine) must(args ...string) string {
	m.t.Helper()
	r := m.run(args...)
	if r.code != 0 {
		m.t.Fatalf("(%s) pulumi %s: exit code %d", m.name, strings.Join(args, " "), r.code)
	}
	return r.text
}

// refused runs a command that must fail with these texts.
func (m *machine) refused(says []string, args ...string) {
	m.t.Helper()
	r := m.run(args...)
	if r.code == 0 {
		m.t.Errorf("(%s) pulumi %s succeeded", m.name, strings.Join(args, " "))
	}
	for _, s := range says {
		if !strings.Contains(r.text, s) {
			m.t.Errorf("no %q in what it says", s)
		}
	}
}

// copyTo copies files of the project to a folder of the same name on another machine.
func (m *machine) copyTo(other *machine, names ...string) {
	m.t.Helper()
	other.dir = filepath.Join(other.work, filepath.Base(m.dir))
	if err := os.MkdirAll(other.dir, 0o755); err != nil {
		m.t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(m.dir, name))
		if err != nil {
			m.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(other.dir, name), data, 0o644); err != nil {
			m.t.Fatal(err)
		}
	}
}

// build compiles a command of this module into a folder.
func build(t *testing.T, dir, name, pkg string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	cmd := exec.Command("go", "build", "-o", file, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", name, err, out)
	}
	return file
}
