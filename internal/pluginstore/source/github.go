package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/blang/semver/v4"

	"github.com/cairn-iac/cairn/internal/pluginstore"
)

// gitHub is a repository's releases.
type gitHub struct {
	c                              *Client
	plugin                         pluginstore.Plugin
	host, organization, repository string
	// refused is set when the host did not like our token: public repositories are readable without one.
	refused atomic.Bool
}

const gitHubAPI = "api.github.com"

func (c *Client) github(p pluginstore.Plugin, u *url.URL) (place, error) {
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if u.Host == "" || parts[0] == "" || len(parts) > 2 {
		return nil, fmt.Errorf("github:// url must have the format <host>/<organization>[/<repository>], was: %s", u.Redacted())
	}
	g := &gitHub{c: c, plugin: p, host: u.Host, organization: parts[0], repository: repositoryOf(p)}
	if len(parts) == 2 {
		g.repository = parts[1]
	}
	return g, nil
}

// repositoryOf is the repository that plugins of a kind and name are published in by convention.
func repositoryOf(p pluginstore.Plugin) string {
	switch {
	case p.Kind == pluginstore.KindConverter && p.Name != "yaml" && p.Name != "hcl":
		return "pulumi-converter-" + p.Name
	case p.Kind == pluginstore.KindTool && !strings.HasPrefix(p.Name, "pulumi-tool-"):
		return "pulumi-tool-" + p.Name
	default:
		return "pulumi-" + p.Name
	}
}

func (g *gitHub) address() string {
	return fmt.Sprintf("github://%s/%s/%s", g.host, g.organization, g.repository)
}

func (g *gitHub) local() bool { return false }

// api is an address of the host's API.
func (g *gitHub) api(format string, args ...any) string {
	base := g.c.hosts.Scheme + "://" + g.host
	if g.host == gitHubAPI {
		base = g.c.hosts.GitHubAPI
	}
	return fmt.Sprintf("%s/repos/%s/%s/", base, g.organization, g.repository) + fmt.Sprintf(format, args...)
}

func (g *gitHub) fetch(ctx context.Context, a *attempt) error {
	asset := a.plugin.Asset(a.platform)
	var direct error
	if g.organization == "pulumi" && g.host == gitHubAPI {
		// The API counts requests; where releases are is known for these.
		address := fmt.Sprintf("%s/%s/%s/releases/download/v%s/%s", g.c.hosts.GitHub, g.organization, g.repository, a.plugin.Version, asset)
		if direct = g.c.download(ctx, a, address, nil); direct == nil {
			return nil
		}
	}
	return either(direct, g.fetchByAPI(ctx, a, asset))
}

// either is the second failure, and the first one where that may pass.
func either(first, second error) error {
	if second != nil && first != nil && passing(first) {
		return errors.Join(second, first)
	}
	return second
}

func (g *gitHub) fetchByAPI(ctx context.Context, a *attempt, asset string) error {
	var found struct {
		Assets []struct{ Name, URL string }
	}
	if err := g.ask(ctx, g.api("releases/tags/v%s", a.plugin.Version), &found); err != nil {
		return err
	}
	for _, x := range found.Assets {
		if x.Name == asset {
			body, size, err := g.open(ctx, x.URL, "application/octet-stream")
			if err != nil {
				return err
			}
			defer body.Close()
			return a.save(body, size)
		}
	}
	return final("plugin asset '%s' not found in release v%s of %s", asset, a.plugin.Version, g.address())
}

func (g *gitHub) latest(ctx context.Context) (string, error) {
	var found struct {
		Tag string `json:"tag_name"`
	}
	if err := g.ask(ctx, g.api("releases/latest"), &found); err != nil {
		return "", err
	}
	return versionOf(found.Tag)
}

func versionOf(tag string) (string, error) {
	v, err := semver.ParseTolerant(tag)
	if err != nil {
		return "", final("the newest release is called %q, which is no version", tag)
	}
	return v.String(), nil
}

func (g *gitHub) ask(ctx context.Context, address string, to any) error {
	body, _, err := g.open(ctx, address, "application/json")
	if err != nil {
		return err
	}
	defer body.Close()
	return decode(body, to)
}

// decode reads a server's answer, which is small.
func decode(r io.Reader, to any) error {
	if err := json.NewDecoder(io.LimitReader(r, 32<<20)).Decode(to); err != nil {
		return fmt.Errorf("the server's answer cannot be read: %w", err)
	}
	return nil
}

// open asks the API, with the token that the environment has, and once more without it when the host refuses it.
func (g *gitHub) open(ctx context.Context, address, accept string) (io.ReadCloser, int64, error) {
	token := g.c.get("GITHUB_TOKEN")
	if g.refused.Load() {
		token = ""
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, 0, err
	}
	r.Header.Set("Accept", accept)
	if token != "" {
		r.Header.Set("Authorization", "token "+token)
	}
	body, size, err := g.c.open(r)
	var answer *HTTPError
	switch {
	case err == nil || !errors.As(err, &answer):
		return body, size, err
	case answer.Status == http.StatusForbidden && answer.header.Get("X-Ratelimit-Remaining") == "0":
		return nil, 0, g.rateLimited(answer, token)
	case token != "" && (answer.Status == http.StatusUnauthorized || answer.Status == http.StatusForbidden):
		g.refused.Store(true)
		return g.open(ctx, address, accept)
	case answer.Status == http.StatusNotFound && token == "":
		return nil, 0, fmt.Errorf("%w. If this is a private GitHub repository, set GITHUB_TOKEN to a token that may read it", err)
	default:
		return nil, 0, err
	}
}

func (g *gitHub) rateLimited(answer *HTTPError, token string) error {
	text := "rate limit exceeded"
	if at, err := strconv.ParseInt(answer.header.Get("X-Ratelimit-Reset"), 10, 64); err == nil {
		text += fmt.Sprintf(", try again in %s", time.Unix(at, 0).Sub(g.c.now()).Round(time.Second))
	}
	switch {
	case g.refused.Load():
		text += "; the token in GITHUB_TOKEN was refused, another one has a limit of its own"
	case token == "":
		text += "; with a token in GITHUB_TOKEN the limit is higher"
	}
	return &finalError{fmt.Errorf("%s: %w", text, answer)}
}

// usual is where plugins come from that name no source.
type usual struct {
	*gitHub
	fallback string
}

func (c *Client) byDefault(p pluginstore.Plugin) *usual {
	g := &gitHub{c: c, plugin: p, host: gitHubAPI, organization: "pulumi", repository: repositoryOf(p)}
	return &usual{gitHub: g, fallback: c.hosts.Fallback}
}

func (u *usual) fetch(ctx context.Context, a *attempt) error {
	first := u.gitHub.fetch(ctx, a)
	if first == nil || ctx.Err() != nil {
		return first
	}
	if to, ok := u.c.replaced(u.fallback); ok {
		place, err := u.c.at(a.plugin, to)
		if err != nil {
			return fmt.Errorf("%s: %w", overridesVariable, err)
		}
		return withFirst(first, place.fetch(ctx, a))
	}
	return withFirst(first, u.c.download(ctx, a, u.fallback+"/"+url.QueryEscape(a.plugin.Asset(a.platform)), nil))
}

// withFirst tells both failures.
func withFirst(first, second error) error {
	if second == nil {
		return nil
	}
	return errors.Join(first, second)
}
