package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/schema"
)

// tokens lists all mentions of types and functions.
func (c *checker) tokens() []reference {
	var out []reference
	for _, n := range c.graph.nodes {
		if n.Resource != nil {
			out = append(out, c.resourceReference(n.Resource))
		}
	}
	c.expressions(func(x template.Expr) {
		if v, ok := x.(*template.Invoke); ok {
			out = append(out, c.invokeReference(v))
		}
	})
	return slices.DeleteFunc(out, func(r reference) bool {
		_, _, _, err := schema.ParseToken(r.token)
		return err != nil
	})
}

func (c *checker) resourceReference(r *template.Resource) reference {
	out := reference{r.Type.Value, r.Options.Version, r.Options.PluginDownloadURL, r.Type.Pos}
	if p := c.graph.defaultFor(out.token); p != nil && r.Options.Provider == nil {
		c.fromDefault(&out, p.Resource)
	}
	return out
}

func (c *checker) invokeReference(v *template.Invoke) reference {
	out := reference{v.Token.Value, v.Options.Version, v.Options.PluginDownloadURL, v.Token.Pos}
	if p := c.graph.defaultFor(out.token); p != nil && v.Options.Provider == nil {
		c.fromDefault(&out, p.Resource)
	}
	return out
}

// fromDefault takes version and URL of the default provider where the reference says nothing.
func (c *checker) fromDefault(r *reference, p *template.Resource) {
	if r.version.Value == "" {
		r.version = p.Options.Version
	}
	if r.url.Value == "" {
		r.url = p.Options.PluginDownloadURL
	}
}

// conflicts reports versions and URLs that differ from those of the default provider.
func (c *checker) conflicts(token string, hasProvider bool, version, url template.Text) {
	p := c.graph.defaultFor(token)
	if p == nil || hasProvider {
		return
	}
	o := p.Resource.Options
	if version.IsSet() && version.Value != o.Version.Value {
		c.errorAt(version.Pos, "Version conflicts with the default provider version",
			fmt.Sprintf("Remove this option, or set it on the default provider %s.", p.Name))
	}
	if url.IsSet() && url.Value != o.PluginDownloadURL.Value {
		c.errorAt(url.Pos, "PluginDownloadURL conflicts with the default provider URL",
			fmt.Sprintf("Remove this option, or set it on the default provider %s.", p.Name))
	}
}

// resolve finds the schema of every resource and function.
func (c *checker) resolve() {
	for _, n := range c.graph.nodes {
		if n.Resource != nil {
			c.resolveResource(n.Resource)
		}
	}
	c.expressions(func(x template.Expr) {
		if v, ok := x.(*template.Invoke); ok {
			c.resolveInvoke(v)
		}
	})
}

func (c *checker) resolveResource(r *template.Resource) {
	ref := c.resourceReference(r)
	if reason := blocked(ref.token); reason != "" {
		c.errorAt(ref.at, fmt.Sprintf("error resolving type of resource %s: %s", r.Name, reason), "")
		return
	}
	pkg, token, info, err := c.lookupResource(ref)
	if err != nil {
		c.errorAt(ref.at, fmt.Sprintf("error resolving type of resource %s: %v", r.Name, err), c.hint(ref, err))
		return
	}
	if isOldDockerImage(ref.token, pkg) {
		c.errorAt(ref.at, fmt.Sprintf("error resolving type of resource %s: Docker Image resources are not supported in "+
			"YAML without major version >= 4", r.Name), "Set options: {version: ...} to 4.0.0 or later.")
		return
	}
	c.out.Resources[r] = ResourceInfo{Token: token, Package: pkg, Schema: info}
}

func (c *checker) lookupResource(ref reference) (*schema.Package, string, schema.Resource, error) {
	if _, _, _, err := schema.ParseToken(ref.token); err != nil {
		return nil, "", schema.Resource{}, err
	}
	pkg, err := c.schemas.of(ref)
	if err != nil {
		return nil, "", schema.Resource{}, err
	}
	// A parameterized package may report the name of its base provider; the program's name for it counts.
	token, info, err := pkg.ResolveResource(ref.token)
	return pkg, token, info, err
}

func (c *checker) resolveInvoke(v *template.Invoke) {
	ref := c.invokeReference(v)
	if _, _, _, err := schema.ParseToken(ref.token); err != nil {
		c.errorAt(ref.at, err.Error(), "")
		return
	}
	pkg, err := c.schemas.of(ref)
	if err != nil {
		c.errorAt(ref.at, err.Error(), c.hint(ref, err))
		return
	}
	token, f, err := pkg.ResolveFunction(ref.token)
	if err != nil {
		c.errorAt(ref.at, err.Error(), c.hint(ref, err))
		return
	}
	c.out.Invokes[v] = InvokeInfo{Token: token, Package: pkg, Function: f}
}

