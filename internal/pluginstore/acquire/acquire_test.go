package acquire_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/pluginstore/acquire"
	"github.com/cairn-iac/cairn/internal/pluginstore/archive"
	"github.com/cairn-iac/cairn/internal/pluginstore/lockfile"
	"github.com/cairn-iac/cairn/internal/pluginstore/source"
)

// world is a machine with a project, and a server with plugins.
type world struct {
	t *testing.T
	// home is the store's folder, project the project's.
	home, project string
	server        *httptest.Server

	mu sync.Mutex
	// files are what the server has, by path; asked is what it was asked for.
	files map[string][]byte
	asked []string
	told  []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, home: t.TempDir(), project: t.TempDir(), files: map[string][]byte{}}
	w.server = httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.asked = append(w.asked, r.URL.Path)
		data, ok := w.files[r.URL.Path]
		if !ok {
			to.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = to.Write(data)
	}))
	t.Cleanup(w.server.Close)
	return w
}

// publish puts a plugin on the server.
func (w *world) publish(version, text string) {
	w.t.Helper()
	for _, platform := range []pluginstore.Platform{pluginstore.Here(), other()} {
		w.files["/"+w.fp(version).Asset(platform)] = packed(w.t, "pulumi-resource-fp", text+" for "+string(platform))
	}
}

// other is a platform that this is not.
func other() pluginstore.Platform {
	if runtime.GOOS == "windows" {
		return "linux-amd64"
	}
	return "windows-amd64"
}

func packed(t *testing.T, pairs ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for i := 0; i < len(pairs); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: pairs[i], Size: int64(len(pairs[i+1])), Mode: 0o755}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (w *world) fp(version string) pluginstore.Plugin {
	return pluginstore.Plugin{Kind: "resource", Name: "fp", Version: version, DownloadURL: w.server.URL}
}

func (w *world) lock() string { return filepath.Join(w.project, lockfile.Name) }

