package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/schema"
)

// PulumiName is the name under which programs find facts about the deployment.
const PulumiName = "pulumi"

// Node is one named thing of the program: a configuration value, a variable or a resource. One of the three is set;
// External alone is a configuration value that the stack sets and the program does not declare.
type Node struct {
	Name     string
	Pos      diag.Position
	Config   *template.Config
	Variable *template.Variable
	Resource *template.Resource
	External bool
	// Uses are the nodes that must be evaluated first.
	Uses []*Node

	state visitState
}

type visitState int

const (
	unvisited visitState = iota
	visiting
	visited
)

// IsConfig says whether n is a configuration value.
func (n *Node) IsConfig() bool { return n.Config != nil || n.External }

func (n *Node) kind() string {
	switch {
	case n.Variable != nil:
		return "variable"
	case n.Resource != nil:
		return "resource"
	default:
		return "config"
	}
}

func (n *Node) expressions() []template.Expr {
	switch {
	case n.Variable != nil:
		return []template.Expr{n.Variable.Value}
	case n.Resource != nil:
		return n.Resource.Expressions()
	case n.Config != nil:
		return []template.Expr{n.Config.Default, n.Config.Value}
	default:
		return nil
	}
}

// graph holds the nodes of a program and how they use each other.
type graph struct {
	*findings
	project  string
	external map[string]bool
	byName   map[string]*Node
	nodes    []*Node
	order    []*Node
	path     []*Node
	// defaults are the default providers by package.
	defaults map[string]*Node
}

// Order lists the nodes of a program, each after those it uses, whatever is wrong with the program.
func Order(p *template.Program) []*Node {
	return newGraph(p, Input{Program: p, Project: p.Name.Value}, &findings{}).order
}

// newGraph names the nodes, links them and sorts them: each after those it uses, otherwise as they are declared.
func newGraph(p *template.Program, in Input, f *findings) *graph {
	g := &graph{
		findings: f, project: in.Project, external: map[string]bool{},
		byName: map[string]*Node{}, defaults: map[string]*Node{},
	}
	for _, k := range in.ConfigKeys {
		g.external[k] = true
	}
	for i := range p.Config {
		g.declare(&Node{Name: p.Config[i].Name, Pos: p.Config[i].Pos, Config: &p.Config[i]})
	}
	for i := range p.Resources {
		g.declare(&Node{Name: p.Resources[i].Name, Pos: p.Resources[i].Pos, Resource: &p.Resources[i]})
	}
	for i := range p.Variables {
		g.declare(&Node{Name: p.Variables[i].Name, Pos: p.Variables[i].Pos, Variable: &p.Variables[i]})
	}
	g.findDefaults()
	for _, n := range slices.Clone(g.nodes) {
		g.link(n)
	}
	for _, o := range p.Outputs {
		g.uses(o.Value)
	}
	for _, n := range g.nodes {
		g.visit(n)
	}
	return g
}

func (g *graph) declare(n *Node) {
	if n.Name == PulumiName {
		g.errorAt(n.Pos, fmt.Sprintf("%s %s uses the reserved name pulumi", n.kind(), n.Name), "Choose another name.")
		return
	}
	if other, ok := g.byName[n.Name]; ok {
		summary := fmt.Sprintf("found duplicate %s %s", n.kind(), n.Name)
		if other.kind() != n.kind() {
			summary = fmt.Sprintf("%s %s cannot have the same name as %s %s", n.kind(), n.Name, other.kind(), other.Name)
		}
		g.errorAt(n.Pos, summary, fmt.Sprintf("The %s is declared at %s.", other.kind(), other.Pos))
		return
	}
	g.byName[n.Name] = n
	g.nodes = append(g.nodes, n)
}

