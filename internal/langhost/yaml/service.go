package yaml

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/langhost"
	"github.com/cairn-iac/cairn/internal/pluginhost"
	"github.com/cairn-iac/cairn/internal/provider"
)

// service is the runtime as a LanguageRuntime service.
type service struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
	host *Host
	o    ServeOptions
	// canceled ends the programs that run; cancel ends it.
	canceled context.Context
	cancel   func()
}

func newService(ctx context.Context, o ServeOptions) *service {
	canceled, cancel := context.WithCancel(ctx)
	return &service{host: New(), o: o, canceled: canceled, cancel: cancel}
}

func (s *service) Handshake(
	context.Context, *pulumirpc.LanguageHandshakeRequest,
) (*pulumirpc.LanguageHandshakeResponse, error) {
	return &pulumirpc.LanguageHandshakeResponse{}, nil
}

func (s *service) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: s.o.Version}, nil
}

func (s *service) program(info *pulumirpc.ProgramInfo) langhost.Program {
	return langhost.Program{
		Root: info.GetRootDirectory(), Directory: info.GetProgramDirectory(), EntryPoint: info.GetEntryPoint(),
		Options: info.GetOptions().AsMap(), Environment: s.o.Environment,
	}
}

func (s *service) Run(ctx context.Context, r *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	schemas, err := newLoader(r.GetLoaderTarget())
	if err != nil {
		return &pulumirpc.RunResponse{Error: err.Error()}, nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(s.canceled, stop)()
	report := &printer{w: s.o.Stderr}
	err = s.host.Run(ctx, langhost.RunRequest{
		Program: s.program(r.GetInfo()),
		Project: r.GetProject(), Stack: r.GetStack(), Organization: r.GetOrganization(), Args: r.GetArgs(),
		Config: r.GetConfig(), ConfigSecretKeys: r.GetConfigSecretKeys(), Preview: r.GetDryRun(),
		Parallel: int(r.GetParallel()), MonitorAddress: r.GetMonitorAddress(), EngineAddress: s.o.Engine,
		Schemas: schemas, Report: report.print,
	})
	schemas.close()
	switch {
	case errors.Is(err, langhost.ErrBail):
		return &pulumirpc.RunResponse{Bail: true}, nil
	case err != nil:
		return &pulumirpc.RunResponse{Error: err.Error()}, nil
	default:
		return &pulumirpc.RunResponse{}, nil
	}
}

func (s *service) GetRequiredPackages(
	ctx context.Context, r *pulumirpc.GetRequiredPackagesRequest,
) (*pulumirpc.GetRequiredPackagesResponse, error) {
	packages, err := s.host.RequiredPackages(ctx, s.program(r.GetInfo()))
	if err != nil {
		return nil, err
	}
	out := &pulumirpc.GetRequiredPackagesResponse{}
	for _, p := range packages {
		d := &pulumirpc.PackageDependency{Name: p.Name, Kind: "resource", Version: p.Version, Server: p.DownloadURL}
		if v := p.Parameterization; v != nil {
			d.Parameterization = &pulumirpc.PackageParameterization{Name: v.Name, Version: v.Version, Value: v.Value}
		}
		out.Packages = append(out.Packages, d)
	}
	return out, nil
}

func (s *service) GetProgramDependencies(
	ctx context.Context, r *pulumirpc.GetProgramDependenciesRequest,
) (*pulumirpc.GetProgramDependenciesResponse, error) {
	packages, err := s.host.RequiredPackages(ctx, s.program(r.GetInfo()))
	if err != nil {
		return nil, err
	}
	out := &pulumirpc.GetProgramDependenciesResponse{}
	for _, p := range packages {
		d := &pulumirpc.DependencyInfo{Name: p.Name, Version: p.Version}
		if v := p.Parameterization; v != nil {
			d.Name, d.Version = v.Name, v.Version
		}
		out.Dependencies = append(out.Dependencies, d)
	}
	return out, nil
}

// InstallDependencies has nothing to do: YAML programs have no dependencies but plugins.
func (s *service) InstallDependencies(
	*pulumirpc.InstallDependenciesRequest, grpc.ServerStreamingServer[pulumirpc.InstallDependenciesResponse],
) error {
	return nil
}

func (s *service) RuntimeOptionsPrompts(
	context.Context, *pulumirpc.RuntimeOptionsRequest,
) (*pulumirpc.RuntimeOptionsResponse, error) {
	return &pulumirpc.RuntimeOptionsResponse{}, nil
}

func (s *service) Template(context.Context, *pulumirpc.TemplateRequest) (*pulumirpc.TemplateResponse, error) {
	return &pulumirpc.TemplateResponse{}, nil
}

func (s *service) About(ctx context.Context, r *pulumirpc.AboutRequest) (*pulumirpc.AboutResponse, error) {
	about, err := s.host.About(ctx, s.program(r.GetInfo()))
	if err != nil {
		return nil, err
	}
	return &pulumirpc.AboutResponse{Executable: about.Executable, Version: about.Version, Metadata: about.Metadata}, nil
}

// Cancel ends the programs that run.
func (s *service) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	s.cancel()
	return &emptypb.Empty{}, nil
}

