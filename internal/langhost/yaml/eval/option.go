package eval

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// optionReader evaluates the options of one resource and keeps what is wrong with them.
type optionReader struct {
	*evaluator
	ctx  context.Context
	errs []error
}

func (r *optionReader) fail(err error) { r.errs = append(r.errs, err) }

// eval gives the value of an option; ok is false when it is absent or wrong.
func (r *optionReader) eval(x template.Expr) (v property.Value, ok bool) {
	if x == nil {
		return property.Value{}, false
	}
	v, err := r.expr(r.ctx, x)
	if err != nil {
		r.fail(err)
		return property.Value{}, false
	}
	return v, !v.IsNull()
}

// known is eval for options that have to be known when the resource is declared.
func (r *optionReader) known(name string, x template.Expr) (v property.Value, ok bool) {
	v, ok = r.eval(x)
	if ok && v.ContainsUnknown() {
		r.fail(problemAt(x.Pos(), "the option %s must not depend on a value that is not known yet", name))
		return property.Value{}, false
	}
	return v, ok
}

func (r *optionReader) boolean(name string, x template.Expr) *bool {
	v, ok := r.known(name, x)
	if !ok {
		return nil
	}
	b, ok := v.AsBool()
	if !ok {
		r.fail(problemAt(x.Pos(), "the option %s must be a boolean value, not %s", name, kindName(v)))
		return nil
	}
	return &b
}

func (r *optionReader) text(name string, x template.Expr) string {
	v, ok := r.known(name, x)
	if !ok {
		return ""
	}
	s, ok := asText(v)
	if !ok {
		r.fail(problemAt(x.Pos(), "the option %s must be a string, not %s", name, kindName(v)))
	}
	return s
}

// one gives the resource that an option names.
func (r *optionReader) one(name string, x template.Expr) *handle {
	v, ok := r.eval(x)
	if !ok {
		return nil
	}
	return r.asResource(name, x, v)
}

func (r *optionReader) asResource(name string, x template.Expr, v property.Value) *handle {
	ref, ok := v.AsReference()
	if !ok {
		d := problemAt(x.Pos(), "the option %s must be a resource, not %s", name, kindName(v))
		d.Detail = "Name the resource itself: ${resource}."
		r.fail(d)
		return nil
	}
	h, err := r.handleOf(r.ctx, ref)
	if err != nil {
		r.fail(fmt.Errorf("the option %s: %w", name, err))
		return nil
	}
	return h
}

// many gives the resources that an option names: one, or a list of them.
func (r *optionReader) many(name string, x template.Expr) []*handle {
	v, ok := r.eval(x)
	if !ok {
		return nil
	}
	l, isList := v.AsList()
	if !isList {
		l = property.ListOf([]property.Value{v})
	}
	var out []*handle
	for _, item := range l.All() {
		if h := r.asResource(name, x, item); h != nil {
			out = append(out, h)
		}
	}
	return out
}

// provider gives a provider resource and the package it serves.
func (r *optionReader) provider(name string, x template.Expr, h *handle) (pkg string, ok bool) {
	if pkg = h.urn.Type().ProviderPackage(); pkg == "" {
		r.fail(problemAt(x.Pos(), "resource passed as %s was not a provider resource '%s'", name, h.urn.Name()))
	}
	return pkg, pkg != ""
}

// providers reads the providers option: a list of provider resources, or an object of them by package.
func (r *optionReader) providers(x template.Expr) map[string]string {
	v, ok := r.eval(x)
	if !ok {
		return nil
	}
	out := map[string]string{}
	if m, isMap := v.AsMap(); isMap {
		for pkg, item := range m.All() {
			if h := r.asResource("providers", x, item); h != nil {
				if _, ok := r.provider("providers", x, h); ok {
					out[pkg] = h.providerRef()
				}
			}
		}
		return out
	}
	for _, h := range r.many("providers", x) {
		if pkg, ok := r.provider("providers", x, h); ok {
			out[pkg] = h.providerRef()
		}
	}
	return out
}

func (r *optionReader) urns(name string, x template.Expr) []urn.URN {
	var out []urn.URN
	for _, h := range r.many(name, x) {
		out = append(out, h.urn)
	}
	return out
}

func (r *optionReader) timeouts(t template.Timeouts) resource.Timeouts {
	read := func(name string, x template.Expr) time.Duration {
		text := r.text("customTimeouts."+name, x)
		if text == "" {
			return 0
		}
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			r.fail(problemAt(x.Pos(), "customTimeouts.%s is not a duration", name))
		}
		return d
	}
	return resource.Timeouts{
		Create: read("create", t.Create), Update: read("update", t.Update), Delete: read("delete", t.Delete),
		Read: read("read", t.Read),
	}
}

// aliases gives the former URNs, and the former identities that the engine resolves.
func (r *optionReader) aliases(as []template.Alias) (whole []urn.URN, specs []engine.AliasSpec) {
	for _, a := range as {
		if a.URN != nil {
			u, err := urn.Parse(r.text("aliases.urn", a.URN))
			if err != nil {
				r.fail(problemAt(a.URN.Pos(), "the alias %v", err))
			}
			whole = append(whole, u)
			continue
		}
		noParent := r.boolean("aliases.noParent", a.NoParent)
		specs = append(specs, engine.AliasSpec{
			Name: r.text("aliases.name", a.Name), Type: r.text("aliases.type", a.Type),
			Stack: r.text("aliases.stack", a.Stack), Project: r.text("aliases.project", a.Project),
			ParentURN: r.aliasParent(a.Parent), NoParent: noParent != nil && *noParent,
		})
	}
	return whole, specs
}

// aliasParent reads a former parent: a resource or a URN.
func (r *optionReader) aliasParent(x template.Expr) urn.URN {
	v, ok := r.eval(x)
	if !ok {
		return ""
	}
	text, isText := v.AsString()
	if !isText {
		if h := r.asResource("aliases.parent", x, v); h != nil {
			return h.urn
		}
		return ""
	}
	u, err := urn.Parse(text)
	if err != nil {
		r.fail(problemAt(x.Pos(), "the parent of an alias: %v", err))
	}
	return u
}

func (r *optionReader) environment(o *template.Object) map[string]string {
	if o == nil {
		return nil
	}
	out := map[string]string{}
	for _, e := range o.Entries {
		key, ok := e.KeyText()
		if !ok {
			r.fail(problemAt(e.Key.Pos(), "the keys of envVarMappings must be literal names"))
			continue
		}
		out[key] = r.text("envVarMappings", e.Value)
	}
	return out
}

func texts(ts []template.Text) []string {
	var out []string
	for _, t := range ts {
		out = append(out, t.Value)
	}
	return out
}

func (r *optionReader) err() error { return errors.Join(r.errs...) }

// sourcePosition is a place of the program as the engine records it.
func sourcePosition(at diag.Position) string {
	return fmt.Sprintf("project:///%s#%d,%d", at.File, at.Line, at.Column)
}
