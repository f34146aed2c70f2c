package yaml

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"google.golang.org/grpc"

	"github.com/pulumi/pulumi/sdk/v3/proto/go/codegen"

	"github.com/cairn-iac/cairn/internal/langhost"
	"github.com/cairn-iac/cairn/internal/schema"
)

// loader finds package schemas through the Loader service of an engine. It asks for each once.
type loader struct {
	conn   *grpc.ClientConn
	client codegen.LoaderClient

	mu     sync.Mutex
	loaded map[loaderKey]*loadedSchema
}

type loaderKey struct{ name, version, url, parameter string }

type loadedSchema struct {
	once sync.Once
	pkg  *schema.Package
	err  error
}

func newLoader(target string) (*loader, error) {
	if target == "" {
		return nil, errors.New("the engine offers no schema loader")
	}
	conn, err := dial(target)
	if err != nil {
		return nil, err
	}
	return &loader{conn: conn, client: codegen.NewLoaderClient(conn), loaded: map[loaderKey]*loadedSchema{}}, nil
}

// close ends the connection; there is nothing to lose.
func (l *loader) close() { l.conn.Close() }

// Schema implements langhost.Schemas.
func (l *loader) Schema(ctx context.Context, r langhost.SchemaRequest) (*schema.Package, error) {
	key := loaderKey{name: r.Name, version: r.Version, url: r.DownloadURL}
	if r.Parameterization != nil {
		key.parameter = r.Parameterization.Name + " " + r.Parameterization.Version
	}
	l.mu.Lock()
	s, ok := l.loaded[key]
	if !ok {
		s = &loadedSchema{}
		l.loaded[key] = s
	}
	l.mu.Unlock()
	s.once.Do(func() { s.pkg, s.err = l.load(ctx, r) })
	return s.pkg, s.err
}

func (l *loader) load(ctx context.Context, r langhost.SchemaRequest) (*schema.Package, error) {
	req := &codegen.GetSchemaRequest{Package: r.Name, Version: r.Version, DownloadUrl: r.DownloadURL}
	if p := r.Parameterization; p != nil {
		req.Parameterization = &codegen.Parameterization{Name: p.Name, Version: p.Version, Value: p.Value}
	}
	resp, err := l.client.GetSchema(ctx, req)
	if err != nil {
		return nil, fromStatus(err)
	}
	pkg, err := schema.Parse(resp.GetSchema())
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", r.Name, err)
	}
	return pkg, nil
}
