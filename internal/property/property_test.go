package property_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

func TestPaths(t *testing.T) {
	t.Parallel()
	cases := map[string]string{ // text to canonical form; "" is an error
		"a": "a", "a.b": "a.b", "a[0]": "a[0]", "a[*].b": "a[*].b", "a.*": "a[*]", "*": "[*]",
		`["a.b"].c`: `["a.b"].c`, `a["x \"y\" \\z"]`: `a["x \"y\" \\z"]`, `["a"]`: "a", `[""]`: `[""]`,
		"": "", ".a": "", "a.": "", "a[": "", "a[x]": "", "a[-1]": "", `a["x`: "", `a["x"`: "", "a]b": "", "a..b": "", "a[0]b": "",
	}
	for text, want := range cases {
		p, err := property.ParsePath(text)
		if (err == nil) != (want != "") || err == nil && p.String() != want {
			t.Errorf("%q: %q, %v", text, p, err)
		}
	}
}

func TestPathRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var p property.Path
		for range rapid.IntRange(1, 5).Draw(t, "length") {
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				p = p.Append(property.Index(rapid.IntRange(0, 1000).Draw(t, "index")))
			case 1:
				p = p.Append(property.Wildcard())
			default:
				p = p.Append(property.Key(rapid.String().Draw(t, "key")))
			}
		}
		back, err := property.ParsePath(p.String())
		if err != nil || back.String() != p.String() || len(back) != len(p) {
			t.Fatalf("%q: back %q, %v", p, back, err)
		}
	})
}

func FuzzParsePath(f *testing.F) {
	for _, s := range []string{"a.b[0]", `["x"].*`, "[", `a["\"`, "a[99999999999999999999]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := property.ParsePath(s)
		if err != nil {
			return
		}
		if back, err := property.ParsePath(p.String()); err != nil || back.String() != p.String() {
			t.Errorf("%q: %q, %v", s, back, err)
		}
	})
}

func TestSetGetDelete(t *testing.T) {
	t.Parallel()
	p, err := property.ParsePath("a.b.c")
	if err != nil {
		t.Fatal(err)
	}
	v, ok := p.Set(property.Null(), property.Number(1))
	if got, found := p.Get(v); !ok || !found || !got.Equal(property.Number(1)) {
		t.Fatalf("set and get: %v", v)
	}
	v, ok = p.Delete(v)
	if _, found := p.Get(v); !ok || found {
		t.Errorf("deleted value is still there")
	}
	if _, ok := p.Set(property.String("x"), property.Null()); ok {
		t.Errorf("set through a string must fail")
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	u := urn.URN("urn:pulumi:s::p::t:t:T::n")
	v := property.String("x").MakeSecret().WithDependencies([]urn.URN{u, u})
	if !v.Secret() || len(v.Dependencies()) != 1 {
		t.Errorf("marks: secret %v, dependencies %v", v.Secret(), v.Dependencies())
	}
	if v.Equal(property.String("x")) || !v.EqualPlain(property.String("x")) {
		t.Errorf("Equal compares marks, EqualPlain does not")
	}
	nested := property.NewList(property.NewMap(map[string]property.Value{"k": v, "u": property.Unknown()}))
	if !nested.ContainsSecret() || !nested.ContainsUnknown() || nested.Secret() {
		t.Errorf("nested marks")
	}
	if got := nested.AllDependencies(); len(got) != 1 || got[0] != u {
		t.Errorf("dependencies: %v", got)
	}
	plain := property.MapOf(map[string]property.Value{"n": nested}).StripSecrets().StripDependencies()
	if plain.ContainsSecret() || len(property.FromMap(plain).AllDependencies()) != 0 {
		t.Errorf("strip leaves marks")
	}
}

func TestRedactHidesEverySecret(t *testing.T) {
	t.Parallel()
	secret := property.NewMap(map[string]property.Value{"deep": property.String("hunter2")}).MakeSecret()
	m := property.MapOf(map[string]property.Value{"l": property.NewList(secret, property.String("open"))}).Redact()
	l, _ := m.Get("l").AsList()
	if got, _ := l.At(0).AsString(); got != property.Mask || !l.At(0).Secret() {
		t.Errorf("redacted to %v", l.At(0))
	}
	if got, _ := l.At(1).AsString(); got != "open" {
		t.Errorf("plain value became %v", l.At(1))
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	older := property.MapOf(map[string]property.Value{
		"same": property.Bool(true), "gone": property.Null(),
		"list": property.NewList(property.Number(1), property.Number(2)),
		"map":  property.NewMap(map[string]property.Value{"x": property.String("1"), "y": property.String("1")}),
	})
	newer := property.MapOf(map[string]property.Value{
		"same": property.Bool(true).MakeSecret(), "new": property.Null(),
		"list": property.NewList(property.Number(1), property.Number(3), property.Number(4)),
		"map":  property.NewMap(map[string]property.Value{"x": property.String("2"), "y": property.String("1")}),
	})
	var got []string
	for _, c := range property.Changes(older, newer) {
		got = append(got, []string{"+", "-", "~"}[c.Kind]+c.Path.String())
	}
	want := []string{"-gone", "~list[1]", "+list[2]", "~map.x", "+new"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}
