package source

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/cairn-iac/cairn/internal/git"
)

// download gets an archive of an address.
func (c *Client) download(ctx context.Context, a *attempt, address string, header http.Header) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return final("%s is not an address: %w", git.Redact(address), err)
	}
	r.Header.Set("Accept", "application/octet-stream")
	for name, values := range header {
		r.Header[name] = values
	}
	body, size, err := c.open(r)
	if err != nil {
		return err
	}
	defer body.Close()
	return a.save(body, size)
}

// gitLab is a project's releases.
type gitLab struct {
	c             *Client
	host, project string
}

func (c *Client) gitlab(u *url.URL) (place, error) {
	project := strings.Trim(u.Path, "/")
	if u.Host == "" || project == "" || strings.Contains(project, "/") {
		return nil, fmt.Errorf("gitlab:// url must have the format <host>/<project>, was: %s", u.Redacted())
	}
	return &gitLab{c: c, host: u.Host, project: project}, nil
}

func (g *gitLab) address() string { return "gitlab://" + g.host + "/" + g.project }

func (g *gitLab) local() bool { return false }

func (g *gitLab) api(rest string) string {
	return fmt.Sprintf("%s://%s/api/v4/projects/%s/releases/%s", g.c.hosts.Scheme, g.host, g.project, rest)
}

func (g *gitLab) header() http.Header {
	h := http.Header{}
	if token := g.c.get("GITLAB_TOKEN"); token != "" {
		h.Set("Authorization", "Bearer "+token)
	}
	return h
}

func (g *gitLab) fetch(ctx context.Context, a *attempt) error {
	return g.c.download(ctx, a, g.api("v"+a.plugin.Version+"/downloads/"+a.plugin.Asset(a.platform)), g.header())
}

func (g *gitLab) latest(ctx context.Context) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, g.api("permalink/latest"), nil)
	if err != nil {
		return "", err
	}
	r.Header = g.header()
	r.Header.Set("Accept", "application/json")
	body, _, err := g.c.open(r)
	if err != nil {
		return "", err
	}
	defer body.Close()
	var found struct {
		Tag string `json:"tag_name"`
	}
	if err := decode(body, &found); err != nil {
		return "", err
	}
	return versionOf(found.Tag)
}

// web is a folder of archives on a web server.
type web struct {
	c   *Client
	url string
}

func (w *web) address() string { return w.url }

func (w *web) local() bool { return false }

func (w *web) fetch(ctx context.Context, a *attempt) error {
	base := strings.TrimSuffix(filled(w.url, a, url.QueryEscape), "/")
	return w.c.download(ctx, a, base+"/"+url.QueryEscape(a.plugin.Asset(a.platform)), nil)
}

func (w *web) latest(context.Context) (string, error) { return "", ErrNoLatest }

// filled puts the plugin into a pattern, whether its placeholders are escaped or not.
func filled(pattern string, a *attempt, escape func(string) string) string {
	var pairs []string
	for name, value := range map[string]string{
		"NAME": a.plugin.Name, "VERSION": a.plugin.Version, "OS": a.platform.OS(), "ARCH": a.platform.Arch(),
	} {
		pairs = append(pairs, "$%7B"+name+"%7D", escape(value), "${"+name+"}", escape(value))
	}
	return strings.NewReplacer(pairs...).Replace(pattern)
}

// folder is a folder of archives on this machine.
type folder struct{ url string }

func (f *folder) address() string { return f.url }

func (f *folder) local() bool { return true }

func (f *folder) fetch(_ context.Context, a *attempt) error {
	u, err := url.Parse(filled(f.url, a, url.PathEscape))
	if err != nil {
		return final("%s is not an address: %w", f.url, err)
	}
	if u.Host != "" && u.Host != "localhost" {
		return final("%s names another machine; a folder of this one is file:///path", f.url)
	}
	dir := filepath.FromSlash(u.Path)
	if runtime.GOOS == "windows" {
		dir = strings.TrimPrefix(dir, `\`)
	}
	in, err := os.Open(filepath.Join(dir, a.plugin.Asset(a.platform)))
	if err != nil {
		return err
	}
	defer in.Close()
	return a.save(in, -1)
}

func (f *folder) latest(context.Context) (string, error) { return "", ErrNoLatest }

// repository is a folder of a git repository.
type repository struct {
	c *Client
	// url is that of the whole repository.
	url string
}

func (c *Client) repository(address string) (place, error) {
	at, err := git.Split(address)
	if err != nil {
		return nil, err
	}
	return &repository{c: c, url: at.URL}, nil
}

func (r *repository) address() string { return r.url }

func (r *repository) local() bool { return strings.HasPrefix(r.url, "file:") }

func (r *repository) fetch(ctx context.Context, a *attempt) error {
	dir := filepath.Join(a.dir, "repository")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := r.c.git.Get(ctx, git.Checkout{Repository: r.url, Version: a.plugin.Version, Dir: dir}); err != nil {
		return err
	}
	a.got = Fetched{Folder: dir}
	return nil
}

func (r *repository) latest(ctx context.Context) (string, error) { return r.c.git.Latest(ctx, r.url) }
