package pluginhost_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/provider"
)

// cached puts a plugin into the cache.
func (w *world) cached(folder string) string {
	w.t.Helper()
	name, _, _ := strings.Cut(strings.TrimPrefix(folder, "resource-"), "-v")
	return w.install("home", "plugins", folder, "pulumi-resource-"+name)
}

func (w *world) write(text string, parts ...string) string {
	w.t.Helper()
	file := w.path(parts...)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
	return file
}

func builtins(version string) map[string]pluginhost.Builtin {
	return map[string]pluginhost.Builtin{"thing": {
		Version: version,
		New: func(pluginhost.BuiltinLaunch) (plugin.Provider, error) {
			return &thingProvider{version: version}, nil
		},
	}}
}

func TestWhichInstalledOrBuiltinPluginRuns(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		installed             []string
		builtin, wanted, want string
		environ               string
	}{
		"newest release":           {[]string{"1.9.0", "1.10.0", "2.0.0-beta.1"}, "", "", "1.10.0", ""},
		"only a pre-release":       {[]string{"1.0.0-alpha.1", "1.0.0-alpha.2"}, "", "", "1.0.0-alpha.2", ""},
		"exactly the wanted":       {[]string{"1.9.0", "1.10.0"}, "", "1.9.0", "1.9.0", ""},
		"with v":                   {[]string{"1.9.0"}, "", "v1.9.0", "1.9.0", ""},
		"build metadata":           {[]string{"1.9.0+a", "1.9.0+b"}, "", "1.9.0", "1.9.0+b", ""},
		"not a newer one":          {[]string{"1.10.0"}, "", "1.9.0", "", ""},
		"a newer one, legacy":      {[]string{"1.10.0", "1.11.0"}, "", "1.9.0", "1.11.0", "PULUMI_ENABLE_LEGACY_PLUGIN_SEARCH=1"},
		"commit":                   {[]string{"0.0.0-xabc", "0.0.0-xdef"}, "", "0.0.0-xabc", "0.0.0-xabc", ""},
		"nothing":                  {nil, "", "", "", ""},
		"built in":                 {nil, "4.21.2", "", "built in 4.21.2", ""},
		"built in as wanted":       {nil, "4.21.2", "4.21.2", "built in 4.21.2", ""},
		"built in for older":       {nil, "4.21.2", "4.16.0", "built in 4.21.2", ""},
		"not for newer":            {nil, "4.21.2", "4.22.0", "", ""},
		"not for another major":    {nil, "4.21.2", "3.0.0", "", ""},
		"not for a pre-release":    {nil, "4.21.2", "4.21.0-alpha.1", "", ""},
		"installed as wanted":      {[]string{"4.16.0"}, "4.21.2", "4.16.0", "4.16.0", ""},
		"installed is the same":    {[]string{"4.21.2"}, "4.21.2", "", "4.21.2", ""},
		"installed is newer":       {[]string{"4.22.0"}, "4.21.2", "", "4.22.0", ""},
		"installed is older":       {[]string{"4.20.0"}, "4.21.2", "", "built in 4.21.2", ""},
		"installed is not wanted":  {[]string{"4.20.0"}, "4.21.2", "4.21.0", "built in 4.21.2", ""},
		"installed newer, no want": {[]string{"5.0.0"}, "4.21.2", "4.21.2", "built in 4.21.2", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "ok")
			for _, v := range c.installed {
				w.cached("resource-thing-v" + v)
			}
			o := w.options(c.environ)
			if c.builtin != "" {
				o.Builtins = builtins(c.builtin)
			}
			found, err := w.host(o).Describe(plugin.Package{Name: "thing", Version: c.wanted})
			var missing *plugin.MissingError
			if c.want == "" {
				if !errors.As(err, &missing) {
					t.Errorf("got %+v, %v", found, err)
				}
				return
			}
			got := found.Version
			if found.Origin == pluginhost.FromBuiltin {
				got = "built in " + got
			}
			if err != nil || got != c.want {
				t.Errorf("got %+v, %v", found, err)
			}
		})
	}
}

func TestUnfinishedInstallsDoNotCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	w.cached("resource-thing-v1.0.0")
	w.cached("resource-thing-v2.0.0")
	w.write("", "home", "plugins", "resource-thing-v2.0.0.partial")
	w.cached("resource-thing-v3.0.0.tmp123456")
	w.cached("nonsense-thing-v4.0.0")
	w.cached("resource-thing-vlatest")
	w.write("", "home", "plugins", "resource-thing-v5.0.0")
	h := w.host(w.options())
	found, err := h.Describe(plugin.Package{Name: "thing"})
	if err != nil || found.Version != "1.0.0" {
		t.Errorf("got %+v, %v", found, err)
	}
	list, err := h.List()
	if err != nil || len(list) != 1 {
		t.Errorf("got %+v, %v", list, err)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	w.write("12345", "home", "plugins", "resource-thing-v1.10.0", "pulumi-resource-thing")
	w.write("123", "home", "plugins", "resource-thing-v1.10.0", "sub", "file")
	w.write("1", "home", "plugins", "resource-thing-v1.9.0", "pulumi-resource-thing")
	w.write("", "home", "plugins", "language-hcl-v0.16.0", "pulumi-language-hcl")
	used := w.write("", "home", "plugins", "resource-thing-v1.10.0.lastused")
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(used, at, at); err != nil {
		t.Fatal(err)
	}
	list, err := w.host(w.options()).List()
	if err != nil {
		t.Fatal(err)
	}
	want := []pluginhost.Installed{
		{Name: "hcl", Kind: pluginhost.KindLanguage, Version: "0.16.0", Path: w.path("home", "plugins", "language-hcl-v0.16.0")},
		{Name: "thing", Kind: pluginhost.KindResource, Version: "1.9.0", Size: 1, Path: w.path("home", "plugins", "resource-thing-v1.9.0")},
		{Name: "thing", Kind: pluginhost.KindResource, Version: "1.10.0", Size: 8, Path: w.path("home", "plugins", "resource-thing-v1.10.0")},
	}
	times := cmpopts.IgnoreFields(pluginhost.Installed{}, "InstallTime", "LastUsedTime")
	if diff := cmp.Diff(want, list, times, cmpopts.IgnoreUnexported(pluginhost.Installed{})); diff != "" {
		t.Error(diff)
	}
	if list[0].InstallTime.IsZero() || !list[2].LastUsedTime.Equal(at) {
		t.Errorf("got %v and %v", list[0].InstallTime, list[2].LastUsedTime)
	}
}

func TestUseIsNotedWhenAPluginRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	w.cached("resource-thing-v1.0.0")
	h := w.host(w.options())
	mark := w.path("home", "plugins", "resource-thing-v1.0.0.lastused")
	if _, err := h.Describe(plugin.Package{Name: "thing"}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("asking about a plugin is no use")
	}
	if _, err := w.load(h); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mark); err != nil {
		t.Error(err)
	}
}

func TestOrderOfPlaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	w.cached("resource-thing-v1.0.0")
	onPath := w.install("bin", "pulumi-resource-thing")
	local := w.install("local", "pulumi-resource-thing")
	describe := func(o pluginhost.Options, version string) pluginhost.Found {
		t.Helper()
		found, err := w.host(o).Describe(plugin.Package{Name: "thing", Version: version})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	o := w.options("PULUMI_IGNORE_AMBIENT_PLUGINS=true")
	if f := describe(o, ""); f.Origin != pluginhost.FromCache {
		t.Errorf("got %+v", f)
	}
	if f := describe(w.options(), "9.9.9"); f.Origin != pluginhost.FromPath || f.Path != onPath {
		t.Errorf("got %+v", f)
	}
	o = w.options()
	o.Project.Plugins = []pluginhost.ProjectPlugin{
		{Kind: pluginhost.KindLanguage, Name: "thing", Path: "/nowhere"},
		{Kind: pluginhost.KindResource, Name: "thing", Path: w.path("local"), Version: "1.2.3"},
	}
	if f := describe(o, "1.2.3"); f.Origin != pluginhost.FromProject || f.Path != local || f.Version != "1.2.3" {
		t.Errorf("got %+v", f)
	}
	if f := describe(o, "1.2.4"); f.Origin != pluginhost.FromPath {
		t.Errorf("got %+v", f)
	}
	o.Environ = append(o.Environ, "PULUMI_DEBUG_PROVIDERS=other:1,thing:4711")
	if f := describe(o, ""); f.Origin != pluginhost.FromDebugger || f.Port != 4711 {
		t.Errorf("got %+v", f)
	}
}

