package importer

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// placeholder stands for an id that is to be filled in.
const placeholder = "<PLACEHOLDER>"

// FileOf lists resources that a program would create, in their order, for a user to fill in the ids of those that exist.
func FileOf(created []*resource.State) *File {
	f := &File{}
	names, taken := map[urn.URN]string{}, map[string]bool{}
	name := func(u urn.URN) string {
		if names[u] == "" {
			n := u.Name()
			for i := 2; taken[n]; i++ {
				n = fmt.Sprintf("%s_%d", u.Name(), i)
			}
			names[u], taken[n] = n, true
		}
		return names[u]
	}
	listed := map[urn.URN]bool{}
	for _, s := range created {
		listed[s.URN] = isListed(s)
	}
	refer := func(u urn.URN) string {
		if u == "" || u.Type() == urn.StackType || u.IsDefaultProvider() {
			return ""
		}
		if !listed[u] {
			if f.NameTable == nil {
				f.NameTable = map[string]urn.URN{}
			}
			f.NameTable[name(u)] = u
		}
		return name(u)
	}
	for _, s := range created {
		if !listed[s.URN] {
			continue
		}
		spec := Spec{Type: s.Type, Name: name(s.URN), Component: !s.Custom, Parent: refer(s.Parent), Provider: refer(s.Provider.URN)}
		if spec.Name != s.URN.Name() {
			spec.LogicalName = s.URN.Name()
		}
		if s.Custom && !s.IsProvider() {
			spec.ID = placeholder
		}
		f.Resources = append(f.Resources, spec)
	}
	return f
}

func isListed(s *resource.State) bool { return s.Type != urn.StackType && !s.URN.IsDefaultProvider() }

// Text writes the file.
func (f *File) Text() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "    ")
	err := e.Encode(f)
	return b.Bytes(), err
}
