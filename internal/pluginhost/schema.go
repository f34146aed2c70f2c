package pluginhost

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/status"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
)

// SchemaRequest says whose schema is wanted.
type SchemaRequest struct {
	// Package is wanted, unless Path is set.
	Package plugin.Package
	// Path is an executable or a plugin's folder.
	Path string
	// Args turn the provider into another package first, as a person gives them on a command line.
	Args []string
}

// Schema starts a provider for its schema, which is JSON, and ends it.
func (h *Host) Schema(ctx context.Context, r SchemaRequest) (schema []byte, found Found, err error) {
	if r.Path != "" {
		found, err = At(r.Path)
		r.Package = plugin.Package{Name: found.Name}
	} else {
		found, err = h.Find(ctx, KindResource, r.Package)
	}
	if err != nil {
		return nil, found, err
	}
	p, err := h.load(ctx, r.Package, found, plugin.LoadOptions{})
	if err != nil {
		return nil, found, err
	}
	managed, err := h.manage(p)
	if err != nil {
		return nil, found, err
	}
	defer func() { err = errors.Join(err, managed.Close()) }()
	if len(r.Args) > 0 {
		schema, err = parameterized(ctx, found, p, r.Args)
	} else {
		schema, err = managed.Schema(ctx)
	}
	return schema, found, err
}

// parameterized turns a provider into another package and asks for the schema of that.
func parameterized(ctx context.Context, found Found, p plugin.Provider, args []string) ([]byte, error) {
	c, ok := p.(*connected)
	if !ok {
		return nil, fmt.Errorf("the provider %s takes no parameters", describeFound(found))
	}
	client := pulumirpc.NewResourceProviderClient(c.conn)
	made, err := client.Parameterize(ctx, &pulumirpc.ParameterizeRequest{
		Parameters: &pulumirpc.ParameterizeRequest_Args{Args: &pulumirpc.ParameterizeRequest_ParametersArgs{Args: args}},
	})
	if err != nil {
		return nil, fmt.Errorf("parameterize provider %s with %q: %w", found.Name, args, errors.New(status.Convert(err).Message()))
	}
	answer, err := client.GetSchema(ctx, &pulumirpc.GetSchemaRequest{
		SubpackageName: made.GetName(), SubpackageVersion: made.GetVersion(),
	})
	if err != nil {
		return nil, fmt.Errorf("get the schema of package %s: %w", made.GetName(), errors.New(status.Convert(err).Message()))
	}
	return []byte(answer.GetSchema()), nil
}

// At is the provider plugin at a path: an executable, a folder with one, or a folder with a PulumiPlugin.yaml.
func At(path string) (Found, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Found{}, err
	}
	nameOf := func(file string) (string, bool) {
		base := filepath.Base(file)
		for _, ext := range []string{".exe", ".cmd"} {
			base = strings.TrimSuffix(base, ext)
		}
		return strings.CutPrefix(base, KindResource.Executable(""))
	}
	found := Found{Kind: KindResource, Path: path, Origin: FromProject}
	if !info.IsDir() {
		if found.Name, _ = nameOf(path); found.Name == "" {
			found.Name = filepath.Base(path)
		}
		return found, nil
	}
	found.Name = filepath.Base(path)
	entries, err := os.ReadDir(path)
	if err != nil {
		return Found{}, err
	}
	executables := 0
	for _, e := range entries {
		if name, ok := nameOf(e.Name()); ok && !e.IsDir() {
			executables++
			found.Name, found.Path = name, filepath.Join(path, e.Name())
		}
	}
	_, err = os.Stat(filepath.Join(path, KindResource.Manifest()))
	switch {
	case executables > 1:
		return Found{}, fmt.Errorf("the folder %s holds several providers; name the executable", path)
	case executables == 0 && err != nil:
		return Found{}, fmt.Errorf("the folder %s holds neither a %s* nor a %s", path, KindResource.Executable(""), KindResource.Manifest())
	}
	return found, nil
}
