package template

import (
	"fmt"
	"strings"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/schema"
)

// ParseExpr reads one expression. The expression is nil when there are errors.
func ParseExpr(file, text string) (Expr, diag.Diagnostics) {
	p := &parser{problems: &problems{}, src: newSource(file, text)}
	n := readTree(p.src, text, p.problems)
	var x Expr
	if n != nil && !p.list.HasErrors() {
		x = p.expr(n)
	}
	if p.list.HasErrors() {
		x = nil
	}
	return x, p.list
}

// parser turns nodes into declarations and expressions. After an error it goes on, to find the others.
type parser struct {
	*problems
	src *Source
}

// expr gives the expression that n is. It is never nil; after an error it is some literal.
func (p *parser) expr(n *node) Expr {
	switch n.kind {
	case nodeList:
		out := &List{at: at{n.pos}}
		for _, item := range n.items {
			out.Items = append(out.Items, p.expr(item))
		}
		return out
	case nodeMap:
		if x, ok := p.function(n); ok {
			return x
		}
		return p.object(n)
	default:
		return p.scalarExpr(n)
	}
}

func (p *parser) object(n *node) *Object {
	out := &Object{at: at{n.pos}}
	for _, e := range n.entries {
		out.Entries = append(out.Entries, Entry{Key: p.scalarExpr(e.key), Value: p.expr(e.value)})
	}
	return out
}

func (p *parser) scalarExpr(n *node) Expr {
	switch n.scalar.kind {
	case scalarBool:
		return &Literal{at: at{n.pos}, Value: property.Bool(n.scalar.bool), Text: n.scalar.text}
	case scalarNumber:
		return &Literal{at: at{n.pos}, Value: property.Number(n.scalar.number), Text: n.scalar.text}
	case scalarString:
		return p.stringExpr(n)
	default:
		return &Literal{at: at{n.pos}, Text: "null"}
	}
}

func (p *parser) stringExpr(n *node) Expr {
	text := n.scalar.text
	parts, offsets, err := scanString(text)
	if err != nil {
		p.errorAt(p.within(n, err.offset), err.reason, err.remedy)
		return p.literal(n.pos, text)
	}
	for i := range parts {
		if parts[i].Access != nil {
			parts[i].Access.pos = p.within(n, offsets[i])
		}
	}
	switch {
	case len(parts) == 0:
		return p.literal(n.pos, "")
	case len(parts) == 1 && parts[0].Access == nil:
		return p.literal(n.pos, parts[0].Text)
	case len(parts) == 1 && parts[0].Text == "":
		return parts[0].Access
	default:
		return &Interpolated{at: at{n.pos}, Parts: parts}
	}
}

// within gives the place in the file of the "${" at an offset of n's text.
func (p *parser) within(n *node, offset int) diag.Position {
	return p.src.find(n.pos, "${", strings.Count(n.scalar.text[:offset], "${"))
}

func (p *parser) literal(pos diag.Position, text string) *Literal {
	return &Literal{at: at{pos}, Value: property.String(text), Text: text}
}

// function parses an object with an fn:: key.
func (p *parser) function(n *node) (Expr, bool) {
	for _, e := range n.entries {
		name, ok := functionKey(e.key.scalar.text)
		if !ok {
			continue
		}
		if len(n.entries) > 1 {
			p.errorAt(e.key.pos, fmt.Sprintf("%s must be alone in its object", e.key.scalar.text),
				"A function call is an object with one key. Keys that begin with fn:: cannot be data.")
		}
		return p.call(e, name), true
	}
	return nil, false
}

func (p *parser) call(e entry, name string) Expr {
	pos := e.key.pos
	if strings.EqualFold(name, invokeName) {
		p.checkCase(e.key, functionPrefix+invokeName)
		return p.invoke(pos, e.value)
	}
	if strings.Contains(name, ":") {
		return p.shorthand(pos, name, e.value)
	}
	f := functionNamed(name)
	if f == FuncNone {
		p.errorAt(pos, fmt.Sprintf("there is no function %q", e.key.scalar.text),
			suggestion(name, functionNames(), functionPrefix))
		return p.expr(e.value)
	}
	if want := f.signature(); name != want.also {
		p.checkCase(e.key, f.Name())
	}
	if f == FuncSecret {
		p.src.hide(e.key.pos.Line, e.value.last)
	}
	out := &Call{at: at{pos}, Func: f}
	want := f.signature()
	if want.args == 1 {
		out.Args = []Expr{p.expr(e.value)}
		return out
	}
	if e.value.kind != nodeList || len(e.value.items) != want.args {
		p.errorAt(e.value.pos, fmt.Sprintf("the argument to %s must be a list of %d: %s", f.Name(), want.args, want.shape), "")
		return p.literal(pos, "")
	}
	for _, item := range e.value.items {
		out.Args = append(out.Args, p.expr(item))
	}
	return out
}

// shorthand parses fn::pkg:mod:name: {arguments}.
func (p *parser) shorthand(pos diag.Position, token string, args *node) Expr {
	out := &Invoke{at: at{pos}, Token: Text{token, pos}}
	if _, _, _, err := schema.ParseToken(token); err != nil {
		p.errorAt(pos, err.Error(), "")
	}
	switch {
	case args.kind == nodeMap:
		out.Args = p.expr(args)
	case args.kind != nodeScalar || args.scalar.kind != scalarNull:
		p.errorAt(args.pos, fmt.Sprintf("the arguments of %s%s must be an object, not %s", functionPrefix, token, args), "")
	}
	return out
}

func (p *parser) invoke(pos diag.Position, n *node) Expr {
	out := &Invoke{at: at{pos}}
	if n.kind != nodeMap {
		p.errorAt(n.pos, "the argument to fn::invoke must be an object with function, arguments, options and return", "")
		return out
	}
	p.fields(n, fieldSet{owner: "fn::invoke", fields: []field{
		{"function", func(v *node) { out.Token = p.text("function", v) }},
		{"arguments", func(v *node) {
			if v.kind == nodeScalar && v.scalar.kind == scalarNull {
				return
			}
			out.Args = p.expr(v)
			if _, isAccess := out.Args.(*Access); v.kind != nodeMap && !isAccess {
				p.errorAt(v.pos, fmt.Sprintf("function arguments must be an object, not %s", v), "")
			}
		}},
		{"options", func(v *node) { p.invokeOptions(&out.Options, v) }},
		{"return", func(v *node) { out.Return = p.text("return", v) }},
	}})
	if !out.Token.IsSet() {
		p.errorAt(n.pos, "fn::invoke has no function", "Name it: function: package:module:name.")
	}
	return out
}

func (p *parser) invokeOptions(o *InvokeOptions, n *node) {
	if !p.isMap(n, "options") {
		return
	}
	p.fields(n, fieldSet{owner: "invoke options", fields: []field{
		{"dependsOn", func(v *node) { o.DependsOn = p.expr(v) }},
		{"parent", func(v *node) { o.Parent = p.expr(v) }},
		{"provider", func(v *node) { o.Provider = p.expr(v) }},
		{"version", func(v *node) { o.Version = p.version(v) }},
		{"pluginDownloadURL", func(v *node) { o.PluginDownloadURL = p.text("pluginDownloadURL", v) }},
	}})
}

func functionNames() []string {
	out := []string{invokeName}
	for _, f := range functions() {
		out = append(out, f.signature().name)
	}
	return out
}
