package yaml

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	yamlv3 "gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/check"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/schema"
)

// declarationMark is the key that tells a package declaration from other YAML files.
const declarationMark = "packageDeclarationVersion"

// declaration is a file that `pulumi package add` writes: which provider, and which parameter, is behind a package.
type declaration struct {
	Version          int               `yaml:"packageDeclarationVersion"`
	Name             string            `yaml:"name"`
	PluginVersion    string            `yaml:"version,omitempty"`
	DownloadURL      string            `yaml:"downloadUrl,omitempty"`
	Parameterization *parameterization `yaml:"parameterization,omitempty"`
	Extension        any               `yaml:"extension,omitempty"`
}

// parameterization is the parameter that makes the package of the provider; Value is base64.
type parameterization struct {
	Name    string `yaml:"name"`
	Version string `yaml:"version"`
	Value   string `yaml:"value"`
}

// declaredPackages finds the package declarations anywhere below a folder, by the name that programs use.
func declaredPackages(dir string) (map[string]plugin.Package, error) {
	out := map[string]plugin.Package{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrPermission) && path != dir:
			// What nobody may read declares nothing.
			return fs.SkipDir
		case err != nil:
			return err
		case d.IsDir() && path != dir && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.Type().IsRegular() || filepath.Ext(path) != ".yaml":
			return nil
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrPermission) {
			return nil
		}
		if err != nil {
			return err
		}
		if !bytes.Contains(text, []byte(declarationMark)) {
			return nil
		}
		return addDeclaration(out, path, text)
	})
	if err != nil {
		return nil, fmt.Errorf("searching %s for package declarations: %w", dir, err)
	}
	return out, nil
}

func addDeclaration(out map[string]plugin.Package, path string, text []byte) error {
	var d declaration
	// A file that is something else, and only mentions the key, is none of ours.
	if err := yamlv3.Unmarshal(text, &d); err != nil || d.Version != 1 {
		return nil
	}
	switch {
	case d.Name == "":
		return fmt.Errorf("%s: a package declaration needs a name", path)
	case d.Extension != nil:
		return fmt.Errorf("%s: extension packages are not supported yet", path)
	}
	if d.PluginVersion != "" {
		v, err := semver.ParseTolerant(d.PluginVersion)
		if err != nil {
			return fmt.Errorf("%s: the version %q of package %s is not a semantic version", path, d.PluginVersion, d.Name)
		}
		d.PluginVersion = v.String()
	}
	p := plugin.Package{Name: d.Name, Version: d.PluginVersion, DownloadURL: d.DownloadURL}
	name := d.Name
	if v := d.Parameterization; v != nil {
		value, err := base64.StdEncoding.DecodeString(v.Value)
		if err != nil || v.Name == "" || v.Version == "" {
			return fmt.Errorf("%s: parameterization needs a name, a version and a value in base64", path)
		}
		name = v.Name
		p.Parameterization = &plugin.Parameterization{Name: v.Name, Version: v.Version, Value: value}
	}
	out[name] = p
	return nil
}

// requiredPackages lists the packages that a program refers to, sorted by name. One that it wants in several versions
// is there several times, in the order in which the program comes to them: the first one is what it means by default.
func requiredPackages(p *template.Program, declared map[string]plugin.Package) []plugin.Package {
	found := map[string][]plugin.Package{}
	add := func(token string, version, url template.Text) {
		name := schema.PackageOf(token)
		if name == "" || name == builtinPackage {
			return
		}
		if len(found[name]) == 0 {
			if d, ok := declared[name]; ok {
				found[name] = []plugin.Package{d}
			}
		}
		wanted := plugin.Package{Name: name, Version: version.Value, DownloadURL: url.Value}
		if len(found[name]) == 0 || wanted.Version+wanted.DownloadURL != "" && !isListed(found[name], wanted) {
			found[name] = append(found[name], wanted)
		}
	}
	mentions(p, add)
	for _, c := range p.Components {
		mentions(c.Program(p), add)
	}
	var out []plugin.Package
	for _, name := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[name]...)
	}
	return out
}

// builtinPackage is the package that needs no provider.
const builtinPackage = "pulumi"

// isListed says whether one of the packages is what is wanted; what it leaves open may be anything.
func isListed(packages []plugin.Package, wanted plugin.Package) bool {
	return slices.ContainsFunc(packages, func(p plugin.Package) bool {
		return (wanted.Version == "" || wanted.Version == p.Version) &&
			(wanted.DownloadURL == "" || wanted.DownloadURL == p.DownloadURL)
	})
}

// mentions calls add for every type and function token of a program, in the order in which it is evaluated.
func mentions(p *template.Program, add func(token string, version, url template.Text)) {
	visit := func(x template.Expr) {
		if v, ok := x.(*template.Invoke); ok {
			add(v.Token.Value, v.Options.Version, v.Options.PluginDownloadURL)
		}
	}
	for _, n := range check.Order(p) {
		switch {
		case n.Resource != nil:
			for _, x := range n.Resource.Expressions() {
				template.Walk(x, visit)
			}
			add(n.Resource.Type.Value, n.Resource.Options.Version, n.Resource.Options.PluginDownloadURL)
		case n.Variable != nil:
			template.Walk(n.Variable.Value, visit)
		}
	}
	for _, o := range p.Outputs {
		template.Walk(o.Value, visit)
	}
}