// acquirer is one in the project; a new one is a new run of the program.
func (w *world) acquirer(change func(*acquire.Options), environ ...string) *acquire.Acquirer {
	w.t.Helper()
	sources, err := source.New(source.Options{
		Environ: environ, Sleep: func(context.Context, time.Duration) error { return nil },
		Hosts: source.Hosts{GitHub: w.server.URL + "/github", GitHubAPI: w.server.URL + "/api", Fallback: w.server.URL + "/last", Scheme: "http"},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	o := acquire.Options{
		Store: pluginstore.Store{Dir: w.home}, Sources: sources, Lock: w.lock(),
		Tell: func(line string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.told = append(w.told, line)
		},
	}
	if change != nil {
		change(&o)
	}
	return acquire.New(o)
}

func locked(o *acquire.Options) { o.Locked = true }

func (w *world) install(r acquire.Request) acquire.Result {
	w.t.Helper()
	out, err := w.acquirer(nil).Install(w.t.Context(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func (w *world) lockFile() *lockfile.File {
	w.t.Helper()
	f, err := lockfile.Load(w.lock())
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

// tamper changes the plugin on disk.
func (w *world) tamper(version string) {
	w.t.Helper()
	file := filepath.Join(w.home, "resource-fp-v"+version, "pulumi-resource-fp")
	if err := os.WriteFile(file, []byte("evil"), 0o700); err != nil {
		w.t.Fatal(err)
	}
}

func mismatch(t *testing.T, err error, part lockfile.Part) {
	t.Helper()
	var m *lockfile.MismatchError
	if !errors.As(err, &m) || m.Part != part || !m.Has.Valid() || !m.Want.Valid() || m.Has == m.Want || !acquire.IsRefusal(err) {
		t.Errorf("no mismatch of the %s: %v", part, err)
	}
}

func TestFirstInstallRecordsAndLaterOnesCompare(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish("1.0.0", "one")
	r := w.install(acquire.Request{Plugin: w.fp("1.0.0"), Recording: acquire.Always})
	e, ok := w.lockFile().Find("resource", "fp", "1.0.0")
	h := e.Hashes[pluginstore.Here()]
	if !r.Done || !ok || e.Source != w.server.URL || h.Archive != pluginstore.HashOf(w.files["/"+w.fp("1.0.0").Asset(pluginstore.Here())]) || !h.Files.Valid() {
		t.Fatalf("got %+v, recorded %+v", r, e)
	}
	if r := w.install(acquire.Request{Plugin: w.fp("1.0.0"), Recording: acquire.Always}); r.Done {
		t.Error("it was installed twice")
	}
	// Somebody publishes other bytes under the same version.
	w.publish("1.0.0", "two")
	_, err := w.acquirer(nil).Install(t.Context(), acquire.Request{Plugin: w.fp("1.0.0"), Reinstall: true})
	mismatch(t, err, lockfile.Archive)
	if err := w.acquirer(nil).Verify(t.Context(), r.Installed); err != nil {
		t.Errorf("the refused install touched the plugin that was there: %v", err)
	}
	// The same files, packed anew, are other bytes, too.
	w.tamper("1.0.0")
	mismatch(t, w.acquirer(nil).Verify(t.Context(), r.Installed), lockfile.Files)
	_, err = w.acquirer(nil).Install(t.Context(), acquire.Request{Plugin: w.fp("1.0.0")})
	mismatch(t, err, lockfile.Files)
	w.publish("1.0.0", "one")
	w.install(acquire.Request{Plugin: w.fp("1.0.0"), Reinstall: true})
	if err := w.acquirer(nil).Verify(t.Context(), r.Installed); err != nil {
		t.Error(err)
	}
}

func TestWhatIsRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish("1.0.0", "one")
	w.publish("2.0.0", "two")
	w.install(acquire.Request{Plugin: w.fp("1.0.0")})
	if w.lockFile().Exists {
		t.Error("an automatic install made a lock file")
	}
	// What came in unrecorded is recorded with all that is known of it.
	w.install(acquire.Request{Plugin: w.fp("1.0.0"), Recording: acquire.Always})
	if e, _ := w.lockFile().Find("resource", "fp", "1.0.0"); !e.Hashes[pluginstore.Here()].Archive.Valid() {
		t.Errorf("got %+v", e)
	}
	w.install(acquire.Request{Plugin: w.fp("2.0.0")})
	if got := len(w.lockFile().Plugins); got != 2 || len(w.told) != 1 || !strings.Contains(w.told[0], "was added to") {
		t.Errorf("%d are recorded; told %q", got, w.told)
	}
	w.install(acquire.Request{Plugin: w.fp("2.0.0"), Recording: acquire.AsOnly})
	if f := w.lockFile(); len(f.Plugins) != 1 || f.Plugins[0].Version != "2.0.0" {
		t.Errorf("got %+v", f.Plugins)
	}
	if err := w.acquirer(nil).Prune(t.Context(), func(lockfile.Entry) bool { return false }); err != nil || len(w.lockFile().Plugins) != 0 {
		t.Errorf("%v, %+v", err, w.lockFile())
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish("1.0.0", "one")
	w.publish("2.0.0", "two")
	any := pluginstore.Plugin{Kind: "resource", Name: "fp"}
	w.files["/api/repos/pulumi/pulumi-fp/releases/latest"] = []byte(`{"tag_name":"v2.0.0"}`)
	resolved := func(want pluginstore.Plugin, environ ...string) {
		t.Helper()
		got, err := w.acquirer(nil, environ...).Resolve(t.Context(), any)
		if err != nil || got.String() != want.String() || got.DownloadURL != want.DownloadURL {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	resolved(pluginstore.Plugin{Name: "fp", Version: "2.0.0"})
	w.install(acquire.Request{Plugin: w.fp("1.0.0"), Recording: acquire.Always})
	// From now on it is the recorded version, from the recorded place, and nobody is asked.
	resolved(w.fp("1.0.0"), "PULUMI_OFFLINE=1")
	if v, err := w.acquirer(nil).Pinned("resource", "fp"); err != nil || v != "1.0.0" {
		t.Errorf("got %s, %v", v, err)
	}
	w.install(acquire.Request{Plugin: w.fp("2.0.0"), Recording: acquire.Always})
	resolved(pluginstore.Plugin{Name: "fp", Version: "2.0.0"})
	var offline *source.OfflineError
	if _, err := w.acquirer(nil, "PULUMI_OFFLINE=1").Resolve(t.Context(), any); !errors.As(err, &offline) {
		t.Errorf("got %v", err)
	}
	time := pluginstore.Plugin{Kind: "resource", Name: "time", Version: "0.1.0"}
	if got, err := w.acquirer(nil).Resolve(t.Context(), time); err != nil || got.DownloadURL != "github://api.github.com/pulumiverse" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestChecksums(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish("1.0.0", "one")
	p := w.fp("1.0.0")
	p.Checksums = map[pluginstore.Platform][]byte{pluginstore.Here(): make([]byte, 32)}
	_, err := w.acquirer(nil).Install(t.Context(), acquire.Request{Plugin: p})
	mismatch(t, err, lockfile.Archive)
	if len(w.asked) != 1 {
		t.Errorf("asked %v", w.asked)
	}
	if left, err := os.ReadDir(w.home); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
	p.Checksums = map[pluginstore.Platform][]byte{"plan9-386": make([]byte, 32)}
	w.install(acquire.Request{Plugin: p})
}

func TestLocked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish("1.0.0", "one")
	refused := func(err error) {
		t.Helper()
		var l *acquire.LockedError
		if !errors.As(err, &l) || !strings.Contains(err.Error(), w.lock()) || !acquire.IsRefusal(err) {
			t.Errorf("got %v", err)
		}
	}
	_, err := w.acquirer(locked).Install(t.Context(), acquire.Request{Plugin: w.fp("1.0.0")})
	refused(err)
	r := w.install(acquire.Request{Plugin: w.fp("1.0.0")})
	refused(w.acquirer(locked).Verify(t.Context(), r.Installed))
	if len(w.asked) != 1 {
		t.Errorf("asked %v", w.asked)
	}
	w.install(acquire.Request{Plugin: w.fp("1.0.0"), Recording: acquire.Always})
	a := w.acquirer(locked)
	if _, err := a.Install(t.Context(), acquire.Request{Plugin: w.fp("1.0.0"), Reinstall: true}); err != nil {
		t.Error(err)
	}
	if err := a.Verify(t.Context(), r.Installed); err != nil {
		t.Error(err)
	}
}

// A plugin that the lock file does not know may run, and the user is told once.
func TestUnlistedPlugins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish("1.0.0", "one")
	w.publish("2.0.0", "two")
	w.install(acquire.Request{Plugin: w.fp("1.0.0"), Recording: acquire.Always})
	two := pluginstore.Store{Dir: w.home}
	r, _, err := two.Install(t.Context(), pluginstore.Installation{Plugin: w.fp("2.0.0"), Fill: func(_ context.Context, dir, _ string) error {
		return os.WriteFile(filepath.Join(dir, "pulumi-resource-fp"), nil, 0o700)
	}})
	if err != nil {
		t.Fatal(err)
	}
	a := w.acquirer(nil)
	for range 3 {
		if err := a.Verify(t.Context(), r); err != nil {
			t.Error(err)
		}
	}
	if len(w.told) != 1 || !strings.Contains(w.told[0], "is not in") {
		t.Errorf("told %q", w.told)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, data []byte, perm fs.FileMode) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, data, perm)); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("folder/PulumiPlugin.yaml", []byte("runtime: yaml\n"), 0o600)
	good := packed(t, "pulumi-resource-fp", "x")
	for name, c := range map[string]struct{ file, says string }{
		"archive":         {write("a.tar.gz", good, 0o600), ""},
		"folder":          {filepath.Join(dir, "folder"), ""},
		"executable":      {write("whatever", []byte("#!/bin/sh\n"), 0o700), ""},
		"text":            {write("text", []byte("x"), 0o600), "neither a gzipped archive nor an executable"},
		"empty":           {write("empty", nil, 0o600), "neither a gzipped archive nor an executable"},
		"truncated":       {write("t.tar.gz", good[:len(good)-9], 0o600), "cut off"},
		"another plugin":  {write("o.tar.gz", packed(t, "pulumi-resource-other", "x"), 0o600), "it is not the resource plugin fp-1.0.0"},
		"out of its tree": {write("evil.tar.gz", packed(t, "../pulumi-resource-fp", "x"), 0o600), "leads out"},
		"gone":            {filepath.Join(dir, "gone"), "gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r, err := w.acquirer(nil, "PULUMI_OFFLINE=1").Install(t.Context(), acquire.Request{Plugin: w.fp("1.0.0"), File: c.file, Recording: acquire.Always})
			if c.says != "" {
				if _, there := (pluginstore.Store{Dir: w.home}).Find(w.fp("1.0.0")); err == nil || !strings.Contains(err.Error(), c.says) || there {
					t.Errorf("there %v, %v", there, err)
				}
				if w.lockFile().Exists {
					t.Error("it was recorded")
				}
				return
			}
			if err != nil || !r.Done {
				t.Fatal(r, err)
			}
			if e, ok := w.lockFile().Find("resource", "fp", "1.0.0"); !ok || e.Source != lockfile.FromFile {
				t.Errorf("recorded %+v", e)
			}
		})
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish("1.0.0", "one")
	full := func(o *acquire.Options) {
		o.Unpack.Create = func(*os.Root, string, fs.FileMode) (archive.File, error) {
			return nil, &fs.PathError{Op: "open", Path: "x", Err: syscall.ENOSPC}
		}
	}
	_, err := w.acquirer(full).Install(t.Context(), acquire.Request{Plugin: w.fp("1.0.0"), Recording: acquire.Always})
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "Nothing was changed") || len(w.asked) != 1 {
		t.Errorf("asked %v: %v", w.asked, err)
	}
	if all, err := (pluginstore.Store{Dir: w.home}).All(); err != nil || len(all) != 0 || w.lockFile().Exists {
		t.Errorf("got %v, %v", all, err)
	}
}

func TestDependencies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files["/"+w.fp("1.0.0").Asset(pluginstore.Here())] = packed(t, "PulumiPlugin.yaml", "runtime: nodejs\n", "index.js", "x")
	with := func(err error) func(*acquire.Options) {
		return func(o *acquire.Options) {
			o.Dependencies = func(_ context.Context, dir string) error {
				return errors.Join(err, os.WriteFile(filepath.Join(dir, "modules"), nil, 0o600))
			}
		}
	}
	if _, err := w.acquirer(with(errors.New("no registry"))).Install(t.Context(), acquire.Request{Plugin: w.fp("1.0.0")}); err == nil || !strings.Contains(err.Error(), "no registry") {
		t.Errorf("got %v", err)
	}
	a := w.acquirer(with(nil))
	r, err := a.Install(t.Context(), acquire.Request{Plugin: w.fp("1.0.0"), Recording: acquire.Always})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.Path, "cache"), []byte("made by the runtime"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.acquirer(locked).Verify(t.Context(), r.Installed); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(r.Path, "index.js"), []byte("evil"), 0o600); err != nil {
		t.Fatal(err)
	}
	mismatch(t, w.acquirer(nil).Verify(t.Context(), r.Installed), lockfile.Files)
}

// Eight installs at once download once and agree about the lock file.
func TestInstallsTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish("1.0.0", "one")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := w.acquirer(nil).Install(t.Context(), acquire.Request{Plugin: w.fp("1.0.0"), Recording: acquire.Always}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(w.asked) != 1 || len(w.lockFile().Plugins) != 1 {
		t.Errorf("asked %v, recorded %+v", w.asked, w.lockFile().Plugins)
	}
}

func TestNotice(t *testing.T) {
	t.Parallel()
	p := pluginstore.Plugin{Kind: "resource", Name: "fp", Version: "1.0.0"}
	for want, n := range map[string]source.Notice{
		"[resource plugin fp-1.0.0] downloading: 12.3 MB of 24.6 MB (50 %)": {Kind: source.Slow, Plugin: p, Received: 12_300_000, Total: 24_600_000},
		"[resource plugin fp-1.0.0] downloading: 12.3 MB":                   {Kind: source.Slow, Plugin: p, Received: 12_300_000, Total: -1},
		"[resource plugin fp-1.0.0] error downloading: boom; will retry in 250ms [1/5]": {
			Kind: source.Retrying, Plugin: p, Err: errors.New("boom\nmore"), Wait: 250 * time.Millisecond, Attempt: 1, Attempts: 5,
		},
	} {
		if got := acquire.Notice(n); got != want {
			t.Errorf("got %s", got)
		}
	}
}
