package template

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/property"
)

// sameShape compares expressions without their positions.
func sameShape() cmp.Options {
	return cmp.Options{
		cmpopts.IgnoreTypes(at{}, diag.Position{}),
		cmp.Comparer(func(a, b property.Value) bool { return a.Equal(b) }),
		cmp.Comparer(func(a, b property.Segment) bool { return a == b }),
		cmpopts.EquateEmpty(),
	}
}

func TestExprRoundTrip(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`null`, `true`, `1`, `1.5`, `"1"`, `text`, `""`, `a $${b} $$ $`, `${a}`, `${a.b["c.d"][0]}`, `x ${a} y ${b.c}`,
		`[1, "${a}", [x]]`, `{a: 1, "${b}": 2}`, `{fn::join: [",", ["a"]]}`, `{fn::toJSON: {a: 1}}`,
		`{fn::invoke: {function: "a:b:c", arguments: {x: "${y}"}, options: {parent: "${p}", version: 1.2.3}, return: z}}`,
		`{"fn::a:b": {x: 1}}`, `{"fn::a:b:c": null}`, `${aws:region}`, `${my-thing.id}`, `${["odd name"].x}`,
		`{fn::secret: {fn::readFile: ./x}}`, `"\x01\U0001F600"`, `2001-01-01`, `{1: a, true: b}`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			first, ds := ParseExpr("f.yaml", text)
			if ds.HasErrors() {
				t.Fatal(ds)
			}
			second, ds := ParseExpr("f.yaml", String(first))
			if ds.HasErrors() {
				t.Fatalf("%s: %v", String(first), ds)
			}
			if diff := cmp.Diff(first, second, sameShape()); diff != "" {
				t.Errorf("%s: %s", String(first), diff)
			}
		})
	}
}

