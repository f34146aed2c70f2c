package command_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

// recorded is what stacks of the published provider hold.
type recorded struct {
	States map[string]map[string]struct {
		URN     urn.URN
		ID      resource.ID
		Inputs  json.RawMessage
		Outputs json.RawMessage
	}
	Diffs map[string]map[string]struct {
		DetailedDiff map[string]struct {
			Kind      event.DiffKind
			InputDiff bool
		}
		DiffReasons []string
	}
}

func readRecorded(t *testing.T) recorded {
	t.Helper()
	data, err := os.ReadFile("testdata/upstream/recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRecordedStatesAreUnchanged(t *testing.T) {
	t.Parallel()
	p, _ := start(t, nil)
	for program, states := range readRecorded(t).States {
		for name, s := range states {
			if program == "provider" {
				continue
			}
			inputs := props(t, string(s.Inputs))
			checked, err := p.Check(t.Context(), plugin.CheckRequest{URN: s.URN, Olds: inputs, News: inputs})
			if err != nil || len(checked.Failures) > 0 {
				t.Fatalf("%s %s: %v %v", program, name, err, checked.Failures)
			}
			if !checked.Inputs.Equal(inputs) {
				t.Errorf("%s %s: inputs changed by the check", program, name)
			}
			d, err := p.Diff(t.Context(), plugin.DiffRequest{
				URN: s.URN, ID: s.ID, OldInputs: inputs, OldOutputs: props(t, string(s.Outputs)), News: checked.Inputs,
			})
			if err != nil {
				t.Fatal(err)
			}
			want := plugin.DiffResponse{Changes: plugin.ChangesNone, DetailedDiff: map[string]event.PropertyDiff{}}
			if diff := cmp.Diff(want, d); diff != "" {
				t.Errorf("%s %s: %s", program, name, diff)
			}
			read, err := p.Read(t.Context(), plugin.ReadRequest{
				URN: s.URN, ID: s.ID, Inputs: inputs, State: props(t, string(s.Outputs)),
			})
			if err != nil {
				t.Fatal(err)
			}
			if read.ID != s.ID || !read.Outputs.Equal(props(t, string(s.Outputs))) || !read.Inputs.Equal(inputs) {
				t.Errorf("%s %s: a refresh changes it: %+v", program, name, read)
			}
		}
	}
}

func TestRecordedSecondProgramsGiveTheRecordedSteps(t *testing.T) {
	t.Parallel()
	p, _ := start(t, nil)
	r := readRecorded(t)
	for name, want := range map[string]map[string]event.PropertyDiff{
		// The rows "~ triggers: [ ~ [0] ]" and "~ update" of the recorded preview, both of them updates.
		"full":      {"triggers[0]": {Kind: event.DiffUpdate}},
		"plain":     {"update": {Kind: event.DiffUpdate}},
		"secretOut": {},
	} {
		older, newer := r.States["commands"][name], r.States["commands.step2"][name]
		d, err := p.Diff(t.Context(), plugin.DiffRequest{
			URN: older.URN, ID: older.ID, OldInputs: props(t, string(older.Inputs)),
			OldOutputs: props(t, string(older.Outputs)), News: props(t, string(newer.Inputs)),
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, d.DetailedDiff); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if d.Replace() || d.DeleteBeforeReplace {
			t.Errorf("%s is replaced", name)
		}
	}

	stamp := r.States["quick"]["stamp"]
	want := r.Diffs["quick.step2"]["stamp"]
	d, err := p.Diff(t.Context(), plugin.DiffRequest{
		URN: stamp.URN, ID: stamp.ID, OldInputs: props(t, string(stamp.Inputs)),
		News: props(t, string(stamp.Inputs)).With("update", property.String("echo -n changed")),
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]event.PropertyDiff{}
	for path, e := range want.DetailedDiff {
		got[path] = event.PropertyDiff{Kind: e.Kind, InputDiff: e.InputDiff}
	}
	if diff := cmp.Diff(got, d.DetailedDiff); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want.DiffReasons, d.ChangedKeys); diff != "" {
		t.Error(diff)
	}
}

func TestProviderConfigurationKeepsWhatIsRecorded(t *testing.T) {
	t.Parallel()
	p, _ := start(t, nil)
	const key = "__pulumi-go-provider-version"
	for name, c := range map[string]struct {
		olds, news, want string
	}{
		"a new provider gets what the published release writes": {`{}`, `{}`, `{"` + key + `":"1.2.0"}`},
		"recorded by another build":                             {string(readRecorded(t).States["provider"]["default"].Inputs), `{}`, `{"` + key + `":"(devel)"}`},
		"the version stays":                                     {`{"version":"1.2.0"}`, `{"version":"1.2.1"}`, `{"version":"1.2.1","` + key + `":"1.2.0"}`},
		"damaged":                                               {`{"` + key + `":3}`, `{}`, `{"` + key + `":"1.2.0"}`},
	} {
		got, err := p.CheckConfig(t.Context(), plugin.CheckRequest{Olds: props(t, c.olds), News: props(t, c.news)})
		if err != nil {
			t.Fatal(err)
		}
		if !got.Inputs.Equal(props(t, c.want)) {
			t.Errorf("%s: got %v", name, got.Inputs.Keys())
		}
	}
	d, err := p.DiffConfig(t.Context(), plugin.DiffRequest{})
	if err != nil || d.Changes != plugin.ChangesUnknown {
		t.Errorf("DiffConfig: %+v, %v", d, err)
	}
}
