package wire

import (
	"fmt"

	"github.com/cairn-iac/cairn/internal/urn"
)

// urnList is any of the generated messages that hold the dependencies of one property.
type urnList interface{ GetUrns() []string }

// FromDependencies decodes the dependencies of properties, whichever message holds them. An entry that is not a URN is
// an error naming the property.
func FromDependencies[T urnList](m map[string]T) (map[string][]urn.URN, error) {
	if m == nil {
		return nil, nil
	}
	out := make(map[string][]urn.URN, len(m))
	for k, list := range m {
		urns, err := FromURNs(list.GetUrns())
		if err != nil {
			return nil, fmt.Errorf("dependencies of property %q: %w", k, err)
		}
		out[k] = urns
	}
	return out, nil
}

// ToDependencies encodes the dependencies of properties in the message that list makes.
func ToDependencies[T any](m map[string][]urn.URN, list func(urns []string) T) map[string]T {
	out := make(map[string]T, len(m))
	for k, urns := range m {
		out[k] = list(ToURNs(urns))
	}
	return out
}

// FromURNs checks and decodes a list of URNs.
func FromURNs(texts []string) ([]urn.URN, error) {
	var out []urn.URN
	for _, s := range texts {
		u, err := urn.Parse(s)
		if err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, nil
}

// ToURNs encodes a list of URNs.
func ToURNs(urns []urn.URN) []string {
	out := make([]string, len(urns))
	for i, u := range urns {
		out[i] = string(u)
	}
	return out
}
