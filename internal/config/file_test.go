package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/config"
	"github.com/cairn-iac/cairn/internal/diag"
)

func parseFile(t testing.TB, text string) *config.File {
	t.Helper()
	f, err := config.Parse(config.Source{Path: "Pulumi.dev.yaml", Project: "my", Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func fileText(t testing.TB, f *config.File) string {
	t.Helper()
	data, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

const commented = `# head comment
encryptionsalt: v1:salt
# about config
config:
  # about words
  my:words: 3 # trailing
  bare: 0012
  aws:config:region: us-west-2
  my:f: 1.10
  my:quoted: 'single'
  my:double: "double"
  my:obj:
    # nested comment
    z: 1.10 # about z
    a: 0012
    s: {b: 1e3, c: ~, d: "<&>"}
    list:
      - one # first
      - two # second
      - three # third
    empty: {} # nothing yet
# about the rest
unknown: kept
`

// One edit each; the text says what it should leave alone.
func TestFileEdits(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		edit func(*config.File) error
		// changes are pairs of a text before and after
		changes []string
	}{
		"nothing": {edit: func(*config.File) error { return nil }},
		"same value": {edit: func(f *config.File) error {
			return f.Set(address(t, "quoted"), config.NewString("single"))
		}},
		"scalar keeps its comments": {
			edit:    func(f *config.File) error { return f.Set(address(t, "words"), config.NewString("7")) },
			changes: []string{`my:words: 3 # trailing`, `my:words: "7" # trailing`},
		},
		"a key keeps its spelling": {
			edit: func(f *config.File) error {
				if err := f.Set(address(t, "bare"), config.NewString("0013")); err != nil {
					return err
				}
				return f.Set(address(t, "aws:region"), config.NewString("eu"))
			},
			changes: []string{`bare: 0012`, `bare: "0013"`, `region: us-west-2`, `region: eu`},
		},
		"quotes stay": {
			edit: func(f *config.File) error {
				if err := f.Set(address(t, "quoted"), config.NewString("it's")); err != nil {
					return err
				}
				return f.Set(address(t, "double"), config.NewString("other"))
			},
			changes: []string{`'single'`, `'it''s'`, `"double"`, `"other"`},
		},
		"new key": {
			edit:    func(f *config.File) error { return f.Set(address(t, "new"), config.NewString("yes")) },
			changes: []string{"# nothing yet\n", "# nothing yet\n  my:new: \"yes\"\n"},
		},
		"secret": {
			edit:    func(f *config.File) error { return f.Set(address(t, "words"), config.NewCiphertext("v1:c")) },
			changes: []string{`my:words: 3 # trailing`, "my:words: # trailing\n    secure: v1:c"},
		},
		"nested": {
			edit: func(f *config.File) error {
				v, err := config.ParseScalar(address(t, "obj.z"), "true", "")
				if err != nil {
					return err
				}
				return f.Set(address(t, "obj.z"), v)
			},
			changes: []string{`z: 1.10 # about z`, `z: true # about z`},
		},
		"flow stays flow": {
			edit:    func(f *config.File) error { return f.Set(address(t, "obj.s.new"), config.NewString("x")) },
			changes: []string{`d: "<&>"}`, `d: "<&>", new: x}`},
		},
		"list append": {
			edit:    func(f *config.File) error { return f.Set(address(t, "obj.list[3]"), config.NewString("four")) },
			changes: []string{"- three # third\n", "- three # third\n      - four\n"},
		},
		"list remove": {
			edit:    func(f *config.File) error { return f.Remove(address(t, "obj.list[0]")) },
			changes: []string{"      - one # first\n", ""},
		},
		"empty object filled": {
			edit:    func(f *config.File) error { return f.Set(address(t, "obj.empty.k"), config.NewString("v")) },
			changes: []string{"empty: {} # nothing yet\n", "empty: # nothing yet\n      k: v\n"},
		},
		"remove": {
			edit: func(f *config.File) error {
				if err := f.Remove(address(t, "f")); err != nil {
					return err
				}
				return f.Remove(address(t, "absent"))
			},
			changes: []string{"  my:f: 1.10\n", ""},
		},
		"new salt": {
			edit: func(f *config.File) error {
				return f.SetEncryption(config.Encryption{EncryptionSalt: "v1:other"})
			},
			changes: []string{"v1:salt", "v1:other"},
		},
		"other provider": {
			edit: func(f *config.File) error {
				return f.SetEncryption(config.Encryption{SecretsProvider: "awskms://x", EncryptedKey: "k"})
			},
			changes: []string{"encryptionsalt: v1:salt\n", "", "unknown: kept\n", "unknown: kept\nsecretsprovider: awskms://x\nencryptedkey: k\n"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := parseFile(t, commented)
			if err := c.edit(f); err != nil {
				t.Fatal(err)
			}
			want := commented
			for i := 0; i < len(c.changes); i += 2 {
				if !strings.Contains(want, c.changes[i]) {
					t.Fatalf("bad case: no %q", c.changes[i])
				}
				want = strings.Replace(want, c.changes[i], c.changes[i+1], 1)
			}
			if diff := cmp.Diff(want, fileText(t, f)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFileFromNothing(t *testing.T) {
	t.Parallel()
	f := parseFile(t, "")
	if got := fileText(t, f); got != "" {
		t.Errorf("an empty file became %q", got)
	}
	if err := f.SetEncryption(config.Encryption{EncryptionSalt: "v1:kEdiOV7tK08=:v1:x:y=="}); err != nil {
		t.Fatal(err)
	}
	if err := f.Set(address(t, "words"), config.NewString("3")); err != nil {
		t.Fatal(err)
	}
	if err := f.Set(address(t, "token"), config.NewCiphertext("v1:l8cF:js3K==")); err != nil {
		t.Fatal(err)
	}
	const want = `encryptionsalt: v1:kEdiOV7tK08=:v1:x:y==
config:
  my:words: "3"
  my:token:
    secure: v1:l8cF:js3K==
`
	if diff := cmp.Diff(want, fileText(t, f)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, key := range []string{"words", "token"} {
		if err := f.Remove(address(t, key)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(strings.SplitAfter(want, "\n")[0], fileText(t, f)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	f = parseFile(t, "# only a comment\n\n")
	if err := f.Set(address(t, "k"), config.NewString("v")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("# only a comment\nconfig:\n  my:k: v\n", fileText(t, f)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFileAliasesAndMerges(t *testing.T) {
	t.Parallel()
	f := parseFile(t, `base: &base
  a: 1
  b: two
config:
  my:one: *base
  my:two:
    <<: *base
    b: zwei
`)
	if got, _ := f.Get(address(t, "two")); got.ProgramText() != `{"a":1,"b":"zwei"}` {
		t.Errorf("two = %s", got.ProgramText())
	}
	if err := f.Set(address(t, "one.b"), config.NewString("deux")); err != nil {
		t.Fatal(err)
	}
	if err := f.Remove(address(t, "two.a")); err != nil {
		t.Fatal(err)
	}
	const want = `base: &base
  a: 1
  b: two
config:
  my:one:
    a: 1
    b: deux
  my:two:
    b: zwei
`
	if diff := cmp.Diff(want, fileText(t, f)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFileJSON(t *testing.T) {
	t.Parallel()
	const text = `{
    "encryptionsalt": "v1:salt",
    "config": {
        "my:words": 3,
        "my:emoji": "\ud83d\ude00 \/",
        "my:obj": {
            "big": 251985589757358482123
        }
    },
    "unknown": [1.10]
}
`
	f, err := config.Parse(config.Source{Path: "Pulumi.dev.json", Project: "my", Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := f.Get(address(t, "emoji")); got.ProgramText() != "😀 /" {
		t.Errorf("emoji = %q", got.ProgramText())
	}
	if err := f.Set(address(t, "obj.b"), config.NewString("<x>")); err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(`\ud83d\ude00 \/`, "😀 /", "358482123\n", "358482123,\n            \"b\": \"<x>\"\n",
		"[1.10]", "[\n        1.10\n    ]").Replace(text)
	if diff := cmp.Diff(want, fileText(t, f)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFileEnvironment(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"environment: [a, b]\n":           "Pulumi.dev.yaml:1:1",
		"config: {}\nenvironment:\n  - a": "Pulumi.dev.yaml:2:1",
		"environment: {values: {x: 1}}":   "Pulumi.dev.yaml:1:1",
		"environment: {}":                 "Pulumi.dev.yaml:1:1",
		"environment: []":                 "",
		"environment:":                    "",
		"config: {}":                      "",
		"":                                "",
	} {
		at, ok := parseFile(t, text).Environment()
		if at.String() != want || ok != (want != "") {
			t.Errorf("%q: %v %v", text, at, ok)
		}
	}
}

func TestFileEncryption(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"encryptionsalt: v1:x":                                               "passphrase",
		"secretsprovider: passphrase\nencryptionsalt: v1:x":                  "passphrase",
		"secretsprovider: awskms://alias/x\nencryptedkey: abc":               "cloud",
		"secretsprovider: default":                                           "",
		"config: {}":                                                         "",
		"secretsprovider: gcpkms://x\nencryptionsalt: v1:x\nencryptedkey: k": "cloud",
	} {
		if got := parseFile(t, text).Encryption().Provider(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestFileRefuses(t *testing.T) {
	t.Parallel()
	cases := map[string][]string{
		"config: {a: 1, a: 2}":                       {`Pulumi.dev.yaml:1:16: the key "a" stands twice: it is in line 1 already`},
		"config:\n  a: 1\n  my:a: 2\n":               {`Pulumi.dev.yaml:3:3: "a" and "my:a" are the same configuration key; keep one`},
		"config:\n  a:b: 1\n  a:config:b: 2\n":       {`Pulumi.dev.yaml:3:3: "a:b" and "a:config:b" are the same configuration key; keep one`},
		"config:\n  a:b:c: 1\n":                      {"Pulumi.dev.yaml:2:3: could not parse a:b:c as a configuration key (configuration keys should be of the form `<namespace>:<name>`)"},
		"config: [1]":                                {"Pulumi.dev.yaml:1:9: config must hold keys and values, not a list"},
		"config: text":                               {"Pulumi.dev.yaml:1:9: config must hold keys and values, not a text"},
		"- a":                                        {"Pulumi.dev.yaml:1:1: the file must hold keys and values, not a list"},
		"encryptionsalt: [x]\nsecretsprovider: {}\n": {"Pulumi.dev.yaml:1:17: encryptionsalt must be a text, not a list", "Pulumi.dev.yaml:2:18: secretsprovider must be a text, not a mapping"},
		"config:\n  a: [1\n":                         {"Pulumi.dev.yaml:2: the file is not valid YAML: did not find expected ',' or ']'"},
		"config:\n\ta: 1\n":                          {"Pulumi.dev.yaml:2: the file is not valid YAML: found character that cannot start any token"},
		"a: 1\n---\nb: 2\n":                          {"Pulumi.dev.yaml:2:1: the file holds more than one YAML document; keep one and remove the `---` line"},
		"config:\n  a: *nope\n":                      {`Pulumi.dev.yaml: the file is not valid YAML: unknown anchor 'nope' referenced`},
		"config:\n  a: &x\n    b: *x\n":              {`Pulumi.dev.yaml:3:8: the anchor "x" contains itself`},
		"config:\n  [a]: 1\n":                        {"Pulumi.dev.yaml:2:3: a key must be a text, not a list"},
		"config:\n  a: {<<: 5}\n":                    {"Pulumi.dev.yaml:2:11: a merge key (<<) takes a mapping, not a number"},
		"config: {a: \"\xff\"}":                      {"Pulumi.dev.yaml: the file is not valid YAML: invalid leading UTF-8 octet"},
	}
	for text, want := range cases {
		_, err := config.Parse(config.Source{Path: "Pulumi.dev.yaml", Project: "my", Data: []byte(text)})
		ds, ok := diag.As(err)
		if !ok {
			t.Errorf("%q: got %v", text, err)
			continue
		}
		if diff := cmp.Diff(strings.Join(want, "\n"), ds.Error()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	for text, want := range map[string]string{
		`{"a": }`:                   "Pulumi.dev.json:1:7: the file is not valid JSON: invalid character '}' looking for beginning of value",
		`{"a": 1} x`:                "Pulumi.dev.json:1:10: the file is not valid JSON: there is text after the end of the value",
		`{"a": 1`:                   "Pulumi.dev.json:1:8: the file is not valid JSON: unexpected EOF",
		`{"a":1,` + "\n" + `"a":2}`: `Pulumi.dev.json:2:1: the key "a" stands twice: it is in line 1 already`,
		`[]`:                        "Pulumi.dev.json:1:1: the file must hold keys and values, not a list",
		strings.Repeat("[", 5000):   "Pulumi.dev.json:1:1002: the file is not valid JSON: it is nested more than 1000 deep",
	} {
		_, err := config.Parse(config.Source{Path: "Pulumi.dev.json", Project: "my", Data: []byte(text)})
		if err == nil || err.Error() != want {
			t.Errorf("%.40q: got %v, want %s", text, err, want)
		}
	}
}

func TestFileAliasBomb(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 12; i++ {
		prev := "*a" + string(rune('a'+i-2))
		if i == 1 {
			prev = "*a0"
		}
		b.WriteString("k" + string(rune('a'+i)) + ": &a" + string(rune('a'+i-1)) + " [" + strings.Repeat(prev+",", 10) + "]\n")
	}
	_, err := config.Parse(config.Source{Path: "Pulumi.dev.yaml", Project: "my", Data: []byte(b.String())})
	if err == nil || !strings.Contains(err.Error(), "unfold to more than a million values") {
		t.Errorf("got %v", err)
	}
}

func TestFileWarnings(t *testing.T) {
	t.Parallel()
	f := parseFile(t, "confg: {}\nconfig:\n  my:empty:\n  my:full: x\nelse: 1\n")
	const want = `Pulumi.dev.yaml:1:1: the key "confg" means nothing; did you mean "config"?
Pulumi.dev.yaml:3:3: No value for configuration key "my:empty". It is treated as an empty text; set the value to "" to say so`
	if diff := cmp.Diff(want, f.Warnings().Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if f.Warnings().HasErrors() {
		t.Error("warnings are errors")
	}
}

func TestFileRefusesPlaintextSecret(t *testing.T) {
	t.Parallel()
	f := parseFile(t, "")
	if err := f.Set(address(t, "a.b"), config.NewString("canary").AsSecret()); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("got %v", err)
	}
	if got := fileText(t, f); got != "" {
		t.Errorf("wrote %q", got)
	}
}

func TestFileCRLF(t *testing.T) {
	t.Parallel()
	f := parseFile(t, "config:\r\n  my:a: x # c\r\n")
	if err := f.Set(address(t, "b"), config.NewString("y")); err != nil {
		t.Fatal(err)
	}
	if got, want := fileText(t, f), "config:\r\n  my:a: x # c\r\n  my:b: \"y\"\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
