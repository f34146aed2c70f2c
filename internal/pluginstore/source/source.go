package source

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/cairn-iac/cairn/internal/git"
	"github.com/cairn-iac/cairn/internal/pluginstore"
)

// ErrNoLatest is what a source answers that cannot say which version is the newest.
var ErrNoLatest = errors.New("this kind of source cannot tell which version is the newest; name one")

// Source is where one plugin comes from.
type Source struct {
	c      *Client
	plugin pluginstore.Plugin
	place  place
	// url is the address that was asked for, before overrides.
	url string
}

// place is one kind of source.
type place interface {
	// address is what overrides match.
	address() string
	// local is true for places that need no network.
	local() bool
	// fetch makes one attempt to get an archive into a file, or a folder of files.
	fetch(context.Context, *attempt) error
	latest(context.Context) (string, error)
}

// Source finds the source of a plugin, by its download URL and the overrides.
func (c *Client) Source(p pluginstore.Plugin) (*Source, error) {
	s := &Source{c: c, plugin: p, url: p.DownloadURL}
	var err error
	if p.DownloadURL == "" {
		s.place = c.byDefault(p)
		s.url = s.place.address()
	} else if s.place, err = c.at(p, p.DownloadURL); err != nil {
		return nil, err
	}
	if to, ok := c.replaced(s.place.address()); ok {
		if s.place, err = c.at(p, to); err != nil {
			return nil, fmt.Errorf("%s: %w", overridesVariable, err)
		}
	}
	return s, nil
}

// at is the place of a URL.
func (c *Client) at(p pluginstore.Plugin, text string) (place, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the download URL of plugin %s is not a URL", p.Name)
	}
	switch u.Scheme {
	case "github":
		return c.github(p, u)
	case "gitlab":
		return c.gitlab(u)
	case "https", "http":
		return &web{c: c, url: u.String()}, nil
	case "file":
		return &folder{url: u.String()}, nil
	case "git":
		return c.repository("https" + strings.TrimPrefix(text, "git"))
	}
	if transport, ok := strings.CutPrefix(u.Scheme, "git+"); ok {
		return c.repository(transport + strings.TrimPrefix(text, u.Scheme))
	}
	return nil, fmt.Errorf("%s: unknown plugin source scheme %q; known are github, gitlab, https, http, git and file",
		git.Redact(text), u.Scheme)
}

// URL names the source in the lock file.
func (s *Source) URL() string { return pluginstore.Public(s.url) }

// Latest is the newest version that the source has.
func (s *Source) Latest(ctx context.Context) (string, error) {
	if err := s.Online(); err != nil {
		return "", err
	}
	var out string
	err := s.c.retry(ctx, s.plugin, func() (err error) {
		out, err = s.place.latest(ctx)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("could not find latest version for %s plugin %s: %w", s.plugin.Kind, s.plugin.Name, err)
	}
	return out, nil
}

// Online is an *OfflineError for a source that may not be asked.
func (s *Source) Online() error {
	if s.c.Offline() && !s.place.local() {
		return &OfflineError{What: fmt.Sprintf("the %s plugin %s", s.plugin.Kind, s.plugin), From: s.URL()}
	}
	return nil
}
