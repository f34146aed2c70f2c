package newcmd_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	newcmd "github.com/cairn-iac/cairn/internal/cli/cmd/new"
	"github.com/cairn-iac/cairn/internal/cli/exit"
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
	var out, errout bytes.Buffer
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

const ours = `# Our template.
name: ${PROJECT}
description: ${DESCRIPTION}
runtime: yaml
template:
  description: What we all use
  quickstart: |
    Read README.md.
  config:
    size: {description: How big, default: 5}
    aws:region: {description: Where, default: eu}
    token: {secret: true}

# What is deployed.
resources: {}
`

func TestFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("ours/Pulumi.yaml", ours)
	w.write("ours/README.md", "${PROJECT}: ${DESCRIPTION}. Uses ${other}.\n")
	w.write("ours/data.json", `{"about": "${DESCRIPTION}"}`)
	w.write("ours/src/${PROJECT}.sh", "echo ${PROJECT}\n")
	w.write("ours/blob", "\x00${PROJECT}")
	w.write("ours/.git/config", "not for projects")
	w.write("ours/.hidden", "kept")
	if err := os.Chmod(filepath.Join(w.root, "ours/src/${PROJECT}.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := w.must("../ours", "--yes", "--dir", "shop", "--description", `Sells "things": all`, "-c", "token=hunter22", "-c", "extra=1")
	const want = `Created project 'shop'
Created stack 'dev'

Next:

  cd shop
  pulumi up

Read README.md.
`
	if diff := cmp.Diff(want, r.out); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("# Our template.\nname: shop\ndescription: 'Sells \"things\": all'\nruntime: yaml\n# What is deployed.\nresources: {}\n",
		w.read("work/shop/Pulumi.yaml")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, text := range map[string]string{
		"README.md":   "shop: Sells \"things\": all. Uses ${other}.\n",
		"data.json":   `{"about": "Sells \"things\": all"}`,
		"src/shop.sh": "echo shop\n", "blob": "\x00${PROJECT}", ".hidden": "kept",
	} {
		if diff := cmp.Diff(text, w.read("work/shop/"+name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if info, err := os.Stat(filepath.Join(w.dir, "shop/src/shop.sh")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("the script cannot be run: %v, %v", info, err)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "shop/.git")); err == nil {
		t.Error("the template's .git was copied")
	}
	config := w.read("work/shop/Pulumi.dev.yaml")
	for _, part := range []string{"aws:region: eu\n", "shop:size: \"5\"\n", "shop:extra: \"1\"\n", "shop:token:\n    secure: "} {
		if !strings.Contains(config, part) {
			t.Errorf("%q is not in\n%s", part, config)
		}
	}
	if strings.Contains(config, "hunter22") {
		t.Error("a value that the template declares as secret is in plain text")
	}
	if diff := cmp.Diff([]string{"shop/dev"}, w.stacks()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Every template of the program makes a project, and says what is in it.
func TestOwnTemplates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.must("--list-templates")
	for _, name := range []string{"command-yaml", "component-yaml", "random-yaml", "yaml"} {
		if !strings.Contains(r.out, "  "+name+" ") {
			t.Errorf("%s is not listed:\n%s", name, r.out)
		}
		w.must(name, "--yes", "--dir", name, "--generate-only")
		text := w.read("work/" + name + "/Pulumi.yaml")
		if !strings.HasPrefix(text, "name: "+name+"\ndescription: ") || strings.Contains(text, "template:") || strings.Contains(text, "${PROJECT}") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	w = newWorld(t)
	w.must("--yes")
	if text := w.read("work/Pulumi.yaml"); !strings.HasPrefix(text, "name: work\n") {
		t.Errorf("got\n%s", text)
	}
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("ours/Pulumi.yaml", ours)
	w.answers = []string{"no/good", "shop", "", "a/b/c/d", "prod", "us", ""}
	w.secrets = []string{"hunter22"}
	r := w.must("../ours")
	for _, part := range []string{
		"Project name (work): 'no/good' cannot be taken: project names may only contain",
		"Project description (What we all use): ", "Stack name (dev): 'a/b/c/d' cannot be taken: ",
		"Where (aws:region) (eu): ", "How big (size) (5): ", "Created stack 'prod'",
	} {
		if !strings.Contains(r.out, part) {
			t.Errorf("%q is not in\n%s", part, r.out)
		}
	}
	if !strings.Contains(r.errout, "token: ") {
		t.Errorf("the secret was not asked for: %s", r.errout)
	}
	config := w.read("work/Pulumi.prod.yaml")
	if !strings.Contains(config, "aws:region: us\n") || !strings.Contains(config, "shop:token:\n    secure: ") {
		t.Errorf("got\n%s", config)
	}
}

func TestChoice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.answers = []string{"nosuch", "3", "", "", "", ""}
	r := w.must()
	if !strings.Contains(r.out, "'nosuch' cannot be taken: give its name or its number") || !strings.Contains(w.read("work/Pulumi.yaml"), "RandomPet") {
		t.Errorf("got\n%s", r.out)
	}
	// A folder of several templates.
	w = newWorld(t)
	w.write("many/a/Pulumi.yaml", "name: ${PROJECT}\nruntime: yaml\ndescription: the first\n")
	w.write("many/b/Pulumi.yaml", "name: fixed\nruntime: yaml\n")
	w.write("many/node/Pulumi.yaml", "name: ${PROJECT}\nruntime: nodejs\n")
	w.write("many/broken/Pulumi.yaml", "name: [\n")
	w.write("many/docs/README.md", "nothing here\n")
	w.fails([]string{"../many", "--yes"}, "../many has several templates (a, b)")
	w.answers = []string{"b", "", "", ""}
	w.must("../many")
	if got := w.read("work/Pulumi.yaml"); got != "name: fixed\nruntime: yaml\n" {
		t.Errorf("got\n%s", got)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("ours/Pulumi.yaml", ours)
	w.write("node/Pulumi.yaml", "name: ${PROJECT}\nruntime: nodejs\n")
	w.write("broken/Pulumi.yaml", "name: ${PROJECT}\nruntime: yaml\nbackend: 7\n")
	w.write("empty/README.md", "")
	w.write("full/x", "")
	w.write("outside", "private")
	if err := os.Symlink(filepath.Join(w.root, "outside"), filepath.Join(w.root, "node/link")); err != nil {
		t.Fatal(err)
	}
	w.must("yaml", "--yes", "--dir", "../taken")
	long := strings.Repeat("x", 300)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"yaml"}, []string{"non-interactive mode requires --yes flag"}},
		{[]string{"yaml", "--yes", "--name", "no/good"}, []string{"--name: 'no/good' is not a valid project name"}},
		{[]string{"yaml", "--yes", "--name", "Pulumi.x"}, []string{"must not be Pulumi"}},
		{[]string{"yaml", "--yes", "--name", "taken"}, []string{"already exists: taken", "--name"}},
		{[]string{"yaml", "--yes", "--name", "a", "--stack", "organization/b/dev"}, []string{"must be the same"}},
		{[]string{"yaml", "--yes", "--stack", "acme/a/dev"}, []string{"organization name must be 'organization'"}},
		{[]string{"yaml", "--yes", "--stack", "a b"}, []string{"invalid character"}},
		{[]string{"yaml", "--yes", "--description", long}, []string{"--description: a project description must be 256 characters or less"}},
		{[]string{"yaml", "--yes", "--dir", "../full"}, []string{"full is not empty", "--force", "--dir"}},
		{[]string{"yaml", "--yes", "--dir", "../outside"}, []string{"outside"}},
		{[]string{"yaml", "--yes", "--secrets-provider", "awskms://x"}, []string{`"awskms" is not available yet`}},
		{[]string{"yaml", "--yes", "-c", "=5"}, []string{"--config", "key=value"}},
		{[]string{"yaml", "--yes", "-c", "a:b:c:d=5"}, []string{"--config: could not parse a:b:c:d"}},
		{[]string{"yaml", "--yes", "--config-path", "-c", "list[=x"}, []string{"--config: invalid config key path"}},
		{[]string{"yam", "--yes"}, []string{"template 'yam' not found; did you mean 'yaml'?", "Templates at hand: command-yaml"}},
		{[]string{"../nosuch", "--yes"}, []string{"no such file"}},
		{[]string{"../outside", "--yes"}, []string{"is not a folder; a template is a folder with a Pulumi.yaml"}},
		{[]string{"../empty", "--yes"}, []string{"is no template"}},
		{[]string{"../broken", "--yes"}, []string{"broken/Pulumi.yaml:3:10: backend must be a mapping"}},
		{[]string{"../node", "--yes"}, []string{`runtime "nodejs", which is not available yet`, "--generate-only"}},
		{[]string{"../node", "--yes", "--generate-only"}, []string{"link", "escapes"}},
		{[]string{"yaml", "--yes", "--ai", "a shop"}, []string{"--ai", "not available yet"}},
		{[]string{"yaml", "--yes", "--remote-stack-config"}, []string{"--remote-stack-config", "not available yet"}},
		{[]string{"https://example.com/a/b.zip", "--yes"}, []string{".zip", "not available yet"}},
		{[]string{"https://example.com/a/b", "--yes", "--offline"}, []string{"--offline forbids the network", "pulumi new ./b"}},
	} {
		w.fails(c.args, c.want...)
	}
	offline := *w
	offline.env = append(offline.env, "PULUMI_OFFLINE=1")
	offline.fails([]string{"git@example.com:a/b", "--yes"}, "git@example.com:a/b cannot be used: PULUMI_OFFLINE")
	nobody := *w
	nobody.env = append(nobody.env, "PULUMI_BACKEND_URL=")
	nobody.fails([]string{"yaml", "--yes"}, "pulumi login --local")
	nobody.must("yaml", "--yes", "--generate-only", "--dir", "files")
}

// What goes wrong when files and stack are there already takes them back.
func TestNothingHalfMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("ours/Pulumi.yaml", ours)
	w.write("ours/deep/down/file", "new")
	locked := *w
	locked.env = append(locked.env[:3:3], locked.env[4:]...)
	locked.fails([]string{"../ours", "--yes", "--dir", "a/b/c"}, "passphrase must be set with PULUMI_CONFIG_PASSPHRASE")
	locked.env = append(locked.env, "PULUMI_CONFIG_PASSPHRASE_FILE=/nonexistent/file")
	locked.fails([]string{"../ours", "--yes", "--dir", "a/b/c"}, "/nonexistent/file")
	// A file of the project that was there is as before.
	w.write("work/Pulumi.yaml", "name: old\nruntime: yaml\n")
	w.write("work/deep/down/file", "old")
	w.write("work/Pulumi.dev.yaml", "encryptionsalt: v1:broken\n")
	w.fails([]string{"../ours", "--yes", "--force"}, "salt")
	// The configuration comes last: the stack goes again, too.
	w.write("work/Pulumi.dev.yaml", "config:\n  work:list: [1]\n")
	w.fails([]string{"../ours", "--yes", "--force", "--config-path", "-c", "list.a=1"}, "save the configuration: list.a")
}

func TestForce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("work/Pulumi.yaml", "name: old\nruntime: yaml\n")
	w.write("work/notes", "mine")
	w.must("yaml", "--yes", "--force")
	if got := w.read("work/Pulumi.yaml"); !strings.HasPrefix(got, "name: work\n") {
		t.Errorf("got\n%s", got)
	}
	if w.read("work/notes") != "mine" {
		t.Error("another file was touched")
	}
	// A link that leads out of the folder is not written through.
	w = newWorld(t)
	w.write("outside", "private")
	if err := os.Symlink(filepath.Join(w.root, "outside"), filepath.Join(w.dir, "Pulumi.yaml")); err != nil {
		t.Fatal(err)
	}
	w.fails([]string{"yaml", "--yes", "--force"}, "something else of that name is in the way")
}

// A stack that exists, by its whole name, gets a project of its name.
func TestExistingStack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("ours/Pulumi.yaml", ours)
	w.must("yaml", "--yes", "--dir", "first", "--name", "shop", "--stack", "prod")
	r := w.must("../ours", "--yes", "--dir", "second", "--stack", "organization/shop/prod", "-c", "token=x")
	if strings.Contains(r.out, "Created stack") || !strings.HasPrefix(w.read("work/second/Pulumi.yaml"), "# Our template.\nname: shop\n") {
		t.Errorf("got\n%s", r.out)
	}
	if !strings.Contains(w.read("work/second/Pulumi.prod.yaml"), "secure: ") {
		t.Errorf("got\n%s", w.read("work/second/Pulumi.prod.yaml"))
	}
	if diff := cmp.Diff([]string{"shop/prod"}, w.stacks()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A program that needs values which nobody gave: the way on is told.
func TestMissingValues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("ours/Pulumi.yaml", "name: ${PROJECT}\nruntime: yaml\nconfig:\n  token: {type: string, secret: true}\n")
	r := w.must("../ours", "--yes")
	if !strings.Contains(r.out, "The program needs to be told more") || !strings.Contains(r.out, "`pulumi config set --secret token`") {
		t.Errorf("got\n%s", r.out)
	}
	w = newWorld(t)
	w.write("ours/Pulumi.yaml", "name: ${PROJECT}\nruntime: yaml\nconfig:\n  token: {type: string, secret: true}\n")
	r = w.must("../ours", "--yes", "-c", "token=hunter22")
	if strings.Contains(r.out, "told more") || strings.Contains(w.read("work/Pulumi.dev.yaml"), "hunter22") {
		t.Errorf("got\n%s", r.out)
	}
}

func TestStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.interrupts = make(chan struct{}, 1)
	w.interrupts <- struct{}{}
	before := w.snapshot()
	r := w.run("yaml")
	if exit.Of(r.err) != exit.Canceled {
		t.Errorf("got %v", r.err)
	}
	if diff := cmp.Diff(before, w.snapshot()); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
	w = newWorld(t)
	w.answers = []string{"shop"}
	w.fails([]string{"yaml"}, "there was no answer", "nothing was made")
}

