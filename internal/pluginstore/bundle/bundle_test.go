package bundle_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/pluginstore/bundle"
	"github.com/cairn-iac/cairn/internal/pluginstore/lockfile"
)

const lock = "version: 1\nplugins: []\n"

func item(name string, platform pluginstore.Platform) bundle.Item {
	return bundle.Item{
		Kind: "resource", Name: name, Version: "1.0.0", Platform: platform, Files: pluginstore.HashOf([]byte(name)), Source: "https://x",
	}
}

func writing(t testing.TB) bundle.Writing {
	t.Helper()
	w := bundle.Writing{Project: "demo", Lock: []byte(lock)}
	for _, name := range []string{"b", "a"} {
		for _, platform := range []pluginstore.Platform{"linux-amd64", "darwin-arm64"} {
			file := filepath.Join(t.TempDir(), "archive")
			if err := os.WriteFile(file, []byte("archive of "+name), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(w.Add(item(name, platform), file), w.Add(item(name, platform), file)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return w
}

func write(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := bundle.Write(&b, writing(t)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func onDisk(t testing.TB, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bundle.tar")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	data := write(t)
	if !bytes.Equal(data, write(t)) {
		t.Error("equal plugins give different bundles")
	}
	b, err := bundle.Open(onDisk(t, data))
	if err != nil {
		t.Fatal(err)
	}
	if b.Project != "demo" || len(b.Plugins) != 4 || len(b.Lock.Plugins) != 0 || len(b.For("windows-amd64")) != 0 {
		t.Errorf("got %+v", b)
	}
	items := b.For("linux-amd64")
	if len(items) != 2 || items[0].Name != "a" {
		t.Fatalf("got %+v", items)
	}
	want := item("a", "linux-amd64")
	if diff := cmp.Diff(want, items[0], cmpopts.IgnoreUnexported(bundle.Item{}), cmpopts.IgnoreFields(bundle.Item{}, "Archive", "Size", "Entry")); diff != "" {
		t.Error(diff)
	}
	for _, i := range b.Plugins {
		to := filepath.Join(t.TempDir(), "out")
		if err := b.Extract(i, to); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(to); err != nil || string(text) != "archive of "+i.Name {
			t.Errorf("got %q, %v", text, err)
		}
	}
}

func TestTampered(t *testing.T) {
	t.Parallel()
	data := write(t)
	at := bytes.Index(data, []byte("archive of a"))
	data[at] ^= 1
	b, err := bundle.Open(onDisk(t, data))
	if err != nil {
		t.Fatal(err)
	}
	err = b.Extract(b.Plugins[0], filepath.Join(t.TempDir(), "out"))
	var mismatch *lockfile.MismatchError
	if !errors.As(err, &mismatch) || mismatch.Want != b.Plugins[0].Archive || mismatch.Has == mismatch.Want {
		t.Errorf("got %v", err)
	}
}

func TestBadBundles(t *testing.T) {
	t.Parallel()
	good := write(t)
	files := func(pairs ...string) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for i := 0; i < len(pairs); i += 2 {
			if err := w.WriteHeader(&tar.Header{Name: pairs[i], Size: int64(len(pairs[i+1])), Mode: 0o600}); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(w, pairs[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"empty":        {nil, "not a bundle"},
		"text":         {[]byte("no tar"), "not a bundle"},
		"another tar":  {files("README", "x"), "not a bundle"},
		"no JSON":      {files("bundle.json", "x"), "index cannot be read"},
		"other format": {files("bundle.json", `{"pulumiBundle":2}`), "format is 2"},
		"no lock":      {files("bundle.json", `{"pulumiBundle":1}`), "no lock file"},
		"bad lock":     {files("bundle.json", `{"pulumiBundle":1}`, "Pulumi.lock", "x"), "its lock file"},
		"bad kind":     {files("bundle.json", `{"pulumiBundle":1,"plugins":[{"kind":"x"}]}`), "plugins[0]: unrecognized"},
		"bad platform": {files("bundle.json", `{"pulumiBundle":1,"plugins":[{"kind":"resource","platform":"../x"}]}`), "plugins[0]"},
		"no hashes":    {files("bundle.json", `{"pulumiBundle":1,"plugins":[{"kind":"resource","name":"a","platform":"linux-amd64"}]}`), "two hashes"},
	} {
		if _, err := bundle.Open(onDisk(t, c.data)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	cut, err := bundle.Open(onDisk(t, good[:len(good)-4096]))
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range cut.Plugins {
		err := cut.Extract(item, filepath.Join(t.TempDir(), "out"))
		if i == len(cut.Plugins)-1 && (err == nil || !strings.Contains(err.Error(), "cut off")) {
			t.Errorf("got %v", err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(write(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := bundle.Open(onDisk(t, data))
		if err != nil {
			return
		}
		for _, i := range b.Plugins {
			to := filepath.Join(t.TempDir(), "out")
			if err := b.Extract(i, to); err != nil {
				continue
			}
			if has, err := pluginstore.HashFile(to); err != nil || has != i.Archive {
				t.Errorf("got %s, %v", has, err)
			}
		}
	})
}
