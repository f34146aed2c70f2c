package diy

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/backend"
)

// TestLayout compares the folder after an update and after a removal with what the Pulumi CLI leaves, sidecars apart.
func TestLayout(t *testing.T) {
	t.Parallel()
	s, ctx := testStore(t), t.Context()
	lock := mustLock(t, s)
	must(t, stacks{s}.Create(ctx, lock, []byte(`{"n":1}`)))
	must(t, checkpoints{s}.Write(ctx, lock, []byte(`{"n":2}`)))
	s.now = func() time.Time { return time.Unix(0, 17) }
	must(t, history{s}.Add(ctx, lock, backend.HistoryEntry{Checkpoint: []byte(`{"n":2}`)}))
	must(t, lock.Release(ctx))
	common := []string{
		"drwxr-xr-x .",
		"drwxr-xr-x .pulumi",
		"drwxr-xr-x .pulumi/backups",
		"drwxr-xr-x .pulumi/backups/quick",
		"drwxr-xr-x .pulumi/backups/quick/dev",
		"-rw-r--r-- .pulumi/backups/quick/dev/dev.17.json",
		"drwxr-xr-x .pulumi/history",
		"drwxr-xr-x .pulumi/history/quick",
		"drwxr-xr-x .pulumi/history/quick/dev",
	}
	updated := append(append([]string{}, common...),
		"-rw-r--r-- .pulumi/history/quick/dev/dev-17.checkpoint.json",
		"-rw-r--r-- .pulumi/history/quick/dev/dev-17.history.json",
		"drwxr-xr-x .pulumi/locks",
		"drwxr-xr-x .pulumi/locks/organization",
		"drwxr-xr-x .pulumi/locks/organization/quick",
		"drwxr-xr-x .pulumi/locks/organization/quick/dev",
		"-rw-r--r-- .pulumi/meta.yaml",
		"drwxr-xr-x .pulumi/stacks",
		"drwxr-xr-x .pulumi/stacks/quick",
		"-rw-r--r-- .pulumi/stacks/quick/dev.json",
		"-rw-r--r-- .pulumi/stacks/quick/dev.json.bak",
	)
	umask := umasked(t)
	if diff := cmp.Diff(umask(updated), tree(t, s.root)); diff != "" {
		t.Errorf("after an update (-want +got):\n%s", diff)
	}
	for path, want := range map[string]string{
		"meta.yaml":                                "version: 1\n",
		"stacks/quick/dev.json":                    `{"n":2}`,
		"stacks/quick/dev.json.bak":                `{"n":1}`,
		"backups/quick/dev/dev.17.json":            `{"n":2}`,
		"history/quick/dev/dev-17.checkpoint.json": `{"n":2}`,
		"history/quick/dev/dev-17.history.json": `{"kind":"","startTime":0,"message":"","environment":{},` +
			`"config":{},"version":0,"result":"","endTime":0}`,
	} {
		got, err := os.ReadFile(filepath.Join(s.root, bookkeepingDir, path))
		must(t, err)
		if string(got) != want {
			t.Errorf("%s holds %q, want %q", path, got, want)
		}
	}
	lock = mustLock(t, s)
	must(t, stacks{s}.Remove(ctx, lock, backend.RemoveOptions{}))
	must(t, lock.Release(ctx))
	removed := append(append([]string{}, common...),
		"drwxr-xr-x .pulumi/locks",
		"drwxr-xr-x .pulumi/locks/organization",
		"drwxr-xr-x .pulumi/locks/organization/quick",
		"drwxr-xr-x .pulumi/locks/organization/quick/dev",
		"-rw-r--r-- .pulumi/meta.yaml",
		"drwxr-xr-x .pulumi/stacks",
		"drwxr-xr-x .pulumi/stacks/quick",
		"-rw-r--r-- .pulumi/stacks/quick/dev.json.bak",
	)
	if diff := cmp.Diff(umask(removed), tree(t, s.root)); diff != "" {
		t.Errorf("after removal (-want +got):\n%s", diff)
	}
}

// umasked turns the modes of the usual umask into those of the umask at hand.
func umasked(t *testing.T) func([]string) []string {
	t.Helper()
	probe := t.TempDir()
	must(t, os.Mkdir(filepath.Join(probe, "d"), dirMode))
	f, err := os.OpenFile(filepath.Join(probe, "f"), os.O_CREATE, fileMode)
	must(t, err)
	must(t, f.Close())
	dir, _, _ := strings.Cut(tree(t, probe)[1], " ")
	file, _, _ := strings.Cut(tree(t, probe)[2], " ")
	return func(lines []string) []string {
		out := make([]string, len(lines))
		for i, line := range lines {
			out[i] = strings.NewReplacer("drwxr-xr-x ", dir+" ", "-rw-r--r-- ", file+" ").Replace(line)
		}
		out[0] = tree(t, probe)[0] // The root is the test's own folder.
		return out
	}
}

