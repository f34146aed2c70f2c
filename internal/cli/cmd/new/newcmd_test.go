package newcmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/cli/exit"
)

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
	w.must("--yes", "--generate-only")
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
	w.answers = []string{"nosuch", "3", "", ""}
	r := w.must("--generate-only")
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
	w.answers = []string{"b", "", ""}
	w.must("../many", "--generate-only")
	if got := w.read("work/Pulumi.yaml"); got != "name: fixed\nruntime: yaml\n" {
		t.Errorf("got\n%s", got)
	}
}

func TestForce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("work/Pulumi.yaml", "name: old\nruntime: yaml\n")
	w.write("work/notes", "mine")
	w.must("yaml", "--yes", "--force", "--generate-only")
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
