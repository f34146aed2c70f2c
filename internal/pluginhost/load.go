package pluginhost

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
)

// Load starts the provider plugin of a package. A plugin that cannot be found is a *plugin.MissingError.
func (h *Host) Load(ctx context.Context, pkg plugin.Package, opts plugin.LoadOptions) (plugin.Provider, error) {
	found, err := h.Find(ctx, KindResource, pkg)
	if err != nil {
		return nil, err
	}
	p, err := h.load(ctx, pkg, found, opts)
	if err != nil {
		return nil, err
	}
	return h.manage(p)
}

func (h *Host) load(ctx context.Context, pkg plugin.Package, found Found, opts plugin.LoadOptions) (plugin.Provider, error) {
	env, err := h.environOf(pkg.Name, opts)
	if err != nil {
		return nil, err
	}
	p, err := h.start(ctx, pkg, found, env)
	if err != nil {
		return nil, fmt.Errorf("failed to load plugin %s: %w", describeFound(found), err)
	}
	if err := h.compareVersion(ctx, pkg, p); err != nil {
		return nil, errors.Join(fmt.Errorf("failed to load plugin %s: %w", describeFound(found), err), p.Close())
	}
	return p, nil
}

// describeFound names a plugin in errors.
func describeFound(f Found) string {
	switch f.Origin {
	case FromBuiltin:
		return fmt.Sprintf("%s (built in, version %s)", f.Name, f.Version)
	case FromDebugger:
		return fmt.Sprintf("%s (attached on port %d)", f.Name, f.Port)
	default:
		return f.Path
	}
}

func (h *Host) start(ctx context.Context, pkg plugin.Package, found Found, env environ) (plugin.Provider, error) {
	launch := BuiltinLaunch{Environ: env, Dir: h.o.Dir, Log: h.log}
	switch found.Origin {
	case FromBuiltin:
		if pkg.Parameterization != nil {
			return nil, fmt.Errorf("the built-in provider %s cannot be parameterized into package %s", pkg.Name, pkg.Parameterization.Name)
		}
		return h.o.Builtins[pkg.Name].New(launch)
	case FromDebugger:
		return h.attach(ctx, pkg, found)
	case FromProject, FromPath, FromBundle, FromCache:
	}
	var c child
	what := subject{kind: KindResource, name: pkg.Name, path: found.Path, hidden: !isDynamic(pkg.Name)}
	m, isFolder, err := readManifest(found.Path)
	switch {
	case err != nil:
		return nil, err
	case !isFolder:
		c, err = h.spawn(command{path: found.Path, args: h.arguments(), env: env, dir: h.o.Dir})
	default:
		if err := checkRequired(h.o.Version, m.requires); err != nil {
			return nil, err
		}
		if run, ok := h.o.Runtimes[m.runtime]; ok {
			return run(ctx, RuntimeLaunch{
				Name: pkg.Name, Plugin: found.Path, Options: m.options, Services: h.o.Services, BuiltinLaunch: launch,
			})
		}
		c, err = h.runInLanguage(ctx, pkg.Name, m, env)
	}
	if err != nil {
		return nil, err
	}
	p, err := h.supervise(c, what)
	if err != nil {
		return nil, err
	}
	return h.connect(ctx, pkg, p)
}

// connect waits for the port of a process and makes a provider of what answers there. On failure the process is ended.
func (h *Host) connect(ctx context.Context, pkg plugin.Package, p *Process) (plugin.Provider, error) {
	port, err := h.readPort(ctx, p)
	if err != nil {
		return nil, h.discard(p, err)
	}
	conn, err := h.dial(ctx, port, p)
	if err != nil {
		return nil, h.discard(p, err)
	}
	out, err := h.o.Connect(ctx, Connection{
		Package: pkg, Conn: conn, Process: p, Path: p.what.path, Services: h.o.Services,
		DialTimeout: h.o.DialTimeout, Grace: h.o.Grace, Log: h.log,
	})
	if err != nil {
		return nil, errors.Join(h.discard(p, err), conn.Close())
	}
	return &connected{Provider: out, conn: conn}, nil
}

// attach connects to a provider that the user started.
func (h *Host) attach(ctx context.Context, pkg plugin.Package, found Found) (plugin.Provider, error) {
	conn, err := h.dial(ctx, found.Port, nil)
	if err != nil {
		return nil, err
	}
	out, err := h.o.Connect(ctx, Connection{
		Package: pkg, Conn: conn, Services: h.o.Services, DialTimeout: h.o.DialTimeout, Grace: h.o.Grace, Log: h.log,
	})
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &connected{Provider: out, conn: conn}, nil
}

// connected is a provider behind a connection.
type connected struct {
	plugin.Provider
	conn *grpc.ClientConn
}

// compareVersion warns when a provider says that it is older than what is wanted, as one on $PATH may be.
func (h *Host) compareVersion(ctx context.Context, pkg plugin.Package, p plugin.Provider) error {
	ctx, cancel := context.WithTimeout(ctx, h.o.DialTimeout)
	defer cancel()
	info, err := p.Info(ctx)
	if err != nil && !errors.Is(err, plugin.ErrUnimplemented) {
		return fmt.Errorf("ask the plugin for its version: %w", err)
	}
	wanted, err := parseWanted(pkg.Version)
	if err != nil || wanted == nil || h.env.isTrue("PULUMI_DEV") {
		return err
	}
	have, err := parseWanted(info.Version)
	if err == nil && have != nil && have.GTE(*wanted) {
		return nil
	}
	text := fmt.Sprintf("resource plugin %s is expected to have version >=%s, but has %s; the wrong version may be on "+
		"your path, or this may be a bug in the plugin", pkg.Name, wanted, info.Version)
	if h.first(text) {
		h.log(plugin.Log{Severity: diag.Warning, Message: text})
	}
	return nil
}
