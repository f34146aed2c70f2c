package acquire_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/pluginstore/acquire"
	"github.com/cairn-iac/cairn/internal/pluginstore/bundle"
	"github.com/cairn-iac/cairn/internal/pluginstore/lockfile"
)

func (w *world) bundle(platforms ...pluginstore.Platform) string {
	w.t.Helper()
	to := filepath.Join(w.t.TempDir(), "b.tar")
	err := w.acquirer(nil).Bundle(w.t.Context(), acquire.Bundling{
		Project: "demo", Plugins: []pluginstore.Plugin{w.fp("1.0.0")}, Platforms: platforms, To: to,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	if entries, err := os.ReadDir(filepath.Dir(to)); err != nil || len(entries) != 1 {
		w.t.Errorf("left %v, %v", entries, err)
	}
	return to
}

// offline installs a bundle in another world that has no network.
func (w *world) offline(file string, reinstall bool) error {
	w.t.Helper()
	b, err := bundle.Open(file)
	if err != nil {
		w.t.Fatal(err)
	}
	_, err = w.acquirer(nil, "PULUMI_OFFLINE=1").InstallBundle(w.t.Context(), b, reinstall)
	return err
}

func TestBundles(t *testing.T) {
	t.Parallel()
	here := newWorld(t)
	here.publish("1.0.0", "one")
	r := here.install(acquire.Request{Plugin: here.fp("1.0.0"), Recording: acquire.Always})
	file := here.bundle()
	again := here.bundle()
	a, errA := pluginstore.HashFile(file)
	b, errB := pluginstore.HashFile(again)
	if a != b || errA != nil || errB != nil {
		t.Errorf("two bundles of the same differ: %s, %s", a, b)
	}
	there := newWorld(t)
	if err := there.offline(file, false); err != nil {
		t.Fatal(err)
	}
	if len(there.asked) > 0 || len(here.asked) != 1 {
		t.Errorf("asked %v, %v", here.asked, there.asked)
	}
	want, got := here.lockFile(), there.lockFile()
	if len(got.Plugins) != 1 || fmt.Sprint(got.Plugins[0]) != fmt.Sprint(want.Plugins[0]) {
		t.Errorf("got %+v, want %+v", got.Plugins, want.Plugins)
	}
	r.Path = strings.Replace(r.Path, here.home, there.home, 1)
	if err := there.acquirer(locked).Verify(t.Context(), r.Installed); err != nil {
		t.Error(err)
	}
	there.tamper("1.0.0")
	mismatch(t, there.acquirer(nil).Verify(t.Context(), r.Installed), lockfile.Files)
	mismatch(t, there.offline(file, false), lockfile.Files)
	if err := there.offline(file, true); err != nil {
		t.Error(err)
	}
}

// A bundle is refused whose plugins are not those that the project has committed to.
func TestBundlesOfOthers(t *testing.T) {
	t.Parallel()
	good, evil, there := newWorld(t), newWorld(t), newWorld(t)
	good.publish("1.0.0", "good")
	good.install(acquire.Request{Plugin: good.fp("1.0.0"), Recording: acquire.Always})
	evil.publish("1.0.0", "evil")
	evil.install(acquire.Request{Plugin: evil.fp("1.0.0"), Recording: acquire.Always})
	text, err := os.ReadFile(good.lock())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(there.lock(), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := there.offline(evil.bundle(), false); !acquire.IsRefusal(err) {
		t.Errorf("got %v", err)
	}
	if all, err := (pluginstore.Store{Dir: there.home}).All(); err != nil || len(all) != 0 {
		t.Errorf("got %v, %v", all, err)
	}
	// Neither does it help to leave the lock file in the bundle alone.
	data, err := os.ReadFile(good.bundle())
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(good.bundle())
	if err != nil {
		t.Fatal(err)
	}
	item := b.Plugins[0]
	forged := filepath.Join(t.TempDir(), "forged")
	if err := os.WriteFile(forged, packed(t, "pulumi-resource-fp", "evil"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := bundle.Writing{Project: "demo", Lock: data[bytes.Index(data, []byte("# Plugins of this project")):]}
	w.Lock = w.Lock[:bytes.IndexByte(w.Lock, 0)]
	if err := w.Add(item, forged); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "forged.tar")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(bundle.Write(f, w), f.Close()); err != nil {
		t.Fatal(err)
	}
	mismatch(t, there.offline(path, false), lockfile.Files)
}

func TestBundlesForOtherMachines(t *testing.T) {
	t.Parallel()
	here := newWorld(t)
	here.publish("1.0.0", "one")
	here.install(acquire.Request{Plugin: here.fp("1.0.0"), Recording: acquire.Always})
	file := here.bundle(other())
	b, err := bundle.Open(file)
	if err != nil || len(b.Plugins) != 1 || b.Plugins[0].Platform != other() || !b.Plugins[0].Published {
		t.Fatalf("got %+v, %v", b, err)
	}
	e, _ := here.lockFile().Find("resource", "fp", "1.0.0")
	if h := e.Hashes[other()]; h.Archive != b.Plugins[0].Archive || h.Files != b.Plugins[0].Files {
		t.Errorf("recorded %+v", e)
	}
	if err := newWorld(t).offline(file, false); err == nil || !strings.Contains(err.Error(), "make it with --platform "+string(pluginstore.Here())) {
		t.Errorf("got %v", err)
	}
	here.publish("1.0.0", "two")
	err = here.acquirer(nil).Lock(t.Context(), here.fp("1.0.0"), []pluginstore.Platform{pluginstore.Here(), other()})
	mismatch(t, err, lockfile.Archive)
}