func FuzzParseExpr(f *testing.F) {
	for _, seed := range []string{
		`${a.b["c.d"][0]} $${x} $$`, `{fn::join: [",", ["${a}"]]}`, `{fn::invoke: {function: "a:b:c"}}`, `&x [*x]`,
		"a: &b {c: 1}\nd: {<<: *b}", `!!int 1e3`, `{fn::secret: x, y: 1}`, `0x1F`, `.inf`, `${['a'].b}`, "|\n ${a\n ${b}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, ds := ParseExpr("f.yaml", text)
		if ds.HasErrors() {
			return
		}
		second, ds := ParseExpr("f.yaml", String(first))
		if ds.HasErrors() {
			t.Fatalf("%q printed %q: %v", text, String(first), ds)
		}
		if diff := cmp.Diff(first, second, sameShape()); diff != "" {
			t.Fatalf("%q printed %q: %s", text, String(first), diff)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("name: x\nresources:\n  a:\n    type: b:c\n    options: {dependsOn: ['${d}'], aliases: [{name: e}]}\n")
	f.Add("config: {a: {type: 'List<Int>', default: [1], secret: true}}\noutputs: {b: '${a}'}\ncomponents: {c: {inputs: {}}}")
	f.Fuzz(func(t *testing.T, text string) {
		p, ds := Parse("f.yaml", []byte(text))
		if p == nil && !ds.HasErrors() {
			t.Fatal("no program and no error")
		}
	})
}

func FuzzInterpolation(f *testing.F) {
	f.Add("a $${b} $$ ${c.d[0][\"e\"]} $")
	f.Fuzz(func(t *testing.T, text string) {
		parts, _, err := scanString(text)
		if err != nil {
			return
		}
		printed := (&Interpolated{Parts: parts}).String()
		again, _, err := scanString(printed)
		if err != nil {
			t.Fatalf("%q printed %q: %s", text, printed, err.reason)
		}
		if diff := cmp.Diff(parts, again, sameShape()); diff != "" {
			t.Fatalf("%q printed %q: %s", text, printed, diff)
		}
	})
}

func TestErrorsHavePlaces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"not closed", "name: x\noutputs:\n  a: hello ${b", "f.yaml:3:12: ${ is not closed by }"},
		{"nested", "outputs:\n  a: ${a.${b}}", `f.yaml:2:6: unexpected "{b}}" in ${...}`},
		{"second one", "outputs:\n  a: ${b} ${}", "f.yaml:2:11: ${} is empty"},
		{"block", "outputs:\n  a: |\n    one ${b}\n    two ${c.}\n", "f.yaml:4:9: a name is missing in ${...}"},
		{"index", "outputs:\n  a: '${b[x]}'", `f.yaml:2:7: "x" is not a list index in ${...}`},
		{"unknown function", "outputs:\n  a:\n    fn::jion: [a, b]", `f.yaml:3:5: there is no function "fn::jion"` + "\nDid you mean fn::join?"},
		{"function with data", "outputs:\n  a:\n    fn::secret: b\n    c: d", "f.yaml:3:5: fn::secret must be alone in its object"},
		{"arity", "outputs:\n  a:\n    fn::join: [a]", "f.yaml:3:15: the argument to fn::join must be a list of 2: [delimiter, list]"},
		{"big number", "outputs:\n  a: 251985589757358482", "f.yaml:2:6: the number 251985589757358482 cannot be held exactly: it would become 251985589757358500"},
		{"infinity", "outputs: {a: .inf}", "f.yaml:1:14: .inf is not a number that a property can hold"},
		{"duplicate", "outputs:\n  a: 1\n  a: 2", `f.yaml:3:3: duplicate key "a"`},
		{"second document", "name: x\n---\nname: y", "f.yaml:2:1: the file holds a second document"},
		{"list on top", "- a", "f.yaml:1:1: the top level of f.yaml must be an object, not a list"},
		{"bad yaml", "a: [\nb: c", "not valid YAML"},
		{"self alias", "outputs: &a\n  b: *a", "f.yaml:2:6: the alias *a contains itself"},
		{"resource key", "resources:\n  r:\n    type: a:b\n    dependsOn: [x]", "f.yaml:4:5: resource r has no key \"dependsOn\"\ndependsOn is an option: put it under options."},
		{"no type", "resources:\n  r: {}", `f.yaml:2:3: Required field 'type' is missing on resource "r"`},
		{"option", "resources:\n  r:\n    type: a:b\n    options: {protekt: true}", "f.yaml:4:15: resource options has no key \"protekt\"\nDid you mean protect?"},
		{"type is dynamic", "resources:\n  r:\n    type: ${x}", "f.yaml:3:11: type must be a literal string, without ${...}"},
		{"get and properties", "resources:\n  r: {type: 'a:b', properties: {x: 1}, get: {id: y}}", "f.yaml:2:3: Resource fields properties and get are mutually exclusive"},
		{"config type", "config:\n  a: {type: strnig}", "f.yaml:2:13: unexpected configuration type 'strnig'"},
		{"key in a mapping", "outputs:\n  ? [a]\n  : b", "f.yaml:2:5: mapping keys must be strings, not a list"},
		{"tag", "outputs: {a: !Sub x}", "f.yaml:1:14: the tag !Sub is not supported"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, ds := Parse("f.yaml", []byte(tt.text))
			if !ds.HasErrors() || !strings.Contains(ds.Error(), tt.want) {
				t.Errorf("got %v\nwant %s", ds, tt.want)
			}
		})
	}
}

func TestAllErrorsAreCollected(t *testing.T) {
	t.Parallel()
	_, ds := Parse("f.yaml", []byte("outputs:\n  a: ${\n  b: ${x[}\n  c: {fn::nope: 1}\n"))
	if len(ds) != 3 {
		t.Errorf("got %d: %v", len(ds), ds)
	}
	if got := ds[1].Subject.Source; got != "  b: ${x[}" {
		t.Errorf("source line %q", got)
	}
}

