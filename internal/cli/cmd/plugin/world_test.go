package plugin_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-iac/cairn/internal/clitest"
	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
	"github.com/cairn-iac/cairn/internal/pluginstore"
)

// fakePlugin is the executable of the fake provider, built once.
var fakePlugin = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "fp-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	kit, err := fakeprovidertest.Setup(dir)
	if err != nil {
		return nil, err
	}
	file, err := kit.Build(context.Background(), dir)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// program is one with a thing of the fake provider, in a version.
func program(version string) string {
	if version != "" {
		version = "    options: {version: " + version + "}\n"
	}
	return "name: demo\nruntime: yaml\nresources:\n  thing:\n    type: fp:Thing\n    properties: {v: one}\n" + version +
		"outputs: {id: \"${thing.id}\"}\n"
}

// world is a machine, whose plugins come from a server that counts what it is asked for.
type world struct {
	*clitest.World
	t      *testing.T
	server *httptest.Server

	mu     sync.Mutex
	files  map[string][]byte
	asked  []string
	broken int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: clitest.New(t), t: t, files: map[string][]byte{}}
	w.server = httptest.NewServer(http.HandlerFunc(w.serve))
	t.Cleanup(w.server.Close)
	cloud, err := fakeprovidertest.Setup(filepath.Join(w.Root, "cloud"))
	if err != nil {
		t.Fatal(err)
	}
	w.Env = append(w.Env, cloud.Env()...)
	// All that would be got from elsewhere is got from the server.
	w.Env = append(w.Env, "PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES=^github://api.github.com/="+w.server.URL)
	return w
}

func (w *world) serve(to http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, r.URL.Path)
	data, ok := w.files[r.URL.Path]
	switch {
	case !ok:
		to.WriteHeader(http.StatusNotFound)
	case w.broken > 0:
		w.broken--
		to.WriteHeader(http.StatusServiceUnavailable)
	default:
		_, _ = to.Write(data)
	}
}

// publish puts versions of the fake provider on the server.
func (w *world) publish(versions ...string) {
	w.t.Helper()
	for _, v := range versions {
		p := pluginstore.Plugin{Kind: "resource", Name: "fp", Version: v}
		w.files["/"+p.Asset(pluginstore.Here())] = archiveOf(w.t)
	}
}

func archiveOf(t *testing.T) []byte {
	t.Helper()
	exe, err := fakePlugin()
	if err != nil {
		t.Fatal(err)
	}
	return packed(t, "pulumi-resource-fp", exe)
}

func packed(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	err = w.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o755})
	if _, werr := w.Write(data); errors.Join(err, werr, w.Close(), z.Close()) != nil {
		t.Fatal(err, werr)
	}
	return b.Bytes()
}

// file writes a file outside of the project and gives its path.
func (w *world) file(name string, data []byte, perm os.FileMode) string {
	w.t.Helper()
	file := filepath.Join(w.Root, "files", name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, data, perm)); err != nil {
		w.t.Fatal(err)
	}
	return file
}

// fails runs a command that has to fail, with texts in what it prints.
func (w *world) fails(code int, says []string, args ...string) {
	w.t.Helper()
	r := w.Run(args...)
	if r.Code != code {
		w.t.Errorf("pulumi %s: exit code %d\n%s%s", strings.Join(args, " "), r.Code, r.Stdout, r.Stderr)
	}
	for _, s := range says {
		if !strings.Contains(r.Stdout+r.Stderr, s) {
			w.t.Errorf("pulumi %s: no %q in\n%s%s", strings.Join(args, " "), s, r.Stdout, r.Stderr)
		}
	}
}

// installed is the path of the plugin's executable.
func (w *world) installed(version string) string {
	return filepath.Join(w.Home, "plugins", "resource-fp-v"+version, "pulumi-resource-fp")
}

func (w *world) isInstalled(version string) bool {
	_, err := os.Stat(w.installed(version))
	return err == nil
}

func (w *world) lock() string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.Project, "Pulumi.lock"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatal(err)
	}
	return string(text)
}

func (w *world) tamper(version string) {
	w.t.Helper()
	f, err := os.OpenFile(w.installed(version), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := f.WriteString("evil"); errors.Join(err, f.Close()) != nil {
		w.t.Fatal(err)
	}
}
