package operation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cairn-iac/cairn/internal/asset"
	"github.com/cairn-iac/cairn/internal/cli/exit"
	"github.com/cairn-iac/cairn/internal/config"
	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/langhost"
	"github.com/cairn-iac/cairn/internal/langhost/yaml"
	"github.com/cairn-iac/cairn/internal/monitor"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/release"
	"github.com/cairn-iac/cairn/internal/state"

	"github.com/cairn-iac/cairn/internal/cli/factory"
)

// phase is one run of the engine.
type phase struct {
	preview bool
	opened  *opened
	also    func(event.Event)
}

// operate runs the engine once and shows what happens.
func (r *runner) operate(ctx context.Context, p phase) (engine.Result, error) {
	cfg, err := r.configuration(ctx, p)
	if err != nil {
		return engine.Result{}, err
	}
	w := &world{r: r, yaml: yaml.New()}
	opts := r.opts
	opts.Excludes, opts.MakePlan = r.excluded(p.opened.base), p.preview && r.plans()
	source, err := r.source(ctx, w, p.opened.base, &opts)
	if err != nil {
		return engine.Result{}, err
	}
	view, closeView, err := r.view(p.preview)
	if err != nil {
		return engine.Result{}, err
	}
	closeView = sync.OnceValue(closeView)
	defer func() { _ = closeView() }() // sets the terminal back even when there is a bug
	deps := engine.Deps{
		Host: w, Serve: w.serve, Stacks: factory.References{Factory: r.f}, Now: time.Now, Cancel: r.stop.graceful,
		Emit: func(e event.Event) {
			view.Handle(e)
			p.also(e)
		},
	}
	if j := p.opened.journal(); j != nil {
		deps.Journal = j
	}
	deps.Program = source
	finished := make(chan struct{})
	r.watchLock(p.opened, finished)
	result := engine.Run(ctx, engine.Operation{
		Kind: r.spec.kind, Preview: p.preview, Base: p.opened.base, Options: opts,
		Stack: engine.Stack{
			Organization: "organization", Project: r.stack.Ref.Project, Name: r.stack.Ref.Name,
			Config: cfg.Values, SecretKeys: cfg.SecretKeys,
		},
	}, deps)
	close(finished)
	if err := w.close(); err != nil {
		r.f.Streams.Errorf("warning: %s\n", err)
	}
	return result, closeView()
}

// source is where registrations come from: the project's program, an import, or nil where nothing is registered. It also
// sets the versions of default providers.
func (r *runner) source(ctx context.Context, w *world, base *state.Snapshot, opts *engine.Options) (engine.Program, error) {
	switch {
	case r.runsProgram():
		p, err := w.program()
		if err != nil {
			return nil, err
		}
		opts.DefaultVersions, err = p.defaultVersions(ctx)
		return p, err
	case r.spec.imports != nil:
		return r.spec.imports.source(ctx, r, w, importing{base: base, options: opts})
	default:
		return nil, nil
	}
}

// runsProgram says whether the operation needs the program.
func (r *runner) runsProgram() bool { return r.spec.kind == engine.Update || r.opts.ByProgram }

// configuration is what the program gets. A refresh or destroy outside of the project goes without.
func (r *runner) configuration(ctx context.Context, _ phase) (config.Program, error) {
	if r.stack.Project == nil && !r.runsProgram() {
		return config.Program{}, nil
	}
	secrets, err := r.stack.Secrets(ctx, nil)
	if err != nil {
		return config.Program{}, fmt.Errorf("getting stack configuration: %w", err)
	}
	c, err := r.stack.Configuration(ctx, secrets)
	if err != nil {
		return config.Program{}, err
	}
	r.history, r.effective = c.History, c.Effective
	return c.Program, nil
}

// world is what one run of the engine works with: plugins, monitor, program.
type world struct {
	r *runner

	yaml    *yaml.Host
	host    *pluginhost.Host
	monitor engine.Monitor
	schemas *schemas
	address string
}

var _ plugin.Host = (*world)(nil)

// Load implements plugin.Host. The engine asks only after it has been served.
func (w *world) Load(ctx context.Context, pkg plugin.Package, opts plugin.LoadOptions) (plugin.Provider, error) {
	return w.host.Load(ctx, pkg, opts)
}

