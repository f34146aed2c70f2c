package schema_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/schema"
)

const petSchema = `{
  "name": "random", "version": "4.0.0",
  "config": {},
  "types": {
    "random:index:Mode": {"type": "string", "enum": [{"name": "fast", "value": "fast"}]},
    "random:index:Box": {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]}
  },
  "provider": {"inputProperties": {"url": {"type": "string", "secret": true}}},
  "resources": {
    "random:index/randomPet:RandomPet": {
      "properties": {
        "length": {"type": "integer", "default": 2},
        "token": {"type": "string", "secret": true},
        "alpha": {"type": "string", "secret": true},
        "kind": {"type": "string", "const": "pet"}
      },
      "type": "object", "required": ["length"],
      "inputProperties": {
        "length": {"type": "integer"},
        "tags": {"type": "object", "additionalProperties": {"type": "string"}},
        "boxes": {"type": "array", "items": {"$ref": "#/types/random:index:Box", "plain": true}},
        "either": {"oneOf": [{"type": "string"}, {"$ref": "#/types/random%3Aindex:Mode"}]}
      },
      "requiredInputs": ["length"],
      "aliases": ["random:old:Pet", {"type": "random:older:Pet"}]
    },
    "random:index:Plain": {"isComponent": true}
  },
  "functions": {
    "random:index/getPet:getPet": {
      "inputs": {"type": "object", "properties": {"id": {"type": "string"}}},
      "outputs": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    },
    "random:index/count:count": {"outputs": {"type": "number"}},
    "random:index:nothing": {"outputs": {}}
  }
}`

func parse(t *testing.T, text string) *schema.Package {
	t.Helper()
	p, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestMarshalWritesWhatParseReads(t *testing.T) {
	t.Parallel()
	first := parse(t, petSchema)
	data, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	second := parse(t, string(data))
	if diff := cmp.Diff(first, second, cmp.AllowUnexported(schema.Alias{})); diff != "" {
		t.Error(diff)
	}
	again, err := json.Marshal(second)
	if err != nil {
		t.Fatal(err)
	}
	if string(data) != string(again) {
		t.Errorf("not stable:\n%s\n%s", data, again)
	}
}

func TestParseNamesThePlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"no object", `[]`, "expected an object, found a JSON array"},
		{"no name", `{}`, "at name: a package needs a name"},
		{"truncated", `{"name": "a", "resources": {"a:b:C": {`, `at resources["a:b:C"]: not valid JSON on line 1`},
		{"garbage", "{\n\"name\": \"a\",\n \"x\": nope}", "not valid JSON on line 3"},
		{
			"deep", `{"name": "a", "resources": {"a:b:C": {"inputProperties": {"d": {"type": 4}}}}}`,
			`at resources["a:b:C"].inputProperties.d.type: expected a string, found a JSON number`,
		},
		{
			"list", `{"name": "a", "types": {"a:b:C": {"required": ["x", 1]}}}`,
			`at types["a:b:C"].required[1]: expected a string, found a JSON number`,
		},
		{
			"alias", `{"name": "a", "resources": {"a:b:C": {"aliases": [1]}}}`,
			`at resources["a:b:C"].aliases[0]: expected a string or an object with "type"`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := schema.Parse([]byte(tt.text))
			var parseErr *schema.ParseError
			if !errors.As(err, &parseErr) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	p := parse(t, petSchema)
	for _, tt := range []struct{ token, want string }{
		{"random:index/randomPet:RandomPet", "random:index/randomPet:RandomPet"},
		{"random:RandomPet", "random:index/randomPet:RandomPet"},
		{"random:index:RandomPet", "random:index/randomPet:RandomPet"},
		{"random:index:randompet", "random:index/randomPet:RandomPet"},
		{"random:Plain", "random:index:Plain"},
		{"pulumi:providers:random", "pulumi:providers:random"},
	} {
		if got, _, err := p.ResolveResource(tt.token); err != nil || got != tt.want {
			t.Errorf("%s: got %q, %v", tt.token, got, err)
		}
	}
	if got, f, err := p.ResolveFunction("random:getPet"); err != nil || got != "random:index/getPet:getPet" || f.Inputs == nil {
		t.Errorf("got %q, %v", got, err)
	}
	_, r, _ := p.ResolveResource("pulumi:providers:random")
	if !r.InputProperties["url"].Secret {
		t.Error("the provider's inputs are missing")
	}
}

