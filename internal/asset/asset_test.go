package asset_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/asset"
	"github.com/cairn-iac/cairn/internal/property"
)

// What the Pulumi SDK computes for the same files.
const (
	treeHash   = "50141b86d1c0c9753b59f4f4183753e5fd08b7509f2ecde6366a6dfc8eb0e468"
	emptyHash  = "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef"
	tarHash    = "3464c6f35c9bc28c8f0d4aa2016e11421ebe3a8aef3aa52873acbbdff39dcd01"
	assetsHash = "6c31eb9d66a2f320f4fefa31369ed5c7950cfdaef45cb2a0840b81504988e4dc"
	helloHash  = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
	// madeHash was recorded from an archive of one file, made.txt, that holds "file" and a newline.
	madeHash = "589551d3862220e933cccbce61500a4031048741fabe0545f5cb54045159d1b5"
)

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// tree makes a folder with everything the walk has a rule for.
func tree(t *testing.T, dir string) {
	t.Helper()
	for name, text := range map[string]string{
		"b.txt": "b", "a/z.txt": "z", "a.txt": "a", "a-b/1": "1", "empty.txt": "", ".pulumi/skip": "x",
		"sub/.pulumi/skip": "x", "run.sh": "#!/bin/sh\n", "ünï/" + strings.Repeat("long-name-", 15) + ".txt": "long",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	must(t, os.Chmod(dir+"/run.sh", 0o755), os.MkdirAll(dir+"/void", 0o755),
		os.Symlink("b.txt", dir+"/link.txt"), os.Symlink("a", dir+"/linkdir"))
}

func tarBytes(t *testing.T, entries ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range entries {
		must(t, w.WriteHeader(&h))
		if h.Size > 0 {
			_, err := w.Write([]byte("abc")[:h.Size])
			must(t, err)
		}
	}
	must(t, w.Close())
	return b.Bytes()
}

func project(t *testing.T) string {
	t.Helper()
	d := t.TempDir()
	tree(t, d+"/tree")
	must(t, os.Symlink("tree", d+"/root"))
	packed := tarBytes(t, tar.Header{Name: "d/", Typeflag: tar.TypeDir, Mode: 0o755}, tar.Header{Name: "./d/x", Mode: 0o755, Size: 3})
	write(t, d+"/x.tar", string(packed))
	var gz bytes.Buffer
	g := gzip.NewWriter(&gz)
	_, err := g.Write(packed)
	must(t, err, g.Close())
	write(t, d+"/x.tgz", gz.String())
	var zipped bytes.Buffer
	z := zip.NewWriter(&zipped)
	f, err := z.Create("in/zip.txt")
	must(t, err)
	_, err = f.Write([]byte("zipped"))
	must(t, err, z.Close())
	write(t, d+"/x.zip", zipped.String())
	return d
}

func reader(dir string) asset.Reader { return asset.Reader{Dir: dir, Files: asset.Disk{}} }

func text(s string) property.Value {
	return property.FromAsset(property.Asset{Source: property.SourceText, Location: s})
}

func file(p string) property.Value {
	return property.FromAsset(property.Asset{Source: property.SourcePath, Location: p})
}

func uri(u string) property.Value {
	return property.FromAsset(property.Asset{Source: property.SourceURI, Location: u})
}

func folder(p string) property.Archive {
	return property.Archive{Source: property.SourcePath, Location: p}
}

func assets(m map[string]property.Value) property.Archive {
	return property.Archive{Source: property.SourceAssets, Assets: property.MapOf(m)}
}

func TestArchiveHashesAreTheOnesOfTheSDK(t *testing.T) {
	t.Parallel()
	d := project(t)
	packed := func(p string) property.Value { return property.FromArchive(folder(p)) }
	cases := map[string]struct {
		a    property.Archive
		want string
	}{
		"folder":         {folder("tree"), treeHash},
		"absolute":       {folder(d + "/tree"), treeHash},
		"link to folder": {folder("root"), emptyHash},
		"no assets":      {assets(nil), emptyHash},
		"tar":            {folder("x.tar"), tarHash},
		"file URI":       {property.Archive{Source: property.SourceURI, Location: "file://" + d + "/x.tar"}, tarHash},
		"recorded":       {assets(map[string]property.Value{"made.txt": text("file\n")}), madeHash},
		"assets": {assets(map[string]property.Value{
			"hello.txt": text("hello"), "t": packed("tree"), "t/b.txt": text("shadowed"),
			"nested": property.FromArchive(assets(map[string]property.Value{"e": text("")})),
			"tar":    packed("x.tar"), "tgz": packed("x.tgz"), "zip": packed("x.zip"),
			"file": file("tree/a.txt"), "uri": uri("file://" + d + "/tree/a.txt"),
		}), assetsHash},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := reader(d).HashArchive(t.Context(), c.a)
			if err != nil || got != c.want {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

func TestHashDependsOnContentsOnly(t *testing.T) {
	t.Parallel()
	d := filepath.Join(t.TempDir(), "elsewhere", "deep")
	tree(t, d)
	must(t, os.Chmod(d+"/b.txt", 0o600), os.Chtimes(d+"/b.txt", time.Unix(1, 0), time.Unix(1, 0)))
	got, err := reader("/").HashArchive(t.Context(), folder(d))
	if err != nil || got != treeHash {
		t.Fatalf("got %s, %v", got, err)
	}
	write(t, d+"/b.txt", "changed")
	if got, err := reader("/").HashArchive(t.Context(), folder(d)); err != nil || got == treeHash {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestComputeHashes(t *testing.T) {
	t.Parallel()
	d := project(t)
	known := property.FromAsset(property.Asset{Source: property.SourcePath, Location: "/gone", Hash: "known"})
	in := property.MapOf(map[string]property.Value{
		"plain": property.String("x"),
		"list":  property.NewList(text("hello").MakeSecret()),
		"old":   known,
		"elided": property.FromArchive(property.Archive{
			Hash: "h",
		}),
		"archive": property.FromArchive(assets(map[string]property.Value{"made.txt": text("file\n")})),
	})
	out, err := reader(d).ComputeHashes(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	l, _ := out.Get("list").AsList()
	a, _ := l.At(0).AsAsset()
	if a.Hash != helloHash || !l.At(0).Secret() {
		t.Errorf("list: %+v secret %v", a, l.At(0).Secret())
	}
	z, _ := out.Get("archive").AsArchive()
	member, _ := z.Assets.Get("made.txt").AsAsset()
	if z.Hash != madeHash || len(member.Hash) != 64 {
		t.Errorf("archive: %+v", z)
	}
	if old, _ := out.Get("old").AsAsset(); old.Hash != "known" {
		t.Errorf("old: %+v", old)
	}
}

func TestProblemsNameTheirPlace(t *testing.T) {
	t.Parallel()
	d := project(t)
	must(t, os.Symlink("nowhere", d+"/dangling"), syscall.Mkfifo(d+"/pipe", 0o600),
		os.MkdirAll(d+"/pipes", 0o755), syscall.Mkfifo(d+"/pipes/p", 0o600),
		os.MkdirAll(d+"/broken", 0o755), os.Symlink("nowhere", d+"/broken/link"))
	write(t, d+"/linked.tar", string(tarBytes(t, tar.Header{Name: "l", Linkname: "x", Typeflag: tar.TypeSymlink})))
	write(t, d+"/bad.zip", "no zip")
	write(t, d+"/bad.tgz", "no gzip")
	wrap := func(a property.Archive) property.Value {
		return property.FromArchive(assets(map[string]property.Value{"in": property.FromArchive(a)}))
	}
	cases := map[string]struct {
		v    property.Value
		says string
	}{
		"missing file":    {file("nope"), "failed to open asset file"},
		"folder as asset": {file("tree"), "try using an archive"},
		"pipe":            {file("pipe"), "not a regular file"},
		"scheme":          {uri("ftp://x/y"), `scheme "ftp"`},
		"host":            {uri("file://host/x"), "only localhost"},
		"query":           {uri("file:///x?y"), "no user, query or fragment"},
		"malformed":       {uri("http://[::1"), "asset URI"},
		"no fetch":        {uri("https://user:secret@x/y"), "https://user:xxxxx@x/y cannot be fetched"},
		"missing folder":  {property.FromArchive(folder("nope")), "couldn't read archive path"},
		"file as archive": {property.FromArchive(folder("tree/a.txt")), "neither a recognized archive type nor a directory"},
		"dangling":        {property.FromArchive(folder("dangling")), "couldn't read archive path"},
		"broken link":     {property.FromArchive(folder("broken")), "couldn't follow the link"},
		"pipe in folder":  {property.FromArchive(folder("pipes")), "not a regular file"},
		"link in tar":     {wrap(folder("linked.tar")), `entry "l" is a link`},
		"bad zip":         {wrap(folder("bad.zip")), "failed to read ZIP"},
		"bad gzip":        {wrap(folder("bad.tgz")), "read archive"},
		"URI of what":     {property.FromArchive(property.Archive{Source: property.SourceURI, Location: "https://x/y.rar"}), "not a recognized archive format"},
		"member": {
			property.FromArchive(assets(map[string]property.Value{"m": property.String("x")})), `archive member "m" is not an asset`,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := reader(d).ComputeHashes(t.Context(), property.MapOf(map[string]property.Value{"v": property.NewList(c.v)}))
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "property v[0]") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	r := asset.Reader{Files: asset.Disk{}, Fetch: func(_ context.Context, url string) (io.ReadCloser, error) {
		if url != "https://x/hello" {
			return nil, errors.New("404 Not Found")
		}
		return io.NopCloser(strings.NewReader("hello")), nil
	}}
	a := property.Asset{Source: property.SourceURI, Location: "https://x/hello"}
	if got, err := r.HashAsset(t.Context(), a); err != nil || got != helloHash {
		t.Errorf("got %s, %v", got, err)
	}
	z := assets(map[string]property.Value{"a": property.FromAsset(a)})
	plain := assets(map[string]property.Value{"a": text("hello")})
	fetched, err := r.HashArchive(t.Context(), z)
	local, localErr := r.HashArchive(t.Context(), plain)
	if err != nil || localErr != nil || fetched != local {
		t.Errorf("got %s and %s, %v, %v", fetched, local, err, localErr)
	}
	a.Location = "https://x/other"
	if _, err := r.HashAsset(t.Context(), a); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("got %v", err)
	}
}

func TestCanceledWalkStops(t *testing.T) {
	t.Parallel()
	d := project(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := reader(d).HashArchive(ctx, folder("tree")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// The set of folders that a walk enters is fixed: a link that leads back up does not make it endless.
func TestLinkLoop(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	write(t, d+"/a/x", "x")
	must(t, os.Symlink("..", d+"/a/up"))
	var names []string
	err := reader(d).Walk(t.Context(), folder("."), func(m asset.Member) error {
		names = append(names, m.Name)
		return nil
	})
	if err != nil || len(names) != 1 || names[0] != "a/x" {
		t.Errorf("got %v, %v", names, err)
	}
}
