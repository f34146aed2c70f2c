package eval

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/check"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/schema"
	"github.com/cairn-iac/cairn/internal/urn"
)

// declaration is what is needed to declare one resource.
type declaration struct {
	*template.Resource
	info   check.ResourceInfo
	inputs property.Map
	reg    engine.Registration
	handle *handle
}

// resource declares a resource and gives the reference that stands for it.
func (e *evaluator) resource(ctx context.Context, r *template.Resource) (property.Value, error) {
	d := &declaration{Resource: r, info: e.Checked.Resources[r], handle: &handle{}}
	d.handle.schema = d.info.Schema
	inputs, inputErr := e.inputs(ctx, d)
	d.inputs = inputs
	optionErr := e.options(ctx, d)
	if err := errors.Join(inputErr, optionErr); err != nil {
		return property.Value{}, err
	}
	if r.Get != nil || d.info.Token == string(urn.StackReferenceType) {
		return e.read(ctx, d)
	}
	e.inputsAndDependencies(d)
	out, err := e.Deployment.Register(ctx, d.reg)
	if err != nil {
		return property.Value{}, e.failure(r, err)
	}
	return e.remember(out, d.handle, d.reg.Custom), nil
}

// failure is what the deployment said about a resource, as a problem at the resource's place.
func (e *evaluator) failure(r *template.Resource, err error) error {
	if isReported(err) {
		return errFailed
	}
	return problemAt(r.Pos, "resource %s: %v", r.Name, err)
}

// isReported says whether the user knows already: the step failed, or the deployment ends.
func isReported(err error) bool {
	return errors.Is(err, engine.ErrReported) || errors.Is(err, engine.ErrShuttingDown)
}

// inputs evaluates properties, or the state of get.
func (e *evaluator) inputs(ctx context.Context, d *declaration) (property.Map, error) {
	x := d.Properties
	if d.Get != nil {
		x = nil
		if d.Get.State != nil {
			x = d.Get.State
		}
	}
	v, err := e.expr(ctx, x)
	if err != nil {
		return property.Map{}, err
	}
	known := d.info.Schema.InputProperties
	m := map[string]property.Value{}
	object, isObject := v.AsMap()
	if _, literal := x.(*template.Object); isObject && !literal {
		// The check could not see these names.
		for _, k := range object.Keys() {
			if _, ok := known[k]; !ok {
				return property.Map{}, problemAt(x.Pos(), "Property %s does not exist on Resource %s", k, d.info.Token)
			}
		}
	}
	switch {
	case isObject:
		for k, item := range object.All() {
			// Marks of the whole object, as of ${secretObject}, are those of each property.
			m[k] = mark(item, v)
		}
	case v.IsUnknown():
		for _, k := range d.info.Schema.InputNames() {
			m[k] = v
		}
	case !v.IsNull():
		return property.Map{}, problemAt(x.Pos(), "properties must be an object, not %s", kindName(v))
	}
	for k, item := range m {
		if known[k].Secret {
			m[k] = item.MakeSecret()
		}
	}
	for k, fixed := range d.info.Schema.Constants() {
		if _, isInput := known[k]; d.Get == nil && (isInput || d.info.Schema.Properties[k].Const != nil) {
			m[k] = constant(fixed)
		}
	}
	return withoutNulls(property.MapOf(m)), nil
}

func constant(fixed any) property.Value {
	switch fixed := fixed.(type) {
	case bool:
		return property.Bool(fixed)
	case float64:
		return property.Number(fixed)
	case string:
		return property.String(fixed)
	default:
		return property.Null()
	}
}

