package check

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/langhost"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/schema"
)

// builtinPackage is the package that needs no provider.
const builtinPackage = "pulumi"

// reference is one mention of a type or function in the program.
type reference struct {
	token        string
	version, url template.Text
	at           diag.Position
}

// packageKey tells requests for schemas apart.
type packageKey struct{ name, version, url string }

type loaded struct {
	pkg *schema.Package
	err error
}

// schemas are the loaded package schemas.
type schemas struct {
	byKey    map[packageKey]loaded
	packages map[string]plugin.Package
}

func (s schemas) of(r reference) (*schema.Package, error) {
	l := s.byKey[keyOf(r, s.packages)]
	return l.pkg, l.err
}

// names are the packages that were loaded.
func (s schemas) names() []string {
	var out []string
	for k, l := range s.byKey {
		if l.err == nil {
			out = append(out, k.name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// keyOf says which package a reference needs: its own version goes before that of the declared package.
func keyOf(r reference, packages map[string]plugin.Package) packageKey {
	k := packageKey{schema.PackageOf(r.token), r.version.Value, r.url.Value}
	if p, ok := packages[k.name]; ok {
		if k.version == "" {
			k.version = p.Version
		}
		if k.url == "" {
			k.url = p.DownloadURL
		}
	}
	return k
}

// loadSchemas loads the schemas of all packages that are mentioned, at the same time.
func loadSchemas(ctx context.Context, in Input, refs []reference) schemas {
	var keys []packageKey
	for _, r := range refs {
		if k := keyOf(r, in.Packages); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	found := make([]loaded, len(keys))
	var wg sync.WaitGroup
	for i, k := range keys {
		wg.Go(func() { found[i].pkg, found[i].err = loadSchema(ctx, in, k) })
	}
	wg.Wait()
	out := schemas{byKey: map[packageKey]loaded{}, packages: in.Packages}
	for i, k := range keys {
		out.byKey[k] = found[i]
	}
	return out
}

func loadSchema(ctx context.Context, in Input, k packageKey) (*schema.Package, error) {
	if k.name == builtinPackage {
		return schema.Builtin(), nil
	}
	req := langhost.SchemaRequest{Name: k.name, Version: k.version, DownloadURL: k.url}
	if p, ok := in.Packages[k.name]; ok {
		req.Name, req.Parameterization = p.Name, p.Parameterization
	}
	pkg, err := in.Schemas.Schema(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("loading the schema of package %q: %w", k.name, err)
	}
	return pkg, nil
}
