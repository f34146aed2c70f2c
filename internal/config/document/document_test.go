package document_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/config/document"
)

func parse(t *testing.T, path, text string) *document.Document {
	t.Helper()
	d, err := document.Parse(path, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestPairsUnfoldMerges(t *testing.T) {
	t.Parallel()
	d := parse(t, "f.yaml", `one: &one {a: 1, b: 1}
two: &two {b: 2, c: 2}
both:
  c: own
  <<: [*one, *two]
  "<<": text
`)
	p, ok := document.Lookup(d.Root, "both")
	if !ok {
		t.Fatal("no key")
	}
	var got []string
	for _, p := range document.Pairs(p.Value) {
		text := p.Name + "=" + document.Resolve(p.Value).Value
		if p.Inherited {
			text += "!"
		}
		got = append(got, text)
	}
	if diff := cmp.Diff([]string{"a=1!", "b=1!", "c=own", "<<=text"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if document.Pairs(nil) != nil || document.Pairs(d.Root.Content[0]) != nil {
		t.Error("something else than a mapping has pairs")
	}
}

func TestEncodeKeepsWhatWasThere(t *testing.T) {
	t.Parallel()
	const text = `# before

# about a
a: 1 # behind
b: 'x'
c: "y"
d: |
  block
  text
e: [1, {f: g}]
# after
`
	got, err := parse(t, "f.yaml", text).Encode()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, empty := range []string{"", "\n", "# c\n", "\ufeff"} {
		d := parse(t, "f.yaml", empty)
		if d.Root != nil {
			t.Errorf("%q has content", empty)
		}
		if got, err := d.Encode(); err != nil || string(got) != strings.TrimSpace(strings.TrimPrefix(empty, "\ufeff")) {
			t.Errorf("%q became %q, %v", empty, got, err)
		}
	}
}

func TestPositions(t *testing.T) {
	t.Parallel()
	for path, text := range map[string]string{
		"f.yaml": "a: 1\nbé: {c: x}\n",
		"f.json": "{\"a\": 1,\n\"bé\": {\"c\": \"x\"}}\n",
	} {
		d := parse(t, path, text)
		var got []string
		var walk func(*yaml.Node)
		walk = func(n *yaml.Node) {
			for _, p := range document.Pairs(n) {
				got = append(got, p.Name+" "+d.Position(p.Key).String()+" "+d.Position(p.Value).String())
				walk(p.Value)
			}
		}
		walk(d.Root)
		want := []string{"a f.yaml:1:1 f.yaml:1:4", "bé f.yaml:2:1 f.yaml:2:5", "c f.yaml:2:6 f.yaml:2:9"}
		if path == "f.json" {
			want = []string{"a f.json:1:2 f.json:1:7", "bé f.json:2:1 f.json:2:7", "c f.json:2:8 f.json:2:13"}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestClosest(t *testing.T) {
	t.Parallel()
	known := []string{"name", "runtime", "main", "config", "url"}
	for typed, want := range map[string]string{
		"nam": "name", "Name": "name", "NAME": "name", "runtme": "runtime", "confgi": "config", "urll": "url", "mian": "main",
		"resources": "", "x": "", "": "", "ul": "url", "nom": "name",
	} {
		if got := document.Closest(typed, known); got != want {
			t.Errorf("Closest(%q) = %q, want %q", typed, got, want)
		}
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	d := parse(t, "f.yaml", "- {}\n- []\n- x\n- 1\n- 1.5\n- true\n- ~\n- 2020-01-01\n")
	var got []string
	for _, n := range d.Root.Content {
		got = append(got, document.Describe(n))
	}
	want := []string{"a mapping", "a list", "a text", "a number", "a number", "true or false", "nothing", "a text"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestJSONThatYAMLCouldNotHold(t *testing.T) {
	t.Parallel()
	d := parse(t, "f.json", `{"a": 1}`)
	d.Root.Content[1].Value = "0x1F"
	if _, err := d.Encode(); err == nil || !strings.Contains(err.Error(), `JSON has no way to write "0x1F" without quotes`) {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a: 1", "{\"a\": [1, null]}", "a: &x {b: *x}", "- - - -", "<<: {a: 1}", "\xff\xfea\x00", "%YAML 1.1\n---\na", "? [a]\n: b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, path := range []string{"f.yaml", "f.json"} {
			d, err := document.Parse(path, []byte(text))
			if err != nil {
				continue
			}
			data, err := d.Encode()
			if err != nil {
				continue
			}
			_, _ = document.Parse(path, data)
		}
	})
}
