package operation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/langhost"
	"github.com/cairn-iac/cairn/internal/schema"
)

// report shows a problem of the program in the stack's row and under its diagnostics.
func (p *program) report(d diag.Diagnostic) {
	var b strings.Builder
	if at := d.Subject.Position; !at.IsZero() {
		fmt.Fprintf(&b, "%s: ", at)
	}
	b.WriteString(d.Summary)
	if d.Detail != "" {
		b.WriteString("\n" + d.Detail)
	}
	if d.Subject.Source != "" {
		fmt.Fprintf(&b, "\n%d: %s", d.Subject.Position.Line, d.Subject.Source)
	}
	p.w.monitor.Log(plugin.Log{Severity: d.Severity, Message: b.String(), URN: d.Subject.URN})
}

// schemas finds package schemas by asking providers, once per package.
type schemas struct {
	w  *world
	mu sync.Mutex
	by map[string]*schemaAnswer
}

type schemaAnswer struct {
	once sync.Once
	pkg  *schema.Package
	err  error
}

func newSchemas(w *world) *schemas { return &schemas{w: w, by: map[string]*schemaAnswer{}} }

// Schema implements langhost.Schemas.
func (s *schemas) Schema(ctx context.Context, r langhost.SchemaRequest) (*schema.Package, error) {
	key := strings.Join([]string{r.Name, r.Version, r.DownloadURL}, "\x00")
	if p := r.Parameterization; p != nil {
		key += "\x00" + p.Name + "\x00" + p.Version + "\x00" + string(p.Value)
	}
	s.mu.Lock()
	a := s.by[key]
	if a == nil {
		a = &schemaAnswer{}
		s.by[key] = a
	}
	s.mu.Unlock()
	a.once.Do(func() { a.pkg, a.err = s.ask(ctx, r) })
	return a.pkg, a.err
}

func (s *schemas) ask(ctx context.Context, r langhost.SchemaRequest) (*schema.Package, error) {
	p, err := s.w.host.Load(ctx, plugin.Package{
		Name: r.Name, Version: r.Version, DownloadURL: r.DownloadURL, Parameterization: r.Parameterization,
	}, plugin.LoadOptions{})
	if err != nil {
		return nil, err
	}
	text, err := p.Schema(ctx)
	if err := errors.Join(err, p.Close()); err != nil {
		return nil, fmt.Errorf("get the schema of package %s: %w", r.Name, err)
	}
	pkg, err := schema.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("read the schema of package %s: %w", r.Name, err)
	}
	return pkg, nil
}

// fetch gets remote assets, unless the machine is meant to be offline.
func (w *world) fetch(ctx context.Context, url string) (io.ReadCloser, error) {
	if w.r.f.Env.Truthy("PULUMI_OFFLINE") {
		return nil, fmt.Errorf("PULUMI_OFFLINE is set, so the remote asset was not fetched; put it into a file of the project")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 != 2 {
		_ = resp.Body.Close() // there is nothing in it for us
		return nil, fmt.Errorf("get %s: the server answers %s", url, resp.Status)
	}
	return resp.Body, nil
}
