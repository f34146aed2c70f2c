package random_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/urn"
	"github.com/cairn-iac/cairn/internal/utility/random"
)

func TestCheckConfig(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ provider, news, want string }{
		"version only": {"mine", `{"version": "4.21.2", "pluginDownloadURL": "https://example.com"}`, ""},
		"unknown setting of the stack": {"default_4_21_2", `{"foo": "x"}`,
			"`random:foo` is not a valid configuration key for the random provider"},
		"unknown setting of a provider": {"mine", `{"foo": "x"}`, "Examine values at 'mine.foo'."},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := random.New(nil).CheckConfig(context.Background(), plugin.CheckRequest{
				URN: urn.New("dev", "p", "", urn.ProviderType("random"), c.provider), News: inputs(t, c.news),
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(notationOf(inputs(t, c.news)), notationOf(got.Inputs)); diff != "" {
				t.Errorf("inputs (-want +got):\n%s", diff)
			}
			reasons := ""
			for _, f := range got.Failures {
				reasons += f.Reason
			}
			if (c.want == "") != (reasons == "") || !strings.Contains(reasons, c.want) {
				t.Errorf("failures %q, want %q", reasons, c.want)
			}
		})
	}
}

func TestDiffConfig(t *testing.T) {
	t.Parallel()
	got, err := random.New(nil).DiffConfig(context.Background(), plugin.DiffRequest{
		OldInputs: inputs(t, `{"version": "4.21.1", "gone": "x"}`), News: inputs(t, `{"version": "4.21.2", "new": "y"}`),
		IgnoreChanges: []string{"new"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := plugin.DiffResponse{Changes: plugin.ChangesSome, DetailedDiff: map[string]event.PropertyDiff{
		"version": {Kind: event.DiffUpdate, InputDiff: true}, "gone": {Kind: event.DiffDelete, InputDiff: true},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("diff (-want +got):\n%s", diff)
	}
}
