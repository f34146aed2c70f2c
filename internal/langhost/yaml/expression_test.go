package yaml_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/property"
)

const expressionProgram = `
name: demo
config:
  token: {type: string, secret: true}
  size: {type: integer, default: 3}
  zip: {type: string}
  cfgobj: {type: object}
variables:
  name: world
  big: 9007199254740992
  million: 1000000
  tenth: 0.1
  flag: true
  nul: null
  file: file.txt
  list: [one, two, three]
  obj: {a: {b: [1, {c: d}]}, "x.y": {b: [10, 20]}, "a b": [{c: quoted}]}
  mixed: {open: o, hidden: {fn::secret: h}}
  wholeSecret: {fn::secret: {x: {y: 1}}}
  viaVariable: ${a}
  resources: ["${a}", "${b}"]
  referred: {fn::test:refer: {}}
resources:
  a: {type: test:Pet, properties: {length: 5}}
  b: {type: test:Pet}
  probe:
    type: test:Pet
    properties:
      anything:
        - `

// TestExpressions runs the table in testdata/expressions.txtar.
func TestExpressions(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/expressions.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse(data).Files {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			text, want, ok := strings.Cut(strings.TrimSuffix(string(f.Data), "\n"), "\n=> ")
			if !ok {
				t.Fatal("no =>")
			}
			text, preview := strings.CutPrefix(text, "preview ")
			if got := evaluate(t, text, preview); !matches(got, want) {
				t.Errorf("%s\n got %s\nwant %s", text, got, want)
			}
		})
	}
}

// matches allows an error to go on with its remedy.
func matches(got, want string) bool {
	return got == want || strings.HasPrefix(want, "error ") && strings.HasPrefix(got, want)
}

// refer gives a reference to a resource of somebody else, and what is known of that.
func refer(token string, args property.Map) (property.Map, error) {
	const foreign = "urn:pulumi:dev::demo::test:index/pet:Pet::foreign"
	if token == "pulumi:pulumi:getResource" {
		return property.MapOf(map[string]property.Value{
			"urn": args.Get("urn"), "id": property.String("i"),
			"state": property.NewMap(map[string]property.Value{"name": property.String("foreign name")}),
		}), nil
	}
	ref := property.FromReference(property.Reference{URN: foreign, ID: property.String("i"), HasID: true})
	return property.MapOf(map[string]property.Value{"foreign": ref}), nil
}

func evaluate(t *testing.T, expression string, preview bool) string {
	t.Helper()
	r := &runner{
		deployment: &deployment{outputsFn: pets, preview: preview, invokeFn: refer},
		config: map[string]string{
			"demo:token": "s3cret", "demo:zip": "0012", "demo:cfgobj": `{"deep": [{"x": 1}], "n": 1, "s": "t", "o": {}}`, "aws:region": "us-west-2",
			"demo:undeclared": "12", "demo:undeclaredzip": "007",
		},
		secrets: []string{"demo:token"},
		files:   map[string]string{"file.txt": "contents\n", "bytes": "\xff\xfe"},
	}
	if err := r.run(t, expressionProgram+expression+"\n"); err != nil {
		for _, d := range r.diags {
			if d.Severity == diag.Error {
				return "error " + d.Summary
			}
		}
		return "failure " + err.Error()
	}
	list, _ := r.inputs(t, "probe").Get("anything").AsList()
	out := show(list.At(0))
	if deps := names(r.byName["probe"].GetPropertyDependencies()["anything"].GetUrns()); len(deps) > 0 {
		out += " deps " + strings.Join(deps, ",")
	}
	return out
}