func TestOurOwnExecutableIsNoAmbientPlugin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	self := w.write("#!/bin/sh", "bin", "pulumi")
	if err := os.Chmod(self, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pulumi-resource-thing", "pulumi-resource-pulumi-python"} {
		if err := os.Symlink("pulumi", w.path("bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(w.path("hard"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(self, w.path("hard", "pulumi-resource-thing")); err != nil {
		t.Fatal(err)
	}
	o := w.options("PATH=" + w.path("bin") + ":" + w.path("hard") + ":relative:")
	o.Builtins = builtins("1.0.0")
	h := w.host(o)
	if found, err := h.Describe(plugin.Package{Name: "thing"}); err != nil || found.Origin != pluginhost.FromBuiltin {
		t.Errorf("got %+v, %v", found, err)
	}
	var missing *plugin.MissingError
	if found, err := h.Describe(plugin.Package{Name: "pulumi-python"}); !errors.As(err, &missing) {
		t.Errorf("bundled: got %+v, %v", found, err)
	}
	// Behind it the search goes on.
	file := w.install("later", "pulumi-resource-thing")
	o.Environ = append(o.Environ, "PATH="+w.path("bin")+":"+w.path("later"))
	if found, err := w.host(o).Describe(plugin.Package{Name: "thing"}); err != nil || found.Path != file {
		t.Errorf("got %+v, %v", found, err)
	}
}

func TestBundledPluginsAndTheWarning(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	w.write("", "cellar", "pulumi")
	bundled := w.install("cellar", "pulumi-resource-pulumi-nodejs")
	w.install("cellar", "pulumi-resource-thing")
	if err := os.Symlink("../cellar/pulumi", w.path("bin", "pulumi")); err != nil {
		t.Fatal(err)
	}
	h := w.host(w.options())
	if found, err := h.Describe(plugin.Package{Name: "pulumi-nodejs"}); err != nil || found.Path != bundled || found.Origin != pluginhost.FromBundle {
		t.Errorf("got %+v, %v", found, err)
	}
	if found, err := h.Describe(plugin.Package{Name: "thing"}); err == nil {
		t.Errorf("only known plugins are looked for next to us: %+v", found)
	}
	onPath := w.install("bin", "pulumi-resource-pulumi-nodejs")
	for range 2 {
		w.mustLoad(h, plugin.Package{Name: "pulumi-nodejs"}, plugin.LoadOptions{})
	}
	want := "using pulumi-resource-pulumi-nodejs from $PATH at " + onPath + " expected " + bundled + "\n"
	if got := w.said(diag.Warning); got != want {
		t.Errorf("got %s", got)
	}
	w.install("bin", "pulumi-resource-thing")
	w.mustLoad(h, plugin.Package{Name: "thing", Version: "2.0.0"}, plugin.LoadOptions{})
	for _, s := range []string{
		"using pulumi-resource-thing from $PATH at " + w.path("bin", "pulumi-resource-thing") + "\n",
		"resource plugin thing is expected to have version >=2.0.0, but has 1.0.0",
	} {
		if got := w.said(diag.Warning); !strings.Contains(got, s) {
			t.Errorf("no %q in %s", s, got)
		}
	}
}

func TestMissingPluginsSayHowToGetThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	o := w.options()
	o.Builtins = builtins("1.0.0")
	_, err := w.host(o).Load(t.Context(), plugin.Package{Name: "thing", Version: "2.0.0"}, plugin.LoadOptions{})
	for _, s := range []string{
		"no resource plugin 'pulumi-resource-thing' found in the workspace at version v2.0.0 or on your $PATH",
		w.path("home", "plugins", "resource-thing-v2.0.0"), "answers to version 1.0.0",
	} {
		if err == nil || !strings.Contains(err.Error(), s) {
			t.Errorf("no %q in: %v", s, err)
		}
	}
	git := plugin.Package{Name: "thing", Version: "0.0.0-xabc", DownloadURL: "git://user@example.com/org/repo/sub/dir"}
	if _, err := w.host(o).Describe(git); err == nil || !strings.Contains(err.Error(), "resource-example.com_org_repo.git_sub_dir-v0.0.0-xabc") {
		t.Errorf("got %v", err)
	}
	file := w.install("home", "plugins", "resource-example.com_org_repo.git_sub_dir-v0.0.0-xabc", "sub", "dir", "pulumi-resource-thing")
	if found, err := w.host(o).Describe(git); err != nil || found.Path != file {
		t.Errorf("got %+v, %v", found, err)
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	w.write("", "home", "plugins", "resource-empty-v1.0.0", "README")
	o := w.options("PULUMI_DEBUG_PROVIDERS=a:b")
	o.Project.Plugins = []pluginhost.ProjectPlugin{
		{Kind: pluginhost.KindResource, Name: "twice", Path: w.path("bin"), Version: "1.0.0"},
		{Kind: pluginhost.KindResource, Name: "twice", Path: w.path("bin"), Version: "1.0.0"},
		{Kind: pluginhost.KindResource, Name: "gone", Path: w.path("gone")},
		{Kind: pluginhost.KindResource, Name: "hollow", Path: w.path("work")},
	}
	h := w.host(o)
	for says, pkg := range map[string]plugin.Package{
		"not a plugin name":       {Name: "../thing"},
		"not a semantic version":  {Name: "thing", Version: "latest"},
		"Expected a numeric port": {Name: "a"},
		"does not exist":          {Name: "gone"},
		"holds neither pulumi-resource-hollow nor PulumiPlugin.yaml": {Name: "hollow"},
		"holds neither pulumi-resource-empty":                        {Name: "empty"},
		"multiple project plugins with kind resource, name twice":    {Name: "twice"},
	} {
		if _, err := h.Load(t.Context(), pkg, plugin.LoadOptions{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v", says, err)
		}
	}
}

func TestBuiltins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	o := w.options("OLD=value")
	var launch pluginhost.BuiltinLaunch
	closed := false
	o.Builtins = map[string]pluginhost.Builtin{"thing": {
		Version: "1.0.0",
		New: func(l pluginhost.BuiltinLaunch) (plugin.Provider, error) {
			launch = l
			return &closing{thingProvider: thingProvider{}, closed: &closed}, nil
		},
	}}
	h := pluginhost.New(o)
	pkg := plugin.Package{Name: "thing"}
	if _, err := h.Load(t.Context(), pkg, plugin.LoadOptions{EnvVarMappings: map[string]string{"NEW": "OLD"}}); err != nil {
		t.Fatal(err)
	}
	if launch.Dir != w.path("work") || !strings.Contains(strings.Join(launch.Environ, "\n"), "NEW=value") {
		t.Errorf("got %+v", launch)
	}
	pkg.Parameterization = &plugin.Parameterization{Name: "sub"}
	if _, err := h.Load(t.Context(), pkg, plugin.LoadOptions{}); err == nil || !strings.Contains(err.Error(), "cannot be parameterized") {
		t.Errorf("got %v", err)
	}
	if err := h.Close(); err != nil || !closed {
		t.Errorf("closed %v, %v", closed, err)
	}
}

type closing struct {
	thingProvider
	closed *bool
}

func (c *closing) Close() error {
	*c.closed = true
	return nil
}

func TestAttach(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	w.install("bin", "pulumi-resource-thing")
	port := servedPort(t)
	o := w.options("PULUMI_DEBUG_PROVIDERS=thing:" + port)
	h := w.host(o)
	p := w.mustLoad(h, plugin.Package{Name: "thing"}, plugin.LoadOptions{})
	if info, err := p.Info(t.Context()); err != nil || info.Version != "5.0.0" || info.Path != "" {
		t.Errorf("got %+v, %v", info, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	// It is not ours to end.
	if _, err := w.load(h); err != nil {
		t.Error(err)
	}
}

// servedPort serves a provider in this process until the test ends.
func servedPort(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ports := make(lines, 1)
	done := make(chan error, 1)
	go func() {
		done <- provider.Serve(ctx, provider.ServeOptions{
			Stdout: ports,
			New: func(pluginhost.BuiltinLaunch) (plugin.Provider, error) {
				return &thingProvider{version: "5.0.0"}, nil
			},
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return strings.TrimSpace(<-ports)
}

type lines chan string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}