// options evaluates the resource options into the registration.
func (e *evaluator) options(ctx context.Context, d *declaration) error {
	o := &d.Resource.Options
	r := &optionReader{evaluator: e, ctx: ctx}
	d.reg = engine.Registration{
		Type: urn.Type(d.info.Token), Name: e.nameOf(d.Resource),
		Custom: !d.info.Schema.IsComponent, Remote: d.info.Schema.IsComponent,
		Package:                e.packageRef(d.info.Token, o.Version, o.PluginDownloadURL),
		EnvVarMappings:         r.environment(o.EnvVarMappings),
		AcceptsResultReporting: true,
	}
	to := &d.reg.Options
	to.SourcePosition = sourcePosition(d.Pos)
	to.IgnoreChanges, to.HideDiffs = texts(o.IgnoreChanges), texts(o.HideDiffs)
	to.AdditionalSecretOutputs = union(texts(o.AdditionalSecretOutputs), d.info.Schema.SecretOutputs())
	to.ReplaceOnChanges = texts(o.ReplaceOnChanges)
	to.Timeouts = r.timeouts(o.Timeouts)
	to.Aliases, d.reg.AliasSpecs = r.aliases(o.Aliases)
	former := e.formerNames(d.Resource)
	d.reg.AliasSpecs = append(d.reg.AliasSpecs, former...)
	for _, a := range d.info.Schema.Aliases {
		if a.Type == "" {
			continue
		}
		for _, spec := range append([]engine.AliasSpec{{}}, former...) {
			spec.Type = a.Type
			d.reg.AliasSpecs = append(d.reg.AliasSpecs, spec)
		}
	}
	if b := r.boolean("protect", o.Protect); b != nil {
		to.Protect, d.reg.Set.Protect = *b, true
	}
	if b := r.boolean("retainOnDelete", o.RetainOnDelete); b != nil {
		to.RetainOnDelete, d.reg.Set.RetainOnDelete = *b, true
	}
	to.DeleteBeforeReplace = r.boolean("deleteBeforeReplace", o.DeleteBeforeReplace)
	to.ImportID = r.text("import", o.Import)
	to.Dependencies = r.urns("dependsOn", o.DependsOn)
	to.ReplaceWith = r.urns("replaceWith", o.ReplaceWith)
	if h := r.one("deletedWith", o.DeletedWith); h != nil {
		to.DeletedWith = h.urn
	}
	to.ReplacementTrigger, _ = r.eval(o.ReplacementTrigger)
	e.parentAndProviders(r, d)
	return r.err()
}

// nameOf gives the name of a resource in its URN. Where there are several of a component, it starts with the component's.
func (e *evaluator) nameOf(r *template.Resource) string {
	if e.Inputs == nil || e.Sole {
		return r.URNName()
	}
	return e.longName(r)
}

func (e *evaluator) longName(r *template.Resource) string { return e.Parent.Name() + "-" + r.URNName() }

// formerNames are the aliases that let a component's resource go on that was recorded under its other name: by a YAML
// host of another version, or before there were several of the component, or since. A name that another resource of the
// component has now is not claimed.
func (e *evaluator) formerNames(r *template.Resource) []engine.AliasSpec {
	if e.Inputs == nil || r.Get != nil {
		return nil
	}
	former := r.URNName()
	if e.Sole {
		former = e.longName(r)
	}
	for i := range e.Program.Resources {
		if other := &e.Program.Resources[i]; other.Name != r.Name && e.nameOf(other) == former {
			return nil
		}
	}
	return []engine.AliasSpec{{Name: former, ParentURN: e.Parent}}
}

