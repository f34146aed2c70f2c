package plugin_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
	"github.com/cairn-iac/cairn/internal/pluginstore"
)

func TestProgramsGetTheirPlugins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish("1.2.3")
	w.broken = 2
	w.Write("Pulumi.yaml", program("1.2.3"))
	w.Must("stack", "init", "dev")
	if r := w.Must("preview"); !strings.Contains(r.Stdout, "[resource plugin fp-1.2.3] installing") {
		t.Errorf("got %s%s", r.Stdout, r.Stderr)
	}
	w.Must("up", "--yes")
	w.Must("refresh", "--yes")
	if len(w.asked) != 3 || w.lock() != "" {
		t.Errorf("asked %v, locked %q", w.asked, w.lock())
	}
	if r := w.Must("plugin", "ls", "--project"); !strings.Contains(r.Stdout, "fp    resource  1.2.3") {
		t.Errorf("got %s", r.Stdout)
	}
	w.Must("plugin", "rm", "resource", "fp", "--yes")
	w.Must("destroy", "--yes")
	if len(w.asked) != 4 || !w.isInstalled("1.2.3") {
		t.Errorf("asked %v", w.asked)
	}
}

func TestProgramsWithoutTheirPlugins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish("1.2.3")
	w.Write("Pulumi.yaml", program("1.2.3"))
	w.Must("stack", "init", "dev")
	plain := w.Env
	for variable, says := range map[string][]string{
		"PULUMI_OFFLINE=1": {"no resource plugin 'pulumi-resource-fp' found", "PULUMI_OFFLINE is set", "pulumi bundle install FILE"},
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=1": {"pulumi plugin install resource fp v1.2.3"},
	} {
		w.Env = append(plain, variable)
		w.fails(1, says, "preview")
		w.fails(1, says, "up", "--yes")
	}
	w.Env = append(plain, "PULUMI_LOCKED=1")
	w.fails(1, []string{"the resource plugin fp-1.2.3 is not in", "Pulumi.lock"}, "preview")
	w.Env = append(plain, "PULUMI_OFFLINE=1")
	w.fails(1, []string{"PULUMI_OFFLINE is set, so the resource plugin fp-1.2.3 was not got"}, "install")
	w.fails(1, []string{"PULUMI_OFFLINE is set"}, "plugin", "install", "resource", "fp", "1.2.3")
	if len(w.asked) > 0 || w.isInstalled("1.2.3") {
		t.Errorf("asked %v", w.asked)
	}
	w.Env = plain
	w.Write("Pulumi.yaml", program("9.9.9"))
	w.fails(1, []string{"404 HTTP error fetching plugin from", "pulumi plugin install resource fp v9.9.9"}, "preview")
	w.Env = append(plain, "PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES=nonsense")
	w.fails(1, []string{"PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: expected regexp1=URL1"}, "preview")
}

func TestTheLockFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish("1.0.0", "2.0.0")
	w.Write("Pulumi.yaml", program("1.0.0"))
	w.Must("stack", "init", "dev")
	if r := w.Must("install"); !strings.Contains(r.Stdout, "Plugins installed: 1, of them now: 1.") {
		t.Errorf("got %s", r.Stdout)
	}
	for _, s := range []string{"name: fp", "version: 1.0.0", "source: github://api.github.com/pulumi/pulumi-fp", "archive: sha256:", "files: sha256:"} {
		if !strings.Contains(w.lock(), s) {
			t.Errorf("no %q in %s", s, w.lock())
		}
	}
	first := w.lock()
	w.Must("install")
	w.Must("up", "--yes")
	if w.lock() != first {
		t.Error("the lock file changes without a reason")
	}

	// The plugin is changed.
	w.tamper("1.0.0")
	refusal := []string{"the resource plugin fp-1.0.0 is refused", "has:    sha256:", "should: sha256:", "pulumi-resource-fp was changed", "--reinstall"}
	w.fails(1, refusal, "up", "--yes")
	w.fails(1, refusal, "preview")
	w.fails(1, refusal, "install")
	w.fails(1, refusal, "plugin", "install")
	w.fails(1, refusal, "plugin", "install", "resource", "fp", "1.0.0")
	w.Must("install", "--reinstall")
	w.Must("up", "--yes")

	// What is published is changed.
	asset := "/" + pluginstore.Plugin{Kind: "resource", Name: "fp", Version: "1.0.0"}.Asset(pluginstore.Here())
	w.files[asset] = packed(t, "pulumi-resource-fp", []byte("#!/bin/sh\n"))
	w.Must("plugin", "rm", "--all", "--yes")
	w.fails(1, []string{"fp-1.0.0 is refused", "hash of its archive"}, "up", "--yes")
	w.fails(1, []string{"fp-1.0.0 is refused", "hash of its archive"}, "plugin", "install", "resource", "fp", "1.0.0")
	if w.isInstalled("1.0.0") {
		t.Error("it is installed")
	}
	w.publish("1.0.0")

	// Another version: an update adds it, an install takes what is no longer needed out.
	w.Write("Pulumi.yaml", program("2.0.0"))
	locked := append(w.Env, "PULUMI_LOCKED=1")
	plain := w.Env
	w.Env = locked
	w.fails(1, []string{"the resource plugin fp-2.0.0 is not in"}, "up", "--yes")
	w.Env = plain
	if r := w.Must("up", "--yes"); !strings.Contains(r.Stdout, "[resource plugin fp-2.0.0] was added to") {
		t.Errorf("got %s", r.Stdout)
	}
	if !strings.Contains(w.lock(), "version: 1.0.0") || !strings.Contains(w.lock(), "version: 2.0.0") {
		t.Errorf("got %s", w.lock())
	}
	w.Must("install")
	if strings.Contains(w.lock(), "version: 1.0.0") {
		t.Errorf("got %s", w.lock())
	}
	w.Env = locked
	w.Must("up", "--yes")

	// A program that asks for no version gets the one of the file, though a newer one is there.
	w.Env = plain
	w.Must("plugin", "install", "resource", "fp", "1.0.0", "--exact")
	if strings.Contains(w.lock(), "version: 2.0.0") {
		t.Errorf("got %s", w.lock())
	}
	w.Write("Pulumi.yaml", program(""))
	if r := w.Must("plugin", "ls", "--project", "--json"); !strings.Contains(r.Stdout, `"version": "1.0.0"`) {
		t.Errorf("got %s", r.Stdout)
	}
	w.Write("Pulumi.lock", "<<<<<<< HEAD\n")
	w.fails(1, []string{"Pulumi.lock: it cannot be read", "`pulumi install` writes a new one"}, "up", "--yes")
}

func TestPluginsOnPath(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish("1.0.0")
	w.Write("Pulumi.yaml", program(""))
	exe, err := fakePlugin()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(w.file("bin/pulumi-resource-fp", exe, 0o755))
	w.Env = append(w.Env, "PATH="+dir+":"+os.Getenv("PATH"))
	if r := w.Must("install"); !strings.Contains(r.Stdout, "resource fp needs no install: $PATH") || w.lock() != "" {
		t.Errorf("got %s", r.Stdout)
	}
	if r := w.Must("bundle"); !strings.Contains(r.Stderr, "resource fp is not in the bundle") {
		t.Errorf("got %s", r.Stderr)
	}
	w.Must("stack", "init", "dev")
	w.Must("preview")
	w.Env = append(w.Env, "PULUMI_LOCKED=1")
	w.fails(1, []string{"is on $PATH at " + dir}, "preview")
}

func TestInstallFromFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Env = append(w.Env, "PULUMI_OFFLINE=1")
	archive := archiveOf(t)
	exe, err := fakePlugin()
	if err != nil {
		t.Fatal(err)
	}
	named := w.file("pulumi-resource-fp-v1.0.0-"+strings.Replace(string(pluginstore.Here()), "_", "-", 1)+".tar.gz", archive, 0o600)
	w.Must("plugin", "install", "-f", named)
	w.Must("plugin", "install", "resource", "fp", "2.0.0", "-f", w.file("x.tgz", archive, 0o600))
	w.Must("plugin", "install", "resource", "fp", "3.0.0", "--file", filepath.Dir(w.file("folder/pulumi-resource-fp", exe, 0o755)))
	w.Must("plugin", "install", "resource", "fp", "4.0.0", "--file", w.file("exe", exe, 0o755))
	for _, v := range []string{"1.0.0", "2.0.0", "3.0.0", "4.0.0"} {
		if !w.isInstalled(v) {
			t.Errorf("%s is not installed", v)
		}
	}
	w.Write("Pulumi.yaml", program("4.0.0"))
	w.Must("stack", "init", "dev")
	w.Must("up", "--yes")
	if len(w.asked) > 0 {
		t.Errorf("asked %v", w.asked)
	}
	w.fails(1, []string{"cut off"}, "plugin", "install", "resource", "fp", "5.0.0", "-f", w.file("cut.tgz", archive[:len(archive)/2], 0o600))
	w.fails(1, []string{"leads out"}, "plugin", "install", "resource", "fp", "5.0.0", "-f", w.file("evil.tgz", packed(t, "../../evil", exe), 0o600))
	w.fails(1, []string{"is no bundle, and its name does not say"}, "plugin", "install", "-f", w.file("y.tgz", archive, 0o600))
	w.fails(1, []string{"hash of its archive", "the checksum that was given"}, "plugin", "install", "resource", "fp", "5.0.0",
		"--checksum", strings.Repeat("0", 64), "-f", named)
	if w.isInstalled("5.0.0") {
		t.Error("5.0.0 is installed")
	}
}

func TestInstallFromServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish("1.2.3", "1.3.0")
	asset := pluginstore.Plugin{Kind: "resource", Name: "fp", Version: "1.2.3"}.Asset(pluginstore.Here())
	w.files["/fp/1.2.3/"+asset] = w.files["/"+asset]
	w.Must("plugin", "install", "resource", "fp", "v1.2.3", "--server", w.server.URL+"/${NAME}/${VERSION}")
	if r := w.Must("plugin", "install", "resource", "fp", "1.2.3"); !strings.Contains(r.Stderr, "is there already: version 1.2.3") {
		t.Errorf("got %s", r.Stderr)
	}
	w.Must("plugin", "install", "resource", "fp", "1.3.0")
	w.Must("plugin", "rm", "resource", "fp", "1.2.3", "-y")
	if r := w.Must("plugin", "install", "resource", "fp", "1.2.3"); !strings.Contains(r.Stderr, "version 1.3.0, installed (--exact") || w.isInstalled("1.2.3") {
		t.Errorf("got %s", r.Stderr)
	}
	w.Must("plugin", "install", "resource", "fp", "1.2.3", "--exact")
	if !w.isInstalled("1.2.3") {
		t.Error("1.2.3 is not installed")
	}
	if r := w.Must("plugin", "install", "resource", "random", "4.21.2"); !strings.Contains(r.Stderr, "built in (--reinstall") {
		t.Errorf("got %s", r.Stderr)
	}
}

func TestBadInstalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		says string
		args []string
	}{
		{"unrecognized plugin kind: provider", []string{"provider", "fp", "1.0.0"}},
		{"missing plugin name argument", []string{"resource"}},
		{"invalid plugin semver", []string{"resource", "fp", "latest"}},
		{"as a version", []string{"resource", "fp@1.0.0", "1.0.0"}},
		{"missing plugin version argument", []string{"resource", "fp", "-f", "x"}},
		{"not a valid hex string", []string{"resource", "fp", "1.0.0", "--checksum", "xyz"}},
		{"only valid if a specific plugin", []string{"--checksum", strings.Repeat("0", 64)}},
		{"is bundled with Pulumi", []string{"language", "nodejs", "3.0.0"}},
		{"when the plugin name is a URL", []string{"resource", "github.com/org/repo", "--server", "https://x"}},
		{"unknown plugin source scheme", []string{"resource", "fp", "1.0.0", "--server", "ftp://x"}},
		{"no Pulumi.yaml project file found", nil},
		{"accepts at most 3", []string{"resource", "fp", "1.0.0", "more"}},
		{"no such file", []string{"-f", "gone.tar"}},
	} {
		w.fails(1, []string{c.says}, append([]string{"plugin", "install"}, c.args...)...)
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish("1.0.0", "1.5.0", "2.0.0")
	for _, v := range []string{"1.0.0", "1.5.0", "2.0.0"} {
		w.Must("plugin", "install", "resource", "fp", v, "--exact")
	}
	w.fails(1, []string{"please pass --all"}, "plugin", "rm")
	w.fails(1, []string{"unrecognized plugin kind"}, "plugin", "rm", "x")
	w.fails(1, []string{"invalid plugin semver"}, "plugin", "rm", "resource", "fp", "newest")
	w.fails(2, []string{"This will remove 3 plugins from the cache:", "resource fp-1.5.0", "--yes must be passed"}, "plugin", "rm", "--all")
	if r := w.Must("plugin", "rm", "tool", "fp", "--yes"); !strings.Contains(r.Stdout, "no plugins found to uninstall") {
		t.Errorf("got %s", r.Stdout)
	}
	if r := w.Must("plugin", "rm", "resource", "fp", "<2.0.0", "--yes"); r.Stdout != "removed: resource fp-1.0.0\nremoved: resource fp-1.5.0\n" {
		t.Errorf("got %s", r.Stdout)
	}
	w.Env = append(w.Env, "PULUMI_SKIP_CONFIRMATIONS=true")
	w.Must("plugin", "remove", "--all")
	left, err := os.ReadDir(filepath.Join(w.Home, "plugins"))
	if err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	script := []byte("#!/bin/sh\necho \"out $*\"\necho \"err $TOLD\" >&2\nexit ${1:-0}\n")
	tool := pluginstore.Plugin{Kind: "tool", Name: "mine", Version: "1.0.0"}
	w.files["/"+tool.Asset(pluginstore.Here())] = packed(t, "pulumi-tool-mine", script)
	w.Env = append(w.Env, "TOLD=me")
	r := w.Must("plugin", "run", "mine@1.0.0", "--", "0", "--flag")
	if r.Stdout != "out 0 --flag\n" || !strings.HasSuffix(r.Stderr, "err me\n") {
		t.Errorf("got %q, %q", r.Stdout, r.Stderr)
	}
	if r := w.Run("plugin", "run", "mine", "--", "42"); r.Code != 42 || strings.Contains(r.Stderr, "error") {
		t.Errorf("got %+v", r)
	}
	if r := w.Must("plugin", "run", w.file("pulumi-tool-other", script, 0o755)); r.Stdout != "out \n" {
		t.Errorf("got %q", r.Stdout)
	}
	w.fails(1, []string{"could not get plugin path"}, "plugin", "run", "other@1.0.0")
	w.fails(1, []string{"unrecognized plugin kind"}, "plugin", "run", "mine", "--kind", "x")
	w.fails(1, []string{"there is no executable to run"}, "plugin", "run", "random", "--kind", "resource")
	w.fails(1, []string{"folder with a program"}, "plugin", "run", w.Root)
	w.fails(1, []string{"requires at least 1 arg"}, "plugin", "run")
}

func TestPackagesOfTheProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish("1.2.3")
	w.files["/mine/"+pluginstore.Plugin{Kind: "resource", Name: "fp", Version: "1.2.3"}.Asset(pluginstore.Here())] = archiveOf(t)
	w.Write("Pulumi.yaml", program("")+"packages:\n  fp: {source: fp, version: 1.2.3, pluginDownloadURL: '"+w.server.URL+"/mine'}\n")
	w.Must("stack", "init", "dev")
	w.Must("install")
	w.Must("up", "--yes")
	if len(w.asked) != 1 || !strings.HasPrefix(w.asked[0], "/mine/") || !strings.Contains(w.lock(), "source: "+w.server.URL+"/mine") {
		t.Errorf("asked %v, locked %s", w.asked, w.lock())
	}
	for source, says := range map[string]string{
		"acme/fp":        "looking up acme/fp in a registry is not available yet",
		"fp@latest":      "invalid plugin semver",
		"https://x.com/": "does not name a repository",
	} {
		w.Write("Pulumi.yaml", program("")+"packages:\n  fp: "+source+"\n")
		w.fails(1, []string{says, "Pulumi.yaml:"}, "install")
	}
}

func TestBundle(t *testing.T) {
	t.Parallel()
	here, there := newWorld(t), newWorld(t)
	here.publish("1.0.0")
	here.Write("Pulumi.yaml", program("1.0.0"))
	file := filepath.Join(here.Root, "b.tar")
	r := here.Must("bundle", file)
	if !strings.Contains(r.Stdout, "[resource plugin fp-1.0.0]") || !strings.Contains(r.Stdout, "sha256:") {
		t.Errorf("got %s", r.Stdout)
	}
	sum := r.Stdout[strings.Index(r.Stdout, "sha256:"):][:71]
	there.Env = append(there.Env, "PULUMI_OFFLINE=1")
	there.Write("Pulumi.yaml", program("1.0.0"))
	there.fails(1, []string{"the bundle is refused: its hash is " + sum}, "bundle", "install", file, "--checksum", strings.Repeat("0", 64))
	there.fails(1, []string{"not a bundle"}, "bundle", "install", filepath.Join(there.Project, "Pulumi.yaml"))
	there.fails(1, []string{"accepts 1 arg"}, "bundle", "install")
	if r := there.Must("bundle", "install", file, "--checksum", sum); r.Stdout != "[resource plugin fp-1.0.0] is installed\n" {
		t.Errorf("got %s", r.Stdout)
	}
	if there.lock() != here.lock() || there.lock() == "" {
		t.Errorf("got %s", there.lock())
	}
	there.Must("plugin", "install", "-f", file)
	there.Must("stack", "init", "dev")
	there.Must("up", "--yes")
	there.Must("destroy", "--yes")
	if len(there.asked) > 0 {
		t.Errorf("asked %v", there.asked)
	}
	if r := here.Must("bundle"); !strings.Contains(r.Stdout, "demo.bundle.tar\n") {
		t.Errorf("got %s", r.Stdout)
	}
	here.fails(1, []string{"not for plan9-386"}, "bundle", "--platform", "plan9-386")
	here.fails(1, []string{"downloading for", "404 HTTP error"}, "bundle", "--platform", "windows-arm64")
	if _, err := os.Stat(filepath.Join(here.Project, "demo.bundle.tar")); err != nil {
		t.Error(err)
	}
}

