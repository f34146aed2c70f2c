package eval

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/schema"
	"github.com/cairn-iac/cairn/internal/urn"
)

// invoke calls a function of a package. The result depends on what the arguments depend on; it is secret as a whole
// when an argument is, else where the provider says so.
func (e *evaluator) invoke(ctx context.Context, x *template.Invoke) (property.Value, error) {
	info := e.Checked.Invokes[x]
	args, err := e.expr(ctx, x.Args)
	r := &optionReader{evaluator: e, ctx: ctx}
	call := engine.Invocation{
		Token:     info.Token,
		Provider:  e.invokeProvider(r, x, info.Token),
		DependsOn: r.urns("dependsOn", x.Options.DependsOn),
		Package:   e.packageRef(info.Token, x.Options.Version, x.Options.PluginDownloadURL),
	}
	if e.Inputs != nil {
		call.Parent = e.Parent
	}
	if h := r.one("parent", x.Options.Parent); h != nil {
		call.Parent = h.urn
	}
	if err != nil || r.err() != nil {
		return property.Value{}, errors.Join(err, r.err())
	}
	carry := func(v property.Value) property.Value {
		return dependOn(markDeep(v, args), call.DependsOn)
	}
	m, ok := args.AsMap()
	switch {
	case args.ContainsUnknown():
		return carry(property.Unknown()), nil
	case !ok && !args.IsNull():
		return property.Value{}, problemAt(x.Args.Pos(), "function arguments must be an object, not %s", kindName(args))
	}
	call.Args = withoutNulls(m).StripSecrets().StripDependencies()
	out, err := e.Deployment.Invoke(ctx, call)
	switch {
	case err != nil && isReported(err):
		return property.Value{}, errFailed
	case err != nil:
		return property.Value{}, problemAt(x.Pos(), "invoke of %s: %v", info.Token, err)
	case len(out.Failures) > 0:
		return property.Value{}, problemAt(x.Pos(), "invoke of %s failed: %s", info.Token, failures(out.Failures))
	case out.Unknown:
		return carry(property.Unknown()), nil
	}
	v, err := e.result(x, info.Function, out.Return)
	return carry(v), err
}

// invokeProvider gives the reference of the provider that the program names for the function, "" for none.
func (e *evaluator) invokeProvider(r *optionReader, x *template.Invoke, token string) string {
	pkg := schema.PackageOf(token)
	providers := e.Providers
	if h := r.one("parent", x.Options.Parent); h != nil {
		providers = h.providers
	}
	if h := r.one("provider", x.Options.Provider); h != nil {
		if served, ok := r.provider("Provider", x.Options.Provider, h); ok && served == pkg {
			return h.providerRef()
		} else if ok {
			e.warn(x.Options.Provider.Pos(), "the provider serves package %s, not %s: it is not used", served, pkg)
		}
	} else if p := e.Checked.DefaultProvider(token); p != nil && x.Options.Provider == nil {
		return e.withDefault(r, nil, p)[pkg]
	}
	return providers[pkg]
}

// result takes from the answer what the program asked for.
func (e *evaluator) result(x *template.Invoke, f schema.Function, out property.Map) (property.Value, error) {
	if _, scalar := f.Outputs.Value(); scalar {
		if out.Len() != 1 {
			return property.Value{}, problemAt(x.Pos(), "invoke of %s gave %d values instead of one", x.Token.Value, out.Len())
		}
		return out.Get(out.Keys()[0]), nil
	}
	if !x.Return.IsSet() {
		return property.FromMap(out), nil
	}
	v, ok := out.Lookup(x.Return.Value)
	if !ok && !e.Preview {
		d := problemAt(x.Return.Pos, "fn::invoke of %s did not contain a property '%s' in the returned value",
			x.Token.Value, x.Return.Value)
		d.Detail = "It has: " + strings.Join(out.Keys(), ", ") + "."
		return property.Value{}, d
	} else if !ok {
		return property.Unknown(), nil
	}
	return v, nil
}

func failures(fs []plugin.CheckFailure) string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Reason
		if f.Property != "" {
			lines[i] += " (" + f.Property + ")"
		}
	}
	return strings.Join(lines, "; ")
}

// stackRef is a stack that fn::stackReference reads, once.
type stackRef struct {
	once    sync.Once
	outputs property.Value
	secret  map[string]bool
	urn     urn.URN
	err     error
}

// stackReference gives one output of another stack.
func (e *evaluator) stackReference(ctx context.Context, x *template.Call) (property.Value, error) {
	stack, _ := x.Args[0].(*template.Literal)
	output, err := e.expr(ctx, x.Args[1])
	if err != nil {
		return property.Value{}, err
	}
	name, ok := output.AsString()
	if !ok {
		if output.IsUnknown() {
			return output, nil
		}
		return property.Value{}, wrongArgument(x, 1, "the name of an output", output)
	}
	ref := e.stackRef(ctx, x, stack.Text)
	if ref.err != nil {
		return property.Value{}, ref.err
	}
	deps := []urn.URN{ref.urn}
	outputs, ok := ref.outputs.AsMap()
	if !ok {
		return dependOn(mark(property.Unknown(), output), deps), nil
	}
	v, ok := outputs.Lookup(name)
	if !ok {
		d := problemAt(x.Args[1].Pos(), "stack %s has no output %q", stack.Text, name)
		d.Detail = "It has: " + strings.Join(outputs.Keys(), ", ") + "."
		return property.Value{}, d
	}
	v = dependOn(mark(v, output, ref.outputs), deps)
	if ref.secret[name] {
		v = v.MakeSecret()
	}
	return v, nil
}

func (e *evaluator) stackRef(ctx context.Context, x *template.Call, stack string) *stackRef {
	e.mu.Lock()
	ref, ok := e.stackRefs[stack]
	if !ok {
		ref = &stackRef{}
		e.stackRefs[stack] = ref
	}
	e.mu.Unlock()
	ref.once.Do(func() {
		name := property.String(stack)
		options := resource.Options{Parent: e.Parent, SourcePosition: sourcePosition(x.Pos())}
		out, err := e.Deployment.Read(ctx, engine.ReadRegistration{
			Type: urn.StackReferenceType, Name: stack, ID: name, Options: options,
			Inputs: property.MapOf(map[string]property.Value{"name": name}),
		})
		if err != nil {
			ref.err = problemAt(x.Pos(), "stack reference %s: %v", stack, err)
			return
		}
		ref.urn, ref.outputs = out.URN, out.Outputs.Get("outputs")
		ref.secret = map[string]bool{}
		names, _ := out.Outputs.Get("secretOutputNames").AsList()
		for _, n := range names.All() {
			if text, ok := n.AsString(); ok {
				ref.secret[text] = true
			}
		}
	})
	return ref
}
