package deploymentjson

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/secret/passphrase"
	"github.com/cairn-iac/cairn/internal/state/updateplan"
	"github.com/cairn-iac/cairn/internal/urn"
)

func encodePlan(t *testing.T, p *updateplan.Plan, s *Secrets) string {
	t.Helper()
	var buf bytes.Buffer
	must(t, EncodePlan(t.Context(), &buf, p, s))
	return buf.String()
}

func plansOfUpstream(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "upstream", "plans", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestUpstreamPlans: a plan of the Pulumi CLI comes back byte for byte.
func TestUpstreamPlans(t *testing.T) {
	t.Parallel()
	salt := ""
	for line := range strings.Lines(string(plansOfUpstream(t, "02-Pulumi.dev.yaml"))) {
		if rest, ok := strings.CutPrefix(line, "encryptionsalt: "); ok {
			salt = strings.TrimSpace(rest)
		}
	}
	m, err := passphrase.Open(salt, "fixture")
	must(t, err)
	for _, name := range []string{"03-plan.json", "05-plan.json"} {
		data := plansOfUpstream(t, name)
		s := NewSecrets(m.Crypter(), SecretsOptions{})
		p, err := DecodePlan(t.Context(), data, s)
		must(t, err)
		if diff := cmp.Diff(string(data), encodePlan(t, p, s)); diff != "" {
			t.Errorf("%s changed (-want +got):\n%s", name, diff)
		}
		key := p.Resources["urn:pulumi:dev::plans::random:index/randomPassword:RandomPassword::pw"]
		if name == "03-plan.json" {
			keepers, _ := key.Goal.Inputs.Adds.Get("keepers").AsMap()
			if v := keepers.Get("token"); !v.Secret() {
				t.Errorf("the token is not secret: %s", v.Kind())
			}
		}
		_, err = DecodePlan(t.Context(), data, NewSecrets(&countingCrypter{}, SecretsOptions{}))
		var closed *SecretError
		if !errors.As(err, &closed) || closed.URN.Stack() != "dev" {
			t.Errorf("with another key: %v", err)
		}
	}
}

func TestPlanKeepsEverything(t *testing.T) {
	t.Parallel()
	const u = urn.URN("urn:pulumi:dev::p::a:b:C::n")
	ref, err := urn.ParseProviderRef("urn:pulumi:dev::p::pulumi:providers:a::default::04da6b54-80e4-46f7-96ec-b56ff0331ba9")
	must(t, err)
	outputs := property.MapOf(map[string]property.Value{"o": property.Unknown(), "s": property.Unknown().MakeSecret()})
	secretly := property.MapOf(map[string]property.Value{"x": property.String("plain-secret").MakeSecret(), "y": property.Number(1)})
	want := &updateplan.Plan{
		Config: []byte(`{"p:k":"v"}`),
		Resources: map[urn.URN]*updateplan.Resource{
			u: {
				Goal: &updateplan.Goal{
					Type: "a:b:C", Name: "n", Custom: true,
					Inputs:  updateplan.Diff{Adds: secretly, Deletes: []string{"z"}, Updates: outputs},
					Outputs: updateplan.Diff{Updates: secretly},
					Options: resource.Options{
						Parent: "urn:pulumi:dev::p::g:h:I::parent", Provider: ref, Protect: true,
						Dependencies: []urn.URN{u}, PropertyDependencies: map[string][]urn.URN{"x": {u}, "y": {}},
						DeleteBeforeReplace: new(false), IgnoreChanges: []string{"a.b"}, AdditionalSecretOutputs: []string{"s"},
						ImportID: "id", Timeouts: resource.Timeouts{Create: 90 * time.Second, Read: time.Millisecond},
					},
					Aliases: []updateplan.Alias{{URN: u}, {Name: "old", Type: "t", Project: "q", Stack: "s", Parent: u}, {NoParent: true}},
				},
				Steps: []resource.Op{resource.OpCreateReplacement, resource.OpReplace, resource.OpDeleteReplaced},
				Seed:  []byte{1, 2, 3}, Outputs: &outputs,
			},
			"urn:pulumi:dev::p::a:b:C::gone": {Steps: []resource.Op{resource.OpDelete}},
		},
	}
	s := NewSecrets(&countingCrypter{}, SecretsOptions{})
	text := encodePlan(t, want, s)
	if strings.Contains(text, "plain-secret") {
		t.Errorf("a secret in plain text:\n%s", text)
	}
	got, err := DecodePlan(t.Context(), []byte(text), NewSecrets(&countingCrypter{}, SecretsOptions{}))
	must(t, err)
	same := cmp.Options{
		cmp.Comparer(func(a, b property.Map) bool { return a.Equal(b) }),
		cmp.Comparer(func(a, b property.Value) bool { return a.Equal(b) }),
	}
	want.Manifest, want.Config, got.Config = got.Manifest, nil, nil
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("changed (-want +got):\n%s\n%s", diff, text)
	}
	// Older plans have whole URNs as aliases, and plaintexts where secrets were to be shown.
	old, err := DecodePlan(t.Context(), []byte(`{"manifest": {}, "other": 1, "resourcePlans": {"`+string(u)+`": {"goal": {"aliases": ["`+
		string(u)+`"], "inputDiff": {"adds": {"k": {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
		"plaintext": "\"v\""}}}}}}}`), NewSecrets(nil, SecretsOptions{}))
	must(t, err)
	g := old.Resources[u].Goal
	if v := g.Inputs.Adds.Get("k"); !v.Secret() || g.Aliases[0].URN != u {
		t.Errorf("read as %+v", g)
	}
}

func TestNoPlan(t *testing.T) {
	t.Parallel()
	for text, why := range map[string]string{
		`{}`:              "no update plan",
		`[]`:              "expected an object",
		`{"manifest": {}`: "byte 15",
		`{"manifest": {}, "resourcePlans": {"x": {}}}`:                                          "x",
		`{"manifest": {}, "resourcePlans": {"urn:pulumi:d::p::a:b:C::n": {"seed": "!"}}}`:       "urn:pulumi:d::p::a:b:C::n): the seed is not base64",
		`{"manifest": {}, "resourcePlans": {"urn:pulumi:d::p::a:b:C::n": {"steps": "create"}}}`: "expected a list",
	} {
		_, err := DecodePlan(t.Context(), []byte(text), NewSecrets(nil, SecretsOptions{}))
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", text, err, why)
		}
	}
}

func FuzzPlan(f *testing.F) {
	f.Add(plansOfUpstream(f, "03-plan.json"))
	f.Add([]byte(`{"manifest":{},"resourcePlans":{"urn:pulumi:d::p::a:b:C::n":{"goal":{"type":"a:b:C","structuredAliases":[{"URN":"x"}]},"state":{}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := DecodePlan(t.Context(), data, NewSecrets(&countingCrypter{}, SecretsOptions{}))
		if err != nil {
			return
		}
		s := NewSecrets(&countingCrypter{}, SecretsOptions{})
		first := encodePlan(t, p, s)
		again, err := DecodePlan(t.Context(), []byte(first), s)
		if err != nil {
			t.Fatalf("cannot read back %s: %v", first, err)
		}
		if second := encodePlan(t, again, s); second != first {
			t.Fatalf("not stable:\n%s\n%s", first, second)
		}
	})
}
