package project_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/config"
	"github.com/cairn-iac/cairn/internal/project"
)

func parseBoth(t *testing.T, projectText, stackText string) (*project.Project, config.Map) {
	t.Helper()
	p, err := project.Parse("Pulumi.yaml", []byte(projectText))
	if err != nil {
		t.Fatal(err)
	}
	f, err := config.Parse(config.Source{Path: "Pulumi.dev.yaml", Project: p.Name, Data: []byte(stackText)})
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.EffectiveConfig(f.Config())
	if err != nil {
		t.Fatal(err)
	}
	return p, m
}

const declarations = `name: quick
runtime: yaml
config:
  a: {type: string}
  b: {type: integer}
  c: {type: boolean}
  d: {type: array, items: {type: string}}
  e: {type: object, default: {x: 1}}
  f: {type: number, default: 1.5}
  token: {type: string, secret: true}
  plain: {default: 7}
  aws:region: eu
`

func TestMissing(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"config: {}": "Pulumi.yaml:4:3: Stack 'dev' is missing configuration values 'a', 'b', 'c', 'd' and 'token'\n" +
			"Set with `pulumi config set --secret token`, `pulumi config set a <value>`, `pulumi config set b <value>`, `pulumi config set c <value>`, `pulumi config set d <value>`.",
		"config: {b: 1, c: true, d: [], token: {secure: x}}": "Pulumi.yaml:4:3: Stack 'dev' is missing configuration value 'a'\nSet with `pulumi config set a <value>`.",
		"config: {a: '', b: 1, d: [], token: {secure: x}}":   "Pulumi.yaml:6:3: Stack 'dev' is missing configuration value 'c'\nSet with `pulumi config set c <value>`.",
		"config: {a: x, b: 1, d: []}": "Pulumi.yaml:6:3: Stack 'dev' is missing configuration values 'c' and 'token'\n" +
			"Set with `pulumi config set --secret token`, `pulumi config set c <value>`.",
		"config: {a: x, b: 1, c: true, d: [], token: {secure: x}}": "",
	}
	for stack, want := range cases {
		p, m := parseBoth(t, declarations, stack)
		if diff := cmp.Diff(want, errorText(p.CheckConfig("dev", m))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", stack, diff)
		}
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	const isOf = "Stack 'dev' with configuration key 'k' must be of type '"
	cases := []struct{ declared, value, want string }{
		{"string", "text", ""}, {"string", "0012", ""}, {"string", "true", ""}, {"string", "~", ""},
		{"string", "{a: 1}", isOf + "string'"}, {"string", "[1]", isOf + "string'"},
		{"integer", "3", ""}, {"integer", "'3'", ""}, {"integer", "-3", ""}, {"integer", "'+3'", ""}, {"integer", "0012", ""}, {"integer", "2.0", ""},
		{"integer", "x", isOf + "integer'"}, {"integer", "1.5", isOf + "integer'"}, {"integer", "''", isOf + "integer'"}, {"integer", "true", isOf + "integer'"},
		{"integer", "[1]", isOf + "integer'"}, {"integer", "'-'", isOf + "integer'"}, {"integer", "~", isOf + "integer'"},
		{"number", "1.5", ""}, {"number", "'1.10'", ""}, {"number", "1e3", ""}, {"number", "x", isOf + "number'"}, {"number", "inf", isOf + "number'"},
		{"boolean", "true", ""}, {"boolean", "'false'", ""}, {"boolean", "True", ""}, {"boolean", "1", isOf + "boolean'"}, {"boolean", "yes", isOf + "boolean'"},
		{"object", "{a: 1}", ""}, {"object", "text", isOf + "object'"}, {"object", "[]", isOf + "object'"},
		{"array, items: {type: string}", "[a, '1']", ""}, {"array, items: {type: string}", "[]", ""},
		{"array, items: {type: string}", "[1]", isOf + "array<string>'"}, {"array, items: {type: string}", "a", isOf + "array<string>'"},
		{"array, items: {type: integer}", "[1, '2', 3.0]", ""}, {"array, items: {type: integer}", "[1.5]", isOf + "array<integer>'"},
		{"array, items: {type: boolean}", "[true, 'false']", ""}, {"array, items: {type: object}", "[{}]", ""},
		{"array, items: {type: array, items: {type: integer}}", "[[1]]", ""},
		{"array, items: {type: array, items: {type: integer}}", "[1]", isOf + "array<array<integer>>'"},
		{"string, secret: true", "x", "Stack 'dev' with configuration key 'k' must be encrypted as it's secret\nSet it again with `pulumi config set --secret k`."},
		{"string, secret: true", "{secure: c}", ""}, {"integer", "{secure: c}", ""}, {"object", "{secure: c}", isOf + "object'"},
		{"array, items: {type: string}", "[{secure: c}]", ""},
		{"integer", "9007199254740992", ""},
		{"integer", "251985589757358482", inexact("251985589757358482")}, {"integer", "'251985589757358482'", inexact("251985589757358482")},
		{"number", "9007199254740993", inexact("9007199254740993")}, {"number", "'1e400'", isOf + "number'"},
		{"array, items: {type: integer}", "[1, 251985589757358482]", inexact("251985589757358482")},
		{"string", "251985589757358482", ""},
	}
	for _, c := range cases {
		p, m := parseBoth(t, "name: quick\nruntime: yaml\nconfig:\n  k: {type: "+c.declared+"}\n", "config:\n  k: "+c.value+"\n")
		want := c.want
		if want != "" {
			want = "Pulumi.dev.yaml:2:6: " + want
		}
		if diff := cmp.Diff(want, errorText(p.CheckConfig("dev", m))); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", c.declared, c.value, diff)
		}
	}
}