// serve starts the monitor of a deployment and the plugin host that reports to it.
func (w *world) serve(m engine.Monitor) (string, func(), error) {
	f := w.r.f
	root := f.Dir
	if p := w.r.stack.Project; p != nil {
		root = p.Dir()
	}
	reader := asset.Reader{Dir: w.directory(), Files: asset.Disk{}, Fetch: w.fetch}
	server, err := monitor.Serve(m, monitor.Options{
		Version: release.Version, ProjectRoot: root,
		HashAssets: func(ctx context.Context, in property.Map) (property.Map, error) { return reader.ComputeHashes(ctx, in) },
		Bug: func(cause any, stack []byte) {
			f.Streams.Errorf("error: this is a bug in pulumi %s: %v\n\n%s\n", release.Tag, cause, stack)
		},
	})
	if err != nil {
		return "", nil, err
	}
	w.address, w.monitor = server.Address, m
	w.schemas = newSchemas(w)
	w.host = pluginhost.New(f.HostOptions(factory.HostRequest{
		Stack: w.r.stack, Dir: w.directory(), Engine: server.Address, Log: m.Log, Abort: w.r.stop.ctx.Done(),
		YAML: func(_ context.Context, l pluginhost.RuntimeLaunch) (plugin.Provider, error) {
			return yaml.NewComponentProvider(l.Plugin, yaml.ComponentOptions{
				Schemas: w.schemas, Log: l.Log, Sole: w.yaml.IsSole,
			})
		},
	}))
	return server.Address, server.Close, nil
}

func (w *world) close() error {
	if w.host == nil {
		return nil
	}
	return w.host.Close()
}

// directory is where the program is.
func (w *world) directory() string {
	p := w.r.stack.Project
	if p == nil {
		return w.r.f.Dir
	}
	dir := filepath.Join(p.Dir(), p.Main)
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return filepath.Dir(dir)
	}
	return dir
}

// program is the project's program under its language host.
func (w *world) program() (*program, error) {
	p := w.r.stack.Project
	switch p.Runtime.Name {
	case "yaml":
		return &program{w: w, runtime: w.yaml}, nil
	case "":
		return nil, exit.With(exit.Failure, fmt.Errorf("%s: the project names no runtime; add `runtime: yaml`", p.Path))
	default:
		return nil, exit.With(exit.Failure, fmt.Errorf("%s: the runtime %q is not available yet in this version; only yaml is",
			p.Path, p.Runtime.Name))
	}
}

// program adapts a language host to the engine.
type program struct {
	w       *world
	runtime langhost.Runtime
}

// place says where the program is.
func (p *program) place() langhost.Program {
	prj := p.w.r.stack.Project
	return langhost.Program{
		Root: prj.Dir(), Directory: p.w.directory(), EntryPoint: ".", Options: prj.Runtime.Options,
		Environment: p.w.r.f.Env,
	}
}

// defaultVersions are the versions of default providers where a resource names none: those that the program means by
// default.
func (p *program) defaultVersions(ctx context.Context) (map[string]plugin.Package, error) {
	required, err := p.runtime.RequiredPackages(ctx, p.place())
	if err != nil {
		return nil, fmt.Errorf("find the packages that the program needs: %w", err)
	}
	out := map[string]plugin.Package{}
	for _, pkg := range required {
		name := pkg.Name
		if pkg.Parameterization != nil {
			name = pkg.Parameterization.Name
		}
		if _, later := out[name]; !later {
			out[name] = pkg
		}
	}
	maps.DeleteFunc(out, func(_ string, pkg plugin.Package) bool { return pkg.Version == "" && pkg.DownloadURL == "" })
	return out, nil
}

// Run implements engine.Program.
func (p *program) Run(ctx context.Context, env plugin.Environment) error {
	err := p.runtime.Run(ctx, langhost.RunRequest{
		Program: p.place(),
		Project: env.Project, Stack: env.Stack, Organization: env.Organization,
		Config: env.Config, ConfigSecretKeys: env.ConfigSecretKeys, Preview: env.Preview, Parallel: env.Parallel,
		MonitorAddress: env.MonitorAddress, EngineAddress: env.MonitorAddress,
		Schemas: p.w.schemas, Report: p.report,
	})
	if errors.Is(err, langhost.ErrBail) {
		return engine.ErrReported
	}
	return err
}
