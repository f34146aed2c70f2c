package deploymentjson

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

const sample = `{"version":4,"features":["taint"],"checkpoint":{"stack":"organization/p/s","config":{"p:k":"v"},"latest":{` +
	`"manifest":{"time":"2026-11-30T21:29:35.346348635Z","magic":"m","version":"v","plugins":[{"name":"x"}]},` +
	`"secrets_providers":{"type":"passphrase","state":{"salt":"s"}},` +
	`"resources":[{"urn":"u1","custom":false,"type":"t"},{"urn":"u2","custom":true,"id":"i","type":"t",` +
	`"inputs":{"s":{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","ciphertext":"c1:Ingi"}},` +
	`"taint":true,"unheardOf":[1,{"x":null}]}],` +
	`"pending_operations":[{"resource":{"urn":"u3","custom":true,"type":"t"},"type":"creating"}],` +
	`"metadata":{"integrity_error":{"version":"1"}},"snippets":[],"extensions":{"e":{"name":"n"}},"later":{"a":1}},` +
	`"more":true}}`

// TestSample: every part survives, also what this version does not know.
func TestSample(t *testing.T) {
	t.Parallel()
	want := strings.Replace(sample, `"snippets":[],`, "", 1)
	c, s, err := DecodeCheckpoint(t.Context(), []byte(sample), with(&countingCrypter{}), SecretsOptions{})
	must(t, err)
	if diff := cmp.Diff(want, encodeCheckpoint(t, c, s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	p := c.Snapshot.Pending
	if len(p) != 1 || p[0].Kind != resource.PendingCreating || p[0].Resource.URN != "u3" {
		t.Errorf("pending operations: %+v", p)
	}
}

// TestAnyOrder turns the members of every object around.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	c, s, err := DecodeCheckpoint(t.Context(), []byte(reversed(t, []byte(sample))), with(&countingCrypter{}), SecretsOptions{})
	must(t, err)
	want, ws, err := DecodeCheckpoint(t.Context(), []byte(sample), with(&countingCrypter{}), SecretsOptions{})
	must(t, err)
	// What is kept as found keeps its order, so compare as JSON.
	var a, b any
	must(t, json.Unmarshal([]byte(encodeCheckpoint(t, want, ws)), &a))
	must(t, json.Unmarshal([]byte(encodeCheckpoint(t, c, s)), &b))
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// reversed writes JSON with the members of each object in descending order.
func reversed(t *testing.T, text []byte) string {
	t.Helper()
	var obj map[string]json.RawMessage
	if json.Unmarshal(text, &obj) == nil && obj != nil {
		keys := slices.Sorted(maps.Keys(obj))
		slices.Reverse(keys)
		var parts []string
		for _, k := range keys {
			name, err := json.Marshal(k)
			must(t, err)
			parts = append(parts, string(name)+": "+reversed(t, obj[k]))
		}
		return "{ " + strings.Join(parts, " , ") + " }"
	}
	var list []json.RawMessage
	if json.Unmarshal(text, &list) == nil && list != nil {
		var parts []string
		for _, e := range list {
			parts = append(parts, reversed(t, e))
		}
		return "[ " + strings.Join(parts, " , ") + " ]"
	}
	return string(text)
}

// TestTruncated cuts the sample at every byte: always an error with a place, never a half state.
func TestTruncated(t *testing.T) {
	t.Parallel()
	for cut := range len(sample) {
		_, _, err := DecodeCheckpoint(t.Context(), []byte(sample[:cut]), with(&countingCrypter{}), SecretsOptions{})
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset > cut {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
	cut := strings.Index(sample, `"unheardOf"`)
	_, _, err := DecodeCheckpoint(t.Context(), []byte(sample[:cut]), with(&countingCrypter{}), SecretsOptions{})
	if want := "in resource 1 (u2): "; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q in it", err, want)
	}
}

func TestBadDocuments(t *testing.T) {
	t.Parallel()
	wrap := func(latest string) string { return `{"version":3,"checkpoint":{"stack":"s","latest":` + latest + `}}` }
	var features *FeatureError
	for text, check := range map[string]func(error) bool{
		`{"version":5}`:                 func(err error) bool { return errors.Is(err, ErrTooNew) },
		`{"checkpoint":{},"version":5}`: func(err error) bool { return errors.Is(err, ErrTooNew) },
		`{"version":4,"features":["taint","new","newer"],"checkpoint":{}}`: func(err error) bool {
			return errors.As(err, &features) && slices.Equal(features.Features, []string{"new", "newer"})
		},
		`{"version":-1}`:                  func(err error) bool { return errors.Is(err, ErrTooOld) },
		`{"version":1.5}`:                 says("whole number", "byte 11"),
		`{"version":"3"}`:                 says("expected a number, found a string", "byte 11"),
		``:                                says("end of the file"),
		`[]`:                              says("expected an object, found a list"),
		`{"version":3,"checkpoint":{}} x`: says("expected the end of the file", "byte 30"),
		wrap(`[]`):                        says("expected an object"),
		wrap(`{"resources":{}}`):          says("expected a list"),
		wrap(`{"resources":[{}]}`):        says("must have a urn and a type", "resource 0"),
		wrap(`{"resources":[{"urn":"a","type":"t"},{"urn":"b","type":"t","custom":1}]}`): says("resource 1 (b)", "expected a boolean"),
		wrap(`{"resources":[{"urn":"a","type":"t","provider":"x"}]}`):                    says("resource 0 (a)", "not a provider reference"),
		wrap(`{"resources":[{"urn":"a","type":"t","created":"x"}]}`):                     says("resource 0 (a)", "time"),
		wrap(`{"resources":[{"urn":"a","type":"t","customTimeouts":{"create":1e30}}]}`):  says("timeout"),
		wrap(`{"resources":[{"urn":"a","type":"t","dependencies":[1]}]}`):                says("expected a string"),
		wrap(`{"pending_operations":[{"type":"creating"}]}`):                             says("must have a resource"),
		wrap(`{"manifest":{"time":1}}`):                                                  says("expected a string"),
	} {
		_, _, err := DecodeCheckpoint(t.Context(), []byte(text), with(nil), SecretsOptions{})
		if err == nil || !check(err) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{`{"deployment":{}}`, `{"version":0,"deployment":{}}`, `{}`} {
		if _, _, err := DecodeExport(t.Context(), []byte(text), with(nil), SecretsOptions{}); !errors.Is(err, ErrTooOld) {
			t.Errorf("export %s: %v", text, err)
		}
	}
}

func says(parts ...string) func(error) bool {
	return func(err error) bool {
		for _, p := range parts {
			if !strings.Contains(err.Error(), p) {
				return false
			}
		}
		return true
	}
}

// TestEmptyStacks: a new stack has no deployment; some versions wrote version 0 then.
func TestEmptyStacks(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"version":3,"checkpoint":{"stack":"organization/quick/dev"}}`,
		`{"version":0,"checkpoint":{"stack":"organization/quick/dev"}}`,
		`{"version":3,"checkpoint":{"stack":"organization/quick/dev","latest":null}}`,
	} {
		var asked int
		open := func(_ context.Context, p *state.SecretsProvider) (secret.Crypter, error) {
			asked++
			if p != nil {
				t.Errorf("a secrets provider: %+v", p)
			}
			return nil, nil
		}
		c, s, err := DecodeCheckpoint(t.Context(), []byte(text), open, SecretsOptions{})
		must(t, err)
		if c.Snapshot != nil || c.Stack != "organization/quick/dev" || asked != 1 {
			t.Errorf("%s: %+v, asked %d times", text, c, asked)
		}
		if got, want := encodeCheckpoint(t, c, s), `{"version":3,"checkpoint":{"stack":"organization/quick/dev"}}`; got != want {
			t.Errorf("got %s", got)
		}
	}
	got := encodeExport(t, nil, NewSecrets(nil, SecretsOptions{}), ExportOptions{Compact: true})
	want := `{"version":3,"deployment":{"manifest":{"time":"0001-01-01T00:00:00Z","magic":"","version":""},"metadata":{}}}`
	if got != want {
		t.Errorf("export of an empty stack: %s", got)
	}
}

// TestMigration: versions 1 and 2, and files without a version, become today's shape.
func TestMigration(t *testing.T) {
	t.Parallel()
	const body = `{"stack":"s","target":"old","latest":{"manifest":{"version":"v"},"time":"x","resources":[` +
		`{"urn":"a","custom":true,"id":"1","type":"t","inputs":{"x":1,"y":2},"defaults":{"z":3},"outputs":{"o":1},` +
		`"dependencies":null,"initErrors":null},` +
		`{"urn":"b","custom":true,"id":"2","type":"t","inputs":{"x":1},"dependencies":["a"]}]}}`
	const want = `{"version":3,"checkpoint":{"stack":"s","latest":{"manifest":{"time":"0001-01-01T00:00:00Z","magic":"",` +
		`"version":"v"},"resources":[{"urn":"a","custom":true,"id":"1","type":"t","inputs":{"x":1,"y":2},"outputs":{"o":1},` +
		`"propertyDependencies":{"x":[],"y":[]}},{"urn":"b","custom":true,"id":"2","type":"t","inputs":{"x":1},` +
		`"dependencies":["a"],"propertyDependencies":{"x":["a"]}}],"metadata":{}}}}`
	for name, text := range map[string]string{
		"no version": body,
		"version 1":  `{"version":1,"checkpoint":` + body + `}`,
		"version 2":  `{"version":2,"checkpoint":` + body + `}`,
	} {
		c, s, err := DecodeCheckpoint(t.Context(), []byte(text), with(nil), SecretsOptions{})
		must(t, err)
		if diff := cmp.Diff(want, encodeCheckpoint(t, c, s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestFeatures: each is listed when it is used, and then the version is 4.
func TestFeatures(t *testing.T) {
	t.Parallel()
	full := fullResource()
	binary := &resource.State{Inputs: full.Inputs.With("b", property.NewList(property.String("\xff").MakeSecret()))}
	cases := map[string]state.Snapshot{
		``:                            {Resources: []*resource.State{{URN: "u", Type: "t"}}},
		`"byteString"`:                {Resources: []*resource.State{binary}},
		`"refreshBeforeUpdate"`:       {Resources: []*resource.State{{RefreshBeforeUpdate: true}}},
		`"views"`:                     {Resources: []*resource.State{{ViewOf: "v"}}},
		`"hooks"`:                     {Resources: []*resource.State{{Options: resource.Options{Hooks: map[string][]string{"h": nil}}}}},
		`"taint"`:                     {Pending: []state.PendingOperation{{Resource: &resource.State{Taint: true}}}},
		`"replaceWith"`:               {Resources: []*resource.State{{Options: resource.Options{ReplaceWith: []urn.URN{"r"}}}}},
		`"snippets-prototype"`:        {Snippets: []json.RawMessage{json.RawMessage("{ }")}},
		`"extensionParameterization"`: {Resources: []*resource.State{{Options: resource.Options{ExtensionRef: "e"}}}},
		`"extensionParameterization","hooks","refreshBeforeUpdate","replaceWith","snippets-prototype","taint","views"`: {
			Resources: []*resource.State{full},
		},
	}
	for want, snap := range cases {
		got := encodeCheckpoint(t, &Checkpoint{Snapshot: &snap}, NewSecrets(&countingCrypter{}, SecretsOptions{}))
		prefix := `{"version":4,"features":[` + want + `],"checkpoint"`
		if want == "" {
			prefix = `{"version":3,"checkpoint"`
		}
		if !strings.HasPrefix(got, prefix) {
			t.Errorf("got %.200s, want %s", got, prefix)
		}
	}
}

// TestOpenerFails: the error of whoever gives the key is not covered up.
func TestOpenerFails(t *testing.T) {
	t.Parallel()
	want := errors.New("no such provider")
	open := func(context.Context, *state.SecretsProvider) (secret.Crypter, error) { return nil, want }
	if _, _, err := DecodeCheckpoint(t.Context(), []byte(sample), open, SecretsOptions{}); !errors.Is(err, want) {
		t.Errorf("got %v", err)
	}
}

func FuzzCheckpoint(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(fullText))
	f.Add([]byte(`{"version":3,"checkpoint":{"stack":"s","latest":{"resources":[` + fullText + `]}}}`))
	f.Add([]byte(`{"version":1,"checkpoint":{"latest":{"resources":[{"urn":"a","type":"t","inputs":{"x":1.5e3}}]}}}`))
	f.Add([]byte(`{"version":3,"checkpoint":{"latest":{"resources":[{"type":"t","inputs":{"a":["\ud800\u00ff",-0]},"urn":"a"}]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		open := with(&countingCrypter{})
		c, s, err := DecodeCheckpoint(t.Context(), data, open, SecretsOptions{})
		if err != nil {
			return
		}
		first := encodeCheckpoint(t, c, s)
		again, s2, err := DecodeCheckpoint(t.Context(), []byte(first), open, SecretsOptions{})
		if err != nil {
			t.Fatalf("cannot read back %s: %v", first, err)
		}
		if second := encodeCheckpoint(t, again, s2); second != first {
			t.Fatalf("not stable:\n%s\n%s", first, second)
		}
	})
}

// FuzzReader compares the reader with encoding/json: they accept the same texts, and read the same strings.
func FuzzReader(f *testing.F) {
	for _, text := range []string{`{"a":[1,-2.5e+3,true,false,null,"x\u00e9\ud83d\ude00\n"]}`, `[]`, `"\ud800"`, `01`, `"\x"`, "\"\xff\"", ` 1 `, `{"a":1,}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := newReader(data)
		err := r.skip()
		if err == nil {
			err = r.end()
		}
		if (err == nil) != json.Valid(data) {
			t.Fatalf("%q: %v, encoding/json says %v", data, err, json.Valid(data))
		}
		var want string
		if json.Unmarshal(data, &want) == nil && len(data) > 0 && newReader(data).peek() == '"' {
			got, err := newReader(data).str()
			if err != nil || got != want {
				t.Fatalf("%q reads as %q (%v), want %q", data, got, err, want)
			}
			var buf strings.Builder
			enc := json.NewEncoder(&buf)
			enc.SetEscapeHTML(false)
			must(t, enc.Encode(want))
			if got := string(appendString(nil, want)); got+"\n" != buf.String() {
				t.Fatalf("%q is written as %s, want %s", want, got, buf.String())
			}
		}
		var number float64
		if json.Unmarshal(data, &number) == nil {
			want, err := json.Marshal(number)
			must(t, err)
			if got := appendNumber(nil, number); string(got) != string(want) {
				t.Fatalf("%v is written as %s, want %s", number, got, want)
			}
		}
	})
}
