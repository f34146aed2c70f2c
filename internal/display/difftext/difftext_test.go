package difftext_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/display/difftext"
	"github.com/cairn-iac/cairn/internal/display/palette"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
)

func one(key string, v property.Value) property.Map {
	return property.MapOf(map[string]property.Value{key: v})
}

// changes compares two values under the key "k" and writes the difference.
func changes(o, n property.Value, m difftext.Manner) string {
	fields, _ := difftext.Compare(one("k", o), one("k", n), difftext.Rules{ShowSecrets: m.ShowSecrets})
	var b strings.Builder
	difftext.NewPrinter(&b, m, 1, resource.OpUpdate).Marked(true).Changes(fields, nil)
	return b.String()
}

func TestText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("line\n", 30_000)
	for name, c := range map[string]struct{ o, n, want string }{
		"one line":        {"a b", "a c", "  ~ k: \"a b\" => \"a c\"\n"},
		"lines":           {"0\n1\n2\n3\n4\n5\n6\n", "0\n1\n2\n3\nX\n5\n6\n", "  ~ k: \n        ...\n        2\n        3\n      - 4\n      + X\n        5\n        6\n"},
		"control":         {"a\n\x1b[31mb\t1\n", "a\nc\n", "  ~ k: \n        a\n      - \\x1b[31mb\t1\n      + c\n"},
		"to nothing":      {"a", "", "  - k: \"a\"\n"},
		"json":            {`{"a":1}`, `{"a":2}`, "  ~ k: (json) {\n      ~ a: 1 => 2\n    }\n"},
		"json, same":      {`{"a":1}`, `{"a": 1}`, "  ~ k: \"\\\"{\\\\\\\"a\\\\\\\":1}\\\"\" => \"\\\"{\\\\\\\"a\\\\\\\": 1}\\\"\"\n"},
		"json to yaml":    {`{"a":1}`, "a: 2\nb: 1\n", "  ~ k: (json => yaml) {\n      ~ a: 1 => 2\n      + b: 1\n    }\n"},
		"yaml, odd keys":  {"1: a\n2.5: b\n", "1: c\n2.5: b\n", "  ~ k: (yaml) {\n      ~ 1  : \"a\" => \"c\"\n        2.5: \"b\"\n    }\n"},
		"yaml, no values": {"a: 2020-01-01\nb: 1\n", "a: 2020-01-02\nb: 1\n", "  ~ k: \n      - a: 2020-01-01\n      + a: 2020-01-02\n        b: 1\n"},
		"too deep":        {strings.Repeat("[", 200) + strings.Repeat("]", 200), "x", "  ~ k: \"" + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "\" => \"x\"\n"},
		"no text":         {"a\xff", "b", "  ~ k: b\"Yf8=\" => \"b\"\n"},
		"too much":        {long, "x", "  ~ k: \n" + strings.Repeat("      - line\n", 30_000) + "      + x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := changes(property.String(c.o), property.String(c.n), difftext.Manner{})
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// TestColouredText: with colours, what differs within a line is found.
func TestColouredText(t *testing.T) {
	t.Parallel()
	m := difftext.Manner{Palette: palette.New(palette.Raw)}
	got := changes(property.String("one two"), property.String("one three"), m)
	for _, want := range []string{"<{%fg 1%}>", "<{%fg 2%}>", "one t"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	big := strings.Repeat("ab", 100_000)
	if got := changes(property.String(big), property.String(big+"c"), m); !strings.Contains(got, big+"c") {
		t.Error("a text that is too long to compare was not written")
	}
}

// TestPlaces: detailed diffs may name places that are not there, within others, or no places at all.
func TestPlaces(t *testing.T) {
	t.Parallel()
	older := property.MapOf(map[string]property.Value{
		"list": property.NewList(property.Number(1)), "s": property.String("x").MakeSecret(), "u": property.Unknown(),
	})
	newer := property.MapOf(map[string]property.Value{
		"list": property.NewList(property.Number(2), property.Number(3)),
		"new":  property.NewMap(map[string]property.Value{"a": property.Number(1), "b": property.Number(2)}),
		"s":    property.String("y").MakeSecret(), "u": property.Unknown(),
	})
	var places []difftext.Place
	for text, kind := range map[string]difftext.Kind{
		"list[0]": difftext.Updated, "list[1]": difftext.Added, "list[7]": difftext.Deleted, "new.a": difftext.Added,
		"new.b": difftext.Added, "s.deep.er": difftext.Updated, "u.x": difftext.Updated, "nowhere": difftext.Added,
	} {
		path, err := property.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, difftext.Place{Path: path, Kind: kind, Old: older, New: newer})
	}
	places = append(places, difftext.Place{}, difftext.Place{Path: property.Path{property.Wildcard()}, Kind: difftext.Deleted})
	difftext.SortPlaces(places)
	fields, _ := difftext.FromPlaces(places, difftext.Rules{})
	var b strings.Builder
	difftext.NewPrinter(&b, difftext.Manner{}, 1, resource.OpUpdate).Marked(true).Changes(fields, nil)
	want := `  - *      : [unknown]
  ~ list   : [
      ~ [0]: 1 => 2
      + [1]: 3
      - [7]: [unknown]
    ]
  + new    : {
      + a: 1
      + b: 2
    }
  + nowhere: [unknown]
  ~ s      : {
      ~ deep: {
          ~ er: [secret] => [secret]
        }
    }
  ~ u      : {
      ~ x: [unknown] => [unknown]
    }
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// FuzzText: any two texts can be compared, in colour or not, and the line ends.
func FuzzText(f *testing.F) {
	for _, pair := range [][2]string{
		{"", "x"}, {"a\nb", "a\nc"}, {`{"a":[1]}`, `{"a":[2]}`}, {"a: &x\n - *x\n", "b\n"}, {"\xff", "\x00"}, {"[1", "{\n}"},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, o, n string) {
		for _, mode := range []palette.Mode{palette.Never, palette.Always} {
			got := changes(property.String(o), property.String(n), difftext.Manner{Palette: palette.New(mode)})
			if o == n && got != "" || o != n && !strings.HasSuffix(strings.TrimSuffix(got, "\x1b[0m"), "\n") {
				t.Errorf("%s: %q to %q gives %q", mode, o, n, got)
			}
		}
	})
}