func inexact(text string) string {
	return "Stack 'dev' with configuration key 'k' is " + text + ", which no 64-bit floating-point number holds: programs would see another number" +
		"\nDeclare it as `type: string` and quote it: a text keeps all its digits."
}

type decrypter struct{}

func (decrypter) Decrypt(_ context.Context, ciphertext string) (string, error) {
	if ciphertext == "bad" {
		return "", errors.New("no key")
	}
	return ciphertext, nil
}

// Once they are decrypted, secrets must be of the declared type too, and no message tells them.
func TestTypesOfSecrets(t *testing.T) {
	t.Parallel()
	p, m := parseBoth(t, "name: quick\nruntime: yaml\nconfig: {a: {type: integer}, b: {type: integer}, c: {type: integer, secret: true}}\n",
		"config: {a: {secure: '12'}, b: {secure: canary}, c: {secure: '251985589757358482'}}\n")
	revealed, err := m.Reveal(context.Background(), decrypter{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "Pulumi.dev.yaml:1:32: Stack 'dev' with configuration key 'b' must be of type 'integer'\n" +
		"Pulumi.dev.yaml:1:53: Stack 'dev' with configuration key 'c' is [secret], which no 64-bit floating-point number holds: programs would see another number" +
		"\nDeclare it as `type: string` and quote it: a text keeps all its digits."
	if diff := cmp.Diff(want, errorText(p.CheckConfig("dev", revealed))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEffective(t *testing.T) {
	t.Parallel()
	_, m := parseBoth(t, `name: quick
runtime: yaml
config:
  text: {type: string}
  code: {type: string, default: "0012"}
  hex: {type: string}
  count: {type: integer}
  hidden: {secret: true, default: canary}
  over: {default: project}
  null: {default: project}
  nested.deep: {default: d}
  nested.other: {type: boolean, default: true}
  aws:region: eu
  aws:tags: {value: {owner: me}}
`, `config:
  text: 0x1F
  hex: True
  count: 2.0
  over: stack
  "null":
  nested: {deep: mine}
  else: kept
`)
	program, err := m.Program()
	if err != nil {
		t.Fatal(err)
	}
	want := config.Program{
		Values: map[string]string{
			"quick:text": "0x1F", "quick:hex": "True", "quick:code": "0012", "quick:count": "2", "quick:hidden": "canary", "quick:over": "stack", "quick:null": "",
			"quick:nested": `{"deep":"mine","other":true}`, "quick:else": "kept", "aws:region": "eu", "aws:tags": `{"owner":"me"}`,
		},
		SecretKeys: []string{"quick:hidden"},
	}
	if diff := cmp.Diff(want, program); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A default in the project file is no secret any more: where the type is declared, that is refused as the Pulumi CLI does.
func TestSecretDefault(t *testing.T) {
	t.Parallel()
	p, m := parseBoth(t, "name: quick\nruntime: yaml\nconfig: {d: {type: string, secret: true, default: x}}\n", "")
	const want = "Pulumi.yaml:3:51: Stack 'dev' with configuration key 'd' must be encrypted as it's secret\nSet it again with `pulumi config set --secret d`."
	if diff := cmp.Diff(want, errorText(p.CheckConfig("dev", m))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEffectiveThatDoesNotFit(t *testing.T) {
	t.Parallel()
	p, err := project.Parse("Pulumi.yaml", []byte("name: q\nruntime: yaml\nconfig:\n  a.b.c: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := config.Parse(config.Source{Path: "Pulumi.dev.yaml", Project: "q", Data: []byte("config: {a: {b: text}}")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.EffectiveConfig(f.Config())
	if got := errorText(err); got != "Pulumi.yaml:4:3: the configuration key 'a.b.c' does not fit the stack's values: a.b: expected a map" {
		t.Error(got)
	}
}
