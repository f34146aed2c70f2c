package archive_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/pluginstore/archive"
)

// entry is one entry of an archive.
type entry struct {
	name, text string
	kind       byte
	link       string
	mode       int64
}

func tarOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Linkname: e.link, Mode: e.mode, Size: int64(len(e.text))}
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Mode == 0 {
			h.Mode = 0o644
		}
		if e.kind == tar.TypeXGlobalHeader {
			h = &tar.Header{Typeflag: e.kind, PAXRecords: map[string]string{"comment": "a commit"}}
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipped(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unpack unpacks into a folder that has a sibling, and fails the test if anything outside changed.
func unpack(t *testing.T, data []byte, o archive.Options) (dir string, err error) {
	t.Helper()
	outer := t.TempDir()
	dir = filepath.Join(outer, "target")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outer, "sibling"), []byte("untouched"), 0o600); err != nil {
		t.Fatal(err)
	}
	err = archive.Unpack(bytes.NewReader(data), dir, o)
	entries, rerr := os.ReadDir(outer)
	text, terr := os.ReadFile(filepath.Join(outer, "sibling"))
	if rerr != nil || terr != nil || len(entries) != 2 || string(text) != "untouched" {
		t.Errorf("something outside of the target changed: %v, %v, %v", entries, rerr, terr)
	}
	return dir, err
}

// tree lists what is in a folder: names, with the text of files and the targets of links.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if e.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(path)
			out[filepath.ToSlash(name)] = "-> " + to
			return err
		}
		text, err := os.ReadFile(path)
		out[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	data := zipped(t, tarOf(t,
		entry{kind: tar.TypeXGlobalHeader},
		entry{name: "./", kind: tar.TypeDir},
		entry{name: "pulumi-resource-fp", text: "run me", mode: 0o4755},
		entry{name: "sub/deep/file", text: "no folder is listed"},
		entry{name: "sub/", kind: tar.TypeDir}, entry{name: "sub/", kind: tar.TypeDir},
		entry{name: "link", kind: tar.TypeSymlink, link: "sub/deep/file"},
		entry{name: "sub/up", kind: tar.TypeSymlink, link: "../pulumi-resource-fp"},
		entry{name: "sub/nowhere", kind: tar.TypeSymlink, link: "gone"},
		entry{name: "secret", text: "", mode: 0o000},
	))
	dir, err := unpack(t, data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"pulumi-resource-fp": "run me", "sub/deep/file": "no folder is listed", "link": "-> sub/deep/file",
		"sub/up": "-> ../pulumi-resource-fp", "sub/nowhere": "-> gone", "secret": "",
	}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
	info, err := os.Stat(filepath.Join(dir, "pulumi-resource-fp"))
	if err != nil || runtime.GOOS != "windows" && info.Mode() != 0o755 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
}