func TestGit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := filepath.Join(w.root, "origin")
	w.git("init", "--quiet", "--initial-branch=trunk", repo)
	w.write("origin/Pulumi.yaml", "name: ${PROJECT}\nruntime: yaml\ndescription: whole\n")
	w.write("origin/sub/folder/Pulumi.yaml", "name: ${PROJECT}\nruntime: yaml\ndescription: part\n")
	w.git("-C", repo, "add", ".")
	w.git("-C", repo, "commit", "--quiet", "-m", "first")
	first := w.git("-C", repo, "rev-parse", "HEAD")
	w.git("-C", repo, "tag", "-a", "v1", "-m", "v1")
	w.git("-C", repo, "checkout", "--quiet", "-b", "feature/x")
	w.write("origin/sub/folder/Pulumi.yaml", "name: ${PROJECT}\nruntime: yaml\ndescription: branch\n")
	w.git("-C", repo, "commit", "--quiet", "-am", "second")
	w.git("-C", repo, "checkout", "--quiet", "trunk")
	// The address of a server, which git is told to look for on this machine.
	w.env = append(w.env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://"+repo+".insteadOf",
		"GIT_CONFIG_VALUE_0=https://git.example.com/owner/repo.git")
	const base = "https://git.example.com/owner/repo"
	for i, c := range []struct{ address, want string }{
		{base, "whole"}, {base + ".git", "whole"}, {base + "/sub/folder", "part"}, {base + ".git/sub/folder/", "part"},
		{base + "/tree/trunk", "whole"}, {base + "/tree/trunk/sub/folder", "part"}, {base + "/tree/v1/sub/folder", "part"},
		{base + "/tree/feature/x/sub/folder", "branch"}, {base + "/tree/" + first + "/sub/folder", "part"},
		{"file://" + repo, "whole"},
	} {
		dir := string(rune('a' + i))
		w.must(c.address, "--yes", "--dir", dir, "--generate-only")
		if got := w.read("work/" + dir + "/Pulumi.yaml"); !strings.Contains(got, "description: "+c.want+"\n") {
			t.Errorf("%s: got\n%s", c.address, got)
		}
	}
	w.fails([]string{base + "/tree/nosuch/sub", "--yes", "--dir", "z"}, "the repository has no branch or tag nosuch")
	w.fails([]string{base + "/tree", "--yes", "--dir", "z"}, "a branch, tag or commit must follow")
	w.fails([]string{base + "/nosuch", "--yes", "--dir", "z"}, "the repository "+base+".git has no folder nosuch")
	w.fails([]string{base + "/sub/../..", "--yes", "--dir", "z"}, "..")
	w.fails([]string{"https://user:canary@git.example.com:1/x", "--yes", "--dir", "z"}, "does not name a repository")
	w.env = append(w.env, "PULUMI_TEMPLATE_GIT_REPOSITORY="+base, "PULUMI_TEMPLATE_BRANCH=trunk")
	w.fails([]string{"nosuch", "--yes", "--dir", "z"}, "template 'nosuch' not found")
	w.must("sub", "--yes", "--dir", "named", "--generate-only")
	without := *w
	without.env = append(without.env, "PATH=/nonexistent")
	without.fails([]string{base, "--yes", "--dir", "z"}, "git was not found")
	without.fails([]string{base + "/tree/trunk", "--yes", "--dir", "z"}, "git was not found")
}

// Templates that were installed by name are found without a network.
func TestInstalled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("home/templates/shop/Pulumi.yaml", "name: ${PROJECT}\nruntime: yaml\ndescription: installed\n")
	w.write("home/templates/yaml/Pulumi.yaml", "name: ${PROJECT}\nruntime: yaml\ndescription: not ours\n")
	w.write("home/templates/bad/Pulumi.yaml", "name: [\n")
	w.must("shop", "--yes", "--dir", "a", "--offline", "--generate-only")
	w.must("yaml", "--yes", "--dir", "b", "--generate-only")
	if strings.Contains(w.read("work/b/Pulumi.yaml"), "not ours") {
		t.Error("an installed template hides one of the program's")
	}
	r := w.must("--list-templates")
	if !strings.Contains(r.out, "  shop ") || !strings.Contains(r.errout, "bad/Pulumi.yaml") {
		t.Errorf("got\n%s%s", r.out, r.errout)
	}
}
