package random_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
	"github.com/cairn-iac/cairn/internal/utility/random"
)

// recorded is a resource in the state of a stack that the published provider made.
type recorded struct {
	Program string
	URN     urn.URN
	ID      resource.ID
	Inputs  map[string]any
	Outputs map[string]any
}

func (r recorded) title() string { return r.Program + "/" + r.URN.Name() }

func recordedState(t *testing.T) []recorded {
	return readJSON[[]recorded](t, "testdata/state.json")
}

func TestRecordedStateIsUpToDate(t *testing.T) {
	t.Parallel()
	for _, r := range recordedState(t) {
		t.Run(r.title(), func(t *testing.T) {
			t.Parallel()
			p := random.New(nil)
			checked, err := p.Check(context.Background(), plugin.CheckRequest{URN: r.URN, News: mapOf(r.Inputs)})
			if err != nil || len(checked.Failures) > 0 {
				t.Fatalf("Check: %v %v", checked.Failures, err)
			}
			if diff := cmp.Diff(r.Inputs, notationOf(checked.Inputs)); diff != "" {
				t.Errorf("Check changes the inputs (-recorded +checked):\n%s", diff)
			}
			for name, outputs := range map[string]property.Map{
				"as recorded":                       mapOf(r.Outputs),
				"as recorded before deltas existed": mapOf(r.Outputs).Without("__pulumi_raw_state_delta"),
			} {
				got, err := p.Diff(context.Background(), plugin.DiffRequest{
					URN: r.URN, ID: r.ID, OldInputs: mapOf(r.Inputs), OldOutputs: outputs, News: checked.Inputs,
				})
				if err != nil {
					t.Fatalf("Diff %s: %v", name, err)
				}
				if diff := cmp.Diff(plugin.DiffResponse{Changes: plugin.ChangesNone}, got); diff != "" {
					t.Errorf("Diff %s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func TestRefreshKeepsRecordedState(t *testing.T) {
	t.Parallel()
	for _, r := range recordedState(t) {
		t.Run(r.title(), func(t *testing.T) {
			t.Parallel()
			got, err := random.New(nil).Read(context.Background(), plugin.ReadRequest{
				URN: r.URN, ID: r.ID, Inputs: mapOf(r.Inputs), State: mapOf(r.Outputs),
			})
			if err != nil {
				t.Fatal(err)
			}
			if got.ID != r.ID {
				t.Errorf("id %q, recorded %q", got.ID, r.ID)
			}
			if diff := cmp.Diff(r.Inputs, notationOf(*got.Inputs)); diff != "" {
				t.Errorf("inputs (-recorded +got):\n%s", diff)
			}
			if diff := cmp.Diff(r.Outputs, notationOf(got.Outputs)); diff != "" {
				t.Errorf("outputs (-recorded +got):\n%s", diff)
			}
		})
	}
}

func TestCreateRecordsTheSameShape(t *testing.T) {
	t.Parallel()
	for _, r := range recordedState(t) {
		t.Run(r.title(), func(t *testing.T) {
			t.Parallel()
			got, err := random.New(nil).Create(context.Background(), plugin.CreateRequest{URN: r.URN, Inputs: mapOf(r.Inputs)})
			if err != nil {
				t.Fatal(err)
			}
			want, have := hideDrawn(r.Outputs), hideDrawn(notationOf(got.Outputs))
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("outputs (-recorded +created):\n%s", diff)
			}
			if got.ID == "" {
				t.Error("no id")
			}
		})
	}
}

// hideDrawn replaces what is drawn at random, which is everything computed unless there is a seed.
func hideDrawn(outputs map[string]any) map[string]any {
	out := map[string]any{}
	_, seeded := outputs["seed"]
	for name, v := range outputs {
		switch name {
		case "id", "result", "results", "bcryptHash", "base64", "b64Std", "b64Url", "dec", "hex":
			if !seeded && v != "none" && v != "-" {
				v = hidden(v)
			}
		}
		out[name] = v
	}
	return out
}

// hidden keeps what kind of value v is.
func hidden(v any) any {
	switch x := v.(type) {
	case string:
		return "text"
	case float64:
		return 0.0
	case map[string]any:
		if secret, ok := x["$secret"]; ok {
			return map[string]any{"$secret": hidden(secret)}
		}
	case []any:
		return len(x)
	}
	return v
}

// TestSecondProgram compares with what the preview of the second version of the program said: these resources, and no
// others, are replaced because of these properties.
func TestSecondProgram(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		"pet": {"keepers", "prefix"}, "pw": {"minSpecial"}, "id": {"byteLength"}, "shuffle": {"resultCount"},
	}
	next := map[urn.URN]recorded{}
	for _, r := range recordedState(t) {
		if r.Program == "randoms step 2" {
			next[r.URN] = r
		}
	}
	got := map[string][]string{}
	for _, r := range recordedState(t) {
		if r.Program != "randoms" {
			continue
		}
		d, err := random.New(nil).Diff(context.Background(), plugin.DiffRequest{
			URN: r.URN, ID: r.ID, OldInputs: mapOf(r.Inputs), OldOutputs: mapOf(r.Outputs), News: mapOf(next[r.URN].Inputs),
		})
		if err != nil {
			t.Fatalf("%s: %v", r.URN.Name(), err)
		}
		if d.DetailedDiff != nil {
			t.Errorf("%s: the published provider gives no detailed diff, got %v", r.URN.Name(), d.DetailedDiff)
		}
		if d.Changes == plugin.ChangesSome {
			got[r.URN.Name()] = d.ReplaceKeys
		}
		if diff := cmp.Diff(d.ChangedKeys, d.ReplaceKeys); diff != "" {
			t.Errorf("%s: changed and replacing keys differ: %s", r.URN.Name(), diff)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("replaced (-want +got):\n%s", diff)
	}
}