func TestResolveErrors(t *testing.T) {
	t.Parallel()
	p := parse(t, petSchema)
	for _, token := range []string{"random", "a:b:c:d", "::", "random:"} {
		if _, _, err := p.ResolveResource(token); err == nil || !strings.Contains(err.Error(), "invalid type token") {
			t.Errorf("%s: got %v", token, err)
		}
	}
	_, _, err := p.ResolveResource("random:RandomPat")
	var missing *schema.NotFoundError
	if !errors.As(err, &missing) {
		t.Fatalf("got %v", err)
	}
	if diff := cmp.Diff([]string{"random:RandomPet"}, missing.Suggestions); diff != "" {
		t.Error(diff)
	}
}

func TestResourceFacts(t *testing.T) {
	t.Parallel()
	p := parse(t, petSchema)
	pet := p.Resources["random:index/randomPet:RandomPet"]
	if diff := cmp.Diff([]string{"alpha", "token"}, pet.SecretOutputs()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]any{"kind": "pet"}, pet.Constants()); diff != "" {
		t.Error(diff)
	}
	if !pet.Inputs().Requires("length") || pet.Inputs().Requires("tags") {
		t.Error("required inputs are wrong")
	}
	if got := []string{pet.Aliases[0].Type, pet.Aliases[1].Type}; !cmp.Equal(got, []string{"random:old:Pet", "random:older:Pet"}) {
		t.Errorf("aliases %v", got)
	}
	if mode, ok := p.Lookup(pet.InputProperties["either"].OneOf[1].Ref); !ok || !mode.IsEnum() {
		t.Error("escaped reference not found")
	}
}

func TestReturns(t *testing.T) {
	t.Parallel()
	p := parse(t, petSchema)
	if o, ok := p.Functions["random:index/getPet:getPet"].Outputs.Object(); !ok || !o.Requires("name") {
		t.Error("object outputs")
	}
	if v, ok := p.Functions["random:index/count:count"].Outputs.Value(); !ok || v.Type != "number" {
		t.Error("scalar outputs")
	}
	if _, ok := p.Functions["random:index:nothing"].Outputs.Value(); ok {
		t.Error("nothing is not a value")
	}
}

func TestSuggest(t *testing.T) {
	t.Parallel()
	known := []string{"length", "prefix", "separator", "keepers"}
	for _, tt := range []struct {
		name string
		want []string
	}{
		{"lenght", []string{"length"}},
		{"Prefix", []string{"prefix"}},
		{"kepers", []string{"keepers"}},
		{"zzzzzz", nil},
	} {
		if diff := cmp.Diff(tt.want, schema.Suggest(tt.name, known)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestParseRef(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]schema.Ref{
		"#/types/a:b:C":                      {Kind: schema.RefType, Token: "a:b:C"},
		"#/resources/a:b%2Fc:C":              {Kind: schema.RefResource, Token: "a:b/c:C"},
		"#/provider":                         {Kind: schema.RefProvider},
		"/aws/v1.0.0/schema.json#/types/x:y": {Kind: schema.RefType, Token: "x:y", Document: "/aws/v1.0.0/schema.json"},
		"pulumi.json#/Asset":                 {Kind: schema.RefAsset},
		"pulumi.json#/Json":                  {Kind: schema.RefJSON},
		"nonsense":                           {},
	} {
		if diff := cmp.Diff(want, schema.ParseRef(text)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(petSchema))
	f.Add([]byte(`{"name": "a", "resources": {"a": {"aliases": [{}]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := schema.Parse(data)
		if err != nil {
			return
		}
		out, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := schema.Parse(out); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	})
}