func TestRemoveWithBackups(t *testing.T) {
	t.Parallel()
	s, ctx := testStore(t), t.Context()
	lock := mustLock(t, s)
	must(t, stacks{s}.Create(ctx, lock, []byte(`{}`)))
	must(t, checkpoints{s}.Write(ctx, lock, []byte(`{}`)))
	must(t, history{s}.Add(ctx, lock, backend.HistoryEntry{Checkpoint: []byte(`{}`)}))
	must(t, stacks{s}.Remove(ctx, lock, backend.RemoveOptions{Backups: true}))
	must(t, lock.Release(ctx))
	for _, line := range tree(t, s.root) {
		if strings.Contains(line, "dev.") || strings.Contains(line, "dev-") {
			t.Errorf("left: %s", line)
		}
	}
}

// TestSidecars: files of the blob library never show, and the sidecar of a replaced file goes with it.
func TestSidecars(t *testing.T) {
	t.Parallel()
	s, ctx := testStore(t), t.Context()
	file := s.checkpoint(testRef)
	writeFile(t, file, `{}`)
	writeFile(t, file+attrsExt, "")
	writeFile(t, s.stackBase(backend.StackRef{Project: "quick", Name: "x"})+".json.attrs", "{}")
	writeFile(t, filepath.Join(s.lockDir(testRef), "a.json.attrs"), "{}")
	refs, err := stacks{s}.List(ctx, backend.StackFilter{})
	must(t, err)
	if diff := cmp.Diff([]backend.StackRef{testRef}, refs); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	lock := mustLock(t, s) // A sidecar is no lock.
	must(t, checkpoints{s}.Write(ctx, lock, []byte(`{"n":1}`)))
	if _, err := os.Stat(file + attrsExt); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the stale sidecar is still there: %v", err)
	}
}

// TestListing: what is no stack is passed over.
func TestListing(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	for _, name := range []string{
		"quick/dev.json", "quick/dev.json.gz", "quick/dev.json.bak", "quick/dev.journal", "quick/dev.pulumi-tags",
		"quick/b.json.zst", "quick/c.json.json", "quick/bad name.json", "quick/deep/x.json", "quick/notes.txt",
		"bad project/x.json", "quick/dev.json.18ab.tmp",
	} {
		writeFile(t, filepath.Join(s.stacksDir(), name), "{}")
	}
	refs, err := stacks{s}.List(t.Context(), backend.StackFilter{})
	must(t, err)
	want := []backend.StackRef{
		{Project: "quick", Name: "b"}, {Project: "quick", Name: "c.json"}, {Project: "quick", Name: "dev"},
	}
	if diff := cmp.Diff(want, refs); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	_, err := w.Write([]byte(text))
	must(t, err)
	must(t, w.Close())
	return buf.String()
}

func TestCompressed(t *testing.T) {
	t.Parallel()
	s, ctx := testStore(t), t.Context()
	plain, gz, zst := s.checkpoint(testRef), s.checkpoint(testRef)+gzipExt, s.checkpoint(testRef)+zstdExt
	age := func(path string, d time.Duration) { must(t, os.Chtimes(path, time.Time{}, time.Now().Add(-d))) }
	read := func() string {
		c, err := checkpoints{s}.Read(ctx, testRef)
		must(t, err)
		return string(c.Data)
	}
	writeFile(t, gz, gzipped(t, `{"gz":1}`))
	if got := read(); got != `{"gz":1}` {
		t.Errorf("only gzip: %s", got)
	}
	writeFile(t, plain, `{"plain":1}`)
	age(gz, time.Minute)
	if got := read(); got != `{"plain":1}` {
		t.Errorf("plain is newer: %s", got)
	}
	age(plain, time.Hour)
	if got := read(); got != `{"gz":1}` {
		t.Errorf("gzip is newer: %s", got)
	}
	writeFile(t, zst, "zstd")
	_, err := checkpoints{s}.Read(ctx, testRef)
	wantInError(t, err, zst, "zstd")
	age(zst, 2*time.Hour)
	if got := read(); got != `{"gz":1}` {
		t.Errorf("zstd is old: %s", got)
	}
	lock := mustLock(t, s)
	must(t, checkpoints{s}.Write(ctx, lock, []byte(`{"new":1}`)))
	if got := read(); got != `{"new":1}` {
		t.Errorf("after a write: %s", got)
	}
	for _, gone := range []string{gz, zst} {
		if _, err := os.Stat(gone); err == nil {
			t.Errorf("%s is still there", gone)
		}
		if _, err := os.Stat(gone + backupExt); err != nil {
			t.Errorf("%s was not backed up: %v", gone, err)
		}
	}
	writeFile(t, gz, "not gzip")
	age(plain, time.Hour)
	_, err = checkpoints{s}.Read(ctx, testRef)
	wantInError(t, err, gz, "damaged", backupExt)
}