func TestSecretLinesAreNotShown(t *testing.T) {
	t.Parallel()
	p, ds := Parse("f.yaml", []byte("config:\n  k:\n    secret: true\n    default: hunter2\noutputs:\n  a:\n    fn::secret:\n      b: hunter2\n  c: plain\n"))
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	for line := 1; line <= 9; line++ {
		if strings.Contains(p.Sources[0].Line(line), "hunter2") {
			t.Errorf("line %d is shown", line)
		}
	}
	if p.Sources[0].Line(9) == "" {
		t.Error("line 9 is hidden")
	}
}

func TestScalarsKeepTheirText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]property.Value{
		`"0012"`: property.String("0012"), `'1.10'`: property.String("1.10"), `"2022e1"`: property.String("2022e1"),
		`2001-01-01`: property.String("2001-01-01"), `12`: property.Number(12), `1.10`: property.Number(1.1),
		`1e3`: property.Number(1000), `0x10`: property.Number(16), `yes`: property.String("yes"), `on`: property.String("on"),
		`~`: property.Null(), `9007199254740992`: property.Number(9007199254740992), `1e400`: property.String("1e400"),
		`100000000000000000000`: property.Number(1e20),
	} {
		x, ds := ParseExpr("f.yaml", text)
		if ds.HasErrors() {
			t.Errorf("%s: %v", text, ds)
			continue
		}
		if got := x.(*Literal).Value; !got.Equal(want) {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

func TestProgram(t *testing.T) {
	t.Parallel()
	p, ds := Parse("Pulumi.yaml", []byte(`
name: demo
runtime: yaml
x-base: &base {protect: true}
config:
  size: {type: integer, default: 2}
  names: {type: array, items: {type: string}}
  aws:region: us-west-2
resources:
  pet:
    type: random:RandomPet
    name: other
    properties: {length: "${size}"}
    options:
      <<: *base
      dependsOn: ["${first}"]
      aliases: ["urn:pulumi:a::b::c::d", {name: old, noParent: true}]
      customTimeouts: {create: 5m}
      version: 1.2.3
  first: {type: random:RandomPet, get: {id: x, state: {length: 3}}}
variables:
  v: {fn::toJSON: "${pet}"}
Outputs:
  o: ${pet.id}
`))
	if len(ds) != 1 || !strings.Contains(ds.Error(), "miscapitalization") {
		t.Fatalf("got %v", ds)
	}
	pet := p.Resources[0]
	if pet.URNName() != "other" || pet.Options.Protect == nil || pet.Options.Version.Value != "1.2.3" ||
		pet.Options.Aliases[0].URN == nil || String(pet.Options.Aliases[1].NoParent) != "true" || String(pet.Options.Timeouts.Create) != `"5m"` {
		t.Errorf("got %+v", pet)
	}
	if got := p.Config[1].Type.String(); got != "array of string" {
		t.Errorf("type %s", got)
	}
	if p.Config[2].Value == nil || p.Resources[1].Get.State == nil || len(p.Outputs) != 1 {
		t.Errorf("got %+v", p)
	}
	if pos := pet.Options.DependsOn.(*List).Items[0].Pos().String(); pos != "Pulumi.yaml:16:20" {
		t.Errorf("position %s", pos)
	}
}

func TestParsePlugin(t *testing.T) {
	t.Parallel()
	p, ds := ParsePlugin([]File{
		{"PulumiPlugin.yaml", []byte("name: pair\nruntime: yaml\ncomponents:\n  A: {inputs: {x: {type: string}}, outputs: {y: '${x}'}}\n")},
		{"more.yaml", []byte("components:\n  B: {}\n")},
	})
	if ds.HasErrors() || len(p.Components) != 2 || p.Name.Value != "pair" {
		t.Errorf("got %+v, %v", p, ds)
	}
	_, ds = ParsePlugin([]File{
		{"a.yaml", []byte("name: a\ncomponents: {A: {}}\nresources: {r: {type: 'a:b'}}\n")},
		{"b.yaml", []byte("name: b\ncomponents: {A: {}}\n")},
	})
	for _, want := range []string{"root-level `resources` is not supported", "two values for name", "duplicate component name A"} {
		if !strings.Contains(ds.Error(), want) {
			t.Errorf("no %q in %v", want, ds)
		}
	}
}
