package eval

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/langhost"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/check"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Options are what one evaluation works with.
type Options struct {
	Program    *template.Program
	Checked    *check.Result
	Deployment Deployment
	// Packages are the declared packages by name.
	Packages map[string]plugin.Package

	Project, Stack, Organization string
	// RootDirectory holds the project, Directory the program. Both are absolute.
	RootDirectory, Directory string
	Preview                  bool

	// Config maps full keys to values, SecretKeys are those of them that are secret.
	Config     map[string]string
	SecretKeys []string
	// Inputs take the place of configuration in a component; nil in a program.
	Inputs *property.Map
	// Sole says that a component is the only one of its type in the program, so that the names of its resources need not
	// tell it from others.
	Sole bool

	// Parent is the stack or component that the resources belong to; Providers are those it hands down.
	Parent    urn.URN
	Providers map[string]string

	Report func(diag.Diagnostic)
}

// Run evaluates the program and gives its outputs. Problems are reported as they are found, and then the error is
// langhost.ErrBail; what does not depend on what failed has been evaluated nevertheless.
func Run(ctx context.Context, o Options) (property.Map, error) {
	e := &evaluator{
		Options: o, nodes: map[*check.Node]*promise{}, resources: map[urn.URN]*handle{}, stackRefs: map[string]*stackRef{},
	}
	if err := e.registerPackages(ctx); err != nil {
		return property.Map{}, err
	}
	for _, n := range o.Checked.Order {
		e.nodes[n] = &promise{done: make(chan struct{})}
	}
	// Configuration comes first: without it there is no point in declaring anything.
	var rest []*check.Node
	for _, n := range o.Checked.Order {
		if n.IsConfig() {
			e.evaluate(ctx, n)
		} else {
			rest = append(rest, n)
		}
	}
	if e.failed {
		return property.Map{}, langhost.ErrBail
	}
	var wg sync.WaitGroup
	for _, n := range rest {
		wg.Go(func() { e.evaluate(ctx, n) })
	}
	outputs := e.outputs(ctx)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return property.Map{}, err
	}
	if e.failed {
		return outputs, langhost.ErrBail
	}
	return outputs, nil
}

// evaluator holds the state of one run.
type evaluator struct {
	Options
	// nodes is complete before anything is evaluated.
	nodes map[*check.Node]*promise
	refs  map[string]string

	mu        sync.Mutex
	failed    bool
	resources map[urn.URN]*handle
	stackRefs map[string]*stackRef
}

// promise is the value of a node, once done is closed. err is set when there is none.
type promise struct {
	done  chan struct{}
	value property.Value
	err   error
}

// errFailed is the error of what depends on something that failed. It was reported there.
var errFailed = errors.New("something that this depends on failed")

func (e *evaluator) evaluate(ctx context.Context, n *check.Node) {
	p := e.nodes[n]
	defer close(p.done)
	// What a node uses is waited for first, so that a provider that is only used by default is there too.
	for _, u := range n.Uses {
		if _, err := e.await(ctx, u); err != nil {
			p.err = err
			return
		}
	}
	switch {
	case n.Variable != nil:
		p.value, p.err = e.expr(ctx, n.Variable.Value)
	case n.Resource != nil:
		p.value, p.err = e.resource(ctx, n.Resource)
	default:
		p.value, p.err = e.config(ctx, n)
	}
	if p.err != nil {
		e.report(p.err)
		p.err = errFailed
	}
}

func (e *evaluator) await(ctx context.Context, n *check.Node) (property.Value, error) {
	p := e.nodes[n]
	select {
	case <-p.done:
		return p.value, p.err
	case <-ctx.Done():
		return property.Value{}, ctx.Err()
	}
}

func (e *evaluator) outputs(ctx context.Context) property.Map {
	out := map[string]property.Value{}
	for _, o := range e.Program.Outputs {
		v, err := e.expr(ctx, o.Value)
		if err != nil {
			e.report(err)
			continue
		}
		out[o.Name] = v
	}
	return withoutNulls(property.MapOf(out))
}

// report passes on the problems in err. What has been reported before, or says only that the run is cancelled, is not.
func (e *evaluator) report(err error) {
	e.mu.Lock()
	e.failed = true
	e.mu.Unlock()
	for _, err := range flatten(err) {
		if errors.Is(err, errFailed) || errors.Is(err, langhost.ErrBail) || errors.Is(err, context.Canceled) {
			continue
		}
		var d diag.Diagnostic
		if !errors.As(err, &d) {
			d = diag.Diagnostic{Severity: diag.Error, Summary: err.Error()}
		}
		e.Report(e.Program.Locate(d))
	}
}

func flatten(err error) []error {
	var many interface {
		error
		Unwrap() []error
	}
	if errors.As(err, &many) {
		var out []error
		for _, e := range many.Unwrap() {
			out = append(out, flatten(e)...)
		}
		return out
	}
	return []error{err}
}

func (e *evaluator) warn(at diag.Position, format string, args ...any) {
	e.Report(e.Program.Locate(diag.Diagnostic{
		Severity: diag.Warning, Summary: fmt.Sprintf(format, args...), Subject: diag.Subject{Position: at},
	}))
}

// problemAt makes an error of the program at a place.
func problemAt(at diag.Position, format string, args ...any) diag.Diagnostic {
	return diag.Diagnostic{
		Severity: diag.Error, Summary: fmt.Sprintf(format, args...), Subject: diag.Subject{Position: at},
	}
}

// registerPackages makes the declared packages known to the deployment.
func (e *evaluator) registerPackages(ctx context.Context) error {
	e.refs = map[string]string{}
	for name, p := range e.Packages {
		ref, err := e.Deployment.RegisterPackage(ctx, p)
		if err != nil {
			return fmt.Errorf("register package %s: %w", name, err)
		}
		e.refs[name] = ref
	}
	return nil
}
