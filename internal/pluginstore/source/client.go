package source

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/cairn-iac/cairn/internal/git"
	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/release"
)

// Client talks to the places where plugins are.
type Client struct {
	environ   []string
	http      *http.Client
	git       git.Client
	overrides []override
	notify    func(Notice)
	sleep     func(context.Context, time.Duration) error
	attempts  int
	hosts     Hosts
	now       func() time.Time
}

// Options make a client. Only Environ is needed.
type Options struct {
	// Environ is the environment as NAME=value: tokens, proxies, overrides, PULUMI_OFFLINE.
	Environ []string
	// Notify takes what may be shown while it goes on; it may be called concurrently.
	Notify func(Notice)
	// Sleep replaces the waits between attempts, Now the clock, Hosts the well-known places.
	Sleep func(context.Context, time.Duration) error
	Now   func() time.Time
	Hosts Hosts
}

// Hosts are the base URLs of the places that plugins come from when nothing else is said.
type Hosts struct {
	// GitHub serves releases directly, GitHubAPI is asked when that fails, Fallback is the last resort.
	GitHub, GitHubAPI, Fallback string
	// Scheme is that of the APIs of github:// and gitlab:// sources.
	Scheme string
}

// NoticeKind is what a notice is about.
type NoticeKind int

// The kinds of notice.
const (
	// Slow comes now and then while a download takes long.
	Slow NoticeKind = iota
	// Retrying comes before a wait for another attempt.
	Retrying
)

// Notice is what may be shown while a plugin is got.
type Notice struct {
	Kind   NoticeKind
	Plugin pluginstore.Plugin
	// Received of Total bytes have come; Total is -1 when it is not known.
	Received, Total int64
	// Err is why there is another attempt, after Wait.
	Err  error
	Wait time.Duration
	// Attempt of Attempts has failed.
	Attempt, Attempts int
}

// New makes a client. Overrides that cannot be read are an error.
func New(o Options) (*Client, error) {
	c := &Client{
		environ: o.Environ, git: git.Client{Environ: o.Environ}, notify: o.Notify, sleep: o.Sleep, attempts: 5,
		hosts: o.Hosts, now: o.Now,
	}
	c.http = c.network()
	if c.notify == nil {
		c.notify = func(Notice) {}
	}
	if c.sleep == nil {
		c.sleep = sleep
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.hosts == (Hosts{}) {
		c.hosts = Hosts{
			GitHub: "https://github.com", GitHubAPI: "https://api.github.com", Fallback: "https://get.pulumi.com/releases/plugins",
			Scheme: "https",
		}
	}
	var err error
	c.overrides, err = parseOverrides(c.get(overridesVariable))
	return c, err
}

// network is a client that gives up on servers that do not answer, but not on slow ones.
func (c *Client) network() *http.Client {
	proxies := (&httpproxy.Config{
		HTTPProxy:  c.first("HTTP_PROXY", "http_proxy"),
		HTTPSProxy: c.first("HTTPS_PROXY", "https_proxy"),
		NoProxy:    c.first("NO_PROXY", "no_proxy"),
	}).ProxyFunc()
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                 func(r *http.Request) (*url.URL, error) { return proxies(r.URL) },
			DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout:   30 * time.Second,
			ResponseHeaderTimeout: time.Minute,
			ForceAttemptHTTP2:     true,
			// An archive is an archive; its hash is that of its bytes as they are published.
			DisableCompression: true,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) >= 10 {
				return fmt.Errorf("the server redirects too often")
			}
			if via[0].URL.Scheme == "https" && r.URL.Scheme != "https" {
				return fmt.Errorf("the server redirects from https to %s, where anybody may change what comes", r.URL.Scheme)
			}
			return nil
		},
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Client) get(name string) string {
	value := ""
	for _, kv := range c.environ {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

func (c *Client) first(names ...string) string {
	for _, n := range names {
		if v := c.get(n); v != "" {
			return v
		}
	}
	return ""
}

// Offline says whether PULUMI_OFFLINE forbids the network.
func (c *Client) Offline() bool {
	v := c.get(OfflineVariable)
	return v == "1" || strings.EqualFold(v, "true")
}

// OfflineVariable is the switch that keeps everything on this machine.
const OfflineVariable = "PULUMI_OFFLINE"

// OfflineError tells that something would have left the machine.
type OfflineError struct {
	// What would have been got, and from where.
	What, From string
}

func (e *OfflineError) Error() string {
	return fmt.Sprintf("%s is set, so %s was not got from %s. Ways to get it here: a bundle (`pulumi bundle` on a machine with a "+
		"network, then `pulumi bundle install FILE`), an archive (`pulumi plugin install KIND NAME VERSION -f FILE`), or a folder of "+
		"archives (--server file:///...)", OfflineVariable, e.What, e.From)
}

func userAgent() string { return fmt.Sprintf("pulumi-cli/1 (%s; %s)", release.Tag, runtime.GOOS) }