func TestMeta(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		files map[string]string
		want  []string // nil: opens
		is    error
	}{
		"new":            {},
		"version 1":      {files: map[string]string{"meta.yaml": "version: 1\n"}},
		"newer":          {files: map[string]string{"meta.yaml": "version: 2\n"}, want: []string{"version 2", "newer release"}},
		"negative":       {files: map[string]string{"meta.yaml": "version: -1\n"}, want: []string{"no version"}},
		"no version":     {files: map[string]string{"meta.yaml": "x: 1\n"}, want: []string{"meta.yaml", "says no version"}},
		"empty":          {files: map[string]string{"meta.yaml": ""}, want: []string{"meta.yaml", "says no version"}},
		"not YAML":       {files: map[string]string{"meta.yaml": "\t:"}, want: []string{"meta.yaml", "damaged"}},
		"version 0":      {files: map[string]string{"meta.yaml": "version: 0\n"}, want: []string{"state upgrade"}, is: backend.ErrLegacyLayout},
		"legacy":         {files: map[string]string{"stacks/old.json": "{}"}, want: []string{"old", "pulumi state upgrade", "PULUMI_DIY_BACKEND_IGNORE_DEPRECATION_ERROR"}, is: backend.ErrLegacyLayout},
		"legacy gzip":    {files: map[string]string{"stacks/old.json.gz": ""}, is: backend.ErrLegacyLayout, want: []string{"old"}},
		"projects again": {files: map[string]string{"stacks/p/s.json": "{}"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for path, text := range c.files {
				writeFile(t, filepath.Join(root, bookkeepingDir, path), text)
			}
			before := tree(t, root)
			_, err := Open(t.Context(), Options{URL: Scheme + root})
			if c.want == nil {
				must(t, err)
				return
			}
			wantInError(t, err, c.want...)
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v is not %v", err, c.is)
			}
			if diff := cmp.Diff(before, tree(t, root)); diff != "" {
				t.Errorf("a refused store was changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestStrayLegacyStacks(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	writeFile(t, filepath.Join(root, ".pulumi/meta.yaml"), "version: 1\n")
	writeFile(t, filepath.Join(root, ".pulumi/stacks/old.json"), "{}")
	b, err := Open(t.Context(), Options{URL: Scheme + root})
	must(t, err)
	if len(b.Notices) != 1 || !strings.Contains(b.Notices[0].Error(), "old") {
		t.Errorf("notices: %v", b.Notices)
	}
	b, err = Open(t.Context(), Options{URL: Scheme + root, NoLegacyWarning: true})
	must(t, err)
	if len(b.Notices) != 0 {
		t.Errorf("notices: %v", b.Notices)
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	cases := []struct{ url, root, lock, err string }{
		{url: "file:///a/b", root: "/a/b", lock: "file:///a/b/k?no_tmp_dir=true"},
		{url: "file://~", root: "/home/me", lock: "file:///home/me/k?no_tmp_dir=true"},
		{url: "file://~/x/../y", root: "/home/me/y", lock: "file:///home/me/y/k?no_tmp_dir=true"},
		{url: "file://state", root: "/current/state", lock: "file:///current/state/k?no_tmp_dir=true"},
		{url: "file://./state", root: "/current/state", lock: "file:///current/state/k?no_tmp_dir=true"},
		{url: "file://", root: "/current", lock: "file:///current/k?no_tmp_dir=true"},
		{url: "file:///a%20b", root: "/a b", lock: "file:///a%20b/k?no_tmp_dir=true"},
		{url: "file:///a?no_tmp_dir=false", root: "/a", lock: "file:///a/k"},
		{url: "file:///a?metadata=skip", root: "/a", lock: "file:///a/k?metadata=skip&no_tmp_dir=true"},
		{url: "s3://bucket", err: "not the address of a folder"},
		{url: "file:///a#b", err: "%23"},
		{url: "file:///a%zz", err: "%25"},
		{url: "file://~other/x", err: "own home"},
		{url: "file:///a?base_url=x", err: "base_url"},
		{url: "file:///a?metadata=x", err: "metadata"},
	}
	for _, c := range cases {
		a, err := parseAddress(c.url, "/home/me", "/current")
		if c.err != "" {
			wantInError(t, err, c.err)
			continue
		}
		must(t, err)
		if a.root != c.root || a.urlOf("k") != c.lock {
			t.Errorf("%s: root %s, lock %s", c.url, a.root, a.urlOf("k"))
		}
	}
}

func TestOpenMissingFolder(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "not", "there")
	_, err := Open(t.Context(), Options{URL: Scheme + missing})
	wantInError(t, err, "unable to open state directory", "mkdir -p")
	_, err = Open(t.Context(), Options{URL: Scheme + missing + "?create_dir=1"})
	must(t, err)
	file := filepath.Join(t.TempDir(), "file")
	writeFile(t, file, "")
	_, err = Open(t.Context(), Options{URL: Scheme + file})
	wantInError(t, err, "not a folder")
}