// identities finds resources that would have the same URN.
func (c *checker) identities() {
	type identity struct{ token, name, parent string }
	first := map[identity]*template.Resource{}
	for _, n := range c.graph.nodes {
		r := n.Resource
		if r == nil || c.out.Resources[r].Token == "" {
			continue
		}
		id := identity{c.out.Resources[r].Token, r.URNName(), ""}
		if r.Options.Parent != nil {
			id.parent = template.String(r.Options.Parent)
		}
		if other, ok := first[id]; ok {
			c.errorAt(r.Pos, fmt.Sprintf("resource %s has the type and the name of resource %s: %s '%s'", r.Name, other.Name, id.token, id.name),
				fmt.Sprintf("Resource %s is declared at %s. Give one of them another name.", other.Name, other.Pos))
			continue
		}
		first[id] = r
	}
}

// hint says what may have been meant, or where the package should come from.
func (c *checker) hint(ref reference, err error) string {
	var missing *schema.NotFoundError
	if errors.As(err, &missing) {
		return didYouMean(missing.Suggestions)
	}
	if _, _, _, malformed := schema.ParseToken(ref.token); malformed != nil {
		return ""
	}
	name := schema.PackageOf(ref.token)
	known := c.schemas.names()
	for _, p := range c.in.Program.Packages {
		if p.Name == name {
			return fmt.Sprintf("Package %s is declared at %s: its source is %s.", name, p.Pos, p.Source)
		}
		known = append(known, p.Name)
	}
	return didYouMean(schema.Suggest(name, known))
}

// blocked says why a type cannot be used from YAML.
func blocked(token string) string {
	switch token {
	case "kubernetes:helm.sh/v2:Chart", "kubernetes:helm.sh/v3:Chart":
		return "Helm Chart resources are not supported in YAML, consider using the Helm Release resource instead"
	case "kubernetes:apiextensions.k8s.io:CustomResource", "kubernetes:kustomize:Directory", "kubernetes:yaml:ConfigFile",
		"kubernetes:yaml:ConfigGroup":
		return fmt.Sprintf("The resource type [%s] is not supported in YAML at this time", token)
	default:
		return ""
	}
}

func isOldDockerImage(token string, pkg *schema.Package) bool {
	if token != "docker:image:Image" && token != "docker:Image" {
		return false
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(pkg.Version, "v"), ".")
	return major == "" || len(major) == 1 && major <= "3"
}

// resource checks the properties, and what get reads, against the schema.
func (c *checker) resource(r *template.Resource) {
	c.conflicts(r.Type.Value, r.Options.Provider != nil, r.Options.Version, r.Options.PluginDownloadURL)
	c.options(&r.Options)
	info, ok := c.out.Resources[r]
	if !ok {
		return
	}
	owner := "Resource " + info.Token
	to := objectType(info.Package, info.Token, info.Schema.Inputs())
	if r.Get != nil {
		c.take(c.assign(r.Get.ID, simple(kindString)))
		if r.Get.State != nil {
			state := objectType(info.Package, info.Token, info.Schema.ObjectType)
			state.required = nil
			c.assignFields(c.findings, r.Get.State, state, owner)
		}
		return
	}
	switch x := r.Properties.(type) {
	case nil:
		for _, name := range to.required {
			c.errorAt(r.Pos, fmt.Sprintf("Missing required property '%s' of %s", name, owner), "")
		}
	case *template.Object:
		c.assignFields(c.findings, x, to, owner)
	default:
		c.take(c.assign(x, to))
	}
}

// invoke checks the arguments of a function call. What the schema says of them is often stricter than the provider,
// so that all but the name of the output are warnings.
func (c *checker) invoke(v *template.Invoke) {
	c.conflicts(v.Token.Value, v.Options.Provider != nil, v.Options.Version, v.Options.PluginDownloadURL)
	c.isResource("parent", v.Options.Parent)
	c.isProvider(v.Options.Provider)
	c.areResources("dependsOn", v.Options.DependsOn)
	info, ok := c.out.Invokes[v]
	if !ok {
		return
	}
	if o, isObject := v.Args.(*template.Object); isObject && info.Function.Inputs != nil {
		try := &findings{}
		c.assignFields(try, o, objectType(info.Package, info.Token, *info.Function.Inputs), "Invoke "+info.Token)
		c.asWarnings(try)
	}
	if !v.Return.IsSet() {
		return
	}
	if _, scalar := info.Function.Outputs.Value(); scalar {
		c.errorAt(v.Return.Pos, "fn::invoke has a non-object return value",
			fmt.Sprintf("Function %s gives one value: remove return.", info.Token))
		return
	}
	o, ok := info.Function.Outputs.Object()
	t := objectType(info.Package, info.Token, o)
	if _, has := t.fields[v.Return.Value]; ok && !has {
		c.errorAt(v.Return.Pos, fmt.Sprintf("%s does not exist on %s", v.Return.Value, v.Token.Value),
			existing(v.Return.Value, t.fieldNames()))
	}
}
