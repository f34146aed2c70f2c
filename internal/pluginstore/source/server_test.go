package source_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/pluginstore/source"
)

const linux = pluginstore.Platform("linux-amd64")

func fp() pluginstore.Plugin {
	return pluginstore.Plugin{Kind: pluginstore.KindResource, Name: "fp", Version: "1.2.3"}
}

// web is every server there is: paths to answers. A path's answers come one after the other, the last one for ever.
type web struct {
	t *testing.T
	*httptest.Server

	mu      sync.Mutex
	answers map[string][]http.HandlerFunc
	// asked are "path authorization" of all requests.
	asked []string
	waits []time.Duration
	told  []source.Notice
}

func newWeb(t *testing.T) *web {
	t.Helper()
	w := &web{t: t, answers: map[string][]http.HandlerFunc{}}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

func (w *web) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.asked = append(w.asked, strings.TrimSpace(r.URL.RequestURI()+" "+r.Header.Get("Authorization")))
	answers := w.answers[r.URL.Path]
	if len(answers) > 1 {
		w.answers[r.URL.Path] = answers[1:]
	}
	w.mu.Unlock()
	if len(answers) == 0 {
		to.WriteHeader(http.StatusNotFound)
		return
	}
	answers[0](to, r)
}

// on adds an answer for a path.
func (w *web) on(path string, answers ...http.HandlerFunc) {
	w.answers[path] = append(w.answers[path], answers...)
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s) }
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

// cut promises more than it sends.
func cut(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(s)+100))
		fmt.Fprint(w, s)
	}
}

// client is one whose well-known places are on the server.
func (w *web) client(environ ...string) *source.Client {
	w.t.Helper()
	return w.clientAt(nil, environ...)
}

// clientAt is a client with a clock.
func (w *web) clientAt(now func() time.Time, environ ...string) *source.Client {
	w.t.Helper()
	c, err := source.New(source.Options{
		Now:     now,
		Environ: append([]string{"PATH=" + os.Getenv("PATH")}, environ...),
		Hosts:   source.Hosts{GitHub: w.URL + "/github", GitHubAPI: w.URL + "/api", Fallback: w.URL + "/fallback", Scheme: "http"},
		Sleep: func(_ context.Context, d time.Duration) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.waits = append(w.waits, d)
			return nil
		},
		Notify: func(n source.Notice) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.told = append(w.told, n)
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// host is the server as the host of github:// and gitlab:// addresses.
func (w *web) host() string { return strings.TrimPrefix(w.URL, "http://") }

// fetch gets the plugin and gives the archive's text.
func (w *web) fetch(c *source.Client, p pluginstore.Plugin) (string, error) {
	w.t.Helper()
	s, err := c.Source(p)
	if err != nil {
		return "", err
	}
	got, err := s.Fetch(w.t.Context(), linux, w.t.TempDir())
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(got.Archive)
	if err != nil {
		w.t.Fatal(err)
	}
	if got.Hash != pluginstore.HashOf(data) {
		w.t.Errorf("the hash is not that of the archive")
	}
	return string(data), nil
}

func (w *web) paths() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked
}
