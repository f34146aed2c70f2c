package schema_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/schema"
)

func TestReplaceOnChanges(t *testing.T) {
	t.Parallel()
	pkg, err := schema.Parse([]byte(`{
  "name": "p",
  "types": {
    "p:index:Inner": {"type": "object", "properties": {
      "fixed": {"type": "string", "replaceOnChanges": true},
      "free": {"type": "string"},
      "again": {"$ref": "#/types/p:index:Inner"}
    }},
    "p:index:Mode": {"type": "string", "enum": [{"value": "a"}]}
  },
  "resources": {"p:index:R": {"properties": {
    "top": {"type": "string", "replaceOnChanges": true},
    "names": {"type": "array", "items": {"type": "string"}, "replaceOnChanges": true},
    "tags": {"type": "object", "additionalProperties": {"type": "string"}, "replaceOnChanges": true},
    "one": {"$ref": "#/types/p:index:Inner"},
    "list": {"type": "array", "items": {"$ref": "#/types/p:index:Inner"}},
    "map": {"type": "object", "additionalProperties": {"$ref": "#/types/p:index:Inner"}},
    "mode": {"$ref": "#/types/p:index:Mode"},
    "other": {"type": "string", "willReplaceOnChanges": true}
  }}}
}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"list[*].fixed", "map.*.fixed", "names[*]", "one.fixed", "tags.*", "top"}
	if diff := cmp.Diff(want, pkg.ReplaceOnChanges(pkg.Resources["p:index:R"])); diff != "" {
		t.Error(diff)
	}
}
