package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/config"
)

func TestParseKey(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]config.Key{
		"aws:region":        {Namespace: "aws", Name: "region"},
		"aws:config:region": {Namespace: "aws", Name: "region"},
		"a.b:c.d[0]":        {Namespace: "a.b", Name: "c.d[0]"},
		"my-proj:0":         {Namespace: "my-proj", Name: "0"},
	} {
		got, err := config.ParseKey(text)
		if err != nil || got != want {
			t.Errorf("ParseKey(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", ":", "a:", ":b", "a", "a:b:c", "a:config:", ":config:b", "a:config:b:c"} {
		_, err := config.ParseKey(text)
		want := "could not parse " + text + " as a configuration key (configuration keys should be of the form `<namespace>:<name>`)"
		if err == nil || err.Error() != want {
			t.Errorf("ParseKey(%q) = %v", text, err)
		}
	}
	if got, err := config.ParseKeyIn("proj", "name"); err != nil || got.String() != "proj:name" || got.Pretty("proj") != "name" || got.Pretty("x") != "proj:name" {
		t.Errorf("ParseKeyIn = %v, %v", got, err)
	}
}

func TestParsePath(t *testing.T) {
	t.Parallel()
	name := func(s string) config.Step { return config.Step{Name: s} }
	index := func(i int) config.Step { return config.Step{Index: i, IsIndex: true} }
	cases := []struct {
		text string
		want config.Path
		back string // when it differs from text
	}{
		{"root", config.Path{name("root")}, ""},
		{"root.nested", config.Path{name("root"), name("nested")}, ""},
		{`root["nested"]`, config.Path{name("root"), name("nested")}, "root.nested"},
		{`root["key with \"escaped\" quotes"]`, config.Path{name("root"), name(`key with "escaped" quotes`)}, ""},
		{`["with."][100]`, config.Path{name("with."), index(100)}, ""},
		{`a[0][1].b`, config.Path{name("a"), index(0), index(1), name("b")}, ""},
		{`a[0]b`, config.Path{name("a"), index(0), name("b")}, "a[0].b"},
		{`a[-1]`, config.Path{name("a"), index(-1)}, ""},
		{`foo-bar baz`, config.Path{name("foo-bar baz")}, ""},
		{`[""]`, config.Path{name("")}, ""},
		{`["*"]`, config.Path{name("*")}, "*"},
	}
	for _, c := range cases {
		got, err := config.ParsePath(c.text)
		if err != nil {
			t.Errorf("ParsePath(%q): %v", c.text, err)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("ParsePath(%q) (-want +got):\n%s", c.text, diff)
		}
		back := c.back
		if back == "" {
			back = c.text
		}
		if got.String() != back {
			t.Errorf("String() = %q, want %q", got.String(), back)
		}
	}
	for text, want := range map[string]string{
		".a":                      "expected property path to start with a name or index",
		"a.":                      "expected property name after '.'",
		"a..b":                    "expected property name after '.'",
		"a.[0]":                   "expected property name after '.'",
		"a[":                      "missing closing bracket in array index",
		`a["b]`:                   "missing closing quote in property name",
		`a["b"`:                   "missing closing bracket in property access",
		`a["b"x]`:                 "missing closing bracket in property access",
		"a[abc]":                  `invalid array index: "abc" is not a number; put a name in quotes: ["abc"]`,
		"a[]":                     `invalid array index: "" is not a number; put a name in quotes: [""]`,
		"a[*].b":                  "a configuration path takes no wildcard; name one index",
		"a[99999999999999999999]": `invalid array index: "99999999999999999999" is not a number; put a name in quotes: ["99999999999999999999"]`,
	} {
		if _, err := config.ParsePath(text); err == nil || err.Error() != want {
			t.Errorf("ParsePath(%q) = %v, want %q", text, err, want)
		}
	}
}

func TestParseAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"name":                   "proj:name",
		"outer.inner":            "proj:outer.inner",
		"names[0]":               "proj:names[0]",
		`["parent.name"]["n.n"]`: `proj:["parent.name"]["n.n"]`,
		"aws:tags.owner":         "aws:tags.owner",
		"aws:config:tags.owner":  "aws:tags.owner",
		`aws:["a.b"].c`:          `aws:["a.b"].c`,
		"x.a:b":                  "proj:x.a:b",
		`x["a:b:c"]`:             "proj:x.a:b:c",
	} {
		got, err := config.ParseAddress("proj", text)
		if err != nil || got.String() != want {
			t.Errorf("ParseAddress(%q) = %v, %v, want %v", text, got, err, want)
			continue
		}
		if pretty := got.Pretty("proj"); pretty != strings.TrimPrefix(want, "proj:") {
			t.Errorf("Pretty(%q) = %q", text, pretty)
		}
	}
	for text, want := range map[string]string{
		"":            "empty config key path",
		"aws:":        "empty config key path",
		"[0]":         "the first step of a config key path must be a name",
		`[""]`:        "config key is empty",
		":a":          "could not parse :a as a configuration key (configuration keys should be of the form `<namespace>:<name>`)",
		"a:b:c":       "could not parse a:b:c as a configuration key (configuration keys should be of the form `<namespace>:<name>`)",
		`["a:b"].c`:   `the name of a configuration key has no colon: "a:b"`,
		`root["nest`:  "invalid config key path: missing closing quote in property name",
		"my:root.[1]": "invalid config key path: expected property name after '.'",
	} {
		if _, err := config.ParseAddress("proj", text); err == nil || err.Error() != want {
			t.Errorf("ParseAddress(%q) = %v, want %q", text, err, want)
		}
	}
}

func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{"a:b", "a:config:b", ":", "a", "a:b:c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := config.ParseKey(text)
		if err != nil {
			return
		}
		if again, err := config.ParseKey(k.String()); err != nil || again != k {
			t.Errorf("%q gave %v, which reads as %v, %v", text, k, again, err)
		}
	})
}

func FuzzParsePath(f *testing.F) {
	for _, seed := range []string{"a", "a.b", `a["b"]`, "a[0]", `["x.y"].z[3]`, "a.", "[", `["\"`, "a[*]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := config.ParsePath(text)
		if err != nil {
			return
		}
		again, err := config.ParsePath(p.String())
		if err != nil {
			t.Fatalf("%q gave %q, which does not read: %v", text, p, err)
		}
		if diff := cmp.Diff(p, again); diff != "" {
			t.Errorf("%q gave %q (-want +got):\n%s", text, p, diff)
		}
	})
}

func FuzzParseAddress(f *testing.F) {
	for _, seed := range []string{"a", "ns:a.b", `["x"].y`, "a:config:b[0]", ":"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := config.ParseAddress("proj", text)
		if err != nil {
			return
		}
		again, err := config.ParseAddress("proj", a.String())
		if err != nil {
			t.Fatalf("%q gave %q, which does not read: %v", text, a, err)
		}
		if diff := cmp.Diff(a.String(), again.String()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	})
}
