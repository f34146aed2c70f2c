//go:build linux

package airgap

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
	"github.com/cairn-iac/cairn/internal/pluginstore"
)

const program = `name: shop
runtime: yaml
resources:
  name:
    type: random:RandomPet
  thing:
    type: fp:Thing
    properties:
      v: ${name.id}
    options:
      version: 1.2.3
outputs:
  thing: ${thing.id}
`

// mirror serves one archive of the plugin.
func mirror(t *testing.T, plugin string) string {
	t.Helper()
	exe, err := os.ReadFile(plugin)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	err = w.WriteHeader(&tar.Header{Name: fakeprovidertest.BinaryName, Size: int64(len(exe)), Mode: 0o755})
	_, werr := w.Write(exe)
	if err := errors.Join(err, werr, w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	asset := "/" + pluginstore.Plugin{Kind: "resource", Name: "fp", Version: "1.2.3"}.Asset(pluginstore.Here())
	s := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		if r.URL.Path != asset {
			to.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = to.Write(b.Bytes())
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// A project is bundled on one machine and used on another one that has no network. What was changed on the way is refused.
func TestAirGap(t *testing.T) {
	t.Parallel()
	needsNamespaces(t)
	bin := t.TempDir()
	pulumi := build(t, bin, "pulumi", "github.com/cairn-iac/cairn/cmd/pulumi")
	plugin := build(t, bin, fakeprovidertest.BinaryName, "github.com/cairn-iac/cairn/test/fakeprovider")
	cloud, err := fakeprovidertest.Setup(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	here, there := newMachine(t, "connected", pulumi, cloud), newMachine(t, "cut off", pulumi, cloud)
	here.env = append(here.env, "PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES=^github://api.github.com/pulumi/="+mirror(t, plugin))

	here.dir = filepath.Join(here.work, "shop")
	if err := errors.Join(os.Mkdir(here.dir, 0o755), os.WriteFile(filepath.Join(here.dir, "Pulumi.yaml"), []byte(program), 0o600)); err != nil {
		t.Fatal(err)
	}
	here.must("bundle")
	here.copyTo(there, "Pulumi.yaml", "Pulumi.lock", "shop.bundle.tar")

	// The network is cut, with and without the program knowing it.
	there.must("stack", "init", "dev")
	there.refused([]string{"could not be installed", "dial tcp", "Is there a network here?"}, "up", "--yes")
	there.env = append(there.env, "PULUMI_OFFLINE=1")
	there.refused([]string{"PULUMI_OFFLINE is set", "pulumi bundle install FILE"}, "up", "--yes")

	// A bundle that was changed on the way.
	file := filepath.Join(there.dir, "shop.bundle.tar")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	evil := bytes.Clone(good)
	evil[len(evil)/2] ^= 1
	if err := os.WriteFile(file, evil, 0o600); err != nil {
		t.Fatal(err)
	}
	there.refused([]string{"the resource plugin fp-1.2.3 is refused", "has:    sha256:", "should: sha256:"}, "bundle", "install", "shop.bundle.tar")
	there.must("plugin", "ls")
	if err := os.WriteFile(file, good, 0o600); err != nil {
		t.Fatal(err)
	}

	there.must("bundle", "install", "shop.bundle.tar")
	there.must("install")
	there.must("up", "--yes")
	if ids, err := cloud.IDs(); err != nil || len(ids) != 1 {
		t.Errorf("the cloud has %v, %v", ids, err)
	}

	// A plugin that was changed after it was installed.
	installed := filepath.Join(there.home, ".pulumi", "plugins", "resource-fp-v1.2.3", fakeprovidertest.BinaryName)
	f, err := os.OpenFile(installed, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, "evil"); errors.Join(err, f.Close()) != nil {
		t.Fatal(err)
	}
	there.refused([]string{
		"the resource plugin fp-1.2.3 is refused", "has:    sha256:", "should: sha256:", "pulumi-resource-fp was changed",
	}, "up", "--yes")
	there.must("bundle", "install", "--reinstall", "shop.bundle.tar")
	there.must("up", "--yes", "--expect-no-changes")
	there.must("destroy", "--yes")
	if ids, err := cloud.IDs(); err != nil || len(ids) != 0 {
		t.Errorf("the cloud has %v, %v", ids, err)
	}

	// A project of its own, from nothing.
	there.dir = there.work
	there.must("new", "random-yaml", "--dir", "pets", "--yes")
	there.dir = filepath.Join(there.work, "pets")
	there.must("install")
	there.must("up", "--yes")
	there.must("destroy", "--yes")
	there.must("about")
}

// With PULUMI_OFFLINE no command connects to anything: a proxy and all the usual hosts are a server that counts.
func TestOfflineConnectsToNothing(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	var mu sync.Mutex
	var seen []string
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			start := make([]byte, 200)
			n, _ := c.Read(start)
			mu.Lock()
			seen = append(seen, string(start[:n]))
			mu.Unlock()
			c.Close()
		}
	}()
	bin := t.TempDir()
	pulumi := build(t, bin, "pulumi", "github.com/cairn-iac/cairn/cmd/pulumi")
	cloud, err := fakeprovidertest.Setup(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(t, "offline", pulumi, cloud)
	proxy := "http://" + l.Addr().String()
	m.env = append(m.env, "HTTP_PROXY="+proxy, "HTTPS_PROXY="+proxy, "http_proxy="+proxy, "https_proxy="+proxy, "NO_PROXY=", "ALL_PROXY="+proxy)
	m.dir = filepath.Join(m.work, "shop")
	if err := errors.Join(os.Mkdir(m.dir, 0o755), os.WriteFile(filepath.Join(m.dir, "Pulumi.yaml"), []byte(program), 0o600)); err != nil {
		t.Fatal(err)
	}
	m.env = append(m.env, "PULUMI_OFFLINE=1")
	m.must("stack", "init", "dev")
	m.refused(nil, "preview")
	m.refused(nil, "install")
	m.refused(nil, "bundle")
	m.refused(nil, "plugin", "install", "resource", "aws")
	m.refused(nil, "plugin", "install", "resource", "github.com/org/repo")
	m.refused(nil, "plugin", "run", "sometool")
	m.refused(nil, "package", "get-schema", "aws")
	m.must("plugin", "ls")
	m.must("about")
	m.must("version")
	m.must("whoami")
	if err := os.WriteFile(filepath.Join(m.dir, "Pulumi.yaml"), []byte(strings.Split(program, "  thing:")[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	m.must("install")
	m.must("up", "--yes")
	m.must("destroy", "--yes")
	count := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
	if got := count(); len(got) > 0 {
		t.Errorf("connected:\n%s", strings.Join(got, "\n"))
	}
	// The counter counts: without the switch the same command connects.
	m.env = append(m.env, "PULUMI_OFFLINE=0")
	m.refused(nil, "plugin", "install", "resource", "fp", "1.0.0")
	if len(count()) == 0 {
		t.Error("nothing connected to the counter although it may")
	}
}
