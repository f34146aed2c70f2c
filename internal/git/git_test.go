package git_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/git"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]git.Location{
		"https://github.com/org/repo":                 {URL: "https://github.com/org/repo.git"},
		"https://github.com/org/repo.git":             {URL: "https://github.com/org/repo.git"},
		"https://github.com/org/repo/a/b/":            {URL: "https://github.com/org/repo.git", Path: "a/b"},
		"https://gitlab.com/g/sub/repo.git/a":         {URL: "https://gitlab.com/g/sub/repo.git", Path: "a"},
		"https://user:pw@example.com/org/repo/x":      {URL: "https://user:pw@example.com/org/repo.git", Path: "x"},
		"https://github.com/org/.github/x":            {URL: "https://github.com/org/.github.git", Path: "x"},
		"https://gist.github.com/owner/abc":           {URL: "https://gist.github.com/abc.git"},
		"https://dev.azure.com/org/project/_git/repo": {URL: "https://dev.azure.com/org/project/_git/repo"},
		"git@github.com:org/repo.git":                 {URL: "ssh://git@github.com/org/repo.git"},
		"ssh://git@host:22/org/repo/x":                {URL: "ssh://git@host:22/org/repo.git", Path: "x"},
		"file:///srv/mirror/repo":                     {URL: "file:///srv/mirror/repo"},
		"file:///srv/mirror/repo.git/folder/":         {URL: "file:///srv/mirror/repo.git", Path: "folder"},
		"https://example.com/a.git/b.git/c":           {URL: "https://example.com/a.git/b.git", Path: "c"},
		"https://github.com/org/repo.gitfoo/x":        {URL: "https://github.com/org/repo.gitfoo.git", Path: "x"},
	} {
		got, err := git.Split(address)
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v", address, got, err)
		}
	}
	for address, says := range map[string]string{
		"https://github.com/org":         "does not name a repository",
		"https://gist.github.com/abc":    "a gist's address",
		"ftp://example.com/org/repo":     "not \"ftp\"",
		"https://u:secret@example.com/x": "https://example.com/x does not name",
		"https://%zz":                    "not a URL",
		"ext::sh -c touch":               "",
	} {
		_, err := git.Split(address)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", address, err)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("https://user:pw@github.com/org/repo.git/a")
	f.Add("git@github.com:org/repo")
	f.Fuzz(func(_ *testing.T, address string) { _, _ = git.Split(address) })
}

// repository is one in a folder; its work tree is the folder itself.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	r := repository{t, t.TempDir()}
	r.run("init", "--quiet", "--initial-branch=main", ".")
	return r
}

func (r repository) run(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit changes a file and gives the commit.
func (r repository) commit(text string) string {
	r.t.Helper()
	file := filepath.Join(r.dir, "folder", "file")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
	r.run("add", ".")
	r.run("commit", "--quiet", "-m", text)
	return r.run("rev-parse", "HEAD")
}

func (r repository) url() string { return "file://" + r.dir }

func client(more ...string) git.Client {
	return git.Client{Environ: append([]string{
		"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "HOME=/nonexistent",
	}, more...)}
}

func get(t *testing.T, c git.Client, url, version string) (string, error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	if err := c.Get(t.Context(), git.Checkout{Repository: url, Version: version, Dir: dir}); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		t.Error("the repository itself is still there")
	}
	text, err := os.ReadFile(filepath.Join(dir, "folder", "file"))
	return string(text), err
}

func TestVersions(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	if _, err := client().Latest(t.Context(), r.url()); err == nil || !strings.Contains(err.Error(), "neither tags nor commits") {
		t.Errorf("empty: %v", err)
	}
	first := r.commit("first")
	latest := func(want string) {
		t.Helper()
		if got, err := client().Latest(t.Context(), r.url()); err != nil || got != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
	latest("0.0.0-x" + first)
	r.run("tag", "nonsense")
	r.run("tag", "v2.0.0-beta.1")
	latest("2.0.0-beta.1")
	r.commit("second")
	r.run("tag", "-a", "-m", "annotated", "v1.2.0")
	latest("1.2.0")
	r.commit("third")
	r.run("tag", "1.10.0")
	latest("1.10.0")
	last := r.commit("last")
	for version, want := range map[string]string{
		"1.2.0": "second", "1.10.0": "third", "2.0.0-beta.1": "first", "0.0.0": "last",
		"0.0.0-x" + first: "first", "0.0.0-x" + first[:7]: "first", "0.0.0-x" + last: "last",
	} {
		if got, err := get(t, client(), r.url(), version); err != nil || got != want {
			t.Errorf("%s: got %q, %v", version, got, err)
		}
	}
	for version, says := range map[string]string{
		"3.0.0":                             "no tag v3.0.0 or 3.0.0",
		"--upload-pack=x":                   "neither semantic nor a commit",
		"0.0.0-xdeadbeefdead":               "git failed",
		"0.0.0-x" + strings.Repeat("a", 40): "git failed",
	} {
		if got, err := get(t, client(), r.url(), version); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %q, %v", version, got, err)
		}
	}
}

