package config_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/config"
)

// nastyScalars are texts that have lost or changed something somewhere between a command line, YAML, JSON and a program.
func nastyScalars() []string {
	texts := []string{
		"", " ", "  x  ", "x", "0", "00", "0012", "08", "09", "-0", "+0", "-007", "+5", "+49123456789", "1.10", "1.0", "1.", ".5", "-.5",
		"00.5", "1e3", "1E3", "2022e1", "20220113.2", "1e400", "-1e400", "1e-400", "1_000", "1_000.5", "0x1F", "0XFF", "0o17", "0b1101",
		"0xg", "1e", "e1", "1e+", ".", "-", "+", "--", "---", "...", "--- x", "9007199254740991", "9007199254740992", "9007199254740993",
		"251985589757358482", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
		"251985589757358482123", "1e21", "1e22", "1e23", "123456789012345678901234567890.123456789", "0.1", "0.30000000000000004",
		".inf", "-.inf", "+.INF", ".nan", ".NaN", "inf", "nan", "Infinity", "NaN",
		"true", "True", "TRUE", "false", "False", "tRuE", "yes", "Yes", "no", "NO", "on", "off", "y", "Y", "n", "N",
		"null", "Null", "NULL", "~", "~x", "nil", "None", "undefined", "void",
		"2020-01-01", "2020-01-01T00:00:00Z", "2020-01-01 10:11:12.13 +01:00", "12:30", "190:20:30", "1:2:3", "10:20", "12:30:45",
		"a: b", "a:b", ":", ": ", "a:", " :a", "key: value: more", "a #b", "a#b", "#", "# x", "@x", "`x`", "%x", "%YAML 1.2", "&x", "&x y",
		"*x", "!x", "!!str x", "!", "|", "|-", ">", ">-\n  x", "?", "? x", "-", "- x", "[", "]", "[]", "[1, 2]", "{", "}", "{}", "{a: b}",
		"{\"a\": 1}", "{secure: x}", "{\"secure\":\"x\"}", "<<", "<<: x", "=", "==", ",", ", x", "a, b",
		"'", "''", "'x'", "\"", "\"\"", "\"x\"", "it's", "say \"hi\"", "\\", "\\n", "\\x41", "C:\\dir\\new", "a\\", "$x", "${x}", "$$", "${", "}}",
		"<&>", "<script>", "\u2028", "\u2029", "\u0085", "\ufeff", "\ufeffx", "\u00a0", "\u200b", "é", "e\u0301", "日本語", "😀", "👨‍👩‍👧", "\U0010ffff", "\ufffd",
		"\t", "\tx", "x\t", "a\tb", "\n", "\n\n", "\n\n\n", "x\n", "x\n\n", "\nx", "\n\nx\n\n", "a\nb", "a\nb\n", "a\n\nb", " a\nb", " a\n b\n", "a \nb",
		"a\n b\n  c\n", "  a\n b", "\ta\nb", "a\n\t b", "a\r\nb", "a\rb", "\r", "\r\n", "a\n ", "a\n  \n", " \n", " \na", "#a\n#b", "- a\n- b\n", "a: b\nc: d\n",
		"---\na\n", "a\n---\nb", "...\n", "a\x00b", "\x00", "\x01", "\x07", "\x1b[31mred\x1b[0m", "\x7f", "\u0080", "\u009f",
		"-----BEGIN KEY-----\nMIIB\n-----END KEY-----\n", "{\n  \"a\": 1\n}\n", "!!binary aGk=", "aGVsbG8=", "=a=", "0777", "0o", "0x", "0b", "1__0", "_1", "1_", "__",
		"4da92c", "123e456", "12e03", "3e8", "0e0", "00e1", "1.2.3", "1.2.3.4", "v1:x:y", "3.276.0+cairn.1", "1,000", "1 000", "١٢٣", "½", "1/2", "50%", "-x", "--flag=x",
		strings.Repeat("long ", 100), strings.Repeat("x", 5000), strings.Repeat("word ", 40) + "\n" + strings.Repeat("line\n", 30),
	}
	return texts
}

