package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/langhost"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/schema"
)

// Input is what a program is checked against.
type Input struct {
	Program *template.Program
	Project string
	// ConfigKeys are the full keys that the stack sets.
	ConfigKeys []string
	// Component says that the configuration are the inputs of a component, whose type may be left open.
	Component bool
	Schemas   langhost.Schemas
	// Packages are declared packages by name; they say which provider and parameter stand behind a name.
	Packages map[string]plugin.Package
}

// Result is what the evaluator needs to know of a program.
type Result struct {
	// Order lists the nodes, each after those it uses.
	Order     []*Node
	Resources map[*template.Resource]ResourceInfo
	Invokes   map[*template.Invoke]InvokeInfo
	// Texts are number literals that stand for strings: they are taken as written.
	Texts map[*template.Literal]bool

	graph *graph
}

// ResourceInfo is the schema of a resource.
type ResourceInfo struct {
	// Token is the type as the package declares it.
	Token   string
	Package *schema.Package
	Schema  schema.Resource
}

// InvokeInfo is the schema of a function.
type InvokeInfo struct {
	Token    string
	Package  *schema.Package
	Function schema.Function
}

// Find gives the node that a name means; nil when there is none.
func (r *Result) Find(name string) *Node { return r.graph.find(name) }

// DefaultProvider gives the resource that serves a token by default; nil for none.
func (r *Result) DefaultProvider(token string) *Node { return r.graph.defaultFor(token) }

// Program checks a program. All problems are reported, as far as one does not hide another.
func Program(ctx context.Context, in Input) (*Result, diag.Diagnostics) {
	found := &findings{}
	c := &checker{
		findings: found, in: in, nodeTypes: map[*Node]typ{},
		out: &Result{
			Resources: map[*template.Resource]ResourceInfo{}, Invokes: map[*template.Invoke]InvokeInfo{},
			Texts: map[*template.Literal]bool{},
		},
	}
	c.graph = newGraph(in.Program, in, found)
	c.out.graph, c.out.Order = c.graph, c.graph.order
	// With a cycle or an unknown name, types cannot be followed.
	if !found.list.HasErrors() {
		c.schemas = loadSchemas(ctx, in, c.tokens())
		c.resolve()
		c.identities()
		c.types()
	}
	for _, l := range found.texts {
		c.out.Texts[l] = true
	}
	ds := make(diag.Diagnostics, len(found.list))
	for i, d := range found.list {
		ds[i] = in.Program.Locate(d)
	}
	slices.SortStableFunc(ds, func(a, b diag.Diagnostic) int {
		p, q := a.Subject.Position, b.Subject.Position
		return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
	})
	return c.out, ds
}

// checker holds the state of one check.
type checker struct {
	*findings
	in      Input
	graph   *graph
	schemas schemas
	out     *Result
	// nodeTypes are the types found so far.
	nodeTypes map[*Node]typ
}

// expressions calls visit for every expression of the program, outer ones first.
func (c *checker) expressions(visit func(template.Expr)) {
	for _, n := range c.graph.nodes {
		for _, x := range n.expressions() {
			template.Walk(x, visit)
		}
	}
	for _, o := range c.in.Program.Outputs {
		template.Walk(o.Value, visit)
	}
}

// types checks everything that depends on types.
func (c *checker) types() {
	for _, n := range c.graph.nodes {
		switch {
		case n.Config != nil:
			c.config(n.Config)
		case n.Resource != nil:
			c.resource(n.Resource)
		}
	}
	c.expressions(func(x template.Expr) {
		switch x := x.(type) {
		case *template.Access:
			if _, p := c.accessType(x); p != nil {
				c.errorAt(x.Pos(), p.summary, p.detail)
			}
		case *template.Invoke:
			c.invoke(x)
		case *template.Call:
			c.call(x)
		}
	})
}

func (c *checker) config(d *template.Config) {
	if d.Value != nil {
		return
	}
	if d.Type == nil && d.Default == nil {
		if !c.in.Component && !c.graph.external[c.configKey(d)] {
			c.errorAt(d.Pos, "unable to infer type: either 'default' or 'type' is required", "Say type: string, for example.")
		}
		return
	}
	if d.Type != nil && d.Default != nil {
		try := c.assign(d.Default, declaredType(d.Type))
		if len(try.list) > 0 {
			c.errorAt(d.Default.Pos(), fmt.Sprintf("type mismatch: the default value of %s is not of type %s", d.Name, d.Type),
				try.list[0].Summary)
		}
		c.texts = append(c.texts, try.texts...)
	}
}

// configKey is the full key under which the stack sets a value.
func (c *checker) configKey(d *template.Config) string { return ConfigKey(c.in.Project, d) }

// ConfigKey is the full key (namespace:name) of a declared configuration value.
func ConfigKey(project string, d *template.Config) string {
	key := d.Name
	if d.Key.Value != "" {
		key = d.Key.Value
	}
	if strings.Contains(key, ":") {
		return key
	}
	return project + ":" + key
}

// call checks the arguments of functions against what they take.
func (c *checker) call(x *template.Call) {
	text := simple(kindString)
	want := map[template.Func][]typ{
		template.FuncJoin:     {text, listOf(anything)},
		template.FuncSplit:    {text, text},
		template.FuncSelect:   {simple(kindInteger), listOf(anything)},
		template.FuncToBase64: {text}, template.FuncFromBase64: {text}, template.FuncSha1: {text},
		template.FuncReadFile: {text}, template.FuncFileBase64: {text}, template.FuncFileBase64Sha256: {text},
		template.FuncStringAsset: {text}, template.FuncFileAsset: {text}, template.FuncRemoteAsset: {text},
		template.FuncFileArchive: {text}, template.FuncRemoteArchive: {text},
		template.FuncSingleOrNone: {listOf(anything)},
		template.FuncResourceName: {simple(kindResource)}, template.FuncResourceType: {simple(kindResource)},
		template.FuncStackReference: {text, text},
		template.FuncAssetArchive:   {{kind: kindMap, elem: func() typ { return simple(kindAsset) }}},
	}[x.Func]
	for i, t := range want {
		c.take(c.assign(x.Args[i], t))
	}
	if x.Func == template.FuncStackReference {
		c.warnAt(x.Pos(), "'fn::stackReference' is deprecated", "Use a resource of type pulumi:pulumi:StackReference.")
		if _, ok := x.Args[0].(*template.Literal); !ok {
			c.errorAt(x.Args[0].Pos(), "the first argument to fn::stackReference must be a string literal", "")
		}
	}
}