func TestHostileArchives(t *testing.T) {
	t.Parallel()
	file := entry{name: "pulumi-resource-fp", text: "x"}
	link := func(name, to string) entry { return entry{name: name, kind: tar.TypeSymlink, link: to} }
	cases := map[string]struct {
		entries []entry
		says    string
	}{
		"up":                  {[]entry{{name: "../sibling", text: "x"}}, "leads out"},
		"up, later":           {[]entry{{name: "a/../../sibling", text: "x"}}, "leads out"},
		"absolute":            {[]entry{{name: "/tmp/evil", text: "x"}}, "leads out"},
		"no name":             {[]entry{{name: ".", text: "x"}}, "no name"},
		"link out":            {[]entry{file, link("l", "../sibling")}, "leads out"},
		"link to root":        {[]entry{file, link("l", "/etc/passwd")}, "leads out"},
		"link to nothing":     {[]entry{file, link("l", "")}, "leads out"},
		"link without a name": {[]entry{file, link(".", "x")}, "no name"},
		"through a link":      {[]entry{link("l", ".."), {name: "l/sibling", text: "x"}}, ""},
		"links through each other": {
			[]entry{file, {name: "p/q/r/", kind: tar.TypeDir}, link("p/q/r/s", "../../.."), link("y", "p/q/r/s/../sibling")}, "leads out",
		},
		"a chain of links":  {[]entry{file, link("a", "b"), link("b", "c"), link("c", "..")}, "leads out"},
		"a circle of links": {[]entry{file, link("a", "b"), link("b", "a")}, ""},
		"twice":             {[]entry{file, file}, "twice"},
		"a link, then file": {[]entry{link("l", "other"), {name: "l", text: "x"}}, "twice"},
		"file, then link":   {[]entry{file, link(file.name, "x")}, "twice"},
		"file as folder":    {[]entry{file, {name: file.name + "/x", text: "x"}}, ""},
		"hard link":         {[]entry{file, {name: "l", kind: tar.TypeLink, link: file.name}}, "neither a file"},
		"device":            {[]entry{{name: "d", kind: tar.TypeChar}}, "neither a file"},
		"pipe":              {[]entry{{name: "d", kind: tar.TypeFifo}}, "neither a file"},
		"nothing":           {nil, "empty"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := unpack(t, zipped(t, tarOf(t, c.entries...)), archive.Options{})
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestDamagedArchives(t *testing.T) {
	t.Parallel()
	good := tarOf(t, entry{name: "pulumi-resource-fp", text: strings.Repeat("random enough? ", 999)})
	packed := zipped(t, good)
	flipped := slices.Clone(packed)
	flipped[len(flipped)-6] ^= 1 // the checksum
	cases := map[string]struct {
		data []byte
		says string
	}{
		"empty":            {nil, "cut off"},
		"not zipped":       {good, "no gzipped file"},
		"text":             {[]byte("<html>404</html>"), "no gzipped file"},
		"half":             {packed[:len(packed)/2], "cut off"},
		"without the end":  {packed[:len(packed)-1], "cut off"},
		"without checksum": {packed[:len(packed)-8], "cut off"},
		"wrong checksum":   {flipped, "checksum"},
		"more after it":    {append(slices.Clone(packed), "more"...), ""},
		"no tar":           {zipped(t, []byte(strings.Repeat("x", 1024))), ""},
		"tar cut off":      {zipped(t, good[:len(good)/2]), "cut off"},
		"more in it":       {zipped(t, append(slices.Clone(good), bytes.Repeat([]byte("x"), 2<<20)...)), "follows the files"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := unpack(t, c.data, archive.Options{})
			var unusable *archive.Error
			if !errors.As(err, &unusable) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := unpack(t, zipped(t, append(slices.Clone(good), make([]byte, 10240)...)), archive.Options{}); err != nil {
		t.Errorf("padding: %v", err)
	}
}

func TestBombs(t *testing.T) {
	t.Parallel()
	many := make([]entry, 100)
	for i := range many {
		many[i] = entry{name: "f" + strings.Repeat("x", i+1)}
	}
	zeros := zipped(t, tarOf(t, entry{name: "f", text: strings.Repeat("\x00", 4<<20)}))
	cases := map[string]struct {
		data   []byte
		limits archive.Limits
		says   string
	}{
		"size":    {zeros, archive.Limits{Bytes: 1 << 20, Entries: 10, Ratio: 9999, RatioFrom: 1 << 30}, "more than 1048576 bytes"},
		"ratio":   {zeros, archive.Limits{Bytes: 1 << 30, Entries: 10, Ratio: 100, RatioFrom: 1 << 20}, "more than 100 times"},
		"entries": {zipped(t, tarOf(t, many...)), archive.Limits{Bytes: 1 << 30, Entries: 99, Ratio: 9999, RatioFrom: 1 << 30}, "more than 99 files"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := unpack(t, c.data, archive.Options{Limits: c.limits})
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := unpack(t, zeros, archive.Options{}); err != nil {
		t.Errorf("the default limits: %v", err)
	}
}

// full is a file on a disk that has room for some bytes.
type full struct {
	archive.File
	left int
}

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.left {
		return 0, &fs.PathError{Op: "write", Path: "disk", Err: syscall.ENOSPC}
	}
	f.left -= len(p)
	return f.File.Write(p)
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	data := zipped(t, tarOf(t, entry{name: "f", text: strings.Repeat("x", 1<<20)}))
	_, err := unpack(t, data, archive.Options{Create: func(root *os.Root, name string, perm fs.FileMode) (archive.File, error) {
		f, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY, perm)
		return &full{f, 1 << 16}, err
	}})
	var unusable *archive.Error
	if !errors.Is(err, syscall.ENOSPC) || errors.As(err, &unusable) {
		t.Errorf("got %v", err)
	}
}

func TestPackAndCopy(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("from outside"), 0o700); err != nil {
		t.Fatal(err)
	}
	make := func() string {
		dir := t.TempDir()
		for name, text := range map[string]string{"b/c": "1", "a": "2", "b/z/z": "3"} {
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink("b/c", filepath.Join(dir, "l")); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	names := []string{"l", "b/z/z", "b/c", "a"}
	var one, two bytes.Buffer
	first := make()
	if err := errors.Join(archive.Pack(&one, first, names), archive.Pack(&two, make(), names)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("equal folders give different archives")
	}
	dir, err := unpack(t, one.Bytes(), archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tree(t, first), tree(t, dir)); diff != "" {
		t.Error(diff)
	}
	if err := os.Symlink(outside, filepath.Join(first, "out")); err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	if err := archive.Copy(first, to, archive.Options{}); err != nil {
		t.Fatal(err)
	}
	want := tree(t, first)
	want["out"] = "from outside"
	if diff := cmp.Diff(want, tree(t, to)); diff != "" {
		t.Error(diff)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(first, "folder")); err != nil {
		t.Fatal(err)
	}
	if err := archive.Copy(first, t.TempDir(), archive.Options{}); err == nil || !strings.Contains(err.Error(), "leads out") {
		t.Errorf("got %v", err)
	}
	if err := archive.Copy(t.TempDir(), t.TempDir(), archive.Options{}); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("got %v", err)
	}
	if err := archive.Pack(&one, first, []string{"gone"}); err == nil {
		t.Error("a file that is not there was packed")
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(tarOf(f, entry{name: "a/b", text: "x"}, entry{name: "l", kind: tar.TypeSymlink, link: "a"}), true)
	f.Add(tarOf(f, entry{name: "../x", text: "x"}), true)
	f.Add([]byte{0x1f, 0x8b, 8}, false)
	f.Fuzz(func(t *testing.T, data []byte, zip bool) {
		if zip {
			data = zipped(t, data)
		}
		outer := t.TempDir()
		dir := filepath.Join(outer, "target")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		err := archive.Unpack(bytes.NewReader(data), dir, archive.Options{
			Limits: archive.Limits{Bytes: 1 << 20, Entries: 1000, Ratio: 1 << 30, RatioFrom: 1 << 30},
		})
		if entries, rerr := os.ReadDir(outer); rerr != nil || len(entries) != 1 {
			t.Errorf("outside: %v, %v", entries, rerr)
		}
		if err != nil {
			return
		}
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Type()&fs.ModeSymlink != 0 {
				if to, err := filepath.EvalSymlinks(path); err == nil {
					if rel, err := filepath.Rel(dir, to); err != nil || !filepath.IsLocal(rel) {
						t.Errorf("%s leads to %s", path, to)
					}
				}
			}
			return nil
		})
	})
}
