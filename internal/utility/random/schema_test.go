package random_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/schema"
	"github.com/cairn-iac/cairn/internal/utility/random"
)

// TestSchemaMatchesPublishedOne compares with what is left of the published package's schema without its prose: names,
// types, secrets, required properties, functions and settings of code generators.
func TestSchemaMatchesPublishedOne(t *testing.T) {
	t.Parallel()
	text, err := random.New(nil).Schema(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	root := got.(map[string]any)
	for _, key := range []string{"description", "keywords", "license"} {
		if root[key] == nil {
			t.Errorf("the schema has no %s", key)
		}
		delete(root, key)
	}
	if diff := cmp.Diff(readJSON[any](t, "testdata/schema.json"), withoutProse(got)); diff != "" {
		t.Errorf("schema (-published +got):\n%s", diff)
	}
}

// withoutProse drops descriptions and leaves of deprecation messages that there is one.
func withoutProse(v any) any {
	switch x := v.(type) {
	case []any:
		for i := range x {
			x[i] = withoutProse(x[i])
		}
	case map[string]any:
		delete(x, "description")
		for k, e := range x {
			x[k] = withoutProse(e)
			if k == "deprecationMessage" {
				x[k] = true
			}
		}
	}
	return v
}

func TestSchemaParsesAndDescribesEverything(t *testing.T) {
	t.Parallel()
	text, err := random.New(nil).Schema(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := schema.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for token, r := range pkg.Resources {
		if r.Description == "" {
			t.Errorf("%s has no description", token)
		}
		for name, p := range r.Properties {
			if p.Description == "" {
				t.Errorf("%s.%s has no description", token, name)
			}
		}
	}
}
