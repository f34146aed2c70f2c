package project

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/config/document"
	"github.com/cairn-iac/cairn/internal/diag"
)

// projectKeys are the attributes of a project file.
func projectKeys() []string {
	return []string{
		"name", "runtime", "main", "description", "author", "website", "license", "config", "stackConfigDir", "backend", "options", "cairn",
		"template", "packages", "plugins", "requiredPulumiVersion",
	}
}

// programKeys are the attributes that make a project file a program of the YAML runtime.
func programKeys() []string {
	return []string{"configuration", "variables", "resources", "outputs", "components", "pulumi"}
}

// Parse reads a project file; the path names it in messages and its extension says whether it is JSON. The error is
// [diag.Diagnostics] with every problem of the file.
func Parse(path string, data []byte) (*Project, error) {
	doc, err := document.Parse(path, data)
	if err != nil {
		return nil, err
	}
	if doc.Root == nil {
		return nil, diag.Diagnostics{doc.Problem(nil, "the project file is empty; it needs a name and a runtime")}
	}
	root, err := doc.Mapping()
	if err != nil {
		return nil, err
	}
	r := &reader{doc: doc}
	p := &Project{Path: path, Document: doc, Name: r.projectName(root)}
	fields := map[string]*yaml.Node{}
	for _, pair := range document.Pairs(root) {
		fields[pair.Name] = pair.Value
		r.suspect(pair)
	}
	if n := fields["runtime"]; n != nil {
		p.Runtime = r.runtime(n)
	}
	p.Main = r.text(fields["main"], "main")
	p.Description = r.text(fields["description"], "description")
	p.Author = r.text(fields["author"], "author")
	p.Website = r.text(fields["website"], "website")
	p.License = r.text(fields["license"], "license")
	p.StackConfigDir = r.text(fields["stackConfigDir"], "stackConfigDir")
	p.RequiredPulumiVersion = r.text(fields["requiredPulumiVersion"], "requiredPulumiVersion")
	if n := fields["backend"]; n != nil {
		p.BackendURL = r.text(r.record(n, "backend", "url")["url"], "backend.url")
	}
	if n := fields["options"]; n != nil {
		p.RefreshAlways = r.refresh(r.record(n, "options", "refresh")["refresh"])
	}
	if n := fields["cairn"]; n != nil {
		p.GuardMissing = r.percent(r.record(n, "cairn", "guardMissing")["guardMissing"], "cairn.guardMissing")
	}
	if n := fields["template"]; n != nil && !isNull(n) {
		p.Template = r.template(n)
	}
	p.Packages = r.packages(fields["packages"])
	p.Plugins = r.plugins(fields["plugins"])
	if n := fields["config"]; n != nil {
		r.config(p, n, fields["stackConfigDir"])
	}
	if r.problems.HasErrors() {
		return nil, r.problems
	}
	p.Warnings = r.problems
	return p, nil
}

// ParsePlugin reads a plugin project file.
func ParsePlugin(path string, data []byte) (*PluginProject, error) {
	doc, err := document.Parse(path, data)
	if err != nil {
		return nil, err
	}
	root, err := doc.Mapping()
	if err != nil {
		return nil, err
	}
	r := &reader{doc: doc}
	p := &PluginProject{Path: path, Document: doc}
	for _, pair := range document.Pairs(root) {
		switch pair.Name {
		case "name":
			p.Name = r.text(pair.Value, "name")
		case "runtime":
			p.Runtime = r.runtime(pair.Value)
		case "packages":
			p.Packages = r.packages(pair.Value)
		case "requiredPulumiVersion":
			p.RequiredPulumiVersion = r.text(pair.Value, "requiredPulumiVersion")
		}
	}
	if p.Runtime.Name == "" && !r.problems.HasErrors() {
		r.problem(root, "project is missing a 'runtime' attribute")
	}
	if r.problems.HasErrors() {
		return nil, r.problems
	}
	return p, nil
}

// suspect warns of a key that no one reads but that is close to one that matters.
func (r *reader) suspect(pair document.Pair) {
	known := append(projectKeys(), programKeys()...)
	for _, key := range known {
		if key == pair.Name {
			return
		}
	}
	if meant := document.Closest(pair.Name, known); meant != "" && meant != "name" {
		r.warning(pair.Key, "the attribute '%s' means nothing; did you mean '%s'?", pair.Name, meant)
	}
}

func (r *reader) projectName(root *yaml.Node) string {
	p, ok := document.Lookup(root, "name")
	if !ok {
		for _, other := range document.Pairs(root) {
			if document.Closest(other.Name, []string{"name"}) != "" {
				r.problem(other.Key, "project is missing a 'name' attribute; found '%s' instead", other.Name)
				return ""
			}
		}
		r.problem(root, "project is missing a 'name' attribute")
		return ""
	}
	n := document.Resolve(p.Value)
	if n.Kind != yaml.ScalarNode || isNull(n) || n.Value == "" {
		r.problem(p.Value, "project is missing a non-empty string 'name' attribute")
		return ""
	}
	name := r.text(p.Value, "name")
	if name == "" {
		return ""
	}
	if err := ValidateName(name); err != nil {
		r.problem(p.Value, "the project's name '%s' cannot be used: %v", name, err)
	}
	return name
}

