package source

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cairn-iac/cairn/internal/git"
	"github.com/cairn-iac/cairn/internal/pluginstore"
)

// Fetched is a plugin that was got.
type Fetched struct {
	// Archive is the path of a gzipped tar archive; "" when Folder has the files.
	Archive string
	Folder  string
	// Hash is that of the archive.
	Hash pluginstore.Hash
}

// Fetch gets the plugin for a platform, into a folder that the caller removes.
func (s *Source) Fetch(ctx context.Context, for_ pluginstore.Platform, dir string) (Fetched, error) {
	if s.plugin.Version == "" {
		return Fetched{}, fmt.Errorf("unknown version for plugin %s", s.plugin.Name)
	}
	if _, err := pluginstore.ParsePlatform(string(for_)); err != nil {
		return Fetched{}, err
	}
	if err := s.Online(); err != nil {
		return Fetched{}, err
	}
	a := &attempt{c: s.c, plugin: s.plugin, platform: for_, dir: dir, started: s.c.now()}
	err := s.c.retry(ctx, s.plugin, func() error { return s.place.fetch(ctx, a) })
	return a.got, err
}

// attempt is a fetch; it may be tried several times.
type attempt struct {
	c        *Client
	plugin   pluginstore.Plugin
	platform pluginstore.Platform
	dir      string
	got      Fetched
	// started is when the first attempt was, told when the last notice came.
	started, told time.Time
}

// save takes the archive. Less than size bytes, if that is known, are not the whole.
func (a *attempt) save(r io.Reader, size int64) (err error) {
	path := filepath.Join(a.dir, "archive.tar.gz")
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), &told{r: r, a: a, total: size})
	if err != nil {
		return err
	}
	if size >= 0 && n != size {
		return fmt.Errorf("%d of %d bytes came: %w", n, size, io.ErrUnexpectedEOF)
	}
	a.got = Fetched{Archive: path, Hash: pluginstore.Sum(sum.Sum(nil))}
	return nil
}

// told reports what comes when it takes long.
type told struct {
	r        io.Reader
	a        *attempt
	n, total int64
}

// A download is slow after the first time, and told so again after the second.
const (
	slowAfter = 3 * time.Second
	slowEvery = 10 * time.Second
)

func (t *told) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.n += int64(n)
	if now := t.a.c.now(); now.Sub(t.a.started) >= slowAfter && now.Sub(t.a.told) >= slowEvery {
		t.a.told = now
		t.a.c.notify(Notice{Kind: Slow, Plugin: t.a.plugin, Received: t.n, Total: t.total})
	}
	return n, err
}

// HTTPError is an answer that is not what was asked for.
type HTTPError struct {
	Status int
	// URL is the address without its secrets.
	URL string
	// RetryAfter is what the server asked for, 0 if nothing.
	RetryAfter time.Duration
	header     http.Header
}

func (e *HTTPError) Error() string {
	return fmt.Sprintf("%d HTTP error fetching plugin from %s", e.Status, e.URL)
}

// open asks a server and gives the body of a good answer.
func (c *Client) open(r *http.Request) (io.ReadCloser, int64, error) {
	r.Header.Set("User-Agent", userAgent())
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, 0, redacted(r, err)
	}
	if resp.StatusCode/100 == 2 {
		return &patient{ReadCloser: resp.Body, limit: stalledAfter}, resp.ContentLength, nil
	}
	_ = resp.Body.Close() // there is nothing in it for us
	e := &HTTPError{Status: resp.StatusCode, URL: git.Redact(r.URL.String()), header: resp.Header}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.RetryAfter = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(resp.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = at.Sub(c.now())
	}
	return nil, 0, e
}

// redacted takes user and query of the address out of a failure, which may show it.
func redacted(r *http.Request, err error) error {
	var shown *url.Error
	if errors.As(err, &shown) {
		err = shown.Err
	}
	return fmt.Errorf("get %s: %w", git.Redact(r.URL.String()), err)
}

// stalledAfter is how long nothing at all may come.
const stalledAfter = time.Minute

// patient is a body that fails when nothing comes any more, however slow it may be.
type patient struct {
	io.ReadCloser
	limit time.Duration
}

func (p *patient) Read(b []byte) (int, error) {
	stop := time.AfterFunc(p.limit, func() { _ = p.ReadCloser.Close() })
	n, err := p.ReadCloser.Read(b)
	if !stop.Stop() && err != nil {
		return n, fmt.Errorf("nothing came for %s: %w", p.limit, io.ErrUnexpectedEOF)
	}
	return n, err
}

// longestWait is how long we wait because a server asks us to.
const longestWait = time.Minute

// retry tries something until it succeeds, fails for good, or has failed often enough.
func (c *Client) retry(ctx context.Context, p pluginstore.Plugin, try func() error) error {
	wait := 250 * time.Millisecond
	for n := 1; ; n++ {
		err := try()
		if err == nil || ctx.Err() != nil || !passing(err) {
			return err
		}
		if n == c.attempts {
			return fmt.Errorf("failed all %d attempts: %w", n, err)
		}
		pause := wait + rand.N(wait/2)
		var answer *HTTPError
		if errors.As(err, &answer) && answer.RetryAfter > 0 {
			if answer.RetryAfter > longestWait {
				return fmt.Errorf("%w; the server asks to come back in %s", err, answer.RetryAfter.Round(time.Second))
			}
			pause = max(pause, answer.RetryAfter)
		}
		c.notify(Notice{Kind: Retrying, Plugin: p, Err: err, Wait: pause, Attempt: n, Attempts: c.attempts})
		if err := c.sleep(ctx, pause); err != nil {
			return err
		}
		wait *= 2
	}
}

// passing says whether another attempt may go better. Of several failures one is enough.
func passing(err error) bool {
	for err != nil {
		switch e := any(err).(type) {
		case interface{ Unwrap() []error }:
			return slices.ContainsFunc(e.Unwrap(), passing)
		case *HTTPError:
			return e.passing()
		case *net.DNSError:
			return !Unreachable(e)
		case *finalError, *fs.PathError, *git.Error:
			return false
		}
		inner := errors.Unwrap(err)
		if inner == nil {
			break
		}
		err = inner
	}
	return !errors.Is(err, git.ErrNoGit) && !errors.Is(err, ErrNoLatest) && !errors.Is(err, context.Canceled) && !Unreachable(err)
}

// Unreachable says whether a failure is that of a machine without a network.
func Unreachable(err error) bool {
	if errors.Is(err, syscall.ENETUNREACH) {
		return true
	}
	var name *net.DNSError
	// The resolver keeps only the text of why it could not ask.
	return errors.As(err, &name) && (name.IsNotFound || strings.Contains(name.Err, syscall.ENETUNREACH.Error()))
}

func (e *HTTPError) passing() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// finalError will not go away by itself.
type finalError struct{ err error }

func (e *finalError) Error() string { return e.err.Error() }

func (e *finalError) Unwrap() error { return e.err }

func final(format string, args ...any) error { return &finalError{fmt.Errorf(format, args...)} }
