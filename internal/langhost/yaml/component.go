package yaml

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/langhost"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/check"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/eval"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

// noVersion is what component plugins report that do not say which version they have.
const noVersion = "0.0.0"

func versionOf(p *template.Program) string {
	if p.Version.Value != "" {
		return p.Version.Value
	}
	return noVersion
}

// ComponentOptions are what a component provider needs.
type ComponentOptions struct {
	Schemas langhost.Schemas
	// Log takes warnings; nil drops them.
	Log plugin.LogFunc
	// Sole says whether the program has one component of a type, by this name; nil is as good as no. See [Host.IsSole].
	Sole func(t urn.Type, name string) bool
}

// NewComponentProvider makes a provider of a folder with PulumiPlugin.yaml. It offers the folder's components through
// Construct; everything else that providers do is plugin.ErrUnimplemented. Problems of the files are diag.Diagnostics.
func NewComponentProvider(dir string, o ComponentOptions) (plugin.Provider, error) {
	program, ds, err := loadPlugin(dir)
	if err != nil {
		return nil, err
	}
	if err := ds.Err(); err != nil {
		return nil, err
	}
	packages, err := declaredPackages(dir)
	if err != nil {
		return nil, err
	}
	if o.Log == nil {
		o.Log = func(plugin.Log) {}
	}
	if o.Sole == nil {
		o.Sole = func(urn.Type, string) bool { return false }
	}
	for _, d := range ds {
		o.Log(plugin.Log{Severity: d.Severity, Message: d.Error()})
	}
	return &components{
		dir: dir, o: o, program: program, packages: packages, checked: map[string]*checkedComponent{},
	}, nil
}

// components is the provider of one plugin folder.
type components struct {
	unimplemented
	dir      string
	o        ComponentOptions
	program  *template.Program
	packages map[string]plugin.Package

	mu      sync.Mutex
	checked map[string]*checkedComponent
}

// checkedComponent is a component whose types have been checked.
type checkedComponent struct {
	at      diag.Position
	program *template.Program
	result  *check.Result
}

// Configure implements plugin.Provider: there is nothing to configure.
func (c *components) Configure(context.Context, plugin.ConfigureRequest) error { return nil }

// Schema implements plugin.Provider.
func (c *components) Schema(context.Context) ([]byte, error) {
	data, err := json.Marshal(componentSchema(c.program))
	if err != nil {
		return nil, fmt.Errorf("encode the schema of %s: %w", c.program.Name.Value, err)
	}
	return data, nil
}

// Info implements plugin.Provider.
func (c *components) Info(context.Context) (plugin.Info, error) {
	return plugin.Info{Version: versionOf(c.program), Path: c.dir, SupportsPreview: true}, nil
}

// Cancel implements plugin.Provider: a component ends with the requests of its resources.
func (c *components) Cancel(context.Context) error { return nil }

// Close implements plugin.Provider.
func (c *components) Close() error { return nil }

// Construct implements plugin.Provider: it declares the component and, as its children, the component's resources.
func (c *components) Construct(ctx context.Context, r plugin.ConstructRequest) (plugin.ConstructResponse, error) {
	component, err := c.check(ctx, r.Type)
	if err != nil {
		return plugin.ConstructResponse{}, err
	}
	deployment, err := newClient(r.Environment.MonitorAddress, c.dir)
	if err != nil {
		return plugin.ConstructResponse{}, err
	}
	out, err := c.construct(ctx, r, component, deployment)
	return out, errors.Join(err, deployment.close())
}

func (c *components) construct(
	ctx context.Context, r plugin.ConstructRequest, component *checkedComponent, deployment *client,
) (plugin.ConstructResponse, error) {
	inputs := withDependencies(r.Inputs, r.InputDependencies)
	options := r.Options
	// As the Pulumi YAML host has it, the component has no inputs in state; what they depend on is of its children.
	// Recorded stacks stay unchanged by that.
	options.StackTrace, options.PropertyDependencies = nil, nil
	options.SourcePosition = fmt.Sprintf("project:///%s#%d,%d", component.at.File, component.at.Line, component.at.Column)
	reg := engine.Registration{
		Type: r.Type, Name: r.Name, Options: options, Providers: r.Providers, AcceptsResultReporting: true,
	}
	reg.Set.Protect, reg.Set.RetainOnDelete = r.Options.Protect, r.Options.RetainOnDelete
	self, err := deployment.Register(ctx, reg)
	if err != nil {
		return plugin.ConstructResponse{}, err
	}
	var problems problemList
	outputs, err := eval.Run(ctx, eval.Options{
		Program: component.program, Checked: component.result, Deployment: deployment, Packages: c.packages,
		Project: r.Environment.Project, Stack: r.Environment.Stack, Organization: r.Environment.Organization,
		RootDirectory: c.dir, Directory: c.dir, Preview: r.Environment.Preview,
		Inputs: &inputs, Sole: c.o.Sole(r.Type, r.Name), Parent: self.URN, Providers: r.Providers,
		Report: func(d diag.Diagnostic) { c.report(&problems, self.URN, d) },
	})
	if err != nil {
		switch {
		case len(problems.list) > 0:
			err = problems.list
		case errors.Is(err, langhost.ErrBail):
			err = engine.ErrReported
		}
		return plugin.ConstructResponse{}, fmt.Errorf("component %s: %w", r.Name, err)
	}
	if err := deployment.RegisterOutputs(ctx, self.URN, outputs); err != nil {
		return plugin.ConstructResponse{}, err
	}
	deps := map[string][]urn.URN{}
	for k, v := range outputs.All() {
		deps[k] = v.AllDependencies()
	}
	return plugin.ConstructResponse{URN: self.URN, State: outputs, StateDependencies: deps}, nil
}

