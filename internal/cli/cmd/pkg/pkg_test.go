package pkg_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/cairn-iac/cairn/internal/clitest"
	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
)

// newWorld is a machine with the schemas of testdata in the project's folder.
func newWorld(t *testing.T) *clitest.World {
	t.Helper()
	w := clitest.New(t)
	for _, name := range []string{"wide.json", "described.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		w.Write(name, string(text))
	}
	return w
}

// What we print is what the Pulumi CLI printed.
func TestInfoIsLikeThePulumiCLIs(t *testing.T) {
	t.Parallel()
	recorded, err := txtar.ParseFile("testdata/info.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range recorded.Files {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			r := newWorld(t).Must(append([]string{"package", "info"}, strings.Fields("./"+c.Name)...)...)
			if diff := cmp.Diff(string(c.Data), r.Stdout); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Descriptions are shown without examples and without the marks of Markdown, wrapped.
func TestDescriptions(t *testing.T) {
	t.Parallel()
	r := newWorld(t).Must("package", "info", "./described.json", "--resource", "A")
	want := `Resource: d:index:A
Description:
First paragraph that is long enough to need wrapping because it has more than
eighty columns in it, see the docs (https://example.com/a/b/c) for more and
` + "`code`" + `.

Second emph strong paragraph.
next line

│ Note: a quote that is also long enough to be wrapped at eighty columns,
│ because quotes have a rail.

Notes

• one
• two
  • nested

1. first
2. second

After code https://example.com.

After

Last | pipe

| a | b |
|---|---|
| 1 | 2 |

Inputs:
 - x (Array<string>)
 - y (Array<d:index:T•Input>)
 - z (Union<string, Input<d:index:T•Input>>)

Outputs:
`
	if diff := cmp.Diff(want, r.Stdout); diff != "" {
		t.Error(diff)
	}
}

func TestInfoProblems(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Env = append(w.Env, "PULUMI_OFFLINE=1")
	w.Write("bad.json", `{"version": 1}`)
	for says, args := range map[string]string{
		`ambiguous resource name "Box", please use --module <module> to disambiguate`: "./wide.json -r Box",
		`resource "Nope" not found`:                                 "./wide.json -r Nope",
		`function "Box" not found`:                                  "./wide.json -f Box",
		`resource "Thing" not found`:                                "./wide.json -m index -r Thing",
		`module "nope" not found`:                                   "./wide.json -m nope",
		"only one of --function or --resource can be specified":     "./wide.json -f sum -r Box",
		"gone.json: no such file":                                   "./gone.json",
		"expected a string":                                         "./bad.json",
		"no resource plugin 'pulumi-resource-nosuch' found":         "nosuch",
		"invalid plugin semver":                                     "nosuch@latest",
		"the provider random (built in, version":                    "random -- parameter",
		"holds neither a pulumi-resource-* nor a PulumiPlugin.yaml": ".",
		"requires at least 1 arg":                                   "",
	} {
		if r := w.Run(append([]string{"package", "info"}, strings.Fields(args)...)...); r.Code != 1 || !strings.Contains(r.Stderr, says) {
			t.Errorf("%s: exit code %d: %s%s", args, r.Code, r.Stdout, r.Stderr)
		}
	}
	if r := w.Run("package", "add", "x"); r.Code != 1 || !strings.Contains(r.Stderr, "not available yet") {
		t.Errorf("got %+v", r)
	}
}

// name is the name in a schema.
func name(t *testing.T, text string) string {
	t.Helper()
	var s struct{ Name, Version string }
	if err := json.Unmarshal([]byte(text), &s); err != nil || !strings.HasPrefix(text, "{\n  \"") || !strings.HasSuffix(text, "}\n") {
		t.Errorf("%v in %s", err, text)
	}
	return strings.TrimSuffix(s.Name+"@"+s.Version, "@")
}

func TestSchemasOfAllSources(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kit, err := fakeprovidertest.Setup(filepath.Join(w.Root, "cloud"))
	if err != nil {
		t.Fatal(err)
	}
	w.Env = append(w.Env, kit.Env()...)
	w.Env = append(w.Env, "PULUMI_OFFLINE=1")
	exe, err := kit.Build(t.Context(), filepath.Join(w.Root, "fp"))
	if err != nil {
		t.Fatal(err)
	}
	w.Must("plugin", "install", "resource", "fp", "1.2.3", "-f", exe)
	w.Write("schema.yaml", "name: written\nversion: 1.0.0\n")
	w.Write("component/PulumiPlugin.yaml", "name: pets\nruntime: yaml\ncomponents:\n  pair:\n    resources:\n      a: {type: 'random:RandomPet'}\n    outputs: {x: '${a.id}'}\n")
	for source, want := range map[string]string{
		"random": "random@4.21.2", "random@4.21.2": "random@4.21.2", "fp": "fp@1.2.3", "fp@1.2.3": "fp@1.2.3",
		exe: "fp@1.0.0", filepath.Dir(exe): "fp@1.0.0", "./component": "pets@0.0.0", "./wide.json": "wide@1.2.3", "schema.yaml": "written@1.0.0",
	} {
		if got := name(t, w.Must("package", "get-schema", source).Stdout); got != want {
			t.Errorf("%s: got %s", source, got)
		}
	}
	r := w.Must("package", "get-schema", "./wide.json")
	var in, out any
	text, err := os.ReadFile("testdata/wide.json")
	if err := errors.Join(err, json.Unmarshal(text, &in), json.Unmarshal([]byte(r.Stdout), &out)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in, out); diff != "" {
		t.Errorf("something was lost: %s", diff)
	}
	if r := w.Must("package", "info", "fp"); !strings.Contains(r.Stdout, "Function: fp:index:invoke") {
		t.Errorf("got %s", r.Stdout)
	}
	if r := w.Run("package", "get-schema", "fp", "--", "--parameter"); r.Code != 1 || !strings.Contains(r.Stderr, `parameterize provider fp with ["--parameter"]`) {
		t.Errorf("got %+v", r)
	}
}

func TestSchemasOfRepositories(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	w := newWorld(t)
	dir := filepath.Join(w.Root, "repository.git")
	if err := os.MkdirAll(filepath.Join(dir, "pets"), 0o755); err != nil {
		t.Fatal(err)
	}
	manifest := "name: pets\nruntime: yaml\ncomponents:\n  pair:\n    resources:\n      a: {type: 'random:RandomPet'}\n"
	if err := os.WriteFile(filepath.Join(dir, "pets", "PulumiPlugin.yaml"), []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "."}, {"commit", "--quiet", "-m", "x"}, {"tag", "v1.0.0"}} {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@x", "-c", "commit.gpgsign=false"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	w.Env = append(w.Env, "PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES=^https://example.com/org/repository.git=git+file://"+dir)
	if got := name(t, w.Must("package", "get-schema", "example.com/org/repository/pets@1.0.0").Stdout); !strings.HasPrefix(got, "pets@") {
		t.Errorf("got %s", got)
	}
	// Without a version it is the newest one.
	w.Must("plugin", "rm", "--all", "--yes")
	w.Must("plugin", "install", "resource", "example.com/org/repository/pets")
	if r := w.Must("plugin", "ls"); !strings.Contains(r.Stdout, "example.com_org_repository.git_pets") || !strings.Contains(r.Stdout, "1.0.0") {
		t.Errorf("got %s", r.Stdout)
	}
}
