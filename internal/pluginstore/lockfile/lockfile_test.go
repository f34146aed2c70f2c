package lockfile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/pluginstore/lockfile"
)

func hash(digit string) pluginstore.Hash {
	return pluginstore.Hash("sha256:" + strings.Repeat(digit, 64))
}

func entry(name, version string, h lockfile.Hashes) lockfile.Entry {
	return lockfile.Entry{
		Kind: "resource", Name: name, Version: version, Source: "https://x", Hashes: map[pluginstore.Platform]lockfile.Hashes{"linux-amd64": h},
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	f := &lockfile.File{}
	f.Record(entry("b", "1.10.0", lockfile.Hashes{Archive: hash("a"), Files: hash("b")}))
	f.Record(entry("b", "1.9.0", lockfile.Hashes{Files: hash("c")}))
	f.Record(entry("a", "1.0.0", lockfile.Hashes{Files: hash("d")}))
	text, err := f.Text()
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`# Plugins of this project and the hashes they must have. %[1]spulumi install%[1]s writes this file; commit it.
version: 1
plugins:
  - kind: resource
    name: a
    version: 1.0.0
    source: https://x
    hashes:
      linux-amd64:
        files: %[2]s
  - kind: resource
    name: b
    version: 1.9.0
    source: https://x
    hashes:
      linux-amd64:
        files: %[3]s
  - kind: resource
    name: b
    version: 1.10.0
    source: https://x
    hashes:
      linux-amd64:
        archive: %[4]s
        files: %[5]s
`, "`", hash("d"), hash("c"), hash("a"), hash("b"))
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
	back, err := lockfile.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f.Plugins, back.Plugins); diff != "" || !back.Exists {
		t.Error(diff)
	}
	if _, ok := back.Pinned("resource", "b"); ok {
		t.Error("two versions pin none")
	}
	if e, ok := back.Pinned("resource", "a"); !ok || e.Version != "1.0.0" {
		t.Errorf("got %+v", e)
	}
	if _, ok := back.Pinned("language", "a"); ok {
		t.Error("another kind was found")
	}
}

// What was recorded first stays; what is new is added.
func TestRecord(t *testing.T) {
	t.Parallel()
	f := &lockfile.File{}
	f.Record(entry("a", "1.0.0", lockfile.Hashes{Files: hash("a")}))
	f.Record(entry("a", "1.0.0", lockfile.Hashes{Archive: hash("b"), Files: hash("c")}))
	other := entry("a", "1.0.0", lockfile.Hashes{})
	other.Hashes = map[pluginstore.Platform]lockfile.Hashes{"darwin-arm64": {Files: hash("d")}}
	f.Record(other)
	want := map[pluginstore.Platform]lockfile.Hashes{
		"linux-amd64": {Archive: hash("b"), Files: hash("a")}, "darwin-arm64": {Files: hash("d")},
	}
	if diff := cmp.Diff(want, f.Plugins[0].Hashes); diff != "" || len(f.Plugins) != 1 {
		t.Error(diff)
	}
}

func TestBadFiles(t *testing.T) {
	t.Parallel()
	plugin := func(fields string) string { return "version: 1\nplugins:\n  - {" + fields + "}\n" }
	good := "kind: resource, name: a, version: 1.0.0"
	for text, says := range map[string]string{
		"":                           "cannot be read",
		"version: 2\n":               "version 1",
		"version: 1\nextra: true\n":  "cannot be read",
		"<<<<<<< HEAD\nversion: 1\n": "cannot be read",
		plugin("kind: x, name: a, version: 1.0.0"):                                                    "unrecognized plugin kind",
		plugin("kind: resource, version: 1.0.0"):                                                      "a name and a semantic version",
		plugin("kind: resource, name: a, version: latest"):                                            "a name and a semantic version",
		plugin(good + ", hashes: {plan9-386: {}}"):                                                    "not for plan9-386",
		plugin(good + ", hashes: {linux-amd64: {files: abc}}"):                                        "is not a hash",
		plugin(good + "}\n  - {" + good):                                                              "there twice",
		plugin(good + ", hashes: {linux-amd64: {archive: 'sha256:" + strings.Repeat("A", 64) + "'}}"): "is not a hash",
	} {
		path := filepath.Join(t.TempDir(), lockfile.Name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := lockfile.Load(path)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "pulumi install") {
			t.Errorf("%q: got %v", text, err)
		}
	}
	f, err := lockfile.Load(filepath.Join(t.TempDir(), "gone"))
	if err != nil || f.Exists || len(f.Plugins) != 0 {
		t.Errorf("got %+v, %v", f, err)
	}
}

// Changes at the same time are all kept, and a failed one changes nothing.
func TestUpdatesTogether(t *testing.T) {
	t.Parallel()
	store, path := pluginstore.Store{Dir: t.TempDir()}, filepath.Join(t.TempDir(), lockfile.Name)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			err := lockfile.Update(t.Context(), store, path, func(f *lockfile.File) error {
				f.Record(entry(fmt.Sprint("p", i), "1.0.0", lockfile.Hashes{Files: hash("a")}))
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	f, err := lockfile.Load(path)
	if err != nil || len(f.Plugins) != 16 {
		t.Errorf("got %d, %v", len(f.Plugins), err)
	}
	boom := errors.New("boom")
	err = lockfile.Update(t.Context(), store, path, func(f *lockfile.File) error {
		f.Plugins = nil
		return boom
	})
	if !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
	if f, err = lockfile.Load(path); err != nil || len(f.Plugins) != 16 {
		t.Errorf("got %d, %v", len(f.Plugins), err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("the project's folder holds %v, %v", entries, err)
	}
}

func TestMismatch(t *testing.T) {
	t.Parallel()
	want := lockfile.Hashes{Archive: hash("a"), Files: hash("b")}
	base := lockfile.MismatchError{
		Plugin: pluginstore.Plugin{Kind: "resource", Name: "fp", Version: "1.0.0"}, Where: "/where", Says: "/Pulumi.lock",
	}
	for _, fits := range []lockfile.Hashes{{}, want, {Files: hash("b")}, {Archive: hash("a")}} {
		if err := want.Compare(fits, base); err != nil {
			t.Error(err)
		}
	}
	if err := (lockfile.Hashes{}).Compare(want, base); err != nil {
		t.Error(err)
	}
	base.Changed = make([]string, 12)
	err := want.Compare(lockfile.Hashes{Files: hash("c")}, base)
	for _, s := range []string{
		"the resource plugin fp-1.0.0 is refused", string(hash("c")) + " (/where)", string(hash("b")) + " (/Pulumi.lock)", "and 2 more",
		"pulumi plugin install resource fp 1.0.0 --reinstall",
	} {
		if err == nil || !strings.Contains(err.Error(), s) {
			t.Errorf("no %q in %v", s, err)
		}
	}
	if err := want.Compare(lockfile.Hashes{Archive: hash("c")}, base); err == nil || !strings.Contains(err.Error(), "hash of its archive") {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("version: 1\nplugins:\n  - {kind: resource, name: a, version: 1.0.0, hashes: {linux-amd64: {files: x}}}\n"))
	f.Add([]byte("version: 1\nplugins: []\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := lockfile.Parse(text)
		if err != nil {
			return
		}
		written, err := a.Text()
		if err != nil {
			t.Fatal(err)
		}
		b, err := lockfile.Parse(written)
		if err != nil {
			t.Fatalf("what we wrote cannot be read: %v\n%s", err, written)
		}
		again, err := b.Text()
		if err != nil || string(again) != string(written) {
			t.Errorf("it changes when it is written again: %v\n%s\n%s", err, written, again)
		}
	})
}
