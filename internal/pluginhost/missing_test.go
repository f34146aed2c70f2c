package pluginhost_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/pluginstore"
)

func TestMissingPluginsAreInstalled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	o := w.options()
	var asked []pluginstore.Plugin
	o.Install = func(_ context.Context, p pluginstore.Plugin) error {
		asked = append(asked, p)
		w.cached("resource-thing-v1.2.3")
		return nil
	}
	h := w.host(o)
	pkg := plugin.Package{
		Name: "thing", Version: "v1.2.3", DownloadURL: "https://x", Checksums: map[string][]byte{"linux-amd64": []byte("sum")},
	}
	var missing *plugin.MissingError
	if _, err := h.Describe(pkg); !errors.As(err, &missing) || len(asked) > 0 {
		t.Errorf("a question installed something: %v, %v", asked, err)
	}
	w.mustLoad(h, pkg, plugin.LoadOptions{})
	w.mustLoad(h, pkg, plugin.LoadOptions{})
	if len(asked) != 1 || asked[0].String() != "thing-1.2.3" || asked[0].DownloadURL != "https://x" || string(asked[0].Checksums["linux-amd64"]) != "sum" {
		t.Errorf("asked for %+v", asked)
	}
}

func TestInstallsThatFail(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	o := w.options()
	boom := errors.New("boom")
	o.Install = func(context.Context, pluginstore.Plugin) error { return boom }
	load := func(pkg plugin.Package) error {
		_, err := w.host(o).Load(t.Context(), pkg, plugin.LoadOptions{})
		return err
	}
	for says, pkg := range map[string]plugin.Package{
		"`pulumi plugin install resource thing v1.0.0`":                     {Name: "thing", Version: "1.0.0"},
		"`pulumi plugin install resource thing`":                            {Name: "thing"},
		"`pulumi plugin install resource thing --server https://x/${NAME}`": {Name: "thing", DownloadURL: "https://u:secret@x/${NAME}"},
		"`pulumi plugin install resource example.com/o/r@1.0.0`":            {Name: "thing", Version: "1.0.0", DownloadURL: "git://u:secret@example.com/o/r"},
	} {
		if err := load(pkg); !errors.Is(err, boom) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("no %s in %v", says, err)
		}
	}
	// One that says it did, and did not.
	o.Install = func(context.Context, pluginstore.Plugin) error { return nil }
	var missing *plugin.MissingError
	if err := load(plugin.Package{Name: "thing"}); !errors.As(err, &missing) {
		t.Errorf("got %v", err)
	}
}

func TestNothingIsInstalledWithoutBeingAllowed(t *testing.T) {
	t.Parallel()
	for variable, says := range map[string][]string{
		"PULUMI_OFFLINE=1": {"PULUMI_OFFLINE is set", "pulumi bundle install FILE", "pulumi plugin install resource thing 1.0.0 -f FILE", "on your $PATH"},
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true": {
			"`pulumi plugin install resource thing v1.0.0`", "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION is set",
		},
	} {
		w := newWorld(t, "ok")
		o := w.options(variable)
		o.Install = func(context.Context, pluginstore.Plugin) error {
			t.Errorf("%s: it was installed", variable)
			return nil
		}
		_, err := w.host(o).Load(t.Context(), plugin.Package{Name: "thing", Version: "1.0.0"}, plugin.LoadOptions{})
		var missing *plugin.MissingError
		if !errors.As(err, &missing) {
			t.Fatalf("%s: got %v", variable, err)
		}
		for _, s := range says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: no %q in %v", variable, s, err)
			}
		}
		if _, err := w.host(o).Find(t.Context(), pluginhost.KindTool, plugin.Package{Name: "thing", Version: "1.0.0"}); err == nil ||
			!strings.Contains(err.Error(), "no tool plugin 'pulumi-tool-thing' found in the workspace at version v1.0.0") {
			t.Errorf("got %v", err)
		}
	}
}

// Language hosts that the Pulumi CLI brings along are not to be had by themselves.
func TestBundledPluginsAreNotInstalled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	o := w.options()
	o.Install = func(_ context.Context, p pluginstore.Plugin) error {
		t.Errorf("asked for %v", p)
		return nil
	}
	w.folder("runtime: nodejs\n", &o)
	if _, err := w.load(w.host(o)); err == nil || !strings.Contains(err.Error(), "comes with the Pulumi CLI") {
		t.Errorf("got %v", err)
	}
}

func TestPinnedVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	w.cached("resource-thing-v1.0.0")
	w.cached("resource-thing-v2.0.0")
	o := w.options()
	pinned := "1.0.0"
	o.Pinned = func(kind pluginhost.Kind, name string) (string, error) {
		if kind != pluginhost.KindResource || name != "thing" {
			t.Errorf("asked for %s %s", kind, name)
		}
		if pinned == "boom" {
			return "", errors.New("boom")
		}
		return pinned, nil
	}
	describe := func(version string) string {
		found, err := w.host(o).Describe(plugin.Package{Name: "thing", Version: version})
		if err != nil {
			return err.Error()
		}
		return found.Version
	}
	for _, c := range []struct{ pinned, wanted, want string }{
		{"1.0.0", "", "1.0.0"}, {"1.0.0", "2.0.0", "2.0.0"}, {"", "", "2.0.0"}, {"boom", "", "boom"},
	} {
		pinned = c.pinned
		if got := describe(c.wanted); got != c.want {
			t.Errorf("%+v: got %s", c, got)
		}
	}
	pinned = "3.0.0"
	if got := describe(""); !strings.Contains(got, "no resource plugin") {
		t.Errorf("got %s", got)
	}
}

func TestPluginsAreVerifiedBeforeTheyRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	w.cached("resource-thing-v1.0.0")
	o := w.options()
	var seen []pluginhost.Found
	refuse := false
	o.Verify = func(_ context.Context, f pluginhost.Found) error {
		seen = append(seen, f)
		if refuse {
			return errors.New("it was tampered with")
		}
		return nil
	}
	h := w.host(o)
	if _, err := h.Describe(plugin.Package{Name: "thing"}); err != nil || len(seen) > 0 {
		t.Errorf("a question verified %v, %v", seen, err)
	}
	w.mustLoad(h, plugin.Package{Name: "thing"}, plugin.LoadOptions{})
	if len(seen) != 1 || seen[0].Origin != pluginhost.FromCache || seen[0].Installed.Path != w.path("home", "plugins", "resource-thing-v1.0.0") {
		t.Errorf("seen %+v", seen)
	}
	refuse = true
	before := len(w.pids())
	if _, err := w.load(h); err == nil || !strings.Contains(err.Error(), "tampered") || len(w.pids()) != before {
		t.Errorf("got %v", err)
	}
	onPath := w.install("bin", "pulumi-resource-thing")
	if _, err := w.load(h); err == nil || seen[len(seen)-1].Path != onPath {
		t.Errorf("got %v", err)
	}
	o.Builtins = builtins("9.0.0")
	o.Environ = append(o.Environ, "PULUMI_IGNORE_AMBIENT_PLUGINS=1")
	inside := pluginhost.New(o)
	_, err := inside.Load(t.Context(), plugin.Package{Name: "thing"}, plugin.LoadOptions{})
	if err := errors.Join(err, inside.Close()); err != nil {
		t.Error(err)
	}
}

// A project says where packages come from that its program only names.
func TestPackagesOfTheProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	file := w.install("home", "plugins", "resource-example.com_o_r.git_sub-v1.0.0", "sub", "pulumi-resource-thing")
	o := w.options()
	o.Project.Packages = map[string]plugin.Package{"thing": {Name: "thing", Version: "1.0.0", DownloadURL: "git://example.com/o/r/sub"}}
	h := w.host(o)
	for _, pkg := range []plugin.Package{{Name: "thing"}, {Name: "thing", Version: "1.0.0"}} {
		if found, err := h.Describe(pkg); err != nil || found.Path != file {
			t.Errorf("got %+v, %v", found, err)
		}
	}
	if p := h.PluginOf(pluginhost.KindResource, plugin.Package{Name: "thing"}); p.Version != "1.0.0" || !p.FromGit() {
		t.Errorf("got %+v", p)
	}
	for _, pkg := range []plugin.Package{{Name: "thing", Version: "2.0.0"}, {Name: "thing", DownloadURL: "https://x"}} {
		if found, err := h.Describe(pkg); err == nil {
			t.Errorf("got %+v", found)
		}
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "base")
	w.cached("resource-thing-v1.0.0")
	h := w.host(w.options())
	schema := func(r pluginhost.SchemaRequest) string {
		t.Helper()
		text, _, err := h.Schema(t.Context(), r)
		if err != nil {
			return err.Error()
		}
		return string(text)
	}
	thing := plugin.Package{Name: "thing"}
	parameterized := thing
	parameterized.Parameterization = &plugin.Parameterization{Name: "sub", Version: "3.0.0", Value: []byte("value")}
	alone := w.install("alone", "pulumi-resource-thing")
	for _, c := range []struct {
		request pluginhost.SchemaRequest
		want    string
	}{
		{pluginhost.SchemaRequest{Package: thing}, `{"name":"","version":"","description":""}`},
		{pluginhost.SchemaRequest{Package: parameterized}, `{"name":"sub","version":"3.0.0","description":"value"}`},
		{pluginhost.SchemaRequest{Package: thing, Args: []string{"other", "a", "b"}}, `{"name":"other","version":"2.0.0","description":"a b"}`},
		{pluginhost.SchemaRequest{Path: alone, Args: []string{"other"}}, `{"name":"other","version":"2.0.0","description":""}`},
		{pluginhost.SchemaRequest{Path: filepath.Dir(alone)}, `{"name":"","version":"","description":""}`},
		{pluginhost.SchemaRequest{Package: thing, Args: []string{"refused"}}, `parameterize provider thing with ["refused"]: there is no such thing`},
	} {
		if got := schema(c.request); got != c.want {
			t.Errorf("%+v: got %s", c.request, got)
		}
	}
	o := w.options()
	o.Builtins = builtins("9.0.0")
	if _, _, err := w.host(o).Schema(t.Context(), pluginhost.SchemaRequest{Package: thing, Args: []string{"x"}}); err == nil || !strings.Contains(err.Error(), "takes no parameters") {
		t.Errorf("got %v", err)
	}
}

func TestPluginsAtPaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	w.write("runtime: yaml\n", "components", "PulumiPlugin.yaml")
	w.write("", "empty", "README")
	one := w.install("one", "pulumi-resource-thing")
	w.install("two", "pulumi-resource-a")
	w.install("two", "pulumi-resource-b")
	odd := w.install("odd-name")
	for path, want := range map[string]pluginhost.Found{
		one:                  {Name: "thing", Path: one},
		filepath.Dir(one):    {Name: "thing", Path: one},
		w.path("components"): {Name: "components", Path: w.path("components")},
		odd:                  {Name: "odd-name", Path: odd},
	} {
		got, err := pluginhost.At(path)
		if err != nil || got.Name != want.Name || got.Path != want.Path {
			t.Errorf("%s: got %+v, %v", path, got, err)
		}
	}
	for path, says := range map[string]string{"gone": "gone", "empty": "holds neither", "two": "several providers"} {
		if _, err := pluginhost.At(w.path(path)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

func TestInstallDependencies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	w.install("bin", "pulumi-language-test")
	dir := filepath.Dir(w.write("runtime: test\n", "folder", "PulumiPlugin.yaml"))
	var out bytes.Buffer
	install := func(o pluginhost.Options, dir string) error {
		h := pluginhost.New(o)
		return errors.Join(h.InstallDependencies(t.Context(), dir, &out), h.Close())
	}
	if err := install(w.options(), dir); err != nil || out.String() != "for "+dir+"\nplugin true\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	out.Reset()
	if err := install(w.options("PULUMI_OFFLINE=1"), dir); err == nil || !strings.Contains(err.Error(), "PULUMI_OFFLINE is set") {
		t.Errorf("got %v", err)
	}
	failing := filepath.Dir(w.write("runtime:\n  name: test\n  options: {fail: true}\n", "failing", "PulumiPlugin.yaml"))
	if err := install(w.options(), failing); err == nil || !strings.Contains(err.Error(), "no registry") {
		t.Errorf("got %v", err)
	}
	o := w.options("PULUMI_OFFLINE=1")
	o.Runtimes = map[string]pluginhost.Runtime{"test": nil}
	for _, nothing := range []string{dir, w.path("bin"), filepath.Join(dir, "PulumiPlugin.yaml")} {
		if err := install(o, nothing); err != nil || out.Len() > 0 {
			t.Errorf("%s: got %q, %v", nothing, out.String(), err)
		}
	}
}

// A package that the project parameterizes reaches a running provider, too.
func TestParameterizedPackages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "base")
	w.cached("resource-thing-v1.0.0")
	p, err := w.host(w.options()).Load(t.Context(), plugin.Package{
		Name: "thing", Version: "1.0.0", Parameterization: &plugin.Parameterization{Name: "sub", Version: "3.0.0", Value: []byte("value")},
	}, plugin.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := p.Schema(t.Context()); err != nil || string(text) != `{"name":"sub","version":"3.0.0","description":"value"}` {
		t.Errorf("got %s, %v", text, err)
	}
}
