package random_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
	"github.com/cairn-iac/cairn/internal/utility/random"
)

// urnOf is the URN of a resource called x, of the given kind such as RandomPet.
func urnOf(kind string) urn.URN {
	return urn.New("dev", "p", "", urn.Type("random:index/"+strings.ToLower(kind[:1])+kind[1:]+":"+kind), "x")
}

func TestCheckFailures(t *testing.T) {
	t.Parallel()
	cases := []struct {
		kind, inputs string
		want         []string
	}{
		{"RandomPet", `{"lenght": 2}`, []string{
			`Invalid or unknown key: RandomPet has no property "lenght"; did you mean "length"? Examine values at 'x.lenght'.`}},
		{"RandomPet", `{"colour": 2}`, []string{
			`Invalid or unknown key: RandomPet has no property "colour". Examine values at 'x.colour'.`}},
		{"RandomPet", `{"id": "mine"}`, []string{`id is set by the provider: remove it. Examine values at 'x.id'.`}},
		{"RandomPet", `{"length": "two"}`, []string{
			`length: expected a whole number, got a value of type string. Examine values at 'x.length'.`}},
		{"RandomPet", `{"length": 2.5}`, []string{
			`length: expected a whole number, got a fraction. Examine values at 'x.length'.`}},
		{"RandomPet", `{"keepers": {"a": ["b"]}}`, []string{
			`keepers: entry "a": expected a string, got a value of type list. Examine values at 'x.keepers'.`}},
		{"RandomPet", `{"keepers": "a"}`, []string{
			`keepers: expected a map of strings, got a value of type string. Examine values at 'x.keepers'.`}},
		{"RandomString", `{}`, []string{`Missing required property 'length': `}},
		{"RandomString", `{"length": 0}`, []string{`length must be at least 1, got 0. Examine values at 'x.length'.`}},
		{"RandomString", `{"length": {"$secret": 0}}`, []string{`length must be at least 1. Examine values at 'x.length'.`}},
		{"RandomString", `{"length": 1e9}`, []string{
			`length must be at most 16777216, got 1000000000. Examine values at 'x.length'.`}},
		{"RandomString", `{"length": 3, "minLower": 2, "minUpper": 2}`, []string{
			`length must be at least the sum of minUpper, minLower, minNumeric and minSpecial. Examine values at 'x.length'.`}},
		{"RandomPassword", `{"length": 3, "number": true, "numeric": false}`, []string{
			`number and numeric are one setting under two names but have different values: remove number. ` +
				`Examine values at 'x.number'.`}},
		{"RandomPassword", `{"length": 3, "upper": false, "lower": false, "special": false, "numeric": false}`, []string{
			`at least one of upper, lower, special and numeric must be true. Examine values at 'x.numeric'.`}},
		{"RandomId", `{"byteLength": 0}`, []string{`byteLength must be at least 1, got 0. Examine values at 'x.byteLength'.`}},
		{"RandomInteger", `{"min": 5, "max": 1}`, []string{`min must not be larger than max. Examine values at 'x.min'.`}},
		{"RandomInteger", `{"min": 0, "max": 9007199254740993}`, []string{
			`max: has more digits than a number holds exactly: write it as a quoted string. Examine values at 'x.max'.`}},
		{"RandomInteger", `{"min": 0, "max": "99999999999999999999"}`, []string{
			`max: has more digits than a number holds exactly: write it as a quoted string. Examine values at 'x.max'.`}},
		{"RandomShuffle", `{"inputs": "a", "resultCount": -1}`, []string{
			`inputs: expected a list of strings, got a value of type string. Examine values at 'x.inputs'.`,
			`resultCount must be at least 0, got -1. Examine values at 'x.resultCount'.`}},
		// What is not known yet is not judged.
		{"RandomInteger", `{"min": 5, "max": {"$unknown": true}}`, nil},
		{"RandomString", `{"length": {"$unknown": true}, "minLower": 5}`, nil},
		{"RandomPassword", `{"length": 3, "number": true, "numeric": {"$unknown": true}}`, nil},
		{"RandomInteger", `{"min": "-9223372036854775808", "max": "9223372036854775807"}`, nil},
	}
	for _, c := range cases {
		t.Run(c.kind+" "+c.inputs, func(t *testing.T) {
			t.Parallel()
			got, err := random.New(nil).Check(context.Background(), plugin.CheckRequest{
				URN: urnOf(c.kind), News: inputs(t, c.inputs), Preview: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Failures) != len(c.want) {
				t.Fatalf("failures %v, want %v", got.Failures, c.want)
			}
			for i, f := range got.Failures {
				if f.Property != "" || !strings.HasPrefix(f.Reason, c.want[i]) {
					t.Errorf("failure %d: %q %q\nwant %q", i, f.Property, f.Reason, c.want[i])
				}
			}
		})
	}
}

func TestCheckNeverShowsSecrets(t *testing.T) {
	t.Parallel()
	const canary = "correct horse battery staple"
	kinds := []string{"RandomPet", "RandomString", "RandomPassword", "RandomId", "RandomInteger", "RandomShuffle", "RandomBytes"}
	for _, k := range kinds {
		secret := property.String(canary).MakeSecret()
		news := map[string]property.Value{"foo": secret}
		for _, name := range []string{"length", "keepers", "inputs", "special", "byteLength", "min", "resultCount"} {
			news[name] = secret
		}
		got, err := random.New(nil).Check(context.Background(), plugin.CheckRequest{URN: urnOf(k), News: property.MapOf(news)})
		if err != nil || len(got.Failures) == 0 {
			t.Errorf("%s: %v, %d failures", k, err, len(got.Failures))
		}
		for _, f := range got.Failures {
			if strings.Contains(f.Reason, canary) {
				t.Errorf("%s shows a secret: %s", k, f.Reason)
			}
		}
	}
}

func TestCheckWarnsOfNumber(t *testing.T) {
	t.Parallel()
	var logs []plugin.Log
	p := random.New(func(l plugin.Log) { logs = append(logs, l) })
	u := urnOf("RandomString")
	in := inputs(t, `{"length": 3, "number": true}`)
	if _, err := p.Check(context.Background(), plugin.CheckRequest{URN: u, News: in}); err != nil {
		t.Fatal(err)
	}
	want := []plugin.Log{{Severity: "warning", Message: "number is deprecated. Use numeric instead.", URN: u}}
	if diff := cmp.Diff(want, logs); diff != "" {
		t.Errorf("logs (-want +got):\n%s", diff)
	}
}

func TestUnknownTypesAndCalls(t *testing.T) {
	t.Parallel()
	p, ctx := random.New(nil), context.Background()
	if _, err := p.Check(ctx, plugin.CheckRequest{URN: urnOf("RandomThing")}); err == nil ||
		!strings.Contains(err.Error(), `no resource type "random:index/randomThing:RandomThing"`) {
		t.Errorf("Check: %v", err)
	}
	if _, err := p.Invoke(ctx, plugin.InvokeRequest{Token: "random:index/getThing:getThing"}); err == nil {
		t.Error("Invoke of an unknown function succeeds")
	}
	if _, err := p.Call(ctx, plugin.CallRequest{Token: "random:index/thing:thing"}); err == nil {
		t.Error("Call of an unknown method succeeds")
	}
	got, err := p.Call(ctx, plugin.CallRequest{Token: "pulumi:providers:random/terraformConfig"})
	if err != nil || !got.Return.Get("result").Equal(property.NewMap(nil)) {
		t.Errorf("terraformConfig: %v %v", notationOf(got.Return), err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := p.Create(cancelled, plugin.CreateRequest{URN: urnOf("RandomPet")}); err == nil {
		t.Error("Create goes on after its call was cancelled")
	}
	if info, err := p.Info(ctx); err != nil || info.Version != "4.21.2" || !info.Builtin || !info.SupportsPreview {
		t.Errorf("Info: %+v %v", info, err)
	}
}