func (r *reader) runtime(n *yaml.Node) Runtime {
	v := document.Resolve(n)
	if v.Kind == yaml.ScalarNode && v.ShortTag() == "!!str" && v.Value != "" {
		return Runtime{Name: v.Value}
	}
	if v.Kind != yaml.MappingNode {
		r.problem(n, "runtime must be a name, or a mapping with name and options, not %s", document.Describe(n))
		return Runtime{}
	}
	fields := r.record(n, "runtime", "name", "options")
	out := Runtime{Name: r.text(fields["name"], "runtime.name")}
	if options := fields["options"]; options != nil {
		for _, p := range r.mapping(options, "runtime.options") {
			if out.Options == nil {
				out.Options = map[string]any{}
			}
			out.Options[p.Name] = r.plain(p.Value, "runtime.options."+p.Name)
		}
	}
	return out
}

func (r *reader) refresh(n *yaml.Node) bool {
	if n == nil {
		return false
	}
	if v := document.Resolve(n); v.Kind != yaml.ScalarNode || v.Value != "always" {
		r.problem(n, "options.refresh: value must be \"always\"; leave it out to refresh on demand")
	}
	return true
}

func (r *reader) template(n *yaml.Node) *Template {
	fields := r.record(n, "template", "displayName", "description", "quickstart", "important", "metadata", "config")
	t := &Template{
		DisplayName: r.text(fields["displayName"], "template.displayName"),
		Description: r.text(fields["description"], "template.description"),
		Quickstart:  r.text(fields["quickstart"], "template.quickstart"),
		Important:   r.flag(fields["important"], "template.important"),
		Metadata:    r.textMap(fields["metadata"], "template.metadata"),
	}
	if fields["config"] == nil {
		return t
	}
	for _, p := range r.mapping(fields["config"], "template.config") {
		what := "template.config." + p.Name
		c := TemplateConfig{Name: p.Name}
		for _, field := range r.mapping(p.Value, what) {
			switch field.Name {
			case "description":
				c.Description = r.text(field.Value, what+".description")
			case "secret":
				c.Secret = r.flag(field.Value, what+".secret")
			case "default":
				if v := document.Resolve(field.Value); v.Kind != yaml.ScalarNode {
					r.problem(field.Value, "%s.default must be a text, not %s", what, document.Describe(v))
				} else if !isNull(v) {
					c.Default = v.Value
				}
			}
		}
		t.Config = append(t.Config, c)
	}
	return t
}

func (r *reader) packages(n *yaml.Node) []Package {
	if n == nil {
		return nil
	}
	var out []Package
	for _, p := range r.mapping(n, "packages") {
		what := "packages." + p.Name
		pkg := Package{Name: p.Name, Position: r.doc.Position(p.Key)}
		if document.Resolve(p.Value).Kind == yaml.ScalarNode {
			pkg.Source, pkg.Version, _ = strings.Cut(r.text(p.Value, what), "@")
		} else {
			f := r.record(p.Value, what, "source", "version", "parameters", "pluginDownloadURL", "checksums", "extensions")
			pkg.Source = r.text(f["source"], what+".source")
			pkg.Version = r.text(f["version"], what+".version")
			pkg.Parameters = r.texts(f["parameters"], what+".parameters")
			pkg.PluginDownloadURL = r.text(f["pluginDownloadURL"], what+".pluginDownloadURL")
			pkg.Checksums = r.textMap(f["checksums"], what+".checksums")
			pkg.Extensions = r.texts(f["extensions"], what+".extensions")
		}
		if pkg.Source == "" && !r.problems.HasErrors() {
			r.problem(p.Value, "%s names no source: give a package's name, a URL or a path", what)
		}
		out = append(out, pkg)
	}
	return out
}

func (r *reader) plugins(n *yaml.Node) Plugins {
	if n == nil {
		return Plugins{}
	}
	fields := r.record(n, "plugins", "providers", "languages", "analyzers")
	kind := func(name string) []Plugin {
		var out []Plugin
		for _, item := range r.list(fields[name], "plugins."+name) {
			what := "an entry of plugins." + name
			f := r.record(item, what, "name", "version", "path")
			plugin := Plugin{
				Name: r.text(f["name"], what+": name"), Version: r.text(f["version"], what+": version"), Path: r.text(f["path"], what+": path"),
			}
			if plugin.Name == "" || plugin.Path == "" {
				r.problem(item, "%s needs a name and a path", what)
			}
			out = append(out, plugin)
		}
		return out
	}
	return Plugins{Providers: kind("providers"), Languages: kind("languages"), Analyzers: kind("analyzers")}
}
