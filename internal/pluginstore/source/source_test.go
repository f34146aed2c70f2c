package source_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/git"
	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/pluginstore/source"
)

const (
	asset    = "pulumi-resource-fp-v1.2.3-linux-amd64.tar.gz"
	direct   = "/github/pulumi/pulumi-fp/releases/download/v1.2.3/" + asset
	byTag    = "/api/repos/pulumi/pulumi-fp/releases/tags/v1.2.3"
	fallback = "/fallback/" + asset
)

func release(url string) http.HandlerFunc {
	return text(fmt.Sprintf(`{"assets":[{"name":"other","url":"x"},{"name":%q,"url":%q}]}`, asset, url))
}

func TestUsualPlaces(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		prepare func(*web)
		want    string
		asked   []string
	}{
		"directly": {func(w *web) { w.on(direct, text("direct")) }, "direct", []string{direct}},
		"by the API": {func(w *web) {
			w.on(byTag, release(w.URL+"/asset"))
			w.on("/asset", text("asset"))
		}, "asset", []string{direct, byTag, "/asset"}},
		"the last resort": {func(w *web) { w.on(fallback, text("fallback")) }, "fallback", []string{direct, byTag, fallback}},
		"no such asset": {func(w *web) {
			w.on(byTag, text(`{"assets":[]}`))
			w.on(fallback, text("fallback"))
		}, "fallback", []string{direct, byTag, fallback}},
		"redirected": {func(w *web) {
			w.on(direct, func(to http.ResponseWriter, r *http.Request) {
				http.Redirect(to, r, "/cdn?signature=x", http.StatusFound)
			})
			w.on("/cdn", text("cdn"))
		}, "cdn", []string{direct, "/cdn?signature=x"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWeb(t)
			c.prepare(w)
			got, err := w.fetch(w.client(), fp())
			if err != nil || got != c.want {
				t.Errorf("got %q, %v", got, err)
			}
			if diff := cmp.Diff(c.asked, w.paths()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNowhere(t *testing.T) {
	t.Parallel()
	w := newWeb(t)
	_, err := w.fetch(w.client(), fp())
	for _, says := range []string{"404 HTTP error fetching plugin from " + w.URL + byTag, "set GITHUB_TOKEN", "404 HTTP error fetching plugin from " + w.URL + fallback} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("no %q in: %v", says, err)
		}
	}
	if len(w.waits) != 0 {
		t.Errorf("it was tried again: %v", w.waits)
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	at := "/files/" + asset
	cases := map[string]struct {
		answers []http.HandlerFunc
		want    string
		// waits is how often it is tried again.
		waits int
		says  string
	}{
		"unavailable, then ok": {[]http.HandlerFunc{status(503), text("ok")}, "ok", 1, ""},
		"too many, then ok":    {[]http.HandlerFunc{status(429, "Retry-After", "7"), text("ok")}, "ok", 1, ""},
		"cut off, then ok":     {[]http.HandlerFunc{cut("half"), cut("hal"), text("ok")}, "ok", 2, ""},
		"all kinds, then ok":   {[]http.HandlerFunc{status(500), status(502), status(504), status(408), text("ok")}, "ok", 4, ""},
		"always unavailable":   {[]http.HandlerFunc{status(503)}, "", 4, "failed all 5 attempts: 503 HTTP error"},
		"always cut off":       {[]http.HandlerFunc{cut("half")}, "", 4, "unexpected EOF"},
		"not there":            {[]http.HandlerFunc{status(404)}, "", 0, "404 HTTP error fetching plugin from"},
		"forbidden":            {[]http.HandlerFunc{status(403)}, "", 0, "403 HTTP error"},
		"come back tomorrow":   {[]http.HandlerFunc{status(503, "Retry-After", "86400")}, "", 0, "come back in 24h0m0s"},
		"a circle":             {[]http.HandlerFunc{status(302, "Location", at)}, "", 4, "redirects too often"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWeb(t)
			w.on(at, c.answers...)
			p := fp()
			p.DownloadURL = w.URL + "/files"
			got, err := w.fetch(w.client(), p)
			if got != c.want || len(w.waits) != c.waits || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %q after %v, %v", got, w.waits, err)
			}
			for _, n := range w.told {
				if n.Kind != source.Retrying || n.Err == nil || n.Attempts != 5 {
					t.Errorf("told %+v", n)
				}
			}
			if name == "too many, then ok" && w.waits[0] != 7*time.Second {
				t.Errorf("waited %v", w.waits)
			}
			for i := 1; i < len(w.waits); i++ {
				if w.waits[i] <= w.waits[i-1] {
					t.Errorf("waits do not grow: %v", w.waits)
				}
			}
		})
	}
}

// A slow server is waited for, and the user told.
func TestSlow(t *testing.T) {
	t.Parallel()
	w := newWeb(t)
	w.on("/files/"+asset, func(to http.ResponseWriter, _ *http.Request) {
		for range 3 {
			fmt.Fprint(to, "part")
			to.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	})
	p := fp()
	p.DownloadURL = w.URL + "/files"
	clock := time.Now()
	c := w.clientAt(func() time.Time {
		clock = clock.Add(5 * time.Second)
		return clock
	})
	if got, err := w.fetch(c, p); err != nil || got != "partpartpart" {
		t.Errorf("got %q, %v", got, err)
	}
	if len(w.told) == 0 || w.told[0].Kind != source.Slow || w.told[0].Total != -1 {
		t.Errorf("told %+v", w.told)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, asset), []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		kind     pluginstore.Kind
		url      string // %s is the server
		path     string
		asked    string
		recorded string
	}{
		"a folder of a server": {"resource", "%s/a/", "/a/" + asset, "/a/" + asset, "%s/a/"},
		"placeholders":         {"resource", "%s/${NAME}/v${VERSION}/${OS}/${ARCH}", "/fp/v1.2.3/linux/amd64/" + asset, "", "%s/${NAME}/v${VERSION}/${OS}/${ARCH}"},
		"escaped placeholders": {"resource", "%s/$%%7BNAME%%7D", "/fp/" + asset, "", "%s/${NAME}"},
		"github organization":  {"resource", "github://HOST/org", "/repos/org/pulumi-fp/releases/tags/v1.2.3", "", "github://HOST/org"},
		"github repository":    {"resource", "github://HOST/org/repo", "/repos/org/repo/releases/tags/v1.2.3", "", "github://HOST/org/repo"},
		"github tool":          {"tool", "github://HOST/org", "/repos/org/pulumi-tool-fp/releases/tags/v1.2.3", "", "github://HOST/org"},
		"github converter":     {"converter", "github://HOST/org", "/repos/org/pulumi-converter-fp/releases/tags/v1.2.3", "", "github://HOST/org"},
		"gitlab":               {"resource", "gitlab://HOST/42", "/api/v4/projects/42/releases/v1.2.3/downloads/" + asset, "", "gitlab://HOST/42"},
		"a folder":             {"resource", "file://" + dir, "", "", "file://" + dir},
		"a folder by name":     {"resource", "file://" + strings.Replace(dir, filepath.Base(dir), "${NAME}", 1), "", "", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWeb(t)
			file := strings.Replace(asset, "resource", string(c.kind), 1)
			w.on("/asset", text("ok"))
			w.on(c.path, text(fmt.Sprintf(`{"assets":[{"name":%q,"url":%q}]}`, file, w.URL+"/asset")))
			p := fp()
			p.Kind = c.kind
			fill := strings.NewReplacer("%s", w.URL, "HOST", w.host(), "%%", "%")
			p.DownloadURL = fill.Replace(c.url)
			s, err := w.client().Source(p)
			if err != nil {
				t.Fatal(err)
			}
			if c.recorded != "" && s.URL() != fill.Replace(c.recorded) {
				t.Errorf("recorded as %s", s.URL())
			}
			_, err = w.fetch(w.client(), p)
			if name == "a folder by name" {
				if err == nil || !strings.Contains(err.Error(), "fp/"+asset) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || c.path != "" && w.paths()[0] != c.path {
				t.Errorf("asked %v, %v", w.paths(), err)
			}
		})
	}
}

func TestBadAddresses(t *testing.T) {
	t.Parallel()
	w := newWeb(t)
	for url, says := range map[string]string{
		"ftp://u:secret@x/y":        "unknown plugin source scheme \"ftp\"",
		"github://host":             "github:// url must have the format",
		"github:///org":             "github:// url must have the format",
		"github://u:secret@h/a/b/c": "github:// url must have the format",
		"gitlab://host/a/b":         "gitlab:// url must have the format",
		"https://%zz":               "is not a URL",
		"git://host/org":            "does not name a repository",
		"file://other/share":        "names another machine",
		"mirror.example.com":        "unknown plugin source scheme",
	} {
		p := fp()
		p.DownloadURL = url
		_, err := w.fetch(w.client(), p)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", url, err)
		}
	}
	none := fp()
	none.Version = ""
	if _, err := w.fetch(w.client(), none); err == nil || !strings.Contains(err.Error(), "unknown version") {
		t.Errorf("got %v", err)
	}
	s, err := w.client().Source(fp())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Fetch(t.Context(), "plan9-386", t.TempDir()); err == nil || !strings.Contains(err.Error(), "not for plan9-386") {
		t.Errorf("got %v", err)
	}
	if len(w.paths()) > 0 {
		t.Errorf("asked %v", w.paths())
	}
}

