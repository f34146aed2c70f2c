package table

import (
	"fmt"
	"strings"
	"time"

	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Overview is what `stack` shows of the current stack.
type Overview struct {
	// Stack is the stack's name as it is shown, Backend the name of the backend.
	Stack   string
	Backend string
	// Updated is nil for a stack that has no state yet.
	Updated *UpdatedBy
	// Resources are in the order of the state.
	Resources []*resource.State
	Outputs   property.Map
	Show      OverviewShow
}

// UpdatedBy tells of the last write of the state.
type UpdatedBy struct {
	// At is shown in its own time zone; zero is not shown.
	At              time.Time
	Version         string
	SecretsProvider string
}

// OverviewShow selects what else is shown.
type OverviewShow struct{ URNs, IDs, Secrets bool }

// String is the overview as text; now is what times are relative to.
func (o Overview) String(now time.Time, p palette.Palette) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "Current stack is %s:\n    Managed by %s\n", o.Stack, o.Backend)
	if o.Updated == nil {
		b.WriteString("    No updates yet; run `pulumi up`\n")
	} else {
		b.WriteString(o.Updated.text(now))
	}
	fmt.Fprintf(&b, "Current stack resources (%d):\n", len(o.Resources))
	if len(o.Resources) == 0 {
		b.WriteString("    No resources currently in this stack\n")
	} else {
		t := Table{Headers: []string{"TYPE", "NAME"}, Prefix: "    ", Palette: p, Rows: o.resourceRows()}
		b.WriteString(t.String())
		outputs, err := Outputs(o.Outputs, ValueShow{Secrets: o.Show.Secrets})
		if err != nil {
			return "", err
		}
		b.WriteString("\n" + outputs)
	}
	b.WriteString("\nUse `pulumi stack select` to change stack; `pulumi stack ls` lists known ones\n")
	return b.String(), nil
}

func (u UpdatedBy) text(now time.Time) string {
	var b strings.Builder
	if !u.At.IsZero() && u.At.Before(now) {
		fmt.Fprintf(&b, "    Last updated: %s (%v)\n", ago(u.At, now), u.At)
	}
	if u.Version != "" {
		fmt.Fprintf(&b, "    Pulumi version used: %s\n", u.Version)
	}
	if u.SecretsProvider != "" {
		fmt.Fprintf(&b, "    Secrets provider: %s\n", u.SecretsProvider)
	}
	return b.String()
}

// node is a resource with the ones it is the parent of.
type node struct {
	state    *resource.State
	children []*node
}

// resourceRows draws the tree of resources, or lists them where they make none.
func (o Overview) resourceRows() []Row {
	root := tree(o.Resources)
	if root == nil {
		rows := make([]Row, len(o.Resources))
		for i, r := range o.Resources {
			rows[i] = o.resourceRow(r, "", "    ")
		}
		return rows
	}
	var rows []Row
	o.walk(root, branch{}, func(r Row) { rows = append(rows, r) })
	return rows
}

// tree gives the root resource with all others below it; those without a parent hang directly on it. It is nil without
// a root, or when a parent is missing.
func tree(resources []*resource.State) *node {
	nodes, byURN := make([]*node, len(resources)), map[urn.URN]*node{}
	for i, r := range resources {
		nodes[i] = &node{state: r}
		// A resource that is only left to be deleted shares its URN with the one that replaces it.
		if _, taken := byURN[r.URN]; !taken || !r.Delete {
			byURN[r.URN] = nodes[i]
		}
	}
	var root *node
	var orphans []*node
	for _, n := range nodes {
		switch parent, found := byURN[n.state.Parent]; {
		case found:
			parent.children = append(parent.children, n)
		case n.state.Parent != "":
			return nil
		case n.state.Type == urn.StackType:
			root = n
		default:
			orphans = append(orphans, n)
		}
	}
	if root == nil {
		return nil
	}
	root.children = append(root.children, orphans...)
	return root
}

// branch is where a node hangs: the margin of its parent and the twig to it.
type branch struct{ margin, twig, below string }

func (o Overview) walk(n *node, b branch, add func(Row)) {
	margin := b.margin + b.below
	under := "   "
	if len(n.children) > 0 {
		under = "│  "
	}
	add(o.resourceRow(n.state, b.margin+b.twig, margin+under))
	for i, child := range n.children {
		next := branch{margin: margin, twig: "├─ ", below: "│  "}
		if i == len(n.children)-1 {
			next.twig, next.below = "└─ ", "   "
		}
		o.walk(child, next, add)
	}
}

func (o Overview) resourceRow(r *resource.State, before, under string) Row {
	row := Row{Cells: []string{before + palette.Escape(string(r.Type)), palette.Escape(r.URN.Name())}}
	if o.Show.URNs {
		row.Below += "    " + under + "URN: " + palette.Escape(string(r.URN)) + "\n"
	}
	if o.Show.IDs && r.ID != "" {
		row.Below += "    " + under + "ID: " + palette.Escape(string(r.ID)) + "\n"
	}
	return row
}