// A text that is stored as a text is the same bytes wherever it comes out again.
func TestTextsKeepTheirBytes(t *testing.T) {
	t.Parallel()
	if n := len(nastyScalars()); n < 200 {
		t.Fatalf("only %d texts", n)
	}
	for _, ext := range []string{"yaml", "json"} {
		for _, text := range nastyScalars() {
			checkText(t, ext, text)
		}
	}
}

func checkText(t *testing.T, ext, text string) {
	t.Helper()
	src := config.Source{Path: "Pulumi.dev." + ext, Project: "my"}
	f, err := config.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]config.Address{}
	for _, where := range []string{"top", "outer.inner", "list[0]", "list[1]", "deep[0].a.b"} {
		at[where] = address(t, where)
		if err := f.Set(at[where], config.NewString(text)); err != nil {
			t.Fatal(err)
		}
	}
	at["name"] = config.Address{Key: config.Key{Namespace: "my", Name: "keys"}, Path: config.Path{{Name: text}}}
	if err := f.Set(at["name"], config.NewString("v")); err != nil {
		t.Fatal(err)
	}
	data, err := f.Bytes()
	if err != nil {
		t.Errorf("%s %q: %v", ext, text, err)
		return
	}
	src.Data = data
	back, err := config.Parse(src)
	if err != nil {
		t.Errorf("%s %q: %v\n%s", ext, text, err, data)
		return
	}
	for where, a := range at {
		want := text
		if where == "name" {
			want = "v"
		}
		if got, ok := back.Get(a); !ok || got.Kind() != config.String || got.ProgramText() != want {
			t.Errorf("%s %q at %s: %q", ext, text, where, got.ProgramText())
		}
	}
	program, err := back.Config().Program()
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	if err := json.Unmarshal([]byte(program.Values["my:list"]), &list); err != nil {
		t.Fatal(err)
	}
	shown := back.Config().Show()["my:top"]
	if diff := cmp.Diff([]string{text, text, text, text}, []string{program.Values["my:top"], list[0], list[1], *shown.Value}); diff != "" {
		t.Errorf("%s (-want +got):\n%s", ext, diff)
	}
	// Another edit leaves it alone.
	if err := back.Set(address(t, "else"), config.NewString("x")); err != nil {
		t.Fatal(err)
	}
	if again, err := back.Bytes(); err != nil || !strings.Contains(string(again), strings.TrimSuffix(string(data), "}\n")[:10]) {
		t.Errorf("%s %q: %v", ext, text, err)
	}
}

// What a person wrote without quotes comes out with the characters of the file, whatever YAML takes it for. Only true and
// false, null and numbers in other bases change their spelling, and those to what they are.
func TestPlainScalarsKeepTheirText(t *testing.T) {
	t.Parallel()
	spelled := map[string]string{
		"True": "true", "TRUE": "true", "False": "false", "null": "", "Null": "", "NULL": "", "~": "",
		"1_000": "1000", "1_000.5": "1000.5", "0x1F": "31", "0XFF": "255", "0o17": "15", "0b1101": "13", "1__0": "10", "1_": "1",
		"2020-01-01": "2020-01-01",
	}
	checked := 0
	for _, text := range nastyScalars() {
		f, err := config.Parse(config.Source{Path: "Pulumi.dev.yaml", Project: "my", Data: fmt.Appendf(nil, "config:\n  my:a: %s\n", text)})
		if err != nil {
			continue // not a plain scalar
		}
		v, ok := f.Get(address(t, "a"))
		if !ok || v.Kind() == config.List || v.Kind() == config.Object || v.SourceText() != text {
			continue // YAML reads something else: an anchor, a comment, trailing spaces
		}
		checked++
		want, special := spelled[text]
		if !special {
			want = text
		}
		if got := v.ProgramText(); got != want {
			t.Errorf("%q came out as %q, want %q", text, got, want)
		}
		if err := f.Set(address(t, "b"), config.NewString("x")); err != nil {
			t.Fatal(err)
		}
		written := fileText(t, f)
		if again, _ := parseFile(t, written).Get(address(t, "a")); !again.Equal(v) {
			t.Errorf("%q rewritten as %q", text, written)
		}
		isPlain := regexp.MustCompile(`^[a-zA-Z0-9+._:/-]+$`).MatchString(text) && !strings.HasPrefix(text, "---") && text != "..."
		if isPlain && written != fmt.Sprintf("config:\n  my:a: %s\n  my:b: x\n", text) {
			t.Errorf("%q rewritten as %q", text, written)
		}
	}
	if checked < 100 {
		t.Errorf("only %d texts were plain scalars", checked)
	}
}