func TestSecretsOfAddressesAreNotShown(t *testing.T) {
	t.Parallel()
	w := newWeb(t)
	p := fp()
	for _, url := range []string{
		strings.Replace(w.URL, "http://", "http://user:canary-1@", 1) + "/x", "http://user:canary-1@127.0.0.1:1/x", "https://canary-1:x@" + w.host(),
	} {
		p.DownloadURL = url
		s, err := w.client().Source(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.fetch(w.client(), p); err == nil || strings.Contains(err.Error()+s.URL(), "canary-1") {
			t.Errorf("got %v, %s", err, s.URL())
		}
	}
	for _, n := range w.told {
		if strings.Contains(n.Err.Error(), "canary-1") {
			t.Errorf("told %v", n.Err)
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	p := fp()
	t.Run("github", func(t *testing.T) {
		t.Parallel()
		w, p := newWeb(t), p
		p.DownloadURL = "github://" + w.host() + "/org"
		w.on("/repos/org/pulumi-fp/releases/tags/v1.2.3", release(w.URL+"/asset"))
		w.on("/asset", text("ok"))
		if _, err := w.fetch(w.client("GITHUB_TOKEN=t1"), p); err != nil {
			t.Error(err)
		}
		if want := []string{"/repos/org/pulumi-fp/releases/tags/v1.2.3 token t1", "/asset token t1"}; !cmp.Equal(want, w.paths()) {
			t.Errorf("asked %v", w.paths())
		}
	})
	t.Run("github refuses it", func(t *testing.T) {
		t.Parallel()
		w, p := newWeb(t), p
		p.DownloadURL = "github://" + w.host() + "/org"
		w.on("/repos/org/pulumi-fp/releases/tags/v1.2.3", status(401), release(w.URL+"/asset"))
		w.on("/asset", text("ok"))
		if _, err := w.fetch(w.client("GITHUB_TOKEN=t1"), p); err != nil {
			t.Error(err)
		}
		if got := w.paths(); len(got) != 3 || strings.Contains(got[1]+got[2], "t1") {
			t.Errorf("asked %v", got)
		}
	})
	t.Run("gitlab", func(t *testing.T) {
		t.Parallel()
		w, p := newWeb(t), p
		p.DownloadURL = "gitlab://" + w.host() + "/42"
		w.on("/api/v4/projects/42/releases/v1.2.3/downloads/"+asset, text("ok"))
		if _, err := w.fetch(w.client("GITLAB_TOKEN=t2", "GITHUB_TOKEN=t1"), p); err != nil || !strings.HasSuffix(w.paths()[0], " Bearer t2") {
			t.Errorf("asked %v, %v", w.paths(), err)
		}
	})
	t.Run("nobody else gets one", func(t *testing.T) {
		t.Parallel()
		w, p := newWeb(t), p
		other := newWeb(t)
		other.on("/x", text("ok"))
		w.on("/files/"+asset, func(to http.ResponseWriter, r *http.Request) { http.Redirect(to, r, other.URL+"/x", http.StatusFound) })
		p.DownloadURL = w.URL + "/files"
		if _, err := w.fetch(w.client("GITLAB_TOKEN=t2", "GITHUB_TOKEN=t1"), p); err != nil {
			t.Error(err)
		}
		if got := strings.Join(append(w.paths(), other.paths()...), " "); strings.Contains(got, "t1") || strings.Contains(got, "t2") {
			t.Errorf("asked %v", got)
		}
	})
	t.Run("rate limit", func(t *testing.T) {
		t.Parallel()
		w, p := newWeb(t), p
		p.DownloadURL = "github://" + w.host() + "/org"
		reset := strconv.FormatInt(time.Now().Add(10*time.Minute).Unix(), 10)
		w.on("/repos/org/pulumi-fp/releases/tags/v1.2.3", status(403, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset))
		_, err := w.fetch(w.client(), p)
		if err == nil || !strings.Contains(err.Error(), "rate limit exceeded, try again in") || !strings.Contains(err.Error(), "with a token in GITHUB_TOKEN") || len(w.waits) > 0 {
			t.Errorf("got %v after %v", err, w.waits)
		}
	})
}

func TestOverrides(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ url, overrides, asked string }{
		"usual":    {"", "^github://api.github.com/pulumi/=%s/mirror", "/mirror/" + asset},
		"groups":   {"github://api.github.com/org/repo", "^other=x,^github://api.github.com/(?P<org>[^/]+)/([^/]+)=%s/${org}/$2/$1", "/org/repo/org/" + asset},
		"whole":    {"https://old.example.com/x", "old.example.(com)/x=%s/$0", "/old.example.com/x/" + asset},
		"pattern":  {"https://old.example.com/${NAME}", "^https://old.example.com=%s/${NAME}-${OS}", "/fp-linux/" + asset},
		"fallback": {"", "^https?://.*/fallback$=%s/last", "/last/" + asset},
		"git":      {"git://example.com/org/repo", "^https://example.com/org/repo.git$=%s/git", "/git/" + asset},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWeb(t)
			w.on(c.asked, text("ok"))
			p := fp()
			p.DownloadURL = c.url
			if _, err := w.fetch(w.client("PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES="+strings.ReplaceAll(c.overrides, "%s", w.URL)), p); err != nil {
				t.Error(err)
			}
			if got := w.paths(); got[len(got)-1] != c.asked {
				t.Errorf("asked %v", got)
			}
		})
	}
	for _, bad := range []string{"nonsense", "=x", "x=", "a=b,", "[=x"} {
		if _, err := source.New(source.Options{Environ: []string{"PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES=" + bad}}); err == nil || !strings.Contains(err.Error(), "OVERRIDES: ") {
			t.Errorf("%s: got %v", bad, err)
		}
	}
}