// A provider that runs already is used as it is, whatever version is wanted.
func TestAttachedProviders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kit, err := fakeprovidertest.Setup(filepath.Join(w.Root, "cloud"))
	if err != nil {
		t.Fatal(err)
	}
	running, err := fakeprovidertest.Start(fakeprovidertest.Options{Ledger: kit.Folder, Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	w.Env = append(w.Env, fmt.Sprintf("PULUMI_DEBUG_PROVIDERS=fp:%d", running.Port), "PULUMI_OFFLINE=1", "PULUMI_LOCKED=1")
	w.Write("Pulumi.yaml", program("1.2.3"))
	w.Must("stack", "init", "dev")
	w.Must("up", "--yes")
	if ids, err := kit.IDs(); err != nil || len(ids) != 1 {
		t.Errorf("the cloud has %v, %v", ids, err)
	}
	if r := w.Must("install"); !strings.Contains(r.Stdout, "resource fp needs no install: attached") {
		t.Errorf("got %s", r.Stdout)
	}
	w.Must("destroy", "--yes")
	if err := running.Stop(); err != nil {
		t.Error(err)
	}
	w.fails(1, []string{"nothing responds to RPC connections on port"}, "up", "--yes")
}

func TestInstallForOtherPlatforms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish("1.2.3")
	other := pluginstore.Platform("windows-arm64")
	p := pluginstore.Plugin{Kind: "resource", Name: "fp", Version: "1.2.3"}
	w.files["/"+p.Asset(other)] = packed(t, "pulumi-resource-fp.exe", []byte("MZ"))
	w.Write("Pulumi.yaml", program("1.2.3"))
	w.Must("install", "--no-plugins", "--no-dependencies", "--use-language-version-tools")
	if len(w.asked) > 0 || w.lock() != "" {
		t.Errorf("asked %v", w.asked)
	}
	w.Must("install", "--platform", string(other)+","+string(pluginstore.Here()))
	if got := strings.Count(w.lock(), "archive: sha256:"); got != 2 || !strings.Contains(w.lock(), string(other)+":") {
		t.Errorf("got %s", w.lock())
	}
	w.fails(1, []string{"not for plan9-386"}, "install", "--platform", "plan9-386")
}

func TestInstallInAPluginsFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish("1.2.3")
	w.Write("PulumiPlugin.yaml", "name: comp\nruntime: yaml\npackages:\n  fp: fp@1.2.3\n  random: random@4.21.2\n  near: ./near\n")
	w.Must("install")
	if !w.isInstalled("1.2.3") || len(w.asked) != 1 || w.lock() != "" {
		t.Errorf("asked %v", w.asked)
	}
}

// A package of the project that is a folder of a git repository is installed and runs like any other.
func TestPackagesFromGit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	w := newWorld(t)
	dir := filepath.Join(w.Root, "repository.git")
	manifest := filepath.Join(dir, "pets", "PulumiPlugin.yaml")
	if err := os.MkdirAll(filepath.Dir(manifest), 0o755); err != nil {
		t.Fatal(err)
	}
	component := "name: pets\nruntime: yaml\ncomponents:\n  pair:\n    resources:\n      a: {type: 'random:RandomPet'}\n    outputs: {x: '${a.id}'}\n"
	if err := os.WriteFile(manifest, []byte(component), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "."}, {"commit", "--quiet", "-m", "x"}, {"tag", "v1.0.0"}} {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@x", "-c", "commit.gpgsign=false"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	w.Env = append(w.Env, "PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES=^https://example.com/org/repository.git=git+file://"+dir)
	w.Write("Pulumi.yaml", "name: demo\nruntime: yaml\npackages:\n  pets: example.com/org/repository/pets@v1.0.0\n"+
		"resources:\n  two:\n    type: pets:index:pair\noutputs: {x: '${two.x}'}\n")
	w.Must("stack", "init", "dev")
	w.Must("install")
	if !strings.Contains(w.lock(), "name: example.com_org_repository.git_pets") || !strings.Contains(w.lock(), "source: git://example.com/org/repository/pets") {
		t.Errorf("got %s", w.lock())
	}
	w.Must("up", "--yes")
	w.Must("bundle")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	w.Must("plugin", "rm", "--all", "--yes")
	w.Env = append(w.Env, "PULUMI_OFFLINE=1")
	w.Must("bundle", "install", "demo.bundle.tar")
	w.Must("up", "--yes", "--expect-no-changes")
	w.Must("destroy", "--yes")
}
