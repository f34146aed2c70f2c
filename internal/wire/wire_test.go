package wire_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
	"github.com/cairn-iac/cairn/internal/wire"
)

const (
	sig       = `"4dabf18193072939515e22adb298388d"`
	secret    = sig + `:"1b47061264138c4ac30d75fd1eb44270"`
	reference = sig + `:"5cf8f73096256a8f31e491e813e4eb8e"`
	output    = sig + `:"d0e6a833031e9bbcd3f4e8bde6ca49a4"`
	asset     = sig + `:"c44067f5952c0a294b673a41bacd8c17"`
	archive   = sig + `:"0def7320c3a5731c473e5ecbe6d01bc7"`
	bytesSig  = sig + `:"803fd3297a5875dc03ca845dda5d2a98"`
	unknown   = `"04da6b54-80e4-46f7-96ec-b56ff0331ba9"`
	someURN   = "urn:pulumi:dev::p::pkg:m:T::n"
	noHash    = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)

func parse(t *testing.T, text string) *structpb.Struct {
	t.Helper()
	s := &structpb.Struct{}
	if err := protojson.Unmarshal([]byte(text), s); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func format(t *testing.T, s *structpb.Struct) string {
	t.Helper()
	return compact(t, protojson.Format(s))
}

// compact writes JSON with sorted keys and no spaces.
func compact(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func all() wire.Options {
	return wire.Options{
		Unknowns: wire.KeepUnknowns, KeepSecrets: true, KeepResources: true, KeepOutputValues: true, KeepByteStrings: true,
	}
}

func str(s string) property.Value { return property.String(s) }

func TestValuesOnTheWire(t *testing.T) {
	t.Parallel()
	dep := []urn.URN{someURN}
	ref := func(id property.Value, has bool) property.Value {
		return property.FromReference(property.Reference{URN: someURN, ID: id, HasID: has})
	}
	refJSON := reference + `,"urn":"` + someURN + `","name":"n","type":"pkg:m:T"`
	cases := map[string]struct {
		json string
		want property.Value
	}{
		"null":            {`null`, property.Null()},
		"bool":            {`true`, property.Bool(true)},
		"number":          {`1.5`, property.Number(1.5)},
		"string":          {`"x"`, str("x")},
		"list":            {`[1,null]`, property.NewList(property.Number(1), property.Null())},
		"map":             {`{"a":{}}`, property.NewMap(map[string]property.Value{"a": property.NewMap(nil)})},
		"secret":          {`{` + secret + `,"value":"x"}`, str("x").MakeSecret()},
		"unknown":         {unknown, property.Unknown()},
		"secret unknown":  {`{` + secret + `,"value":` + unknown + `}`, property.Unknown().MakeSecret()},
		"output":          {`{` + output + `,"value":1,"dependencies":["` + someURN + `"]}`, property.Number(1).WithDependencies(dep)},
		"unknown output":  {`{` + output + `,"dependencies":["` + someURN + `"]}`, property.Unknown().WithDependencies(dep)},
		"null output":     {`{` + output + `,"value":null,"dependencies":["` + someURN + `"]}`, property.Null().WithDependencies(dep)},
		"secret output":   {`{` + output + `,"value":1,"secret":true,"dependencies":["` + someURN + `"]}`, property.Number(1).MakeSecret().WithDependencies(dep)},
		"resource":        {`{` + refJSON + `,"id":"i"}`, ref(str("i"), true)},
		"component":       {`{` + refJSON + `}`, ref(property.Null(), false)},
		"unknown id":      {`{` + refJSON + `,"id":""}`, ref(property.Unknown(), true)},
		"package version": {`{` + refJSON + `,"id":"i","packageVersion":"1.2.3"}`, property.FromReference(property.Reference{URN: someURN, ID: str("i"), HasID: true, PackageVersion: "1.2.3"})},
		"bytes":           {`{` + bytesSig + `,"value":"/w=="}`, str("\xff")},
		"text asset":      {`{` + asset + `,"hash":"h","text":"x"}`, property.FromAsset(property.Asset{Source: property.SourceText, Location: "x", Hash: "h"})},
		"empty asset":     {`{` + asset + `,"hash":"` + noHash + `","text":""}`, property.FromAsset(property.Asset{Source: property.SourceText, Hash: noHash})},
		"file asset":      {`{` + asset + `,"path":"p"}`, property.FromAsset(property.Asset{Source: property.SourcePath, Location: "p"})},
		"remote asset":    {`{` + asset + `,"uri":"https://x"}`, property.FromAsset(property.Asset{Source: property.SourceURI, Location: "https://x"})},
		"elided asset":    {`{` + asset + `,"hash":"h"}`, property.FromAsset(property.Asset{Hash: "h"})},
		"file archive":    {`{` + archive + `,"path":"p"}`, property.FromArchive(property.Archive{Source: property.SourcePath, Location: "p"})},
		"elided archive":  {`{` + archive + `,"hash":"h"}`, property.FromArchive(property.Archive{Hash: "h"})},
		"assets": {
			`{` + archive + `,"hash":"h","assets":{"a":{` + asset + `,"text":"x"}}}`,
			property.FromArchive(property.Archive{Source: property.SourceAssets, Hash: "h", Assets: property.MapOf(map[string]property.Value{
				"a": property.FromAsset(property.Asset{Source: property.SourceText, Location: "x"}),
			})}),
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := `{"v":` + c.json + `}`
			got, err := wire.FromStruct(parse(t, in), all())
			if err != nil {
				t.Fatal(err)
			}
			v := got.Get("v")
			if !v.Equal(c.want) || !cmp.Equal(v.Dependencies(), c.want.Dependencies()) {
				t.Errorf("decoded %s: secret %v dependencies %v", v.Kind(), v.Secret(), v.Dependencies())
			}
			back, err := wire.ToStruct(property.MapOf(map[string]property.Value{"v": c.want}), all())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(compact(t, in), format(t, back)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNumbersThatJSONCannotHold(t *testing.T) {
	t.Parallel()
	for _, n := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, 1 << 53} {
		p, err := wire.ToValue(property.Number(n), wire.Options{})
		if err != nil {
			t.Fatal(err)
		}
		v, err := wire.FromValue(p, wire.Options{})
		if err != nil || !v.Equal(property.Number(n)) {
			t.Errorf("%v came back as %v, %v", n, p, err)
		}
	}
}

func TestDecodeWithOptions(t *testing.T) {
	t.Parallel()
	refJSON := `{"v":{` + reference + `,"urn":"` + someURN + `"`
	cases := map[string]struct {
		in, want string
		o        wire.Options
	}{
		"every sentinel is unknown": {
			`{"a":"1c4a061d-8072-4f0a-a4cb-0ff528b18fe7","b":"3eeb2bf0-c639-47a8-9e75-3b44932eb421","c":"6a19a0b0-7e62-4c92-b797-7f8e31da9cc2","d":"030794c1-ac77-496b-92df-f27374a8bd58","e":"e48ece36-62e2-4504-bad9-02848725956a","f":"dd056dcd-154b-4c76-9bd3-c8f88648b5ff"}`,
			`{"a":` + unknown + `,"b":` + unknown + `,"c":` + unknown + `,"d":` + unknown + `,"e":` + unknown + `,"f":` + unknown + `}`,
			all(),
		},
		"dropped unknowns leave a map and null in a list": {
			`{"a":` + unknown + `,"b":[1,` + unknown + `,{"c":` + unknown + `}],"d":{` + output + `},"e":{` + secret + `,"value":` + unknown + `}}`,
			`{"b":[1,null,{}]}`, wire.Options{},
		},
		"secrets stripped":      {`{"v":[{` + secret + `,"value":"x"}]}`, `{"v":["x"]}`, wire.Options{}},
		"secret output, no kee": {`{"v":{` + output + `,"value":"x","secret":true}}`, `{"v":"x"}`, wire.Options{}},
		"output becomes secret": {`{"v":{` + output + `,"value":"x","secret":true}}`, `{"v":{` + secret + `,"value":"x"}}`, wire.Options{KeepSecrets: true}},
		"output becomes unknown": {
			`{"v":{` + output + `,"dependencies":["` + someURN + `"]}}`, `{"v":` + unknown + `}`, wire.Options{Unknowns: wire.KeepUnknowns},
		},
		"secret within a plain output": {
			`{"v":{` + output + `,"secret":false,"value":{` + secret + `,"value":"x"}}}`, `{"v":{` + secret + `,"value":"x"}}`, all(),
		},
		"reference to id":           {refJSON + `,"id":"i"}}`, `{"v":"i"}`, wire.Options{}},
		"reference to urn":          {refJSON + `}}`, `{"v":"` + someURN + `"}`, wire.Options{}},
		"reference to unknown id":   {refJSON + `,"id":""}}`, `{"v":` + unknown + `}`, wire.Options{Unknowns: wire.KeepUnknowns}},
		"reference, id dropped":     {refJSON + `,"id":` + unknown + `}}`, `{}`, wire.Options{}},
		"id is an output":           {refJSON + `,"id":{` + output + `,"value":"i"}}}`, `{"v":"i"}`, wire.Options{}},
		"id is an unknown output":   {refJSON + `,"id":{` + output + `}}}`, refJSON + `,"id":"","name":"n","type":"pkg:m:T"}}`, all()},
		"secret id":                 {refJSON + `,"id":{` + secret + `,"value":"i"}}}`, `{"v":{` + secret + `,"value":"i"}}`, wire.Options{KeepSecrets: true}},
		"nulls skipped":             {`{"a":null,"b":{"c":null}}`, `{"b":{}}`, wire.Options{SkipNulls: true}},
		"internal keys at the top":  {`{"__a":1,"b":{"__c":1}}`, `{"b":{"__c":1}}`, wire.Options{SkipInternalKeys: true}},
		"asset with unknown text":   {`{"v":{` + asset + `,"text":` + unknown + `}}`, `{"v":` + unknown + `}`, all()},
		"archive, unknown member":   {`{"v":{` + archive + `,"assets":{"a":` + unknown + `}}}`, `{"v":` + unknown + `}`, all()},
		"archive, secret member":    {`{"v":{` + archive + `,"assets":{"a":{` + secret + `,"value":{` + asset + `,"text":"x"}}}}}`, `{"v":{` + secret + `,"value":{` + archive + `,"assets":{"a":{` + asset + `,"text":"x"}}}}}`, all()},
		"path wins over text":       {`{"v":{` + asset + `,"text":"x","path":"p","uri":"u"}}`, `{"v":{` + asset + `,"path":"p"}}`, all()},
		"asset without anything":    {`{"v":{` + asset + `}}`, `{"v":{` + asset + `,"text":""}}`, all()},
		"archive without anything":  {`{"v":{` + archive + `}}`, `{"v":{` + archive + `,"assets":{}}}`, all()},
		"bytes that are UTF-8":      {`{"v":{` + bytesSig + `,"value":"eA=="}}`, `{"v":"x"}`, wire.Options{}},
		"secrets nested in secrets": {`{"v":{` + secret + `,"value":{` + secret + `,"value":1}}}`, `{"v":{` + secret + `,"value":1}}`, all()},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := wire.FromStruct(parse(t, c.in), c.o)
			if err != nil {
				t.Fatal(err)
			}
			s, err := wire.ToStruct(m, all())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(compact(t, c.want), format(t, s)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEncodeWithOptions(t *testing.T) {
	t.Parallel()
	one := property.MapOf(map[string]property.Value{
		"list":   property.NewList(property.Unknown(), property.Number(1)),
		"secret": str("x").MakeSecret(),
		"dep":    str("y").WithDependencies([]urn.URN{someURN}),
		"ref":    property.FromReference(property.Reference{URN: someURN, ID: property.Unknown(), HasID: true}).MakeSecret(),
		"comp":   property.FromReference(property.Reference{URN: someURN}),
		"asset":  property.FromAsset(property.Asset{Source: property.SourceText, Location: "x", Hash: "h"}),
		"__meta": str("m"),
		"null":   property.Null(),
	})
	cases := map[string]struct {
		o    wire.Options
		want string
	}{
		"least": {wire.Options{}, `{"list":[null,1],"secret":"x","dep":"y","comp":"` + someURN + `","asset":{` + asset + `,"hash":"h","text":"x"},"__meta":"m","null":null}`},
		"outputs": {
			wire.Options{Unknowns: wire.KeepUnknowns, KeepSecrets: true, KeepOutputValues: true, UpgradeToOutputValues: true, SkipInternalKeys: true, SkipNulls: true, ElideAssetContents: true},
			`{"list":[{` + output + `},1],"secret":{` + output + `,"secret":true,"value":"x"},"dep":{` + output + `,"value":"y","dependencies":["` + someURN + `"]},"ref":{` + output + `,"secret":true},"comp":"` + someURN + `","asset":{` + asset + `,"hash":"h"}}`,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := wire.ToStruct(one, c.o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(compact(t, c.want), format(t, s)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeErrorsNameThePlace(t *testing.T) {
	t.Parallel()
	reject := all()
	reject.Unknowns = wire.RejectUnknowns
	noAssets := all()
	noAssets.RejectAssets = true
	cases := map[string]struct {
		in   string
		o    wire.Options
		path string
		says string
	}{
		"unrecognized":     {`{"a":[{"b.c":{` + sig + `:"zz"}}]}`, all(), `a[0]["b.c"]`, `unrecognized signature 'zz' in property map for "b.c"`},
		"no text sig":      {`{"a":{` + sig + `:1}}`, all(), "a", "unrecognized signature ''"},
		"secret":           {`{"a":{` + secret + `}}`, all(), "a", "malformed RPC secret: missing value"},
		"unknown":          {`{"a":{"b":` + unknown + `}}`, reject, "a.b", `unexpected unknown property value for "b"`},
		"unknown output":   {`{"a":{` + output + `}}`, reject, "a", "unexpected unknown"},
		"output secret":    {`{"a":{` + output + `,"value":1,"secret":"x"}}`, all(), "a", "secret not a bool"},
		"output deps":      {`{"a":{` + output + `,"value":1,"dependencies":"x"}}`, all(), "a", "dependencies not an array"},
		"output dep":       {`{"a":{` + output + `,"value":1,"dependencies":[1]}}`, all(), "a", "not a string"},
		"urn missing":      {`{"a":{` + reference + `}}`, all(), "a", "missing urn"},
		"urn":              {`{"a":{` + reference + `,"urn":1}}`, all(), "a", "urn is not a string"},
		"id":               {`{"a":{` + reference + `,"urn":"u","id":[]}}`, all(), "a", "id is not a string"},
		"bytes missing":    {`{"a":{` + bytesSig + `}}`, all(), "a", "missing value"},
		"bytes type":       {`{"a":{` + bytesSig + `,"value":1}}`, all(), "a", "not a string"},
		"bytes":            {`{"a":{` + bytesSig + `,"value":"%"}}`, all(), "a", "not valid base64"},
		"asset text":       {`{"a":{` + asset + `,"text":1}}`, all(), "a", "text is not a string"},
		"asset rejected":   {`{"a":{` + asset + `}}`, noAssets, "a", "unexpected asset"},
		"archive rejected": {`{"a":{` + archive + `}}`, noAssets, "a", "unexpected archive"},
		"archive assets":   {`{"a":{` + archive + `,"assets":1}}`, all(), "a", "assets is not an object"},
		"archive member":   {`{"a":{` + archive + `,"assets":{"m":"x"}}}`, all(), "a.m", "not an asset or archive"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := wire.FromStruct(parse(t, c.in), c.o)
			var at *wire.Error
			if !errors.As(err, &at) {
				t.Fatalf("got %v", err)
			}
			if at.Path.String() != c.path || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %q at %q", err, at.Path)
			}
		})
	}
}

func TestEncodeErrorsNameThePlace(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		v    property.Value
		o    wire.Options
		says string
	}{
		"bytes":        {str("\xff"), wire.Options{}, "property v[0]: the string contains bytes that are not UTF-8"},
		"unknown":      {property.Unknown(), wire.Options{Unknowns: wire.RejectUnknowns}, "property v[0]: unexpected unknown"},
		"sealed":       {property.Sealed("c"), all(), "property v[0]: the value is an encrypted secret"},
		"key":          {property.NewMap(map[string]property.Value{"\xff": property.Null()}), all(), "not valid UTF-8"},
		"asset":        {property.FromAsset(property.Asset{Source: property.SourceText, Location: "\xff"}), all(), "not valid UTF-8"},
		"reference id": {property.FromReference(property.Reference{HasID: true, ID: property.Number(1)}), all(), "must be a string"},
		"rejected":     {property.FromArchive(property.Archive{}), wire.Options{RejectAssets: true}, "unexpected archive"},
		"member": {
			property.FromArchive(property.Archive{Source: property.SourceAssets, Assets: property.MapOf(map[string]property.Value{"m": str("x")})}),
			all(), "property v[0].m: a member of an archive",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := wire.ToStruct(property.MapOf(map[string]property.Value{"v": property.NewList(c.v)}), c.o)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestErrorsHoldNoValue(t *testing.T) {
	t.Parallel()
	const canary = "canary-4711"
	for _, in := range []string{
		`{"a":{` + secret + `,"value":{` + asset + `,"text":"` + canary + `","hash":1}}}`,
		`{"a":{` + bytesSig + `,"value":"` + canary + `"}}`,
		`{"a":{` + reference + `,"urn":"u","id":["` + canary + `"]}}`,
	} {
		if _, err := wire.FromStruct(parse(t, in), all()); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: got %v", in, err)
		}
	}
}
