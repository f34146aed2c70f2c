package pluginhost

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
)

// environ is an environment as "NAME=value" entries, of which the last one of a name counts.
type environ []string

func (e environ) lookup(name string) (string, bool) {
	for _, entry := range slices.Backward(e) {
		if n, v, _ := strings.Cut(entry, "="); n == name {
			return v, true
		}
	}
	return "", false
}

func (e environ) get(name string) string {
	v, _ := e.lookup(name)
	return v
}

// isTrue reads a switch as the Pulumi CLI does.
func (e environ) isTrue(name string) bool {
	v := e.get(name)
	return v == "1" || strings.EqualFold(v, "true")
}

func (e environ) home() string {
	if runtime.GOOS == "windows" {
		return e.get("USERPROFILE")
	}
	return e.get("HOME")
}

// path lists the absolute folders of $PATH. Relative ones are left out: what they hold depends on where one stands.
func (e environ) path() []string {
	return slices.DeleteFunc(filepath.SplitList(e.get("PATH")), func(dir string) bool { return !filepath.IsAbs(dir) })
}

// with gives e with further variables, in the order of their names, each name once.
func (e environ) with(more map[string]string) environ {
	out := slices.DeleteFunc(slices.Clone(e), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, replaced := more[name]
		return replaced
	})
	for _, name := range slices.Sorted(maps.Keys(more)) {
		out = append(out, name+"="+more[name])
	}
	return out
}

// environOf is the environment of a provider plugin: ours, what the provider protocol adds, and the variables that the
// provider resource maps.
func (h *Host) environOf(pkg string, opts plugin.LoadOptions) (environ, error) {
	more := map[string]string{}
	for k, v := range h.o.Project.RuntimeOptions {
		more["PULUMI_RUNTIME_"+strings.ToUpper(k)] = v
	}
	if name := h.o.Project.Name; name != "" {
		more["PULUMI_PROJECT"] = name
		if pkg == "pulumi-nodejs" {
			more["PULUMI_NODEJS_PROJECT"] = name
		}
	}
	config, err := configJSON(opts.Config)
	if err != nil {
		return nil, fmt.Errorf("configuration of package %s: %w", pkg, err)
	}
	more["PULUMI_CONFIG"] = config
	for to, from := range opts.EnvVarMappings {
		if v, ok := h.env.lookup(from); ok {
			more[to] = v
		}
	}
	return h.env.with(more), nil
}

// configJSON is the configuration of a package in plain text: an object from names to strings.
func configJSON(config property.Map) (string, error) {
	out := map[string]string{}
	for k, v := range config.All() {
		if s, ok := v.AsString(); ok {
			out[k] = s
			continue
		}
		if v.ContainsUnknown() {
			continue
		}
		text, err := json.Marshal(plainJSON(v))
		if err != nil {
			return "", fmt.Errorf("key %s: %w", k, err)
		}
		out[k] = string(text)
	}
	text, err := json.Marshal(out)
	return string(text), err
}

func plainJSON(v property.Value) any {
	switch v.Kind() {
	case property.KindBool:
		b, _ := v.AsBool()
		return b
	case property.KindNumber:
		n, _ := v.AsNumber()
		return n
	case property.KindString:
		s, _ := v.AsString()
		return s
	case property.KindList:
		l, _ := v.AsList()
		out := make([]any, 0, l.Len())
		for _, e := range l.All() {
			out = append(out, plainJSON(e))
		}
		return out
	case property.KindMap:
		m, _ := v.AsMap()
		out := make(map[string]any, m.Len())
		for k, e := range m.All() {
			out[k] = plainJSON(e)
		}
		return out
	default:
		return nil
	}
}
