package check

import (
	"fmt"
	"strings"
	"time"

	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
)

// options checks what can be known of resource options before the program runs.
func (c *checker) options(o *template.Options) {
	c.isBoolean("protect", o.Protect)
	c.isBoolean("retainOnDelete", o.RetainOnDelete)
	c.isBoolean("deleteBeforeReplace", o.DeleteBeforeReplace)
	if o.Import != nil {
		c.take(c.assign(o.Import, simple(kindString)))
	}
	c.isResource("parent", o.Parent)
	c.isResource("deletedWith", o.DeletedWith)
	c.areResources("dependsOn", o.DependsOn)
	c.areResources("replaceWith", o.ReplaceWith)
	c.isProvider(o.Provider)
	c.isDuration("create", o.Timeouts.Create)
	c.isDuration("update", o.Timeouts.Update)
	c.isDuration("delete", o.Timeouts.Delete)
	c.isDuration("read", o.Timeouts.Read)
	for _, a := range o.Aliases {
		c.alias(a)
	}
}

func (c *checker) isBoolean(name string, x template.Expr) {
	if x == nil {
		return
	}
	if t := c.infer(x); !assignable(t, simple(kindBool), 0) {
		c.errorAt(x.Pos(), fmt.Sprintf("the option %s must be a boolean value, not %s", name, describe(t)), "")
	}
}

func (c *checker) isResource(name string, x template.Expr) {
	if x == nil {
		return
	}
	if t := c.infer(x); !assignable(t, simple(kindResource), 0) {
		c.errorAt(x.Pos(), fmt.Sprintf("the option %s must be a resource, not %s", name, describe(t)),
			"Name the resource itself: ${resource}.")
	}
}

func (c *checker) areResources(name string, x template.Expr) {
	l, ok := x.(*template.List)
	if !ok {
		if x != nil && c.infer(x).kind != kindList {
			c.isResource(name, x)
		}
		return
	}
	for _, item := range l.Items {
		c.isResource(name, item)
	}
}

func (c *checker) isProvider(x template.Expr) {
	c.isResource("provider", x)
	if x == nil {
		return
	}
	if t := c.infer(x); t.kind == kindResource && t.name != "" && !strings.HasPrefix(t.name, "pulumi:providers:") {
		c.errorAt(x.Pos(), fmt.Sprintf("resource passed as Provider was not a provider resource '%s'", strings.Trim(template.String(x), `"`)),
			"A provider has a type like pulumi:providers:<package>.")
	}
}

func (c *checker) isDuration(name string, x template.Expr) {
	if c.isText("customTimeouts."+name, x); x == nil {
		return
	}
	l, ok := x.(*template.Literal)
	if !ok {
		return
	}
	if d, err := time.ParseDuration(l.Text); err != nil || d < 0 {
		c.errorAt(x.Pos(), fmt.Sprintf("customTimeouts.%s is not a duration", name), "Write it like 30s, 5m or 1h30m.")
	}
}

func (c *checker) isText(name string, x template.Expr) {
	if x == nil {
		return
	}
	if try := c.assign(x, simple(kindString)); len(try.list) == 0 && c.infer(x).kind != kindResource {
		c.texts = append(c.texts, try.texts...)
		return
	}
	c.errorAt(x.Pos(), fmt.Sprintf("%s must be a string, not %s", name, describe(c.infer(x))), "")
}

func (c *checker) alias(a template.Alias) {
	c.isText("aliases.urn", a.URN)
	c.isText("aliases.name", a.Name)
	c.isText("aliases.type", a.Type)
	c.isText("aliases.stack", a.Stack)
	c.isText("aliases.project", a.Project)
	c.isBoolean("aliases.noParent", a.NoParent)
	if a.Parent != nil && c.infer(a.Parent).kind != kindResource {
		c.isText("aliases.parent", a.Parent)
	}
}
