package pluginhost

import (
	"fmt"
	"os"
	"path/filepath"

	"gopkg.in/yaml.v3"
)

// manifestName is the file that makes a folder a plugin.
const manifestName = "PulumiPlugin.yaml"

// manifest is what a PulumiPlugin.yaml says about running the plugin; the rest of it belongs to the runtime.
type manifest struct {
	dir, runtime, requires string
	options                map[string]any
}

// readManifest reads the manifest of a plugin's folder. isFolder is false for an executable.
func readManifest(path string) (_ manifest, isFolder bool, _ error) {
	info, err := os.Stat(path)
	if err != nil {
		return manifest{}, false, fmt.Errorf("plugin %s: %w", path, err)
	}
	if !info.IsDir() {
		return manifest{}, false, nil
	}
	file := filepath.Join(path, manifestName)
	text, err := os.ReadFile(file)
	if err != nil {
		return manifest{}, true, fmt.Errorf("loading %s: %w", manifestName, err)
	}
	var raw struct {
		Runtime  runtimeEntry `yaml:"runtime"`
		Requires string       `yaml:"requiredPulumiVersion"`
	}
	if err := yaml.Unmarshal(text, &raw); err != nil {
		return manifest{}, true, fmt.Errorf("loading %s: %w", file, err)
	}
	if raw.Runtime.Name == "" {
		return manifest{}, true, fmt.Errorf("loading %s: it has no runtime; add a line like runtime: yaml", file)
	}
	dir, err := filepath.Abs(path)
	if err != nil {
		return manifest{}, true, err
	}
	return manifest{dir: dir, runtime: raw.Runtime.Name, options: raw.Runtime.Options, requires: raw.Requires}, true, nil
}

// runtimeEntry is a runtime's name, or its name and options.
type runtimeEntry struct {
	Name    string         `yaml:"name"`
	Options map[string]any `yaml:"options"`
}

// UnmarshalYAML accepts both forms.
func (r *runtimeEntry) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&r.Name)
	}
	type plain runtimeEntry
	return n.Decode((*plain)(r))
}
