package command_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/schema"
)

func TestSchemaMatchesThePublishedOne(t *testing.T) {
	t.Parallel()
	p, _ := start(t, nil)
	text, err := p.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	published, err := os.ReadFile("testdata/upstream/schema.digest.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(digest(t, published), digest(t, text)); diff != "" {
		t.Errorf("published (-) and ours (+):\n%s", diff)
	}
}

// digest leaves out prose and the order of lists of names.
func digest(t *testing.T, text []byte) any {
	t.Helper()
	var doc any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var clean func(x any) any
	clean = func(x any) any {
		switch x := x.(type) {
		case map[string]any:
			if _, isText := x["description"].(string); isText {
				delete(x, "description")
			}
			for k, e := range x {
				x[k] = clean(e)
			}
		case []any:
			for i, e := range x {
				x[i] = clean(e)
			}
			slices.SortFunc(x, func(a, b any) int {
				s, _ := a.(string)
				o, _ := b.(string)
				if s < o {
					return -1
				}
				return 1
			})
		}
		return x
	}
	return clean(doc)
}

func TestSchemaExplainsEverything(t *testing.T) {
	t.Parallel()
	p, _ := start(t, nil)
	text, err := p.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := schema.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for token, r := range pkg.Resources {
		for name, prop := range r.Properties {
			if prop.Description == "" {
				t.Errorf("%s.%s has no description", token, name)
			}
		}
	}
	for token, f := range pkg.Functions {
		for name, prop := range f.Outputs.Properties {
			if prop.Description == "" {
				t.Errorf("%s.%s has no description", token, name)
			}
		}
	}
}
