package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/config"
	"github.com/cairn-iac/cairn/internal/project"
	"github.com/cairn-iac/cairn/internal/workspace"
)

func newProject(t *testing.T) *project.Project {
	t.Helper()
	path := filepath.Join(t.TempDir(), "proj", "Pulumi.yaml")
	write(t, path, "name: quick\nruntime: yaml\n")
	p, err := project.Load(workspace.Disk(), path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSelection(t *testing.T) {
	t.Parallel()
	home, p := newHome(t), newProject(t)
	s, err := home.Selection(p)
	if err != nil || s.Stack("file:///project/state") != "" {
		t.Fatalf("%v, %v", s, err)
	}
	s.Select("file:///project/state", "organization/quick/dev")
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(home.Path("workspaces"))
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	path := home.Path("workspaces", entries[0].Name())
	if diff := cmp.Diff(read(t, filepath.Join("testdata", "upstream", "workspace.json")), read(t, path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// The same project through a link has the same selection.
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(p.Dir(), link); err != nil {
		t.Skip(err)
	}
	linked := *p
	linked.Path = filepath.Join(link, "Pulumi.yaml")
	if s, err = home.Selection(&linked); err != nil || s.Stack("file:///project/state") != "organization/quick/dev" {
		t.Errorf("%v, %v", s, err)
	}

	s.Select("file:///other", "x")
	if s.Stack("file:///other") != "x" || s.Stack("file:///third") != "" {
		t.Error("backends are mixed up")
	}
	s.Select("file:///other", "")
	s.Select("file:///project/state", "")
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty selection stays: %v", err)
	}
	if err := s.Save(); err != nil {
		t.Errorf("nothing to remove: %v", err)
	}
}

// The name of the file was observed with the Pulumi CLI: project quick at /project/Pulumi.yaml.
func TestSelectionFileName(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	s, err := home.Selection(&project.Project{Name: "quick", Path: "/project/Pulumi.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	s.Select("u", "dev")
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	onlyFile(t, home.Path("workspaces"), "quick-2ca528d10a22b53980290688157c77c388921e1e-workspace.json")
}

func TestSelectionOfOlderCLIs(t *testing.T) {
	t.Parallel()
	home, p := newHome(t), newProject(t)
	s, err := home.Selection(p)
	if err != nil {
		t.Fatal(err)
	}
	s.Select("u", "dev")
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(home.Path("workspaces"))
	if err != nil {
		t.Fatal(err)
	}
	path := home.Path("workspaces", entries[0].Name())
	write(t, path, `{"stack": "old", "future": {"a": 1}}`)
	if s, err = home.Selection(p); err != nil || s.Stack("any") != "old" {
		t.Fatalf("%v, %v", s, err)
	}
	s.Select("u", "new")
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	const want = "{\n    \"stack\": \"old\",\n    \"stacks\": {\n        \"u\": \"new\"\n    },\n    \"future\": {\n        \"a\": 1\n    }\n}"
	if diff := cmp.Diff(want, read(t, path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	write(t, path, "{")
	if _, err := home.Selection(p); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
}

func TestCurrentStack(t *testing.T) {
	t.Parallel()
	home, p := newHome(t), newProject(t)
	s, err := home.Selection(p)
	if err != nil {
		t.Fatal(err)
	}
	s.Select("u", "selected")
	for want, q := range map[string]workspace.StackQuery{
		"flag":     {Flag: "flag", Lookup: lookup(map[string]string{"PULUMI_STACK": "env"}), BackendURL: "u", Selection: s},
		"env":      {Lookup: lookup(map[string]string{"PULUMI_STACK": "env"}), BackendURL: "u", Selection: s},
		"selected": {Lookup: lookup(nil), BackendURL: "u", Selection: s},
	} {
		if got := workspace.CurrentStack(q); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, q := range []workspace.StackQuery{
		{Lookup: lookup(nil), BackendURL: "v", Selection: s}, {Lookup: lookup(nil)},
		{Lookup: lookup(map[string]string{"PULUMI_STACK": ""}), BackendURL: "u", Selection: s},
	} {
		if got := workspace.CurrentStack(q); got != "" {
			t.Errorf("got %q", got)
		}
	}
}

func TestStackFile(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	path := p.StackFile("dev")
	f, err := workspace.LoadStackFile(path, p.Name)
	if err != nil {
		t.Fatal(err)
	}
	if err := workspace.SaveStackFile(f); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty file was made: %v", err)
	}
	at := config.Address{Key: config.Key{Namespace: "quick", Name: "a"}}
	if err := f.Set(at, config.NewString("1")); err != nil {
		t.Fatal(err)
	}
	if err := workspace.SaveStackFile(f); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "config:\n  quick:a: \"1\"\n" {
		t.Errorf("got %q", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 && runtime.GOOS != "windows" {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	// A link stays a link, and the file behind it keeps its mode.
	real := filepath.Join(t.TempDir(), "real.yaml")
	write(t, real, "config: {}\n")
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(p.Dir(), "Pulumi.linked.yaml")
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	if f, err = workspace.LoadStackFile(link, p.Name); err != nil {
		t.Fatal(err)
	}
	if err := f.Set(at, config.NewString("2")); err != nil {
		t.Fatal(err)
	}
	if err := workspace.SaveStackFile(f); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 || read(t, real) != "config:\n  quick:a: \"2\"\n" {
		t.Errorf("mode %v, text %q, %v", info.Mode(), read(t, real), err)
	}

	if _, err := workspace.LoadStackFile(p.Dir(), p.Name); err == nil {
		t.Error("a folder was read as a file")
	}
}

func TestStackFileReadOnlyFolder(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	p := newProject(t)
	path := p.StackFile("dev")
	write(t, path, "config:\n  quick:a: old\n")
	f, err := workspace.LoadStackFile(path, p.Name)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Set(config.Address{Key: config.Key{Namespace: "quick", Name: "a"}}, config.NewString("new")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(p.Dir(), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(p.Dir(), 0o755) })
	if err := workspace.SaveStackFile(f); !errors.Is(err, os.ErrPermission) {
		t.Errorf("got %v", err)
	}
	if got := read(t, path); got != "config:\n  quick:a: old\n" {
		t.Errorf("got %q", got)
	}
}
