package pluginhost_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/property"
)

// folder makes a plugin that is a folder, and a project that uses it.
func (w *world) folder(manifest string, o *pluginhost.Options) string {
	w.t.Helper()
	dir := filepath.Dir(w.write(manifest, "folder", "PulumiPlugin.yaml"))
	o.Project.Plugins = []pluginhost.ProjectPlugin{{Kind: pluginhost.KindResource, Name: "thing", Path: dir}}
	return dir
}

func TestFoldersRunInThisProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	o := w.options("A=b")
	dir := w.folder("name: thing\nruntime:\n  name: yaml\n  options:\n    x: [1]\ncomponents: {}\n", &o)
	var got pluginhost.RuntimeLaunch
	o.Runtimes = map[string]pluginhost.Runtime{
		"yaml": func(_ context.Context, l pluginhost.RuntimeLaunch) (plugin.Provider, error) {
			got = l
			return &thingProvider{}, nil
		},
	}
	if _, err := w.load(w.host(o)); err != nil {
		t.Fatal(err)
	}
	if got.Name != "thing" || got.Plugin != dir || fmt.Sprint(got.Options) != "map[x:[1]]" || got.Dir != w.path("work") ||
		got.Services.Engine != "127.0.0.1:9" || !strings.Contains(strings.Join(got.Environ, "\n"), "A=b") {
		t.Errorf("got %+v", got)
	}
}

func TestFoldersThatCannotRun(t *testing.T) {
	t.Parallel()
	for says, manifest := range map[string]string{
		"it has no runtime":        "name: thing\n",
		"PulumiPlugin.yaml: yaml:": "runtime: [\n",
		`no language plugin 'pulumi-language-cobol' found in the workspace or on your $PATH`: "runtime: cobol\n",
		`Pulumi CLI version 3.276.0 does not satisfy the version range ">=4.0.0"`:            "runtime: cobol\nrequiredPulumiVersion: '>=4.0.0'\n",
		"attaching to a running language host is not supported yet":                          "runtime: debugged\n",
		`requiredPulumiVersion "soon"`:                                                       "runtime: cobol\nrequiredPulumiVersion: soon\n",
	} {
		w := newWorld(t, "ok")
		o := w.options("PULUMI_DEBUG_LANGUAGES=go:1,debugged:2")
		o.Version = "3.276.0"
		w.folder(manifest, &o)
		if _, err := w.load(w.host(o)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v", says, err)
		}
	}
}

func TestFoldersRunInALanguageHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ok")
	o := w.options("A=b")
	w.folder("runtime: {name: a/toy, options: {mode: ok}}\n", &o)
	w.install("bin", "pulumi-language-a_toy")
	h := w.host(o)
	for range 2 {
		p := w.mustLoad(h, plugin.Package{Name: "thing"}, plugin.LoadOptions{})
		for token, want := range map[string]string{"args": "127.0.0.1:9", "A": "b", "dir": w.path("work")} {
			if got := ask(t, p, token); got != want {
				t.Errorf("%s: got %q", token, got)
			}
		}
	}
	// One language host and two plugins.
	if n := len(w.pids()); n != 3 {
		t.Errorf("%d processes", n)
	}
}

func TestPluginsInALanguageHostMayFail(t *testing.T) {
	t.Parallel()
	for manifest, says := range map[string][]string{
		"runtime: {name: toy, options: {fail: true}}":      {"could not read plugin", "no such module"},
		"runtime: {name: toy, options: {mode: exit}}":      {"exit status 3", "panic: cannot start"},
		"runtime: {name: toy, options: {mode: garbage}}":   {"invalid port", "Segmentation fault"},
		"runtime: {name: toy, options: {mode: silent}}":    {"did not print the port", "thinking..."},
		"runtime: {name: toy, options: {bad: !!binary x}}": {"PulumiPlugin.yaml"},
	} {
		t.Run(manifest, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "ok")
			o := w.options()
			if strings.Contains(manifest, "silent") {
				o.StartTimeout = time.Second
			}
			w.folder(manifest+"\n", &o)
			w.install("bin", "pulumi-language-toy")
			_, err := w.load(w.host(o))
			for _, s := range says {
				if err == nil || !strings.Contains(err.Error(), s) {
					t.Errorf("no %q in: %v", s, err)
				}
			}
		})
	}
}

// What a program of the user's prints is shown; so is what the language host prints.
func TestDynamicProvidersAreHeard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "flood")
	w.install("bin", "pulumi-resource-pulumi-python")
	h := w.host(w.options())
	if _, err := h.Load(t.Context(), plugin.Package{Name: "pulumi-python"}, plugin.LoadOptions{Config: property.Map{}}); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(w.said(diag.Info), "line 1999\n") {
		time.Sleep(time.Millisecond)
	}
	if _, err := os.Stat(w.path("pids")); err != nil {
		t.Error(err)
	}
}