// RunPlugin serves a component plugin until the caller ends the stream.
func (s *service) RunPlugin(
	r *pulumirpc.RunPluginRequest, stream grpc.ServerStreamingServer[pulumirpc.RunPluginResponse],
) error {
	// Engines that do not say where it is serve the loader where they are.
	schemas, err := newLoader(cmp.Or(r.GetLoaderTarget(), s.o.Engine))
	if err != nil {
		return err
	}
	defer schemas.close()
	out := &pluginStream{stream: stream}
	report := &printer{w: out.stderr()}
	components, err := NewComponentProvider(r.GetInfo().GetProgramDirectory(), ComponentOptions{
		Schemas: schemas,
		Log: func(l plugin.Log) {
			report.print(diag.Diagnostic{Severity: l.Severity, Summary: l.Message})
		},
	})
	if err != nil {
		return report.fail(err)
	}
	return provider.Serve(stream.Context(), provider.ServeOptions{
		Args: r.GetArgs(), Environ: r.GetEnv(), Dir: r.GetPwd(), Stdout: out.stdout(),
		New: func(pluginhost.BuiltinLaunch) (plugin.Provider, error) { return components, nil },
	})
}

// pluginStream sends the output of a plugin.
type pluginStream struct {
	mu     sync.Mutex
	stream grpc.ServerStreamingServer[pulumirpc.RunPluginResponse]
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func (p *pluginStream) stdout() io.Writer {
	return writerFunc(func(b []byte) (int, error) {
		return len(b), p.send(&pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Stdout{Stdout: b}})
	})
}

func (p *pluginStream) stderr() io.Writer {
	return writerFunc(func(b []byte) (int, error) {
		return len(b), p.send(&pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Stderr{Stderr: b}})
	})
}

func (p *pluginStream) send(m *pulumirpc.RunPluginResponse) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stream.Send(m)
}

// printer writes diagnostics as the Pulumi YAML host does: the message, the place, the line.
type printer struct {
	mu sync.Mutex
	w  io.Writer
}

func (p *printer) print(d diag.Diagnostic) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// A lost message must not end the run.
	_, _ = io.WriteString(p.w, format(d))
}

// fail prints the diagnostics in err and gives an error that does not repeat them.
func (p *printer) fail(err error) error {
	ds, ok := diag.As(err)
	if !ok {
		return err
	}
	for _, d := range ds {
		p.print(d)
	}
	return errors.New("failed to load plugin")
}

func format(d diag.Diagnostic) string {
	var b strings.Builder
	if d.Severity == diag.Warning {
		b.WriteString("Warning: ")
	} else {
		b.WriteString("Error: ")
	}
	b.WriteString(d.Summary + "\n\n")
	if at := d.Subject.Position; at.Line > 0 {
		fmt.Fprintf(&b, "  on %s line %d:\n", at.File, at.Line)
		if d.Subject.Source != "" {
			fmt.Fprintf(&b, "  %d: %s\n", at.Line, d.Subject.Source)
		}
		b.WriteString("\n")
	}
	if d.Detail != "" {
		b.WriteString(d.Detail + "\n\n")
	}
	return b.String()
}
