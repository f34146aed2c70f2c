package factory

import (
	"path/filepath"
	"slices"
	"strings"
)

// Environment is the process environment as NAME=value.
type Environment []string

// Lookup gives a variable and whether it is set. The last setting counts.
func (e Environment) Lookup(name string) (string, bool) {
	for _, kv := range slices.Backward(e) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v, true
		}
	}
	return "", false
}

// Get gives a variable, "" when it is not set.
func (e Environment) Get(name string) string {
	v, _ := e.Lookup(name)
	return v
}

// Truthy says whether a variable is "1" or "true", in any case.
func (e Environment) Truthy(name string) bool {
	v := strings.ToLower(e.Get(name))
	return v == "1" || v == "true"
}

// Names lists the variables that are set and start with prefix, in order.
func (e Environment) Names(prefix string) []string {
	seen := map[string]bool{}
	for _, kv := range e {
		if name, _, ok := strings.Cut(kv, "="); ok && strings.HasPrefix(name, prefix) {
			seen[name] = true
		}
	}
	var out []string
	for n := range seen {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// within makes a path absolute, relative to dir.
func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// IsLocalPath tells a package's folder from a name or URL, by its start.
func IsLocalPath(source string) bool {
	return strings.HasPrefix(source, "./") || strings.HasPrefix(source, "../") || source == "." || source == ".." ||
		filepath.IsAbs(source)
}
