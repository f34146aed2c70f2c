package engine

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
)

// internalKey is the input of provider resources that holds what the engine, not the provider, needs to know.
const internalKey = "__internal"

// publicInputs are the inputs that a provider gets to see.
func publicInputs(m property.Map) property.Map { return m.Without(internalKey) }

// providerInputs completes the inputs of a provider resource with the version and source of its plugin, in the shape
// that state files keep.
func providerInputs(r Registration, inputs property.Map, defaults map[string]plugin.Package) (property.Map, error) {
	pkg := plugin.Package{
		Version: r.Package.Version, DownloadURL: r.Package.DownloadURL, Checksums: r.Package.Checksums,
	}
	if pkg.Version == "" && pkg.DownloadURL == "" {
		pkg = defaults[r.Type.ProviderPackage()]
	}
	return withPackage(inputs, pkg, r.EnvVarMappings), nil
}

// withPackage writes a package and environment mappings into provider inputs.
func withPackage(inputs property.Map, pkg plugin.Package, env map[string]string) property.Map {
	if pkg.Version != "" && !inputs.Has("version") {
		inputs = inputs.With("version", property.String(pkg.Version))
	}
	internal := map[string]property.Value{}
	if pkg.DownloadURL != "" {
		internal["pluginDownloadURL"] = property.String(pkg.DownloadURL)
	}
	if len(pkg.Checksums) > 0 {
		sums := map[string]property.Value{}
		for platform, sum := range pkg.Checksums {
			sums[platform] = property.String(hex.EncodeToString(sum))
		}
		internal["pluginChecksums"] = property.NewMap(sums)
	}
	if len(env) > 0 {
		vars := map[string]property.Value{}
		for k, v := range env {
			vars[k] = property.String(v)
		}
		internal["envVarMappings"] = property.NewMap(vars)
	}
	if p := pkg.Parameterization; p != nil {
		internal["name"] = property.String(pkg.Name)
		internal["parameterization"] = property.NewMap(map[string]property.Value{
			"name": property.String(p.Name), "version": property.String(p.Version),
			"value": property.String(base64.StdEncoding.EncodeToString(p.Value)),
		})
	}
	if len(internal) == 0 && pkg.Version == "" {
		return inputs
	}
	return inputs.With(internalKey, property.NewMap(internal))
}

// packageOf reads the plugin that a provider resource of a package asks for from its inputs.
func packageOf(name string, inputs property.Map) (plugin.Package, plugin.LoadOptions, error) {
	pkg := plugin.Package{Name: name, Version: text(inputs, "version")}
	opts := plugin.LoadOptions{Config: publicInputs(inputs)}
	internal, ok := inputs.Get(internalKey).AsMap()
	if !ok {
		return pkg, opts, nil
	}
	pkg.DownloadURL = text(internal, "pluginDownloadURL")
	if base := text(internal, "name"); base != "" {
		pkg.Name = base
	}
	if sums, ok := internal.Get("pluginChecksums").AsMap(); ok {
		pkg.Checksums = map[string][]byte{}
		for platform := range sums.All() {
			sum, err := hex.DecodeString(text(sums, platform))
			if err != nil {
				return pkg, opts, fmt.Errorf("the checksum for %s is not hexadecimal", platform)
			}
			pkg.Checksums[platform] = sum
		}
	}
	if env, ok := internal.Get("envVarMappings").AsMap(); ok {
		opts.EnvVarMappings = map[string]string{}
		for k := range env.All() {
			opts.EnvVarMappings[k] = text(env, k)
		}
	}
	if p, ok := internal.Get("parameterization").AsMap(); ok {
		value, err := base64.StdEncoding.DecodeString(text(p, "value"))
		if err != nil {
			return pkg, opts, fmt.Errorf("the parameterization value is not base64")
		}
		pkg.Parameterization = &plugin.Parameterization{Name: text(p, "name"), Version: text(p, "version"), Value: value}
	}
	return pkg, opts, nil
}

func text(m property.Map, key string) string {
	s, _ := m.Get(key).AsString()
	return s
}