// Numbers inside lists and objects become JSON numbers with their exact value.
func TestNestedNumbersAreExact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1.10": "1.1", "1.0": "1", "0.1": "0.1", "1e3": "1000", "2022e1": "20220", ".5": "0.5", "-.5": "-0.5", "1.": "1", "-0": "-0", "+5": "5",
		"0x1F": "31", "0o17": "15", "0b1101": "13", "1_000": "1000", "-0x10": "-16",
		"9007199254740993": "9007199254740993", "251985589757358482": "251985589757358482", "18446744073709551616": "18446744073709551616",
		"251985589757358482123": "251985589757358482123", "1e21": "1e+21", "1e23": "100000000000000000000000", "0.30000000000000004": "0.30000000000000004",
		"0.1000000000000000055511151231257827": "0.1000000000000000055511151231257827", "123456789012345678.5": "123456789012345678.5",
		"0012": `"0012"`, "-007": `"-007"`, "08": `"08"`, "00.5": `"00.5"`, "1e400": `"1e400"`, ".inf": `".inf"`, ".nan": `".nan"`,
		"true": "true", "TRUE": "true", "~": "null", "2020-01-01": `"2020-01-01"`, "yes": `"yes"`,
	} {
		f := parseFile(t, "config: {my:a: ["+text+"]}\n")
		v, _ := f.Get(address(t, "a"))
		if got := v.ProgramText(); got != "["+want+"]" {
			t.Errorf("%s: %s, want [%s]", text, got, want)
		}
		if !json.Valid([]byte(v.ProgramText())) {
			t.Errorf("%s: %s is not JSON", text, v.ProgramText())
		}
	}
}

func TestFitsFloat64(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"0": true, "-0": true, "1.10": true, "0.1": true, "9007199254740992": true, "9007199254740993": false, "9007199254740994": true,
		"251985589757358482": false, "9223372036854775808": false, "9223372036854775807": false, "1e21": true, "1e22": true, "1e23": false,
		"1e308": false, "1e400": false, "1e-400": false, "0.30000000000000004": true, "0.300000000000000040001": false, "": false, "x": false,
	} {
		if got := config.FitsFloat64(text); got != want {
			t.Errorf("FitsFloat64(%q) = %v", text, got)
		}
	}
}

func FuzzTextRoundTrip(f *testing.F) {
	for _, text := range nastyScalars() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := config.ParseScalar(address(t, "a"), text, ""); err != nil {
			return
		}
		checkText(t, "yaml", text)
		checkText(t, "json", text)
	})
}

// Whatever a file holds: it parses or is refused; and what parses can be edited and written, or says why not.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{commented, "config: {my:a: &x [1, 2], b: *x}", "a: {<<: [{b: 1}, {c: 2}]}\nconfig: {x: |\n  y\n}", "config:\n  a: !!binary aGk=\n", "", "x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, ext := range []string{"yaml", "json"} {
			file, err := config.Parse(config.Source{Path: "Pulumi.dev." + ext, Project: "my", Data: []byte(text)})
			if err != nil {
				continue
			}
			before := file.Config()
			_, _ = file.Bytes()
			a := address(t, "new.key")
			if err := file.Set(a, config.NewString("v")); err != nil {
				continue
			}
			data, err := file.Bytes()
			if err != nil {
				continue
			}
			back, err := config.Parse(config.Source{Path: "Pulumi.dev." + ext, Project: "my", Data: data})
			if err != nil {
				t.Fatalf("wrote what does not read: %v\n%q", err, data)
			}
			for k, v := range before {
				if got, ok := back.Config()[k]; k != a.Key && (!ok || !got.Equal(v)) {
					t.Errorf("%s changed from %q to %q", k, v.ProgramText(), got.ProgramText())
				}
			}
		}
	})
}
