package yaml

import (
	"encoding/base64"
	"errors"
	"fmt"

	yamlv3 "gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/schema"
)

// Declaration is the file that lets programs use a package: below the program's folder, usually in sdks/.
type Declaration struct {
	// File is its name, <package>-<version>.yaml.
	File string
	Text []byte
}

// DeclarePackage writes the declaration of the package that a schema describes. One that a parameter makes of another
// provider needs a version.
func DeclarePackage(p *schema.Package) (Declaration, error) {
	d := declaration{Version: 1, Name: p.Name, PluginVersion: p.Version, DownloadURL: p.PluginDownloadURL}
	base, value := schema.Plugin{}, []byte(nil)
	switch {
	case p.Extension != nil:
		return Declaration{}, fmt.Errorf("package %s extends package %s: extension packages are not supported yet", p.Name, p.Extension.BaseProvider.Name)
	case p.Parameterization != nil:
		base, value = p.Parameterization.BaseProvider, p.Parameterization.Parameter
	}
	if base.Name != "" {
		if p.Version == "" {
			return Declaration{}, errors.New("a parameterized package must have a version")
		}
		d.Name, d.PluginVersion = base.Name, base.Version
		d.Parameterization = &parameterization{
			Name: p.Name, Version: p.Version, Value: base64.StdEncoding.EncodeToString(value),
		}
	}
	text, err := yamlv3.Marshal(d)
	if err != nil {
		return Declaration{}, fmt.Errorf("encode the declaration of package %s: %w", p.Name, err)
	}
	out := Declaration{File: p.Name + ".yaml", Text: text}
	if p.Version != "" {
		out.File = fmt.Sprintf("%s-%s.yaml", p.Name, p.Version)
	}
	return out, nil
}