func (g *graph) findDefaults() {
	for _, n := range g.nodes {
		if n.Resource == nil || !n.Resource.DefaultProvider {
			continue
		}
		pkg := schema.PackageOf(n.Resource.Type.Value)
		if other, ok := g.defaults[pkg]; ok {
			g.errorAt(n.Pos, fmt.Sprintf("package %s has more than one default provider", pkg),
				fmt.Sprintf("The other one is %s at %s.", other.Name, other.Pos))
			continue
		}
		g.defaults[pkg] = n
	}
}

// defaultFor gives the default provider that serves a type or function token, nil for none.
func (g *graph) defaultFor(token string) *Node {
	if strings.HasPrefix(token, "pulumi:") {
		return nil
	}
	return g.defaults[schema.PackageOf(token)]
}

func (g *graph) link(n *Node) {
	for _, x := range n.expressions() {
		n.Uses = append(n.Uses, g.uses(x)...)
	}
	if i := slices.IndexFunc(n.Uses, func(u *Node) bool { return !u.IsConfig() }); n.IsConfig() && i >= 0 {
		g.errorAt(n.Pos, fmt.Sprintf("the default of config %s uses %s %s", n.Name, n.Uses[i].kind(), n.Uses[i].Name),
			"Configuration is read first: a default may only use other configuration and ${pulumi}.")
	}
	if r := n.Resource; r != nil && r.Options.Provider == nil {
		if p := g.defaultFor(r.Type.Value); p != nil && p != n {
			n.Uses = append(n.Uses, p)
		}
	}
}

// uses lists the nodes that an expression refers to. Names that do not exist are reported.
func (g *graph) uses(x template.Expr) []*Node {
	var out []*Node
	template.Walk(x, func(x template.Expr) {
		switch x := x.(type) {
		case *template.Access:
			if x.Root == PulumiName {
				return
			}
			if n := g.find(x.Root); n != nil {
				out = append(out, n)
				return
			}
			g.errorAt(x.Pos(), fmt.Sprintf("resource, variable, or config value %q not found", x.Root), g.similar(x.Root))
		case *template.Invoke:
			if p := g.defaultFor(x.Token.Value); p != nil && x.Options.Provider == nil {
				out = append(out, p)
			}
		}
	})
	return out
}

// find gives the node of a name: as declared, with the project's namespace, or a value that only the stack sets.
func (g *graph) find(name string) *Node {
	if n, ok := g.byName[name]; ok {
		return n
	}
	short, full := strings.TrimPrefix(name, g.project+":"), name
	if n, ok := g.byName[short]; ok {
		return n
	}
	if !strings.Contains(name, ":") {
		full = g.project + ":" + name
	}
	if !g.external[full] {
		return nil
	}
	n := &Node{Name: full, External: true, state: visited}
	g.byName[name], g.byName[short] = n, n
	g.nodes, g.order = append(g.nodes, n), append(g.order, n)
	return n
}

func (g *graph) similar(name string) string {
	known := []string{PulumiName}
	for _, n := range g.nodes {
		known = append(known, n.Name)
	}
	return didYouMean(schema.Suggest(name, known))
}

// visit sorts depth first. g.path holds the nodes on the way, which form the cycle when n is among them.
func (g *graph) visit(n *Node) {
	switch n.state {
	case visited:
		return
	case visiting:
		g.reportCycle(n)
		return
	case unvisited:
	}
	n.state = visiting
	g.path = append(g.path, n)
	for _, u := range n.Uses {
		g.visit(u)
	}
	g.path = g.path[:len(g.path)-1]
	n.state = visited
	g.order = append(g.order, n)
}

func (g *graph) reportCycle(n *Node) {
	path := g.path[slices.Index(g.path, n):]
	var names, places []string
	for _, p := range path {
		names = append(names, p.Name)
		places = append(places, fmt.Sprintf("%s %s at %s", p.kind(), p.Name, p.Pos))
	}
	names = append(names, n.Name)
	g.errorAt(n.Pos, fmt.Sprintf("circular dependency of %s '%s' transitively on itself", n.kind(), n.Name),
		fmt.Sprintf("The cycle is %s: %s.", strings.Join(names, " -> "), strings.Join(places, ", ")))
}
