package random_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
	"github.com/cairn-iac/cairn/internal/utility/random"
)

// answer is one call and what the published provider answered. Refused means an error or check failures.
type answer struct {
	Call    string
	Type    urn.Type
	Request struct {
		ID                                        resource.ID
		News, Olds, OldInputs, Inputs, Properties map[string]any
		IgnoreChanges                             []string
		Preview                                   bool
	}
	Response map[string]any
	Refused  bool
	// Ours tells where this provider means to differ, and Why.
	Ours, Why string
}

// TestPublishedProvidersAnswers replays calls that were put to the published provider.
func TestPublishedProvidersAnswers(t *testing.T) {
	t.Parallel()
	for i, a := range readLines[answer](t, "testdata/answers.jsonl") {
		t.Run(fmt.Sprintf("%d %s %s", i+1, a.Call, a.Type.Name()), func(t *testing.T) {
			t.Parallel()
			got, refusal := a.put(random.New(nil))
			refused := a.Refused
			if a.Ours != "" {
				refused = a.Ours == "refuses"
			}
			request, err := json.Marshal(a.Request)
			if err != nil {
				t.Fatal(err)
			}
			if refused != (refusal != "") {
				t.Fatalf("request %s\nto be refused: %v (%s), got refusal %q", request, refused, a.Why, refusal)
			}
			if a.Refused || refused {
				return
			}
			if diff := cmp.Diff(a.comparable(a.Response), a.comparable(got)); diff != "" {
				t.Errorf("request %s (-published +got):\n%s", request, diff)
			}
		})
	}
}

// put makes the call; refusal is the error or the reasons of the check failures.
func (a answer) put(p plugin.Provider) (response map[string]any, refusal string) {
	ctx, u := context.Background(), urn.New("dev", "p", "", a.Type, "x")
	response = map[string]any{}
	var err error
	switch r := a.Request; a.Call {
	case "Check":
		var got plugin.CheckResponse
		got, err = p.Check(ctx, plugin.CheckRequest{URN: u, News: mapOf(r.News), Preview: true})
		for _, f := range got.Failures {
			refusal += f.Property + f.Reason + "\n"
		}
		response["inputs"] = notationOf(got.Inputs)
	case "Diff":
		var got plugin.DiffResponse
		got, err = p.Diff(ctx, plugin.DiffRequest{
			URN: u, ID: r.ID, OldInputs: mapOf(r.OldInputs), OldOutputs: mapOf(r.Olds), News: mapOf(r.News),
			IgnoreChanges: r.IgnoreChanges,
		})
		words := map[plugin.Changes]string{plugin.ChangesNone: "DIFF_NONE", plugin.ChangesSome: "DIFF_SOME"}
		response["changes"] = words[got.Changes]
		setNames(response, "diffs", got.ChangedKeys)
		setNames(response, "replaces", got.ReplaceKeys)
	case "Create":
		var got plugin.CreateResponse
		got, err = p.Create(ctx, plugin.CreateRequest{URN: u, Inputs: mapOf(r.Properties), Preview: r.Preview})
		response["properties"] = notationOf(got.Outputs)
		if got.ID != "" {
			response["id"] = string(got.ID)
		}
	case "Update":
		var got plugin.UpdateResponse
		got, err = p.Update(ctx, plugin.UpdateRequest{
			URN: u, ID: r.ID, OldOutputs: mapOf(r.Olds), News: mapOf(r.News), IgnoreChanges: r.IgnoreChanges, Preview: r.Preview,
		})
		response["properties"] = notationOf(got.Outputs)
	case "Read":
		var got plugin.ReadResponse
		got, err = p.Read(ctx, plugin.ReadRequest{URN: u, ID: r.ID, Inputs: mapOf(r.Inputs), State: mapOf(r.Properties)})
		if err == nil {
			response = map[string]any{
				"id": string(got.ID), "inputs": notationOf(*got.Inputs), "properties": notationOf(got.Outputs),
			}
		}
	case "Delete":
		err = p.Delete(ctx, plugin.DeleteRequest{URN: u, ID: r.ID, Outputs: mapOf(r.Properties)})
	default:
		err = fmt.Errorf("unknown call %s", a.Call)
	}
	if err != nil {
		refusal += err.Error()
	}
	return response, refusal
}

func setNames(response map[string]any, key string, names []string) {
	if len(names) == 0 {
		return
	}
	list := make([]any, len(names))
	for i, n := range names {
		list[i] = n
	}
	response[key] = list
}

// comparable hides what is drawn: everything a Create computes without a seed, and hashes everywhere.
func (a answer) comparable(response map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range response {
		out[k] = v
	}
	properties, ok := out["properties"].(map[string]any)
	if !ok {
		return out
	}
	if a.Call == "Create" && !a.Request.Preview {
		out["properties"] = hideDrawn(properties)
		if _, seeded := properties["seed"]; !seeded {
			out["id"] = out["id"] != nil
		}
		return out
	}
	if _, hashed := properties["bcryptHash"].(map[string]any); hashed {
		copied := map[string]any{}
		for k, v := range properties {
			copied[k] = v
		}
		copied["bcryptHash"] = "hash"
		out["properties"] = copied
	}
	return out
}