func TestCommitVersions(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"0.0.0-xabc123": "abc123", "0.0.0-x": "", "0.0.0-xyz12": "", "1.0.0": "", "0.0.0": "",
	} {
		hash, ok := git.CommitOf(version)
		if !ok {
			hash = ""
		}
		if diff := cmp.Diff(want, hash); diff != "" {
			t.Errorf("%s: %s", version, diff)
		}
	}
}

// A repository's own hooks and settings run nothing here.
func TestNothingOfTheRepositoryRuns(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.commit("one")
	mark := filepath.Join(t.TempDir(), "ran")
	hook := "#!/bin/sh\ntouch " + mark + "\n"
	for _, name := range []string{"post-checkout", "post-upload-pack"} {
		if err := os.WriteFile(filepath.Join(r.dir, ".git", "hooks", name), []byte(hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := get(t, client(), r.url(), "0.0.0"); err != nil {
		t.Fatal(err)
	}
	if _, err := get(t, client(), "ext::sh -c touch% "+mark, "0.0.0"); err == nil {
		t.Error("a transport ran a command")
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("something ran")
	}
}

func TestWithoutGit(t *testing.T) {
	t.Parallel()
	c := git.Client{Environ: []string{"PATH=" + t.TempDir() + ":relative"}}
	if _, err := c.Latest(t.Context(), "https://example.invalid/a/b.git"); !errors.Is(err, git.ErrNoGit) {
		t.Errorf("got %v", err)
	}
}

// served serves a repository over http to those who have the password.
func served(t *testing.T, r repository, password string) (url string, asked func() []string) {
	t.Helper()
	backend := filepath.Join(r.run("--exec-path"), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("needs git-http-backend")
	}
	var mu sync.Mutex
	var seen []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		_, given, _ := q.BasicAuth()
		mu.Lock()
		seen = append(seen, given)
		mu.Unlock()
		if given != password {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		(&cgi.Handler{
			Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(r.dir), "GIT_HTTP_EXPORT_ALL=1"},
		}).ServeHTTP(w, q)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/" + filepath.Base(r.dir) + "/.git", func() []string {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}

func TestPrivateRepositories(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.commit("private")
	r.run("tag", "v1.0.0")
	const token = "token-4711"
	url, _ := served(t, r, token)
	c := client("GENERIC_VCS_TOKEN=" + token)
	if v, err := c.Latest(t.Context(), url); err != nil || v != "1.0.0" {
		t.Errorf("got %s, %v", v, err)
	}
	if got, err := get(t, c, url, "1.0.0"); err != nil || got != "private" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := get(t, client("GIT_USERNAME=me", "GIT_PASSWORD="+token), url, "1.0.0"); err != nil || got != "private" {
		t.Errorf("got %q, %v", got, err)
	}
	withUser := strings.Replace(url, "http://", "http://me:"+token+"@", 1)
	if got, err := get(t, client(), withUser, "1.0.0"); err != nil || got != "private" {
		t.Errorf("got %q, %v", got, err)
	}
	encoded := base64.StdEncoding.EncodeToString([]byte("x-access-token:wrong-4711"))
	for _, c := range []git.Client{client(), client("GENERIC_VCS_TOKEN=wrong-4711")} {
		_, err := c.Latest(t.Context(), url)
		if err == nil || strings.Contains(err.Error(), "wrong-4711") || strings.Contains(err.Error(), encoded) {
			t.Errorf("got %v", err)
		}
	}
	wrong := strings.Replace(url, "http://", "http://me:wrong-4711@", 1)
	if _, err := client().Latest(t.Context(), wrong); err == nil || strings.Contains(err.Error(), "wrong-4711") {
		t.Errorf("got %v", err)
	}
}

// A public repository stays readable with a token that its host does not like.
func TestRefusedTokens(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.commit("public")
	url, asked := served(t, r, "")
	if _, err := client("GENERIC_VCS_TOKEN=useless").Latest(t.Context(), url); err != nil {
		t.Errorf("got %v after %v", err, asked())
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := newRepository(t)
	r.commit("one")
	if _, err := client().Latest(ctx, r.url()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
