package yaml_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
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

func evaluate(t *testing.T, expression string, preview bool) string {
	t.Helper()
	r := &runner{
		deployment: &deployment{outputsFn: pets, preview: preview},
		config: map[string]string{
			"demo:token": "s3cret", "demo:zip": "0012", "demo:cfgobj": `{"deep": [{"x": 1}]}`, "aws:region": "us-west-2",
			"demo:undeclared": "12", "demo:undeclaredzip": "007",
		},
		secrets: []string{"demo:token"},
		files:   map[string]string{"file.txt": "contents\n", "bytes": "\xff\xfe"},
	}
	if err := r.run(t, expressionProgram+expression+"\n"); err != nil {
		for _, d := range r.diags {
			return "error " + d.Summary
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
