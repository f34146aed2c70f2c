package config

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// Key names a configuration value: `namespace:name`. The project's own values have its name as namespace, a provider's the
// package's.
type Key struct{ Namespace, Name string }

// String is `namespace:name`.
func (k Key) String() string { return k.Namespace + ":" + k.Name }

// Pretty is the key as people write it within a project: without the namespace when that is the project's.
func (k Key) Pretty(project string) string {
	if k.Namespace == project {
		return k.Name
	}
	return k.String()
}

// Compare orders keys by namespace, then by name.
func (k Key) Compare(other Key) int {
	return cmp.Or(strings.Compare(k.Namespace, other.Namespace), strings.Compare(k.Name, other.Name))
}

// ParseKey reads `namespace:name` and its older spelling `namespace:config:name`.
func ParseKey(text string) (Key, error) {
	parts := strings.Split(text, ":")
	if len(parts) == 3 && parts[1] == "config" {
		parts = []string{parts[0], parts[2]}
	}
	if len(parts) != 2 || parts[0] == "" || parts[1] == "" {
		return Key{}, fmt.Errorf("could not parse %s as a configuration key "+
			"(configuration keys should be of the form `<namespace>:<name>`)", text)
	}
	return Key{Namespace: parts[0], Name: parts[1]}, nil
}

// ParseKeyIn reads a key that may leave out its namespace when that is the project's.
func ParseKeyIn(project, text string) (Key, error) {
	if !strings.Contains(text, ":") {
		text = project + ":" + text
	}
	return ParseKey(text)
}

// Address is a place in the configuration: a key and, with `--path`, the way into its value.
type Address struct {
	Key  Key
	Path Path
}

func (a Address) String() string { return a.Key.Namespace + ":" + a.full().String() }

// Pretty is the address as people write it within a project.
func (a Address) Pretty(project string) string {
	if a.Key.Namespace == project {
		return a.full().String()
	}
	return a.String()
}

// full is the path from the namespace on: its first step is the key's name.
func (a Address) full() Path { return append(Path{{Name: a.Key.Name}}, a.Path...) }

// ParseAddress reads the KEY argument of a `config` command with `--path`: the first step of the path is the key, which may
// have a namespace in front of it (`aws:tags.owner`). A key whose name has dots is written `["with.dots"]`.
func ParseAddress(project, text string) (Address, error) {
	namespace, rest := project, text
	// Only a colon before the path's first dot or bracket ends a namespace; later ones belong to names in the path.
	head := text
	if end := strings.IndexAny(text, ".["); end >= 0 {
		head = text[:end]
	}
	if colon := strings.LastIndex(head, ":"); colon >= 0 {
		key, err := ParseKey(head[:colon+1] + "name")
		if err != nil {
			_, err = ParseKey(text)
			return Address{}, err
		}
		namespace, rest = key.Namespace, text[colon+1:]
	}
	path, err := ParsePath(rest)
	switch {
	case err != nil:
		return Address{}, fmt.Errorf("invalid config key path: %w", err)
	case len(path) == 0:
		return Address{}, errors.New("empty config key path")
	case path[0].IsIndex:
		return Address{}, errors.New("the first step of a config key path must be a name")
	case path[0].Name == "" || namespace == "":
		return Address{}, errors.New("config key is empty")
	case strings.Contains(path[0].Name, ":"):
		return Address{}, fmt.Errorf("the name of a configuration key has no colon: %q", path[0].Name)
	}
	return Address{Key: Key{Namespace: namespace, Name: path[0].Name}, Path: path[1:]}, nil
}
