package fakeprovidertest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	type fields = map[string]any
	for name, test := range map[string]struct {
		olds, news fields
		ignore     []string
		rule       fakeprovidertest.Rule
		replaces   []string
		detail     map[string]string
	}{
		"nothing":            {olds: fields{"v": 1}, news: fields{"v": 1}},
		"only secretness":    {olds: fields{"v": 1}, news: fields{"v": secret(1)}},
		"ignored":            {olds: fields{"v": 1}, news: fields{"v": 2}, ignore: []string{"v"}},
		"update":             {olds: fields{"v": 1}, news: fields{"v": 2}, detail: map[string]string{"v": "UPDATE"}},
		"unknown":            {olds: fields{"v": 1}, news: fields{"v": unknown}, detail: map[string]string{"v": "UPDATE"}},
		"force":              {olds: fields{"force": 1}, news: fields{"force": 2}, replaces: []string{"force"}, detail: map[string]string{"force": "UPDATE_REPLACE"}},
		"name added":         {olds: fields{}, news: fields{"name": "n"}, replaces: []string{"name"}, detail: map[string]string{"name": "ADD_REPLACE"}},
		"name taken away":    {olds: fields{"name": "n"}, news: fields{}, replaces: []string{"name"}, detail: map[string]string{"name": "DELETE_REPLACE"}},
		"replaced by rule":   {olds: fields{"v": 1}, news: fields{"v": 2}, rule: fakeprovidertest.Rule{ReplaceOn: []string{"v"}}, replaces: []string{"v"}, detail: map[string]string{"v": "UPDATE_REPLACE"}},
		"inside":             {olds: fields{"v": fields{"a": []any{1, 2}, "b.c": 1}}, news: fields{"v": fields{"a": []any{1, 3, 4}}}, detail: map[string]string{"v.a[1]": "UPDATE", "v.a[2]": "ADD", `v["b.c"]`: "DELETE"}},
		"another kind":       {olds: fields{"v": fields{"a": 1}}, news: fields{"v": []any{1}}, detail: map[string]string{"v": "UPDATE"}},
		"inside of a secret": {olds: fields{"v": secret(fields{"a": 1})}, news: fields{"v": secret(fields{"a": 2})}, detail: map[string]string{"v.a": "UPDATE"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit := setup(t)
			must(t, kit.Control(fakeprovidertest.Control{Rules: []fakeprovidertest.Rule{test.rule}}))
			client := serveHere(t, kit)
			response, err := client.Diff(t.Context(), &pulumirpc.DiffRequest{
				Urn: urn("a"), Id: "a", OldInputs: object(t, test.olds), News: object(t, test.news),
				IgnoreChanges: test.ignore,
			})
			must(t, err)
			detail := map[string]string{}
			for path, d := range response.DetailedDiff {
				detail[path] = d.Kind.String()
			}
			want := test.detail
			if want == nil {
				want = map[string]string{}
			}
			if diff := cmp.Diff(want, detail); diff != "" {
				t.Errorf("detail: %s", diff)
			}
			if diff := cmp.Diff(test.replaces, response.Replaces); diff != "" {
				t.Errorf("replaces: %s", diff)
			}
			changes := pulumirpc.DiffResponse_DIFF_NONE
			if len(want) > 0 {
				changes = pulumirpc.DiffResponse_DIFF_SOME
			}
			if response.Changes != changes {
				t.Errorf("changes %v, want %v", response.Changes, changes)
			}
		})
	}
}

// serveHere serves the provider inside the test.
func serveHere(t *testing.T, kit *fakeprovidertest.Kit) pulumirpc.ResourceProviderClient {
	t.Helper()
	running, err := fakeprovidertest.Start(fakeprovidertest.Options{Ledger: kit.Folder, Control: kit.ControlFile})
	must(t, err)
	t.Cleanup(func() { must(t, running.Stop()) })
	return dial(t, running.Address())
}
