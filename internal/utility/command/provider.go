package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Version is the version of the published provider that this one answers to.
const Version = "1.2.1"

// frameworkKey is the input in which the published provider records the version of the framework it was built with,
// and frameworkVersion what its release 1.2.1 writes there.
const (
	frameworkKey     = "__pulumi-go-provider-version"
	frameworkVersion = "1.2.0"
)

// defaultGrace is how long an interrupted command may take to clean up.
const defaultGrace = 3 * time.Second

// Options are what commands run with. Nothing comes from the process the provider lives in.
type Options struct {
	// Log takes what commands print, as ephemeral messages of their resource, and warnings; nil drops them.
	Log plugin.LogFunc
	// Env is the environment that commands start from, as NAME=value.
	Env []string
	// Dir is the folder in which commands without a dir run, and against which a relative dir counts: an absolute path,
	// because the paths of assets are recorded with it.
	Dir string
	// Grace is how long an interrupted command may take before it is killed; 0 means three seconds.
	Grace time.Duration
}

// ErrCanceled is why a command ended that was running when [plugin.Provider] Cancel or Close was called.
var ErrCanceled = errors.New("canceled")

// UnsupportedError tells that a type or function of the published package is not in the box.
type UnsupportedError struct{ Token string }

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s is not part of the built-in command provider. Install the official plugin: "+
		"pulumi plugin install resource command v%s. Once installed it is used instead", e.Token, Version)
}

type provider struct {
	opts     Options
	command  object
	function object
	// life ends with Cancel.
	life    context.Context
	end     context.CancelCauseFunc
	running sync.WaitGroup
}

// New makes a provider. It needs no configuration.
func New(opts Options) plugin.Provider {
	if opts.Grace <= 0 {
		opts.Grace = defaultGrace
	}
	life, end := context.WithCancelCause(context.Background())
	return &provider{opts: opts, command: commandObject(), function: runObject(), life: life, end: end}
}

func (p *provider) log(l plugin.Log) {
	if p.opts.Log != nil {
		p.opts.Log(l)
	}
}

// CheckConfig records which framework made the provider. What is recorded stays, whoever wrote it: so a stack of the
// published provider is unchanged here, and one that started here is unchanged for the published release.
func (p *provider) CheckConfig(_ context.Context, req plugin.CheckRequest) (plugin.CheckResponse, error) {
	version := req.Olds.Get(frameworkKey)
	if s, ok := version.AsString(); !ok || s == "" {
		version = property.String(frameworkVersion)
	}
	return plugin.CheckResponse{Inputs: req.News.With(frameworkKey, version)}, nil
}

// DiffConfig leaves the comparison to the engine, as the published provider does.
func (p *provider) DiffConfig(context.Context, plugin.DiffRequest) (plugin.DiffResponse, error) {
	return plugin.DiffResponse{Changes: plugin.ChangesUnknown}, nil
}

// Configure has nothing to do.
func (p *provider) Configure(context.Context, plugin.ConfigureRequest) error { return nil }

// Invoke runs a command at once, in previews too.
func (p *provider) Invoke(ctx context.Context, req plugin.InvokeRequest) (plugin.InvokeResponse, error) {
	if req.Token != localRun {
		return plugin.InvokeResponse{}, fmt.Errorf("the command package has no function %s; it has %s", req.Token, localRun)
	}
	args, c := p.function.check(req.Args)
	for _, w := range c.warnings {
		p.log(plugin.Log{Severity: diag.Warning, Message: w})
	}
	if len(c.failures) > 0 {
		return plugin.InvokeResponse{Failures: c.failures}, nil
	}
	if args.ContainsUnknown() {
		return plugin.InvokeResponse{Return: predicted(args)}, nil
	}
	s, err := newScript(propCommand, args, before{})
	if err != nil {
		return plugin.InvokeResponse{}, err
	}
	ctx, end := p.begin(ctx, limit{})
	defer end()
	results, err := p.run(ctx, "", s)
	if err != nil {
		return plugin.InvokeResponse{}, err
	}
	return plugin.InvokeResponse{Return: outputs(args, results)}, nil
}

// Call is not implemented: the package has no methods.
func (p *provider) Call(context.Context, plugin.CallRequest) (plugin.CallResponse, error) {
	return plugin.CallResponse{}, plugin.ErrUnimplemented
}

// Construct is not implemented: the package has no components.
func (p *provider) Construct(context.Context, plugin.ConstructRequest) (plugin.ConstructResponse, error) {
	return plugin.ConstructResponse{}, plugin.ErrUnimplemented
}

// Schema describes what is in the box.
func (p *provider) Schema(context.Context) ([]byte, error) { return buildSchema() }

// Info tells the version.
func (p *provider) Info(context.Context) (plugin.Info, error) {
	return plugin.Info{Version: Version, Builtin: true, SupportsPreview: true}, nil
}

// Cancel interrupts running commands and lets no new one start. It does not wait for them.
func (p *provider) Cancel(context.Context) error {
	p.end(ErrCanceled)
	return nil
}

// Close cancels and waits until no command is left.
func (p *provider) Close() error {
	p.end(ErrCanceled)
	p.running.Wait()
	return nil
}

// limit is a timeout and the customTimeouts option it comes from.
type limit struct {
	option string
	after  time.Duration
}

// begin gives the context of one command: it ends with the caller's, with the provider, or with the limit.
func (p *provider) begin(ctx context.Context, l limit) (context.Context, func()) {
	p.running.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	if p.life.Err() != nil {
		// AfterFunc would do it a moment later, and a command could start.
		cancel(context.Cause(p.life))
	}
	unlink := context.AfterFunc(p.life, func() { cancel(context.Cause(p.life)) })
	stop := func() {}
	if l.after > 0 {
		why := fmt.Errorf("the command took longer than customTimeouts.%s allows (%s): %w", l.option, l.after,
			context.DeadlineExceeded)
		var end context.CancelFunc
		ctx, end = context.WithTimeoutCause(ctx, l.after, why)
		stop = end
	}
	return ctx, func() {
		stop()
		unlink()
		cancel(nil)
		p.running.Done()
	}
}

// supported says why the provider cannot manage a resource, if it cannot.
func supported(u urn.URN) error {
	token := string(u.Type())
	switch {
	case token == localCommand:
		return nil
	case strings.HasPrefix(token, "command:remote:"):
		return &UnsupportedError{Token: token}
	default:
		return fmt.Errorf("the command package has no resource %s; it has %s", token, localCommand)
	}
}
