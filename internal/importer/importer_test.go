package importer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/importer"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

func target() importer.Target {
	group := &resource.State{URN: "urn:pulumi:dev::p::my:index:Group::old", Type: "my:index:Group"}
	prov := &resource.State{URN: "urn:pulumi:dev::p::pulumi:providers:x::old", Type: "pulumi:providers:x", Custom: true, ID: "1"}
	return importer.Target{
		Project: "p", Stack: "dev", Base: &state.Snapshot{Resources: []*resource.State{group, prov}},
		Decode: func(raw json.RawMessage) (property.Map, error) {
			var m map[string]string
			err := json.Unmarshal(raw, &m)
			out := map[string]property.Value{}
			for k, v := range m {
				out[k] = property.String(v)
			}
			return property.MapOf(out), err
		},
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	f, err := importer.Parse([]byte(`{
		"nameTable": {"grp": "urn:pulumi:dev::p::my:index:Group::old", "far": "urn:pulumi:dev::p::pulumi:providers:x::far"},
		"resources": [
			{"type": "x:index:T", "name": "a", "id": "1", "parent": "b"},
			{"type": "my:index:Part", "name": "b", "component": true, "parent": "grp", "logicalName": "bee"},
			{"type": "x:index:T", "name": "c", "id": "2", "provider": "p1"},
			{"type": "pulumi:providers:x", "name": "p1", "inputs": {"region": "north"}},
			{"type": "x:index:T", "name": "d", "id": "3", "provider": "far"}
		],
		"providerInputs": {"far": {"region": "south"}}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := f.Resolve(target())
	if err != nil {
		t.Fatal(err)
	}
	var got []urn.URN
	for _, it := range plan.Items {
		got = append(got, it.URN)
	}
	want := []urn.URN{
		"urn:pulumi:dev::p::my:index:Group$my:index:Part$x:index:T::a",
		"urn:pulumi:dev::p::my:index:Group$my:index:Part::bee",
		"urn:pulumi:dev::p::x:index:T::c",
		"urn:pulumi:dev::p::pulumi:providers:x::p1",
		"urn:pulumi:dev::p::x:index:T::d",
		"urn:pulumi:dev::p::pulumi:providers:x::far",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFaultyFiles(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		`[]`:                   "not an import file",
		`{"resources": []} {}`: "behind the end",
		`{"resource": []}`:     `unknown field "resource"`,
		`{"resources": [{}]}`:  "resource '0' has no name",
		`{"resources": [{"name": "a", "id": "1"}]}`:                                                                                                "'a' has no type",
		`{"resources": [{"name": "a", "id": "1", "type": "x:T"}]}`:                                                                                 "<package>:<module>:<type>",
		`{"resources": [{"name": "a", "type": "x:y:T"}]}`:                                                                                          "has no id",
		`{"resources": [{"name": "a", "id": "1", "type": "x:y:T", "component": true}]}`:                                                            "marked as a component",
		`{"resources": [{"name": "a", "id": "1", "type": "x:y:T", "remote": true}]}`:                                                               "marked as remote",
		`{"resources": [{"name": "a", "id": "1", "type": "pulumi:providers:x"}]}`:                                                                  "a provider is made, not read",
		`{"resources": [{"name": "a", "id": "1", "type": "x:y:T", "parent": "nobody"}]}`:                                                           "in neither 'nameTable' nor 'resources'",
		`{"resources": [{"name": "a", "id": "1", "type": "x:y:T", "provider": "nobody"}]}`:                                                         "in neither 'nameTable' nor 'resources'",
		`{"resources": [{"name": "a", "id": "1", "type": "x:y:T", "provider": "a"}]}`:                                                              "a provider 'a' that is none",
		`{"resources": [{"name": "a", "id": "1", "type": "x:y:T", "outputs": {}}]}`:                                                                "not available yet",
		`{"resources": [{"name": "a", "id": "1", "type": "x:y:T", "extension": {}}]}`:                                                              "not available yet",
		`{"resources": [{"name": "a", "id": "1", "type": "x:y:T", "inputs": {"a": 1}}]}`:                                                           "cannot be read",
		`{"resources": [{"name": "a", "id": "1", "type": "x:y:T", "parameterization": {}}]}`:                                                       "the version of the package is needed",
		`{"resources": [{"name": "a", "id": "1", "type": "x:y:T"}, {"name": "a", "id": "2", "type": "x:y:T"}]}`:                                    "is there twice",
		`{"resources": [{"name": "a", "type": "x:y:T", "component": true, "parent": "a"}]}`:                                                        "its own parent",
		`{"nameTable": {"p": "urn:pulumi:dev::p::my:index:Group::gone"}, "resources": [{"name": "a", "id": "1", "type": "x:y:T", "parent": "p"}]}`: "not part of the stack",
		`{"resources": [{"name": "p", "type": "pulumi:providers:x", "parent": "c"},
			{"name": "c", "type": "x:y:T", "component": true, "provider": "p"}]}`: "needs itself",
		`{"resources": [{"name": "c", "type": "x:y:T", "component": true}, {"name": "c", "type": "x:y:U", "component": true},
			{"name": "a", "id": "1", "type": "x:y:T", "parent": "c"}]}`: "ambiguous parent: 2 resources are called 'c'",
	}
	for text, want := range cases {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			f, err := importer.Parse([]byte(text))
			if err == nil {
				_, err = f.Resolve(target())
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v", text, err)
			}
		})
	}
}
