package deploymentjson

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

const testURN urn.URN = "urn:pulumi:dev::quick::a:b:C::n"

// TestValues reads and writes each kind of value.
func TestValues(t *testing.T) {
	t.Parallel()
	str, num := property.String, property.Number
	cases := map[string]struct {
		value property.Value
		text  string
		// reads is the text that also reads as the value.
		reads string
	}{
		"null":         {value: property.Null(), text: `null`},
		"bools":        {value: property.NewList(property.Bool(true), property.Bool(false)), text: `[true,false]`},
		"empty list":   {value: property.NewList(), text: `[]`},
		"empty map":    {value: property.NewMap(nil), text: `{}`},
		"numbers":      {value: property.NewList(num(0), num(-1.5), num(1e21), num(1e-7), num(123456789), num(1e20)), text: `[0,-1.5,1e+21,1e-7,123456789,100000000000000000000]`},
		"big":          {value: num(12345678901234567890), text: `12345678901234567000`},
		"negative 0":   {value: num(math.Copysign(0, -1)), text: `-0`},
		"infinite":     {value: num(math.Inf(1)), text: `{"4dabf18193072939515e22adb298388d":"8ad145fe-0d11-4827-bfd7-1abcbf086f5c","value":"7ff0000000000000"}`},
		"not a number": {value: num(math.NaN()), text: `{"4dabf18193072939515e22adb298388d":"8ad145fe-0d11-4827-bfd7-1abcbf086f5c","value":"7ff8000000000001"}`},
		"string":       {value: str("a\"\\/\b\f\n\r\t\x01\u2028é😀<&>"), text: `"a\"\\/\b\f\n\r\t\u0001\u2028é😀<&>"`, reads: `"a\u0022\\\/\b\f\n\r\t\u0001\u2028\u00e9\ud83d\ude00\u003c\u0026>"`},
		"bytes":        {value: str("\xff\x00"), text: `{"4dabf18193072939515e22adb298388d":"803fd3297a5875dc03ca845dda5d2a98","value":"/wA="}`},
		"map":          {value: property.NewMap(map[string]property.Value{"b": num(1), "a": num(2), "": property.Null()}), text: `{"":null,"a":2,"b":1}`},
		"unknown":      {value: property.Unknown(), text: `"04da6b54-80e4-46f7-96ec-b56ff0331ba9"`},
		"text asset":   {value: property.FromAsset(property.Asset{Source: property.SourceText, Location: "x", Hash: "h"}), text: `{"4dabf18193072939515e22adb298388d":"c44067f5952c0a294b673a41bacd8c17","hash":"h","text":"x"}`},
		"file asset":   {value: property.FromAsset(property.Asset{Source: property.SourcePath, Location: "p"}), text: `{"4dabf18193072939515e22adb298388d":"c44067f5952c0a294b673a41bacd8c17","path":"p"}`},
		"empty asset":  {value: property.FromAsset(property.Asset{Source: property.SourceText, Hash: emptyHash}), text: `{"4dabf18193072939515e22adb298388d":"c44067f5952c0a294b673a41bacd8c17","hash":"` + emptyHash + `"}`},
		"hashed asset": {value: property.FromAsset(property.Asset{Hash: "h"}), text: `{"4dabf18193072939515e22adb298388d":"c44067f5952c0a294b673a41bacd8c17","hash":"h"}`},
		"archive": {
			value: property.FromArchive(property.Archive{Source: property.SourceAssets, Hash: "h", Assets: property.MapOf(map[string]property.Value{
				"f": property.FromAsset(property.Asset{Source: property.SourceURI, Location: "u"}),
				"d": property.FromArchive(property.Archive{Source: property.SourcePath, Location: "."}),
			})}),
			text: `{"4dabf18193072939515e22adb298388d":"0def7320c3a5731c473e5ecbe6d01bc7","assets":{"d":{"4dabf18193072939515e22adb298388d":"0def7320c3a5731c473e5ecbe6d01bc7","path":"."},"f":{"4dabf18193072939515e22adb298388d":"c44067f5952c0a294b673a41bacd8c17","uri":"u"}},"hash":"h"}`,
		},
		"component":  {value: property.FromReference(property.Reference{URN: testURN}), text: `{"4dabf18193072939515e22adb298388d":"5cf8f73096256a8f31e491e813e4eb8e","packageVersion":"","urn":"` + string(testURN) + `"}`},
		"custom":     {value: property.FromReference(property.Reference{URN: testURN, HasID: true, ID: str("i"), PackageVersion: "1"}), text: `{"4dabf18193072939515e22adb298388d":"5cf8f73096256a8f31e491e813e4eb8e","id":"i","packageVersion":"1","urn":"` + string(testURN) + `"}`, reads: `{"4dabf18193072939515e22adb298388d":"5cf8f73096256a8f31e491e813e4eb8e","id":{"V":"i"},"packageVersion":"1","urn":"` + string(testURN) + `"}`},
		"unknown id": {value: property.FromReference(property.Reference{URN: testURN, HasID: true, ID: property.Unknown()}), text: `{"4dabf18193072939515e22adb298388d":"5cf8f73096256a8f31e491e813e4eb8e","id":"","packageVersion":"","urn":"` + string(testURN) + `"}`, reads: `{"4dabf18193072939515e22adb298388d":"5cf8f73096256a8f31e491e813e4eb8e","id":{"V":{"Element":{}}},"urn":"` + string(testURN) + `"}`},
		"secret":     {value: str("a<b").MakeSecret(), text: `{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","plaintext":"\"a\\u003cb\""}`, reads: `{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","plaintext":" \"a<b\" "}`},
		"secrets in a secret": {
			value: property.NewMap(map[string]property.Value{"x": num(1).MakeSecret()}).MakeSecret(),
			text:  `{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","plaintext":"{\"x\":{\"4dabf18193072939515e22adb298388d\":\"1b47061264138c4ac30d75fd1eb44270\",\"plaintext\":\"1\"}}"}`,
			reads: `{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","plaintext":"{\"x\":{\"4dabf18193072939515e22adb298388d\":\"1b47061264138c4ac30d75fd1eb44270\",\"ciphertext\":\"1\"}}"}`,
		},
		"secret null":    {value: property.Null().MakeSecret(), text: `{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","plaintext":"null"}`},
		"secret unknown": {value: property.Unknown().MakeSecret(), text: `{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","plaintext":"\"04da6b54-80e4-46f7-96ec-b56ff0331ba9\""}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := valueWriter{ctx: t.Context(), secrets: NewSecrets(nil, SecretsOptions{}), urn: testURN, show: true}
			got, err := w.value(nil, c.value, root("x"))
			must(t, err)
			if string(got) != c.text {
				t.Errorf("wrote %s\nwant  %s", got, c.text)
			}
			for _, text := range []string{c.text, c.reads} {
				if text == "" {
					continue
				}
				r := newReader([]byte(text))
				v := valueReader{reader: r, ctx: t.Context(), secrets: NewSecrets(nil, SecretsOptions{})}
				read, err := v.value(root("x"))
				must(t, err)
				must(t, r.end())
				if !read.Equal(c.value) {
					t.Errorf("%s reads as something else", text)
				}
			}
		})
	}
}

// TestBadValues: each is an error that names the place and shows nothing of the values.
func TestBadValues(t *testing.T) {
	t.Parallel()
	const sig = `"4dabf18193072939515e22adb298388d":`
	for text, says := range map[string]string{
		`{` + sig + `"canary"}`:            "unknown signature",
		`{` + sig + `1}`:                   "signature",
		`{` + sig + `"` + sigSecret + `"}`: "malformed secret",
		`{` + sig + `"` + sigSecret + `","plaintext":"","ciphertext":""}`:   "malformed secret",
		`{` + sig + `"` + sigSecret + `","plaintext":"1","ciphertext":"2"}`: "malformed secret",
		`{` + sig + `"` + sigSecret + `","plaintext":"canary"}`:             "not the JSON text",
		`{` + sig + `"` + sigSecret + `","plaintext":"1 canary"}`:           "not the JSON text",
		`{` + sig + `"` + sigSecret + `","ciphertext":"canary"}`:            "not a ciphertext",
		`{` + sig + `"` + sigReference + `"}`:                               "no urn",
		`{` + sig + `"` + sigReference + `","urn":"u","id":1}`:              "id is not a string",
		`{` + sig + `"` + sigReference + `","urn":"u","packageVersion":1}`:  "packageVersion",
		`{` + sig + `"` + sigAsset + `","text":1}`:                          "malformed asset",
		`{` + sig + `"` + sigArchive + `","assets":1}`:                      "malformed archive",
		`{` + sig + `"` + sigArchive + `","assets":{"x":1}}`:                "neither asset nor archive",
		`{` + sig + `"` + sigBytes + `","value":"!"}`:                       "base64",
		`{` + sig + `"` + sigFloat + `","value":"x"}`:                       "hexadecimal",
		`1e400`:                         "out of range",
		`01`:                            "malformed number",
		`-`:                             "malformed number",
		`1.`:                            "malformed number",
		`1e`:                            "malformed number",
		`tru`:                           "boolean",
		`"canary`:                       "ends within a string",
		"\"canary\x01\"":                "control byte",
		`"\x"`:                          "unknown escape",
		`"\u12"`:                        "unknown escape",
		`"\`:                            "unknown escape",
		`[1,]`:                          "expected a value",
		`[1 2]`:                         `expected ","`,
		`{"a":1,}`:                      "expected a key",
		`{"a" 1}`:                       `expected ':'`,
		`{a:1}`:                         "expected a key",
		`{"a":`:                         "expected a value",
		strings.Repeat("[", maxDepth+1): "nested deeper",
		strings.Repeat(`{"a":`, maxDepth+1) + "1": "nested deeper",
	} {
		doc := `{"urn":"` + string(testURN) + `","type":"t","custom":true,"inputs":{"p":[` + text + `]}}`
		_, err := DecodeResource(t.Context(), []byte(doc), NewSecrets(&countingCrypter{}, SecretsOptions{}))
		var syntax *SyntaxError
		var secretErr *SecretError
		if !errors.As(err, &syntax) && !errors.As(err, &secretErr) {
			t.Errorf("%.60s: %v", text, err)
			continue
		}
		if !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), string(testURN)) ||
			strings.Contains(err.Error(), "canary") {
			t.Errorf("%.60s: %v", text, err)
		}
	}
}

func fullResource() *resource.State {
	at := time.Date(2026, 11, 30, 21, 15, 51, 268881445, time.UTC)
	return &resource.State{
		URN: testURN, Type: "a:b:C", Custom: true, ID: "i", Delete: true, PendingReplacement: true, External: true,
		Taint: true, RefreshBeforeUpdate: true, InitErrors: []string{"e"}, ViewOf: testURN, Created: &at, Modified: &at,
		Inputs:  property.MapOf(map[string]property.Value{"in": property.Number(1)}),
		Outputs: property.MapOf(map[string]property.Value{"out": property.Null()}),
		Options: resource.Options{
			Parent: "p", Provider: urn.ProviderRef{URN: "urn:pulumi:dev::quick::pulumi:providers:a::default", ID: "x"},
			Dependencies: []urn.URN{"d"}, PropertyDependencies: map[string][]urn.URN{"in": {"d"}, "none": {}},
			Protect: true, RetainOnDelete: true, DeletedWith: "w", ReplaceWith: []urn.URN{"r"},
			ReplacementTrigger: property.String("t"), IgnoreChanges: []string{"a"}, ReplaceOnChanges: []string{"b"},
			HideDiffs: []string{`c["d.e"]`}, AdditionalSecretOutputs: []string{"out"}, Aliases: []urn.URN{"l"},
			ImportID: "im", Timeouts: resource.Timeouts{Create: 1500 * time.Millisecond, Update: time.Second, Delete: 2 * time.Second, Read: time.Hour},
			Hooks: map[string][]string{"BeforeCreate": {"h"}}, SourcePosition: "project:///x#1,2",
			StackTrace: []string{"project:///x#1,2", ""}, SnippetID: "s", ExtensionRef: "ref",
		},
		Extra: map[string]json.RawMessage{"zz": json.RawMessage(`{"b":[1,2]}`), "future": json.RawMessage(`1`)},
	}
}

const fullText = `{"urn":"urn:pulumi:dev::quick::a:b:C::n","custom":true,"delete":true,"id":"i","type":"a:b:C",` +
	`"inputs":{"in":1},"outputs":{"out":null},"parent":"p","protect":true,"taint":true,"external":true,` +
	`"dependencies":["d"],"initErrors":["e"],"provider":"urn:pulumi:dev::quick::pulumi:providers:a::default::x",` +
	`"propertyDependencies":{"in":["d"],"none":[]},"pendingReplacement":true,"additionalSecretOutputs":["out"],` +
	`"aliases":["l"],"customTimeouts":{"create":1.5,"update":1,"delete":2,"read":3600},"importID":"im",` +
	`"retainOnDelete":true,"deletedWith":"w","replaceWith":["r"],"created":"2026-11-30T21:15:51.268881445Z",` +
	`"modified":"2026-11-30T21:15:51.268881445Z","sourcePosition":"project:///x#1,2",` +
	`"stackTrace":[{"sourcePosition":"project:///x#1,2"},{}],"ignoreChanges":["a"],"hideDiff":["c[\"d.e\"]"],` +
	`"replaceOnChanges":["b"],"replacementTrigger":"t","refreshBeforeUpdate":true,` +
	`"viewOf":"urn:pulumi:dev::quick::a:b:C::n","resourceHooks":{"BeforeCreate":["h"]},"extensionRef":"ref",` +
	`"snippetID":"s","future":1,"zz":{"b":[1,2]}}`

// TestResource writes every member a resource can have, and reads it back.
func TestResource(t *testing.T) {
	t.Parallel()
	s := NewSecrets(nil, SecretsOptions{})
	got, err := AppendResource(t.Context(), nil, fullResource(), s)
	must(t, err)
	if diff := cmp.Diff(fullText, string(got)); diff != "" {
		t.Errorf("wrote (-want +got):\n%s", diff)
	}
	read, err := DecodeResource(t.Context(), got, s)
	must(t, err)
	again, err := AppendResource(t.Context(), nil, read, s)
	must(t, err)
	if diff := cmp.Diff(fullText, string(again)); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	minimal := `{"urn":"u","custom":false,"type":"t"}`
	read, err = DecodeResource(t.Context(), []byte(minimal), s)
	must(t, err)
	again, err = AppendResource(t.Context(), nil, read, s)
	must(t, err)
	if string(again) != minimal {
		t.Errorf("minimal resource: %s", again)
	}
}

// TestNullMembers: null stands for "not there".
func TestNullMembers(t *testing.T) {
	t.Parallel()
	var members map[string]json.RawMessage
	must(t, json.Unmarshal([]byte(fullText), &members))
	for key := range members {
		if key == "urn" || key == "type" || key == "future" || key == "zz" {
			continue
		}
		text := `{"urn":"u","type":"t","` + key + `":null}`
		if _, err := DecodeResource(t.Context(), []byte(text), NewSecrets(nil, SecretsOptions{})); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestSecretCache: an unchanged secret keeps its ciphertext, also when the same text is secret elsewhere.
func TestSecretCache(t *testing.T) {
	t.Parallel()
	secretOf := func(text string) property.Value { return property.String(text).MakeSecret() }
	r := &resource.State{URN: testURN, Type: "t", Inputs: property.MapOf(map[string]property.Value{
		"a": secretOf("x"), "b": secretOf("x"), "c": property.NewList(secretOf("y")),
	})}
	c := &Checkpoint{Stack: "s", Snapshot: &state.Snapshot{Resources: []*resource.State{r},
		SecretsProvider: &state.SecretsProvider{Type: "t"}}}
	first := encodeCheckpoint(t, c, NewSecrets(&countingCrypter{}, SecretsOptions{}))
	read, s, err := DecodeCheckpoint(t.Context(), []byte(first), with(&countingCrypter{}), SecretsOptions{})
	must(t, err)
	if got := encodeCheckpoint(t, read, s); got != first {
		t.Errorf("unchanged secrets were encrypted anew:\n%s\n%s", first, got)
	}
	read.Snapshot.Resources[0].Inputs = read.Snapshot.Resources[0].Inputs.With("a", secretOf("changed"))
	changed := encodeCheckpoint(t, read, s)
	if changed == first || encodeCheckpoint(t, read, s) != changed {
		t.Error("a changed secret must have a new ciphertext, and keep it")
	}
	_, fresh, err := DecodeCheckpoint(t.Context(), []byte(first), with(&countingCrypter{}), SecretsOptions{NoCache: true})
	must(t, err)
	if once := encodeCheckpoint(t, c, fresh); once == encodeCheckpoint(t, c, fresh) {
		t.Error("without the cache every secret must be encrypted anew")
	}
}
