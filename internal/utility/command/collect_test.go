//go:build unix

package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
)

func TestCollectedPaths(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		patterns string
		want     []string
	}{
		"none":                        {`[]`, []string{}},
		"no match":                    {`["*.nope"]`, []string{}},
		"star stays in a folder":      {`["*.txt"]`, []string{"a.txt", "link.txt"}},
		"two stars do not":            {`["**.js"]`, []string{"src/deep/x.js", "src/index.js", "src/secret.js"}},
		"a folder":                    {`["src/**"]`, []string{"src/deep/x.js", "src/index.js", "src/secret.js"}},
		"exclusion":                   {`["src/**","!**secret.*"]`, []string{"src/deep/x.js", "src/index.js"}},
		"order counts":                {`["!**secret.*","src/*.js"]`, []string{"src/index.js", "src/secret.js"}},
		"taken in again":              {`["**.js","!**","src/index.js"]`, []string{"src/index.js"}},
		"alternatives and classes":    {`["{a,b}.t?t","src/[i]*.js"]`, []string{"a.txt", "src/index.js"}},
		"hidden files":                {`[".h*"]`, []string{".hidden"}},
		"no folders, pipes or broken": {`["folder*","pipe","tofolder"]`, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, dir := start(t, nil)
			for _, f := range []string{"a.txt", "src/index.js", "src/secret.js", "src/deep/x.js", ".hidden", "folder/in"} {
				at := filepath.Join(dir, f)
				if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, []byte("file\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
				t.Fatal(err)
			}
			for link, to := range map[string]string{"tofolder": "folder", "link.txt": "a.txt"} {
				if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
					t.Fatal(err)
				}
			}
			got := create(t, p, `{"create":"true","assetPaths":`+c.patterns+`,"archivePaths":`+c.patterns+`}`)
			assets, _ := got.Get("assets").AsMap()
			archive, _ := got.Get("archive").AsArchive()
			if diff := cmp.Diff(c.want, append([]string{}, assets.Keys()...)); diff != "" {
				t.Errorf("assets: %s", diff)
			}
			if diff := cmp.Diff(c.want, append([]string{}, archive.Assets.Keys()...)); diff != "" {
				t.Errorf("archive: %s", diff)
			}
			for name, v := range assets.All() {
				want := property.FromAsset(property.Asset{
					Source: property.SourcePath, Location: dir + "/" + name,
					Hash: "8b911a8716b94442f9ca3dff20584048536e4c2f47b8b5bb9096cbd43c3432d5",
				})
				if !v.Equal(want) {
					t.Errorf("%s: %v", name, v)
				}
			}
		})
	}
}

func TestRecordedCommandGivesTheRecordedState(t *testing.T) {
	t.Parallel()
	p, dir := start(t, nil)
	recorded := readRecorded(t).States["commands"]["full"]
	here := func(s string) string { return strings.ReplaceAll(s, "/project/commands", dir) }
	got := create(t, p, here(string(recorded.Inputs)))
	want := props(t, here(string(recorded.Outputs)))
	if !got.Equal(want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	asset, _ := got.Get("assets").AsMap()
	made, _ := asset.Get("made.txt").AsAsset()
	if made.Location != dir+"/made.txt" {
		t.Errorf("recorded at %q", made.Location)
	}
}

func TestHashes(t *testing.T) {
	t.Parallel()
	p, _ := start(t, nil)
	got := create(t, p, `{"create":"mkdir d; printf a > d/a; printf '' > empty","dir":".","assetPaths":["d/*"],"archivePaths":["**"]}`)
	again := create(t, p, `{"create":"printf b > d/a","dir":".","assetPaths":["d/*"],"archivePaths":["**"]}`)
	hash := func(m property.Map) (asset, archive, at string) {
		assets, _ := m.Get("assets").AsMap()
		a, _ := assets.Get("d/a").AsAsset()
		ar, _ := m.Get("archive").AsArchive()
		return a.Hash, ar.Hash, a.Location
	}
	a1, ar1, at := hash(got)
	a2, ar2, _ := hash(again)
	if a1 != "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb" || a1 == a2 || ar1 == ar2 || ar1 == "" {
		t.Error(a1, a2, ar1, ar2)
	}
	if at != "d/a" {
		t.Errorf("a relative dir is recorded as %q", at)
	}
	none := create(t, p, `{"create":"true","archivePaths":[]}`)
	ar, _ := none.Get("archive").AsArchive()
	// The hash of a tar file without members.
	if ar.Hash != "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef" || ar.Source != property.SourceAssets {
		t.Errorf("%+v", ar)
	}
	if none.Has("assets") {
		t.Error("assets without assetPaths")
	}
}

func TestFilesThatCannotBeCollected(t *testing.T) {
	t.Parallel()
	p, dir := start(t, nil)
	if err := os.Symlink("missing", filepath.Join(dir, "broken")); err != nil {
		t.Fatal(err)
	}
	_, err := p.Create(t.Context(), plugin.CreateRequest{
		URN: testURN, Inputs: props(t, `{"create":"true","assetPaths":["broken"]}`),
	})
	if err == nil || !strings.Contains(err.Error(), "the command succeeded, but its files could not be collected") ||
		!strings.Contains(err.Error(), "broken") {
		t.Error(err)
	}
	_, err = p.Create(t.Context(), plugin.CreateRequest{
		URN: testURN, Inputs: props(t, `{"create":"touch \"$(printf 'a\\377')\"","assetPaths":["a*"]}`),
	})
	if err == nil || !strings.Contains(err.Error(), "is not UTF-8") {
		t.Error(err)
	}
}
