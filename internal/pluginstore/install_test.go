package pluginstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/pluginstore"
)

func fp(version string) pluginstore.Plugin {
	return pluginstore.Plugin{Kind: pluginstore.KindResource, Name: "fp", Version: version}
}

// with fills a plugin's folder.
func with(files map[string]string) func(context.Context, string, string) error {
	return func(_ context.Context, dir, scratch string) error {
		if err := os.WriteFile(filepath.Join(scratch, "archive"), nil, 0o600); err != nil {
			return err
		}
		for name, text := range files {
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
				return err
			}
		}
		return nil
	}
}

func executable(text string) func(context.Context, string, string) error {
	return with(map[string]string{"pulumi-resource-fp": text})
}

// names lists a folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func content(t *testing.T, s pluginstore.Store) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Dir, "resource-fp-v1.0.0", "pulumi-resource-fp"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestInstallAndRemove(t *testing.T) {
	t.Parallel()
	s := pluginstore.Store{Dir: filepath.Join(t.TempDir(), "home", "plugins")}
	install := func(text string, again bool) bool {
		t.Helper()
		_, done, err := s.Install(t.Context(), pluginstore.Installation{
			Plugin: fp("1.0.0"), Fill: executable(text), Reinstall: again, Note: func() string { return text },
		})
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	if !install("one", false) || install("two", false) || content(t, s) != "one" {
		t.Error("the second install did not find the first")
	}
	if !install("three", true) || content(t, s) != "three" {
		t.Error("the plugin was not replaced")
	}
	all, err := s.List()
	if err != nil || len(all) != 1 || all[0].Version != "1.0.0" || all[0].Size != 5 || s.Note(all[0]) != "three" {
		t.Fatalf("got %+v, %v", all, err)
	}
	want := []string{"resource-fp-v1.0.0", "resource-fp-v1.0.0.files", "resource-fp-v1.0.0.lock", "resource-fp-v1.0.0.note"}
	if diff := cmp.Diff(want, names(t, s.Dir)); diff != "" {
		t.Error(diff)
	}
	pluginstore.MarkUsed(all[0])
	if err := s.Remove(t.Context(), all[0]); err != nil {
		t.Fatal(err)
	}
	if left := names(t, s.Dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// Whatever goes wrong, what was there before is there after.
func TestFailedInstallsChangeNothing(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	cases := map[string]struct {
		o    pluginstore.Installation
		says string
	}{
		"fill":      {pluginstore.Installation{Fill: func(context.Context, string, string) error { return boom }}, "boom"},
		"half full": {pluginstore.Installation{Fill: func(c context.Context, d, s string) error { return errors.Join(executable("new")(c, d, s), boom) }}, "boom"},
		"check":     {pluginstore.Installation{Fill: executable("new"), Check: func(pluginstore.Hash) error { return boom }}, "boom"},
		"another":   {pluginstore.Installation{Fill: with(map[string]string{"pulumi-resource-other": "x"})}, "neither pulumi-resource-fp nor PulumiPlugin.yaml"},
		"deeper":    {pluginstore.Installation{Fill: with(map[string]string{"bin/pulumi-resource-fp": "x"})}, "it is not the resource plugin fp-1.0.0"},
	}
	for name, c := range cases {
		for _, before := range []string{"", "old"} {
			t.Run(name+" over "+before, func(t *testing.T) {
				t.Parallel()
				s := pluginstore.Store{Dir: t.TempDir()}
				if before != "" {
					if _, _, err := s.Install(t.Context(), pluginstore.Installation{Plugin: fp("1.0.0"), Fill: executable(before)}); err != nil {
						t.Fatal(err)
					}
				}
				o := c.o
				o.Plugin, o.Reinstall = fp("1.0.0"), true
				_, _, err := s.Install(t.Context(), o)
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("got %v", err)
				}
				_, there := s.Find(fp("1.0.0"))
				if there != (before != "") || there && content(t, s) != before {
					t.Errorf("there is one: %v", there)
				}
				left := slices.DeleteFunc(names(t, s.Dir), func(n string) bool {
					return strings.HasSuffix(n, ".lock") || before != "" && (n == "resource-fp-v1.0.0" || strings.HasSuffix(n, ".files"))
				})
				if len(left) > 0 {
					t.Errorf("left: %v", left)
				}
			})
		}
	}
}

// A plugin does not count before its dependencies are there.
func TestFinish(t *testing.T) {
	t.Parallel()
	s := pluginstore.Store{Dir: t.TempDir()}
	o := pluginstore.Installation{Plugin: fp("1.0.0"), Fill: with(map[string]string{"PulumiPlugin.yaml": "runtime: nodejs\n"})}
	o.Finish = func(_ context.Context, dir string) error {
		if _, ok := s.Find(fp("1.0.0")); ok || filepath.Dir(dir) != s.Dir {
			t.Errorf("counted %v at %s", ok, dir)
		}
		if err := os.WriteFile(filepath.Join(dir, "installed"), []byte("x"), 0o600); err != nil {
			return err
		}
		return errors.New("no registry")
	}
	if _, _, err := s.Install(t.Context(), o); err == nil || err.Error() != "no registry" {
		t.Errorf("got %v", err)
	}
	if _, ok := s.Find(fp("1.0.0")); ok {
		t.Error("it counts")
	}
	o.Finish = func(_ context.Context, dir string) error {
		return os.WriteFile(filepath.Join(dir, "installed"), []byte("x"), 0o600)
	}
	i, done, err := s.Install(t.Context(), o)
	if err != nil || !done {
		t.Fatal(err)
	}
	// What the runtime added is none of the plugin's files.
	had, err := s.HashInstalled(i, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(i.Path, "cache"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if has, err := s.HashInstalled(i, had); err != nil || has != had {
		t.Errorf("got %s, %v", has, err)
	}
	if files, err := s.Files(i, had); err != nil || !slices.Equal(files, []string{"PulumiPlugin.yaml"}) {
		t.Errorf("got %v, %v", files, err)
	}
	if err := os.WriteFile(filepath.Join(i.Path, "PulumiPlugin.yaml"), []byte("runtime: evil\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if has, err := s.HashInstalled(i, had); err != nil || has == had {
		t.Errorf("got %s, %v", has, err)
	}
	if got := s.Changed(i); !slices.Equal(got, []string{"PulumiPlugin.yaml was changed"}) {
		t.Errorf("got %v", got)
	}
}

func TestHashes(t *testing.T) {
	t.Parallel()
	s := pluginstore.Store{Dir: t.TempDir()}
	i, _, err := s.Install(t.Context(), pluginstore.Installation{Plugin: fp("1.0.0"), Fill: with(map[string]string{
		"pulumi-resource-fp": "x", "lib/a": "1", "b \" \n c": "2",
	})})
	if err != nil {
		t.Fatal(err)
	}
	had, err := s.HashInstalled(i, "")
	if err != nil || !had.Valid() {
		t.Fatal(had, err)
	}
	change := func(want string, f func() error) {
		t.Helper()
		if err := f(); err != nil {
			t.Fatal(err)
		}
		has, err := s.HashInstalled(i, had)
		if err != nil || has == had {
			t.Errorf("%s: not noticed: %v", want, err)
		}
		if got := s.Changed(i); len(got) != 1 || got[0] != want {
			t.Errorf("got %v", got)
		}
	}
	a := filepath.Join(i.Path, "lib", "a")
	change("lib/a was changed", func() error { return os.WriteFile(a, []byte("2"), 0o600) })
	change("lib/a is gone", func() error { return os.Remove(a) })
	change("lib/a was changed", func() error { return os.Symlink("../pulumi-resource-fp", a) })
	if err := errors.Join(os.Remove(a), os.WriteFile(a, []byte("1"), 0o600)); err != nil {
		t.Fatal(err)
	}
	change("extra was added", func() error { return os.WriteFile(filepath.Join(i.Path, "extra"), nil, 0o600) })
	if err := os.Remove(filepath.Join(i.Path, "extra")); err != nil {
		t.Fatal(err)
	}
	// Neither a forged list of files nor a manifest next to the executable hides a change.
	if err := os.WriteFile(i.Path+".files", []byte("sha256:0  \"PulumiPlugin.yaml\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if has, err := s.HashInstalled(i, had); err != nil || has != had {
		t.Errorf("got %s, %v", has, err)
	}
	if err := os.WriteFile(filepath.Join(i.Path, "PulumiPlugin.yaml"), []byte("runtime: yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	if has, err := s.HashInstalled(i, had); err != nil || has == had {
		t.Errorf("got %s, %v", has, err)
	}
	for text, want := range map[pluginstore.Hash]bool{
		"": false, "sha256:": false, had: true, had[:20]: false, "sha512" + had[6:]: false, pluginstore.Hash(strings.ToUpper(string(had))): false,
	} {
		if text.Valid() != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestFindAtLeast(t *testing.T) {
	t.Parallel()
	s := pluginstore.Store{Dir: t.TempDir()}
	for _, v := range []string{"1.9.0", "1.10.0", "2.0.0-beta.1", "0.0.0-xabcd"} {
		if _, _, err := s.Install(t.Context(), pluginstore.Installation{Plugin: fp(v), Fill: executable(v)}); err != nil {
			t.Fatal(err)
		}
	}
	for wanted, want := range map[string]string{
		"1.0.0": "1.10.0", "1.9.0": "1.9.0", "1.10.0": "1.10.0", "1.11.0": "", "2.0.0-beta.1": "2.0.0-beta.1", "2.0.0-alpha.1": "",
		"0.0.0-xabcd": "0.0.0-xabcd",
	} {
		got, ok, err := s.FindAtLeast(fp(wanted))
		if err != nil || ok != (want != "") || got.Version != want {
			t.Errorf("%s: got %+v, %v, %v", wanted, got, ok, err)
		}
	}
}

// What a kill left behind neither counts nor stands in the way.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	s := pluginstore.Store{Dir: t.TempDir()}
	write := func(parts ...string) {
		t.Helper()
		file := filepath.Join(append([]string{s.Dir}, parts...)...)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("stale"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("resource-fp-v1.0.0", "pulumi-resource-fp")
	write("resource-fp-v1.0.0.partial")
	write("resource-fp-v1.0.0.tmp123", "x")
	write("resource-other-v1.0.0.tmp123", "x")
	write(".resource-fp-v1.0.0.new", "x")
	write(".resource-fp-v1.0.0.scratch", "x")
	if all, err := s.All(); err != nil || len(all) != 0 {
		t.Errorf("got %v, %v", all, err)
	}
	if _, done, err := s.Install(t.Context(), pluginstore.Installation{Plugin: fp("1.0.0"), Fill: executable("new")}); err != nil || !done {
		t.Fatal(done, err)
	}
	want := []string{"resource-fp-v1.0.0", "resource-fp-v1.0.0.files", "resource-fp-v1.0.0.lock", "resource-other-v1.0.0.tmp123"}
	if diff := cmp.Diff(want, names(t, s.Dir)); diff != "" || content(t, s) != "new" {
		t.Error(diff)
	}
}

const childVariable = "PLUGINSTORE_TEST_DIR"

// Eight processes that install the same plugin at the same time fill it once.
func TestProcessesWaitForEachOther(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(childVariable); dir != "" {
		installAsChild(t, dir)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			cmd := exec.Command(self, "-test.run", "^TestProcessesWaitForEachOther$")
			cmd.Env = append(os.Environ(), childVariable+"="+dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	fills, err := os.ReadFile(filepath.Join(dir, "fills"))
	if err != nil || string(fills) != "x" {
		t.Errorf("filled %d times, %v", len(fills), err)
	}
	s := pluginstore.Store{Dir: filepath.Join(dir, "plugins")}
	if _, ok := s.Find(fp("1.0.0")); !ok || len(content(t, s)) != 1<<20 {
		t.Error("it is not whole")
	}
}

func installAsChild(t *testing.T, dir string) {
	s := pluginstore.Store{Dir: filepath.Join(dir, "plugins")}
	i, _, err := s.Install(t.Context(), pluginstore.Installation{
		Plugin: fp("1.0.0"), Fill: func(c context.Context, d, scratch string) error {
			f, err := os.OpenFile(filepath.Join(dir, "fills"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(f, "x")
			return errors.Join(err, f.Close(), executable(strings.Repeat("z", 1<<20))(c, d, scratch))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(i.Path, "pulumi-resource-fp")); err != nil || info.Size() != 1<<20 {
		t.Errorf("it counted before it was whole: %v", err)
	}
}

// Installs and removals at the same time leave either a whole plugin or none.
func TestInstallsAndRemovalsTogether(t *testing.T) {
	t.Parallel()
	s := pluginstore.Store{Dir: t.TempDir()}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 10 {
				i, _, err := s.Install(t.Context(), pluginstore.Installation{Plugin: fp("1.0.0"), Fill: executable("whole")})
				if err != nil && !strings.Contains(err.Error(), "vanished") {
					t.Error(err)
					continue
				}
				if err == nil {
					if err := s.Remove(t.Context(), i); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if left := names(t, s.Dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestWaitingCanBeCanceled(t *testing.T) {
	t.Parallel()
	s := pluginstore.Store{Dir: t.TempDir()}
	started, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _, err := s.Install(t.Context(), pluginstore.Installation{Plugin: fp("1.0.0"), Fill: func(c context.Context, d, scratch string) error {
			close(started)
			<-release
			return executable("x")(c, d, scratch)
		}})
		if err != nil {
			t.Error(err)
		}
	})
	<-started
	ctx, cancel := context.WithCancel(t.Context())
	told := make(chan struct{})
	wg.Go(func() {
		<-told
		cancel()
	})
	_, _, err := s.Install(ctx, pluginstore.Installation{Plugin: fp("1.0.0"), Fill: executable("y"), Waiting: func() { close(told) }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(release)
	wg.Wait()
	if content(t, s) != "x" {
		t.Error("it is not the first one's")
	}
}