// problemList collects the errors of one construction.
type problemList struct {
	mu   sync.Mutex
	list diag.Diagnostics
}

func (c *components) report(p *problemList, component urn.URN, d diag.Diagnostic) {
	if d.Severity != diag.Error {
		c.o.Log(plugin.Log{Severity: d.Severity, Message: d.Error(), URN: component})
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, d)
}

// withDependencies adds what an engine says of whole properties to values that say nothing themselves.
func withDependencies(m property.Map, deps map[string][]urn.URN) property.Map {
	out := m.Clone()
	for k, v := range out {
		if len(v.AllDependencies()) == 0 {
			out[k] = v.WithDependencies(deps[k])
		}
	}
	return property.MapOf(out)
}

// check finds a component by its type and checks it, once.
func (c *components) check(ctx context.Context, t urn.Type) (*checkedComponent, error) {
	name, ok := strings.CutPrefix(string(t), c.program.Name.Value+":index:")
	if !ok {
		return nil, fmt.Errorf("plugin %s has no component of type %s", c.program.Name.Value, t)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if done, ok := c.checked[name]; ok {
		return done, nil
	}
	for _, candidate := range c.program.Components {
		if candidate.Name != name {
			continue
		}
		program := candidate.Program(c.program)
		result, ds := check.Program(ctx, check.Input{
			Program: program, Project: c.program.Name.Value, Component: true, Schemas: c.o.Schemas, Packages: c.packages,
		})
		if err := ds.Err(); err != nil {
			return nil, err
		}
		for _, d := range ds {
			c.o.Log(plugin.Log{Severity: d.Severity, Message: d.Error()})
		}
		c.checked[name] = &checkedComponent{candidate.Pos, program, result}
		return c.checked[name], nil
	}
	return nil, fmt.Errorf("plugin %s has no component of type %s", c.program.Name.Value, t)
}

// unimplemented answers the calls that component plugins do not have.
type unimplemented struct{}

func (unimplemented) CheckConfig(context.Context, plugin.CheckRequest) (plugin.CheckResponse, error) {
	return plugin.CheckResponse{}, plugin.ErrUnimplemented
}

func (unimplemented) DiffConfig(context.Context, plugin.DiffRequest) (plugin.DiffResponse, error) {
	return plugin.DiffResponse{}, plugin.ErrUnimplemented
}

func (unimplemented) Check(context.Context, plugin.CheckRequest) (plugin.CheckResponse, error) {
	return plugin.CheckResponse{}, plugin.ErrUnimplemented
}

func (unimplemented) Diff(context.Context, plugin.DiffRequest) (plugin.DiffResponse, error) {
	return plugin.DiffResponse{}, plugin.ErrUnimplemented
}

func (unimplemented) Create(context.Context, plugin.CreateRequest) (plugin.CreateResponse, error) {
	return plugin.CreateResponse{}, plugin.ErrUnimplemented
}

func (unimplemented) Update(context.Context, plugin.UpdateRequest) (plugin.UpdateResponse, error) {
	return plugin.UpdateResponse{}, plugin.ErrUnimplemented
}

func (unimplemented) Delete(context.Context, plugin.DeleteRequest) error {
	return plugin.ErrUnimplemented
}

func (unimplemented) Read(context.Context, plugin.ReadRequest) (plugin.ReadResponse, error) {
	return plugin.ReadResponse{}, plugin.ErrUnimplemented
}

func (unimplemented) Invoke(context.Context, plugin.InvokeRequest) (plugin.InvokeResponse, error) {
	return plugin.InvokeResponse{}, plugin.ErrUnimplemented
}

func (unimplemented) Call(context.Context, plugin.CallRequest) (plugin.CallResponse, error) {
	return plugin.CallResponse{}, plugin.ErrUnimplemented
}
