package yaml

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/langhost"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/check"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/eval"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Host is the runtime for YAML programs. It runs one at a time.
type Host struct {
	mu   sync.Mutex
	sole map[urn.Type]string
}

// New makes a runtime.
func New() *Host { return &Host{} }

var _ langhost.Runtime = (*Host)(nil)

// Run implements langhost.Runtime.
func (h *Host) Run(ctx context.Context, r langhost.RunRequest) error {
	facts, err := compilerFacts(r)
	if err != nil {
		return err
	}
	program, ds, err := load(ctx, r.Program, facts)
	if err != nil {
		return err
	}
	if err := reportAll(r, ds); err != nil {
		return err
	}
	if err := rejectPluginParts(program); err != nil {
		r.Report(program.Locate(*err))
		return langhost.ErrBail
	}
	if err := requireVersion(ctx, r, program); err != nil {
		return err
	}
	c, err := newClient(r.MonitorAddress, r.Directory)
	if err != nil {
		return err
	}
	return errors.Join(h.run(ctx, r, program, c), c.close())
}

// IsSole says whether the program that runs has one component of a type only, outside of other components, and that by
// this name. Resources of such a component have the names that its file gives them, as YAML hosts before 1.33 have it and
// as those since take for the same. Where there are several, names start with the component's, as hosts since 1.33 have it.
func (h *Host) IsSole(t urn.Type, name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sole[t] == name
}

func (h *Host) noteSole(p *template.Program, checked *check.Result) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sole = map[urn.Type]string{}
	several := map[urn.Type]bool{}
	for i := range p.Resources {
		t := urn.Type(checked.Resources[&p.Resources[i]].Token)
		if _, again := h.sole[t]; again {
			several[t] = true
		}
		h.sole[t] = p.Resources[i].URNName()
	}
	maps.DeleteFunc(h.sole, func(t urn.Type, _ string) bool { return several[t] })
}

// requireVersion asks the engine whether it is of a version that the program works with.
func requireVersion(ctx context.Context, r langhost.RunRequest, p *template.Program) error {
	if p.RequiredVersion.Value == "" {
		return nil
	}
	conn, err := dial(r.EngineAddress)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = pulumirpc.NewEngineClient(conn).RequirePulumiVersion(ctx, &pulumirpc.RequirePulumiVersionRequest{
		PulumiVersionRange: p.RequiredVersion.Value,
	})
	if err == nil {
		return nil
	}
	r.Report(p.Locate(diag.Diagnostic{
		Severity: diag.Error, Summary: fromStatus(err).Error(), Subject: diag.Subject{Position: p.RequiredVersion.Pos},
	}))
	return langhost.ErrBail
}

// run evaluates a program against a deployment. The stack gets its outputs even when something failed, as far as they
// are known.
func (h *Host) run(ctx context.Context, r langhost.RunRequest, program *template.Program, c *client) error {
	stack, err := c.Register(ctx, engine.Registration{
		Type: urn.StackType, Name: r.Project + "-" + r.Stack, AcceptsResultReporting: true,
		Options: resource.Options{SourcePosition: fmt.Sprintf("project:///%s#1,1", program.Sources[0].Name)},
	})
	if err != nil {
		return machinery(err)
	}
	declared, err := declaredPackages(r.Directory)
	if err != nil {
		return err
	}
	checked, ds := check.Program(ctx, check.Input{
		Program: program, Project: r.Project, ConfigKeys: slices.Collect(maps.Keys(r.Config)),
		Schemas: r.Schemas, Packages: declared,
	})
	if err := reportAll(r, ds); err != nil {
		return err
	}
	h.noteSole(program, checked)
	outputs, evalErr := eval.Run(ctx, eval.Options{
		Program: program, Checked: checked, Deployment: c, Packages: declared,
		Project: r.Project, Stack: r.Stack, Organization: r.Organization,
		RootDirectory: r.Root, Directory: r.Directory, Preview: r.Preview,
		Config: r.Config, SecretKeys: r.ConfigSecretKeys, Parent: stack.URN, Report: r.Report,
	})
	if evalErr != nil && !errors.Is(evalErr, langhost.ErrBail) {
		return machinery(evalErr)
	}
	if err := c.RegisterOutputs(ctx, stack.URN, outputs); err != nil {
		return machinery(errors.Join(evalErr, err))
	}
	if evalErr != nil {
		return evalErr
	}
	return machinery(c.shutdown(ctx))
}

// machinery gives ErrBail for what the deployment has told the user already.
func machinery(err error) error {
	if errors.Is(err, engine.ErrReported) || errors.Is(err, engine.ErrShuttingDown) {
		return langhost.ErrBail
	}
	return err
}

func reportAll(r langhost.RunRequest, ds diag.Diagnostics) error {
	for _, d := range ds {
		r.Report(d)
	}
	if ds.HasErrors() {
		return langhost.ErrBail
	}
	return nil
}

// rejectPluginParts finds what only makes sense in a plugin.
func rejectPluginParts(p *template.Program) *diag.Diagnostic {
	d := diag.Diagnostic{Severity: diag.Error}
	switch {
	case len(p.Components) > 0:
		d.Summary = "components are only supported in plugins, not in programs"
		d.Detail = "Move them to a folder with a PulumiPlugin.yaml, and name the folder under packages."
		d.Subject.Position = p.Components[0].Pos
	case p.Namespace.IsSet():
		d.Summary = "namespace is only supported in component plugins"
		d.Subject.Position = p.Namespace.Pos
	default:
		return nil
	}
	return &d
}

// RequiredPackages implements langhost.Runtime.
func (h *Host) RequiredPackages(ctx context.Context, p langhost.Program) ([]plugin.Package, error) {
	program, ds, err := load(ctx, p, nil)
	if err != nil {
		return nil, err
	}
	if program == nil || ds.HasErrors() {
		return nil, nil
	}
	declared, err := declaredPackages(p.Directory)
	if err != nil {
		return nil, err
	}
	return requiredPackages(program, declared), nil
}

// About implements langhost.Runtime: YAML needs no tools.
func (h *Host) About(context.Context, langhost.Program) (langhost.About, error) {
	return langhost.About{}, nil
}