// union adds to a list what is not in it yet.
func union(list, more []string) []string {
	for _, m := range more {
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

// packageRef says which plugin serves a token: the one that the program names here, else the declared package.
func (e *evaluator) packageRef(token string, version, url template.Text) engine.PackageRef {
	declared := schema.PackageOf(token)
	// Another version of the plugin knows nothing of a package that a parameter made.
	if named := version.Value != "" || url.Value != ""; named && e.Packages[declared].Parameterization == nil {
		return engine.PackageRef{Version: version.Value, DownloadURL: url.Value}
	}
	return engine.PackageRef{Ref: e.refs[declared]}
}

// parentAndProviders finds the parent and which providers serve the resource and its children.
func (e *evaluator) parentAndProviders(r *optionReader, d *declaration) {
	o := &d.Resource.Options
	d.reg.Options.Parent = e.Parent
	d.handle.providers = e.Providers
	if h := r.one("parent", o.Parent); h != nil {
		d.reg.Options.Parent, d.handle.providers = h.urn, h.providers
	}
	own := r.providers(o.Providers)
	if h := r.one("provider", o.Provider); h != nil {
		if pkg, ok := r.provider("Provider", o.Provider, h); ok {
			own = withProvider(own, pkg, h.providerRef())
			if pkg != schema.PackageOf(d.info.Token) && d.reg.Custom {
				e.warn(o.Provider.Pos(), "the provider serves package %s, not %s: it is only used for children of %s",
					pkg, schema.PackageOf(d.info.Token), d.Name)
			}
		}
	} else if p := e.Checked.DefaultProvider(d.info.Token); p != nil && o.Provider == nil && p.Resource != d.Resource {
		own = e.withDefault(r, own, p)
	}
	if len(own) > 0 {
		inherited := maps.Clone(d.handle.providers)
		if inherited == nil {
			inherited = map[string]string{}
		}
		maps.Copy(inherited, own)
		d.handle.providers = inherited
	}
	if !d.reg.Type.IsProvider() {
		d.reg.Provider = d.handle.providers[schema.PackageOf(d.info.Token)]
	}
	if d.reg.Remote {
		d.reg.Providers = own
	}
}

// withDefault adds the program's default provider for its package, unless one was named.
func (e *evaluator) withDefault(r *optionReader, own map[string]string, p *check.Node) map[string]string {
	pkg := schema.PackageOf(p.Resource.Type.Value)
	if _, named := own[pkg]; named {
		return own
	}
	v, err := e.await(r.ctx, p)
	if err != nil {
		r.fail(err)
		return own
	}
	ref, _ := v.AsReference()
	h, err := e.handleOf(r.ctx, ref)
	if err != nil {
		r.fail(err)
		return own
	}
	return withProvider(own, pkg, h.providerRef())
}

// inputsAndDependencies completes the registration: which property depends on what, and on what the whole depends.
func (e *evaluator) inputsAndDependencies(d *declaration) {
	d.reg.Inputs = d.inputs
	if d.reg.Remote {
		// A component makes outputs of what depends on something; that a resource is passed is no such dependency.
		d.reg.Inputs = d.inputs.Transform(func(v property.Value) property.Value {
			if _, ok := v.AsReference(); ok {
				return v.WithDependencies(nil)
			}
			return v
		})
	}
	o := &d.reg.Options
	o.PropertyDependencies = make(map[string][]urn.URN, d.inputs.Len())
	all := append(slices.Clone(o.Dependencies), o.ReplacementTrigger.AllDependencies()...)
	for k, v := range d.reg.Inputs.All() {
		o.PropertyDependencies[k] = v.AllDependencies()
		all = append(all, o.PropertyDependencies[k]...)
	}
	slices.Sort(all)
	o.Dependencies = slices.Compact(all)
}

// read looks up a resource that is managed elsewhere.
func (e *evaluator) read(ctx context.Context, d *declaration) (property.Value, error) {
	id, err := e.readID(ctx, d)
	if err != nil {
		return property.Value{}, err
	}
	if id.IsUnknown() {
		// Nobody can be asked yet. The URN follows from what is known.
		h := d.handle
		h.unknown = true
		u := urn.New(e.Stack, e.Project, d.reg.Options.Parent.QualifiedType(), d.reg.Type, d.reg.Name)
		return e.remember(engine.Registered{URN: u, Unknown: true}, h, true), nil
	}
	e.inputsAndDependencies(d)
	// As the Pulumi YAML host has it, that the id comes from a resource makes no dependency.
	out, err := e.Deployment.Read(ctx, engine.ReadRegistration{
		Type: d.reg.Type, Name: d.reg.Name, ID: id, Inputs: d.inputs, Options: d.reg.Options,
		Provider: d.reg.Provider, Package: d.reg.Package,
	})
	if err != nil {
		return property.Value{}, e.failure(d.Resource, err)
	}
	if text, ok := id.AsString(); ok && out.ID == "" && !e.Preview {
		out.ID = resource.ID(text)
	}
	return e.remember(out, d.handle, true), nil
}

// readID gives the id to read. A stack reference is read by the name of the stack.
func (e *evaluator) readID(ctx context.Context, d *declaration) (property.Value, error) {
	if d.Get != nil {
		id, err := e.expr(ctx, d.Get.ID)
		if err != nil {
			return property.Value{}, err
		}
		if _, ok := id.AsString(); !ok && !id.IsUnknown() {
			return property.Value{}, problemAt(d.Get.ID.Pos(), "the id to get must be a string, not %s", kindName(id))
		}
		return id, nil
	}
	name, ok := d.inputs.Lookup("name")
	if !ok {
		name = property.String(d.Name)
		d.inputs = d.inputs.With("name", name)
	}
	if _, isText := name.AsString(); !isText && !name.IsUnknown() {
		return property.Value{}, problemAt(d.Pos, "'name' property must be a string, instead got %s", kindName(name))
	}
	return name, nil
}
