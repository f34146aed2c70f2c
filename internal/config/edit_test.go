package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/config"
)

func address(t testing.TB, text string) config.Address {
	t.Helper()
	a, err := config.ParseAddress("my", text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func parseMap(t testing.TB, jsonText string) config.Map {
	t.Helper()
	var m config.Map
	if err := m.UnmarshalJSON([]byte(jsonText)); err != nil {
		t.Fatal(err)
	}
	return m
}

func mapText(t testing.TB, m config.Map) string {
	t.Helper()
	b, err := m.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSet(t *testing.T) {
	t.Parallel()
	cases := []struct{ before, at, value, want string }{
		{`{}`, `testKey`, "v", `{"my:testKey":"v"}`},
		{`{}`, `["test.Key"]`, "v", `{"my:test.Key":"v"}`},
		{`{}`, `nested["test.Key"]`, "v", `{"my:nested":{"test.Key":"v"}}`},
		{`{}`, `outer.inner`, "v", `{"my:outer":{"inner":"v"}}`},
		{`{"my:outer":"scalar gives way"}`, `outer.inner`, "v", `{"my:outer":{"inner":"v"}}`},
		{`{"my:outer":{"secure":"c"}}`, `outer.inner`, "v", `{"my:outer":{"inner":"v"}}`},
		{`{"my:outer":{"existing":"e"}}`, `outer.inner`, "v", `{"my:outer":{"existing":"e","inner":"v"}}`},
		{`{"my:outer":{"inner":null}}`, `outer.inner.x`, "v", `{"my:outer":{"inner":{"x":"v"}}}`},
		{`{}`, `a.b`, "true", `{"my:a":{"b":true}}`},
		{`{}`, `a.b`, "10", `{"my:a":{"b":10}}`},
		{`{}`, `a.b`, "0", `{"my:a":{"b":0}}`},
		{`{}`, `a.b`, "-1", `{"my:a":{"b":-1}}`},
		{`{}`, `a.b`, "00", `{"my:a":{"b":"00"}}`},
		{`{}`, `a.b`, "0123456", `{"my:a":{"b":"0123456"}}`},
		{`{}`, `a.b`, "-0", `{"my:a":{"b":"-0"}}`},
		{`{}`, `a.b`, "+5", `{"my:a":{"b":"+5"}}`},
		{`{}`, `a.b`, "1.10", `{"my:a":{"b":"1.10"}}`},
		{`{}`, `a.b`, "1e400", `{"my:a":{"b":"1e400"}}`},
		{`{}`, `a.b`, "18446744073709551615", `{"my:a":{"b":18446744073709551615}}`},
		{`{}`, `a.b`, "251985589757358482123", `{"my:a":{"b":"251985589757358482123"}}`},
		{`{}`, `a`, "10", `{"my:a":"10"}`},
		{`{}`, `a`, "true", `{"my:a":"true"}`},
		{`{}`, `name[0]`, "v", `{"my:name":["v"]}`},
		{`{}`, `name[0][0]`, "v", `{"my:name":[["v"]]}`},
		{`{}`, `name[2]`, "v", `{"my:name":[null,null,"v"]}`},
		{`{"my:name":["a","b"]}`, `name[0]`, "v", `{"my:name":["v","b"]}`},
		{`{"my:name":["a","b"]}`, `name[2]`, "v", `{"my:name":["a","b","v"]}`},
		{`{"my:name":["a"]}`, `name[1][0]nested`, "v", `{"my:name":["a",[{"nested":"v"}]]}`},
		{`{"my:name":["a"]}`, `name[1].foo.bar`, "v", `{"my:name":["a",{"foo":{"bar":"v"}}]}`},
		{`{"my:servers":[{"name":"foo"}]}`, `servers[0].host`, "v", `{"my:servers":[{"host":"v","name":"foo"}]}`},
		{`{"my:key":{"bar":"baz"}}`, `key.secure`, "v", `{"my:key":{"bar":"baz","secure":"v"}}`},
		{`{}`, `key.secure`, "10", `{"my:key":{"secure":10}}`},
	}
	for _, c := range cases {
		m, a := parseMap(t, c.before), address(t, c.at)
		v, err := config.ParseScalar(a, c.value, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Set(a, v); err != nil {
			t.Errorf("set %s in %s: %v", c.at, c.before, err)
			continue
		}
		if diff := cmp.Diff(c.want, mapText(t, m)); diff != "" {
			t.Errorf("set %s in %s (-want +got):\n%s", c.at, c.before, diff)
		}
		if got, ok := m.Get(a); !ok || got.ProgramText() != c.value {
			t.Errorf("get %s = %q, %v", c.at, got.ProgramText(), ok)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	t.Parallel()
	cases := []struct{ before, at, want string }{
		{`{}`, `name[-1]`, "name[-1]: array index out of range"},
		{`{}`, `name[1001]`, "name[1001]: array index out of range"},
		{`{"my:name":["a","b","c"]}`, `name[4]`, "name[4]: array index out of range"},
		{`{}`, `key.secure`, `maps with the single key "secure" are reserved`},
		{`{"my:key":{"secure":{"x":1}}}`, `key.secure`, `maps with the single key "secure" are reserved`},
		{`{}`, `super.nested.map.secure`, `maps with the single key "secure" are reserved`},
		{`{"my:outer":[1,2,3]}`, `outer.inner`, "outer.inner: key for an array must be an int"},
		{`{"my:array":{"inner":"v"}}`, `array[0]`, "array[0]: key for a map must be a string"},
		{`{"my:outer":{"inner":"v"}}`, `outer.inner.nested`, "outer.inner: expected a map"},
		{`{"my:outer":{"inner":"v"}}`, `outer.inner[0]`, "outer.inner: expected an array"},
		{`{"my:outer":{"inner":{"secure":"c"}}}`, `outer.inner.x`, "outer.inner: expected a map"},
	}
	for _, c := range cases {
		m := parseMap(t, c.before)
		before := mapText(t, m)
		err := m.Set(address(t, c.at), config.NewString("v"))
		if err == nil || err.Error() != c.want {
			t.Errorf("set %s in %s = %v, want %s", c.at, c.before, err, c.want)
		}
		if after := mapText(t, m); after != before {
			t.Errorf("set %s changed %s to %s", c.at, before, after)
		}
	}
}

func TestGetAndRemove(t *testing.T) {
	t.Parallel()
	const before = `{"my:list":["a",{"x":"y"},["z"]],"my:obj":{"a":{"b":{}},"secure":"s"},"my:text":"t"}`
	cases := []struct{ at, got, after string }{
		{"text", "t", `{"my:list":["a",{"x":"y"},["z"]],"my:obj":{"a":{"b":{}},"secure":"s"}}`},
		{"list[0]", "a", `{"my:list":[{"x":"y"},["z"]],"my:obj":{"a":{"b":{}},"secure":"s"},"my:text":"t"}`},
		{"list[1].x", "y", `{"my:list":["a",{},["z"]],"my:obj":{"a":{"b":{}},"secure":"s"},"my:text":"t"}`},
		{"list[2][0]", "z", `{"my:list":["a",{"x":"y"},[]],"my:obj":{"a":{"b":{}},"secure":"s"},"my:text":"t"}`},
		{"obj.a.b", "{}", `{"my:list":["a",{"x":"y"},["z"]],"my:obj":{"a":{},"secure":"s"},"my:text":"t"}`},
		{"obj.secure", "s", `{"my:list":["a",{"x":"y"},["z"]],"my:obj":{"a":{"b":{}}},"my:text":"t"}`},
		{"list", `["a",{"x":"y"},["z"]]`, `{"my:obj":{"a":{"b":{}},"secure":"s"},"my:text":"t"}`},
		{"list[3]", "", before},
		{"list[-1]", "", before},
		{"list.x", "", before},
		{"obj[0]", "", before},
		{"obj.nope.deeper", "", before},
		{"text.x", "", before},
		{"nope", "", before},
		{"nope.x", "", before},
	}
	for _, c := range cases {
		m, a := parseMap(t, before), address(t, c.at)
		v, ok := m.Get(a)
		if ok != (c.got != "") || v.ProgramText() != c.got {
			t.Errorf("get %s = %q, %v", c.at, v.ProgramText(), ok)
		}
		if err := m.Remove(a); err != nil {
			t.Errorf("remove %s: %v", c.at, err)
		}
		if diff := cmp.Diff(c.after, mapText(t, m)); diff != "" {
			t.Errorf("remove %s (-want +got):\n%s", c.at, diff)
		}
	}
	m := parseMap(t, `{"my:foo":{"bar":"baz","secure":"myvalue"}}`)
	if err := m.Remove(address(t, "foo.bar")); err == nil || err.Error() != `foo.bar: maps with the single key "secure" are reserved` {
		t.Errorf("got %v", err)
	}
}

func TestParseScalar(t *testing.T) {
	t.Parallel()
	top := address(t, "k")
	cases := []struct {
		text, typ string
		kind      config.Kind
		want      string
	}{
		{"007", "", config.String, "007"},
		{"007", "string", config.String, "007"},
		{"007", "int", config.Int, "7"},
		{"-0012", "int", config.Int, "-12"},
		{"251985589757358482123", "int", config.Int, "251985589757358482123"},
		{"1.10", "float", config.Float, "1.10"},
		{"2022e1", "float", config.Float, "2022e1"},
		{".5", "float", config.Float, "0.5"},
		{"3", "float", config.Int, "3"},
		{"TRUE", "bool", config.Bool, "true"},
		{"false", "bool", config.Bool, "false"},
	}
	for _, c := range cases {
		got, err := config.ParseScalar(top, c.text, c.typ)
		if err != nil || got.Kind() != c.kind || got.ProgramText() != c.want {
			t.Errorf("ParseScalar(%q, %q) = %v %q, %v", c.text, c.typ, got.Kind(), got.ProgramText(), err)
		}
	}
	for _, c := range []struct{ text, typ, want string }{
		{"x", "int", `"x" is no int`},
		{"1.5", "int", `"1.5" is no int`},
		{"1e3", "int", `"1e3" is no int`},
		{"", "int", `"" is no int`},
		{"inf", "float", `"inf" is no float`},
		{"0x10", "float", `"0x10" is no float`},
		{"1e999999999", "float", `"1e999999999" is no float`},
		{"zz", "bool", `"zz" is no bool; give true or false`},
		{"x", "number", `invalid type "number"; must be one of string, int, bool, or float`},
		{"\xff", "", "the value of my:k is not valid UTF-8; encode it, for example as base64"},
	} {
		if _, err := config.ParseScalar(top, c.text, c.typ); err == nil || err.Error() != c.want {
			t.Errorf("ParseScalar(%q, %q) = %v, want %s", c.text, c.typ, err, c.want)
		}
	}
}
