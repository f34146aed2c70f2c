package pkg

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/langhost"
	yamlhost "github.com/cairn-iac/cairn/internal/langhost/yaml"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/schema"
)

// sourceHelp is said by all commands that take a source.
const sourceHelp = "SOURCE is a package's name, with @version if it matters; the path of a provider's executable or folder; the address of\n" +
	"a git repository; or a schema file (.json or .yaml). What follows are parameters for the provider; put them after --\n" +
	"if they look like flags."

// wanted is what a command line names.
type wanted struct {
	f      *factory.Factory
	source string
	args   []string
	server string
}

// document gets the schema as JSON.
func (w wanted) document(ctx context.Context) (_ []byte, err error) {
	switch filepath.Ext(w.source) {
	case ".json", ".yaml", ".yml":
		return fromFile(w.f.Path(w.source))
	}
	s := &schemas{by: map[string]*schema.Package{}}
	s.host = pluginhost.New(w.f.HostOptions(factory.HostRequest{
		Dir: w.f.Dir, Log: w.log,
		YAML: func(_ context.Context, l pluginhost.RuntimeLaunch) (plugin.Provider, error) {
			return yamlhost.NewComponentProvider(l.Plugin, yamlhost.ComponentOptions{Schemas: s, Log: l.Log})
		},
	}))
	defer func() { err = errors.Join(err, s.host.Close()) }()
	r := pluginhost.SchemaRequest{Args: w.args}
	var asked pluginstore.Plugin
	if factory.IsLocalPath(w.source) {
		r.Path = w.f.Path(w.source)
	} else {
		asked, err = pluginstore.Parse(w.source, pluginstore.Plugin{Kind: pluginstore.KindResource, DownloadURL: w.server})
		if err != nil {
			return nil, err
		}
		r.Package = plugin.Package{Name: asked.Name, Version: asked.Version, DownloadURL: asked.DownloadURL}
	}
	text, found, err := s.host.Schema(ctx, r)
	if err != nil {
		return nil, err
	}
	return completed(text, found, len(w.args) > 0)
}

func (w wanted) log(l plugin.Log) {
	if l.Message != "" && l.Severity != "debug" && !l.Ephemeral {
		w.f.Streams.Errorf("%s: %s\n", l.Severity, l.Message)
	}
}

func fromFile(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if filepath.Ext(path) == ".json" {
		return text, nil
	}
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

// completed gives a schema the version of its plugin if it says none itself.
func completed(text []byte, found pluginhost.Found, parameterized bool) ([]byte, error) {
	p, err := schema.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the schema of %s: %w", found.Name, err)
	}
	if p.Version != "" || p.Parameterization != nil || parameterized || found.Version == "" {
		return text, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	if fields["version"], err = json.Marshal(found.Version); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

// pkg is the schema of what is wanted.
func (w wanted) pkg(ctx context.Context) (*schema.Package, error) {
	text, err := w.document(ctx)
	if err != nil {
		return nil, err
	}
	return schema.Parse(text)
}

// schemas finds the schemas that a component's folder refers to.
type schemas struct {
	host *pluginhost.Host
	mu   sync.Mutex
	by   map[string]*schema.Package
}

// Schema implements langhost.Schemas.
func (s *schemas) Schema(ctx context.Context, r langhost.SchemaRequest) (*schema.Package, error) {
	key := r.Name + "\x00" + r.Version + "\x00" + r.DownloadURL
	if r.Parameterization != nil {
		key += "\x00" + r.Parameterization.Name + "\x00" + string(r.Parameterization.Value)
	}
	s.mu.Lock()
	known := s.by[key]
	s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	text, _, err := s.host.Schema(ctx, pluginhost.SchemaRequest{Package: plugin.Package{
		Name: r.Name, Version: r.Version, DownloadURL: r.DownloadURL, Parameterization: r.Parameterization,
	}})
	if err != nil {
		return nil, err
	}
	p, err := schema.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("read the schema of package %s: %w", r.Name, err)
	}
	s.mu.Lock()
	s.by[key] = p
	s.mu.Unlock()
	return p, nil
}
