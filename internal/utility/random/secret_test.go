package random_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/utility/random"
)

func TestSecretsFollowTheInputs(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		kind, inputs string
		// checked are the checked inputs, outputs those of a preview.
		checked, outputs string
	}{
		"entry of a map": {"RandomPet", `{"keepers": {"a": "b", "c": {"$secret": "d"}}}`,
			`{"keepers": {"a": "b", "c": {"$secret": "d"}}}`,
			`{"keepers": {"a": "b", "c": {"$secret": "d"}}, "id": {"$unknown": true}, "length": 2, "separator": "-"}`},
		"whole map": {"RandomUuid", `{"keepers": {"$secret": {"a": "b"}}}`, `{"keepers": {"$secret": {"a": "b"}}}`,
			`{"keepers": {"$secret": {"a": "b"}}, "id": {"$unknown": true}, "result": {"$unknown": true}}`},
		"an element makes the list secret": {"RandomShuffle", `{"inputs": ["a", {"$secret": "b"}]}`,
			`{"inputs": {"$secret": ["a", "b"]}}`,
			`{"inputs": {"$secret": ["a", "b"]}, "id": {"$unknown": true}, "results": {"$unknown": true}}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := random.New(nil)
			checked, err := p.Check(context.Background(), plugin.CheckRequest{URN: urnOf(c.kind), News: inputs(t, c.inputs)})
			if err != nil || len(checked.Failures) > 0 {
				t.Fatal(err, checked.Failures)
			}
			if diff := cmp.Diff(notationOf(inputs(t, c.checked)), notationOf(checked.Inputs)); diff != "" {
				t.Errorf("checked inputs (-want +got):\n%s", diff)
			}
			made, err := p.Create(context.Background(), plugin.CreateRequest{
				URN: urnOf(c.kind), Inputs: checked.Inputs, Preview: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(notationOf(inputs(t, c.outputs)), notationOf(made.Outputs)); diff != "" {
				t.Errorf("previewed outputs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOutputsThatRepeatASecretAreSecret is where this provider is stricter than the published one.
func TestOutputsThatRepeatASecretAreSecret(t *testing.T) {
	t.Parallel()
	cases := []struct {
		kind, inputs string
		secret       []string
	}{
		{"RandomShuffle", `{"inputs": {"$secret": ["a"]}}`, []string{"inputs", "results"}},
		{"RandomId", `{"byteLength": 2, "prefix": {"$secret": "p"}}`, []string{"b64Std", "b64Url", "dec", "hex", "prefix"}},
		{"RandomPassword", `{"length": 2}`, []string{"bcryptHash", "result"}},
	}
	for _, c := range cases {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			got, err := random.New(nil).Create(context.Background(), plugin.CreateRequest{URN: urnOf(c.kind), Inputs: inputs(t, c.inputs)})
			if err != nil {
				t.Fatal(err)
			}
			var secret []string
			for name, v := range got.Outputs.All() {
				if v.Secret() {
					secret = append(secret, name)
				}
			}
			if diff := cmp.Diff(c.secret, secret); diff != "" {
				t.Errorf("secret outputs (-want +got):\n%s", diff)
			}
			again, err := random.New(nil).Read(context.Background(), plugin.ReadRequest{
				URN: urnOf(c.kind), ID: got.ID, Inputs: inputs(t, c.inputs), State: got.Outputs,
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(notationOf(got.Outputs), notationOf(again.Outputs)); diff != "" {
				t.Errorf("refresh changes the outputs (-created +read):\n%s", diff)
			}
		})
	}
}

func TestSecretPrefixOfAnIDIsWarnedOf(t *testing.T) {
	t.Parallel()
	var logs []plugin.Log
	p := random.New(func(l plugin.Log) { logs = append(logs, l) })
	if _, err := p.Create(context.Background(), plugin.CreateRequest{
		URN: urnOf("RandomPet"), Inputs: inputs(t, `{"prefix": {"$secret": "p"}}`),
	}); err != nil {
		t.Fatal(err)
	}
	if len(logs) != 1 || logs[0].Severity != "warning" {
		t.Errorf("logs %v, want one warning", logs)
	}
}