func TestOffline(t *testing.T) {
	t.Parallel()
	w := newWeb(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, asset), []byte("here"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.client("PULUMI_OFFLINE=true")
	for _, url := range []string{"", w.URL, "github://" + w.host() + "/o", "gitlab://" + w.host() + "/1", "git://" + w.host() + "/o/r", "git+http://" + w.host() + "/o/r"} {
		p := fp()
		p.DownloadURL = url
		var offline *source.OfflineError
		if _, err := w.fetch(c, p); !errors.As(err, &offline) || !strings.Contains(err.Error(), "PULUMI_OFFLINE is set") {
			t.Errorf("%s: got %v", url, err)
		}
		s, err := c.Source(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Latest(t.Context()); !errors.As(err, &offline) {
			t.Errorf("%s: got %v", url, err)
		}
	}
	p := fp()
	p.DownloadURL = "file://" + dir
	if got, err := w.fetch(c, p); err != nil || got != "here" {
		t.Errorf("got %q, %v", got, err)
	}
	if len(w.paths()) > 0 {
		t.Errorf("asked %v", w.paths())
	}
}

func TestLatest(t *testing.T) {
	t.Parallel()
	w := newWeb(t)
	w.on("/api/repos/pulumi/pulumi-fp/releases/latest", status(503), text(`{"tag_name":"v2.3.4"}`))
	w.on("/api/v4/projects/7/releases/permalink/latest", text(`{"tag_name":"3.0"}`))
	w.on("/repos/o/odd/releases/latest", text(`{"tag_name":"newest"}`))
	for url, want := range map[string]string{
		"": "2.3.4", "gitlab://" + w.host() + "/7": "3.0.0", "github://" + w.host() + "/o/odd": "called \"newest\"",
		"github://" + w.host() + "/o/gone": "404 HTTP error", w.URL: "name one", "file:///x": "name one",
	} {
		p := fp()
		p.Version, p.DownloadURL = "", url
		s, err := w.client().Source(p)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Latest(t.Context())
		if got != want && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %q, %v", url, got, err)
		}
	}
}

func TestRepositories(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	dir := filepath.Join(t.TempDir(), "repo.git")
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@x"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sub", "PulumiPlugin.yaml"), []byte("runtime: yaml\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run("init", "--quiet")
	run("add", ".")
	run("commit", "--quiet", "-m", "x")
	run("tag", "v1.0.0")
	hash := run("rev-parse", "HEAD")
	w := newWeb(t)
	c := w.client("PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES=^https://example.com/org/repo.git=git+file://"+dir, "PULUMI_OFFLINE=1", "HOME="+t.TempDir())
	for _, version := range []string{"1.0.0", git.CommitVersion(hash)} {
		p := pluginstore.Plugin{Kind: "resource", Name: "x", Version: version, DownloadURL: "git://example.com/org/repo/sub"}
		s, err := c.Source(p)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Fetch(t.Context(), linux, t.TempDir())
		if err != nil || got.Hash != "" {
			t.Fatal(got, err)
		}
		if _, err := os.Stat(filepath.Join(got.Folder, "sub", "PulumiPlugin.yaml")); err != nil || s.URL() != "git://example.com/org/repo/sub" {
			t.Errorf("%s: %v, %s", version, err, s.URL())
		}
		if v, err := s.Latest(t.Context()); err != nil || v != "1.0.0" {
			t.Errorf("got %s, %v", v, err)
		}
	}
}

func TestKnown(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"resource time": "github://api.github.com/pulumiverse ", "resource aws": " ", "language hcl": " 0.19.1",
		"language opa": "github://api.github.com/pulumi/pulumi-policy-opa 1.1.3", "tool time": " ",
	} {
		kind, name, _ := strings.Cut(in, " ")
		p := source.Known(pluginstore.Plugin{Kind: pluginstore.Kind(kind), Name: name})
		if got := p.DownloadURL + " " + p.Version; got != want {
			t.Errorf("%s: got %q", in, got)
		}
	}
	own := pluginstore.Plugin{Kind: "resource", Name: "time", DownloadURL: "https://mine"}
	if got := source.Known(own); got.DownloadURL != own.DownloadURL {
		t.Errorf("got %+v", got)
	}
}

// A machine without a network is not waited for.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	unreachable := &net.OpError{Op: "dial", Net: "udp", Err: os.NewSyscallError("connect", syscall.ENETUNREACH)}
	for want, errs := range map[bool][]error{
		true: {
			&net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}, unreachable,
			fmt.Errorf("get: %w", &net.OpError{Op: "dial", Err: &net.DNSError{Err: unreachable.Error(), Name: "x"}}),
		},
		false: {&net.DNSError{Err: "server misbehaving", Name: "x", IsTemporary: true}, errors.New("x"), nil},
	} {
		for _, err := range errs {
			if got := source.Unreachable(err); got != want {
				t.Errorf("%v: got %v", err, got)
			}
		}
	}
}
