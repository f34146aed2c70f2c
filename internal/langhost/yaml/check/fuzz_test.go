package check_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cairn-iac/cairn/internal/langhost"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/check"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/schema"
)

type onePackage struct{ pkg *schema.Package }

func (o onePackage) Schema(_ context.Context, r langhost.SchemaRequest) (*schema.Package, error) {
	if r.Name != o.pkg.Name {
		return nil, errors.New("no such package")
	}
	return o.pkg, nil
}

// FuzzProgram: whatever a program says, the check neither panics nor lets a cycle through.
func FuzzProgram(f *testing.F) {
	for _, seed := range []string{
		"variables: {a: '${b.c[0]}', b: {c: ['${d}']}}\nresources: {d: {type: 't:R', properties: {n: {n: {n: 1}}, u: [x], e: a}}}",
		"resources: {p: {type: 'pulumi:providers:t', defaultProvider: true}, r: {type: 't:R', options: {provider: '${p}', dependsOn: ['${r}']}}}",
		"variables: {v: {fn::invoke: {function: 't:f', arguments: {a: '${v.x}'}, return: x}}}\noutputs: {o: {fn::select: ['${v}', [1, x]]}}",
		"config: {c: {type: array, items: {type: integer}, default: [1]}, d: {default: '${c}'}}\noutputs: {o: '${c[0].x} ${d.y}'}",
		"resources: {r: {type: 't:C', properties: {r: '${r}'}, get: {id: 1, state: {n: x}}}}",
	} {
		f.Add(seed)
	}
	pkg, err := schema.Parse([]byte(`{"name": "t",
	  "types": {
	    "t::N": {"properties": {"n": {"$ref": "#/types/t::N"}, "l": {"type": "array", "items": {"$ref": "#/types/t::N"}}}, "required": ["l"]},
	    "t::E": {"type": "string", "enum": [{"value": "a"}]}},
	  "resources": {
	    "t:index:R": {"properties": {"n": {"$ref": "#/types/t::N"}},
	      "inputProperties": {"n": {"$ref": "#/types/t::N"}, "e": {"$ref": "#/types/t::E"},
	        "u": {"oneOf": [{"type": "string"}, {"$ref": "#/types/t::N"}], "discriminator": {"propertyName": "k", "mapping": {"n": "#/types/t::N"}}}}},
	    "t:index:C": {"isComponent": true, "inputProperties": {"r": {"$ref": "#/resources/t:index:R"}}}},
	  "functions": {"t:index:f": {"inputs": {"properties": {"a": {"type": "number"}}}, "outputs": {"properties": {"x": {"type": "string"}}}}}}`))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, ds := template.Parse("f.yaml", []byte(text))
		if p == nil || ds.HasErrors() {
			return
		}
		result, ds := check.Program(t.Context(), check.Input{
			Program: p, Project: "demo", ConfigKeys: []string{"demo:k", "a:b"}, Schemas: onePackage{pkg},
		})
		if ds.HasErrors() {
			return
		}
		done := map[*check.Node]bool{}
		for _, n := range result.Order {
			for _, u := range n.Uses {
				if !done[u] {
					t.Fatalf("%s comes before %s, which it uses", n.Name, u.Name)
				}
			}
			done[n] = true
		}
	})
}