// TestConfigCorpus sends scalars through configuration: as strings they keep every byte, as numbers their value.
func TestConfigCorpus(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "0", "0012", "1.10", "2022e1", "1e3", "true", "True", "null", "~", "yes", "0x10", "0b1", "0o7", "1_000", "+1", "-0",
		"251985589757358482", "9007199254740993", "1E400", ".5", "5.", "NaN", "Inf", "2001-01-01", "20220113.2", "4e05f6a", "1234e56",
		"a: b", "- a", "#x", "'q'", `"q"`, "{", "[", "}", "é", "😀", "a\nb", "tab\t", `\`, "${x}", "$$", "$${x}", "fn::secret", "!!str x",
		"12345678901234567890", "0.1", "-12.50", "1.0", "00", "007", "08", "1,000", "１２", "\u00a0", "null ", "[1]x", `{"a":1}x`,
	} {
		r := &runner{config: map[string]string{"demo:v": text, "demo:free": text}}
		r.mustRun(t, "name: demo\nconfig: {v: {type: string}}\noutputs: {v: '${v}', in: 'x${v}', free: '${free}'}\n")
		out := r.stackOutputs()
		if got, _ := out.Get("v").AsString(); got != text {
			t.Errorf("%q became %q", text, got)
		}
		if got, _ := out.Get("in").AsString(); got != "x"+text {
			t.Errorf("%q in text became %q", text, got)
		}
		// Without a type, a number must be written the way it is shown; all else is text.
		free := out.Get("free")
		if s, ok := free.AsString(); ok && s != text {
			t.Errorf("untyped %q became %q", text, s)
		}
		if n, ok := free.AsNumber(); ok && strconv.FormatFloat(n, 'f', -1, 64) != text {
			t.Errorf("untyped %q became %v", text, n)
		}
	}
}

// TestTypedConfig reads texts as declared types.
func TestTypedConfig(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ decl, text, want string }{
		{"{type: integer}", "12", "12"},
		{"{type: integer}", "1e3", "1000"},
		{"{type: integer}", "1.5", "error the configuration value 'demo:v' is not a whole number"},
		{"{type: integer}", "9007199254740993", "error the configuration value 'demo:v' is a number that cannot be held exactly"},
		{"{type: integer}", "1e999999999", "error the configuration value 'demo:v' is not of type integer"},
		{"{type: integer}", "1e-999999999", "error the configuration value 'demo:v' is too long for a number"},
		{"{type: number}", "0.1", "0.1"},
		{"{type: number}", "x", "error the configuration value 'demo:v' is not of type number"},
		{"{type: boolean}", "true", "true"},
		{"{type: boolean}", "maybe", "error the configuration value 'demo:v' is not a boolean"},
		{"{type: object}", `{"a": [1, null, "x", true]}`, `{a: [1, null, "x", true]}`},
		{"{type: object}", `[1]`, "error the configuration value 'demo:v' is not of type object"},
		{"{type: object}", `{"a": 251985589757358482}`, "error the configuration value 'demo:v' is a number that cannot be held exactly"},
		{"{type: object}", `{} x`, "error the configuration value 'demo:v' is followed by something after the JSON value"},
		{"{type: array, items: {type: string}}", `["a"]`, `["a"]`},
		{"{type: array, items: {type: string}}", `["a", 1]`, "error the configuration value 'demo:v' is not of type string at [1]"},
		{"{type: array, items: {type: array, items: {type: boolean}}}", `[[true]]`, `[[true]]`},
		{"{type: List<Int>}", `[1, 1.5]`, "error the configuration value 'demo:v' is not of type integer at [1]"},
		{"{type: array, items: {type: number}}", `[true]`, "error the configuration value 'demo:v' is not of type number at [0]"},
		{"{type: array, items: {type: object}}", `nope`, "error the configuration value 'demo:v' is not valid JSON"},
		{"{default: x}", "1", `"1"`},
		{"{default: 1}", "2", "2"},
		{"{default: true}", "false", "false"},
		{"{default: [1]}", "[2]", "[2]"},
		{"{default: {a: 1}}", `{"b": 2}`, "{b: 2}"},
		{"{type: string, secret: true}", "s", `secret("s")`},
		{"{type: string, name: other}", "not this", `"other one"`},
		{"{value: 5}", "", `""`},
		{"plain", "", `""`},
	} {
		r := &runner{config: map[string]string{"demo:v": tt.text, "demo:other": "other one"}}
		err := r.run(t, "name: demo\nconfig: {v: "+tt.decl+"}\noutputs: {o: '${v}'}\n")
		got := show(r.stackOutputs().Get("o"))
		if err != nil {
			got = "error " + r.diags[0].Summary
		}
		if !matches(got, tt.want) {
			t.Errorf("%s from %q: got %s, want %s", tt.decl, tt.text, got, tt.want)
		}
	}
}

// TestConfigOfTheProject holds values that the program gives itself, and what it may not say of secret ones.
func TestConfigOfTheProject(t *testing.T) {
	t.Parallel()
	r := &runner{config: map[string]string{"demo:v": "x"}, secrets: []string{"demo:v"}}
	err := r.run(t, "name: demo\nconfig: {v: {type: string, secret: false}}\n")
	if err == nil || !strings.Contains(r.diags.Error(), "Cannot mark a configuration value as not secret") {
		t.Errorf("got %v, %v", err, r.diags)
	}
	r = &runner{}
	r.mustRun(t, "name: demo\nconfig: {a: 5, b: {value: [x]}, c: {type: string, default: '${pulumi.stack}-${a}'}}\noutputs: {a: '${a}', b: '${b}', c: '${c}'}\n")
	if got := showMap(r.stackOutputs()); got != `{a: 5, b: ["x"], c: "dev-5"}` {
		t.Errorf("outputs %s", got)
	}
}
