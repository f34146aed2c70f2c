package upstreamtest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/upstreamtest"
)

func document(t *testing.T, r upstreamtest.Rules, content []byte) any {
	t.Helper()
	tree, err := r.Document(content)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// Every JSON recording can be normalised, and nothing that differs from run to run is left in it.
func TestNothingVariableIsLeft(t *testing.T) {
	t.Parallel()
	variable := map[string]*regexp.Regexp{
		"uuid":       regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-`),
		"time":       regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:`),
		"ciphertext": regexp.MustCompile(`"v1:`),
		"salt":       regexp.MustCompile(`:v1:`),
		"source":     regexp.MustCompile(`sourcePosition|stackTrace`),
		"pet":        regexp.MustCompile(`manatee|hardly|selected-cub`),
		"password":   regexp.MustCompile(`hq3YSfQm|JhymcK|\$2a\$`),
		"id":         regexp.MustCompile(`stampf0e03e77|plaindbe7731f|dqa1Ud0x8zg|"4"`),
		"version":    regexp.MustCompile(`3\.274`),
	}
	seen := 0
	err := filepath.WalkDir(upstreamtest.Path(t, "."), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".attrs") || strings.Contains(path, "stack-output") {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil || len(content) == 0 || !strings.ContainsAny(string(content[:1]), "{[") {
			return err
		}
		rules := upstreamtest.Rules{}
		if strings.Contains(path, "noop") || strings.Contains(path, "replace") { // they show values of other states
			rules.Names = &upstreamtest.Names{}
			if err := rules.Names.Collect(upstreamtest.Read(t, "quick/06-export-secrets.stdout")); err != nil {
				return err
			}
		}
		var tree any
		if strings.HasPrefix(string(content), `{"sequence"`) {
			tree, err = rules.Events(content)
		} else {
			tree, err = rules.Document(content)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		seen++
		text, err := json.Marshal(tree)
		for what, form := range variable {
			if found := form.Find(text); found != nil {
				t.Errorf("%s: a %s is left: %s", path, what, found)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 20 {
		t.Errorf("only %d JSON recordings", seen)
	}
}

func TestAnotherRunIsEqual(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, old, new string }{
		{"quick/06-export-secrets.stdout", "amazingly-closing-manatee", "barely-open-cow"},
		{"quick/06-export-secrets.stdout", "expert-phoenix", "lay-bird"},
		{"quick/06-export-secrets.stdout", "hq3YSfQmGI#4OTktjxLL", "another%result"},
		{"quick/06-export-secrets.stdout", "stampf0e03e77", "stamp00000000"},
		{"quick/06-export-secrets.stdout", "18b7669a-ddee-4aec-b703-a99eeeb74c1f", "00000000-ddee-4aec-b703-a99eeeb74c1f"},
		{"quick/06-export.stdout", "JBjt5zn5E8i9q7J55AlE8mhJiYBHOGu3dH2hEtFFKdNKjf6vk1s", "AAAA"},
		{"quick/06-export.stdout", "2026-11-30T21:15:5", "2027-01-01T01:01:0"},
		{"quick/06-export.stdout", "v3.274.1", "v3.276.0+cairn.1"},
		{"quick/11-preview-replace-json.stdout", `"duration": 5248004046`, `"duration": 1`},
		{"quick/09-stack-history-json.stdout", "2026-11-30", "2027-01-01"},
		{"randoms/randoms-export.stdout", "id-8549720305817482040", "id-1"},
		{"randoms/randoms-export.stdout", `"id": "4"`, `"id": "-3"`},
		{"randoms/randoms-export.stdout", `"result": 4`, `"result": -3`},
		{"randoms/randoms-export.stdout", "loswjbvs", "aaaaaaaa"},
		{"randoms/randoms-export.stdout", "f202d9d4-74fe-407c-b345-caa079fbe35c", "f202d9d4-0000-407c-b345-caa079fbe35c"},
	} {
		content := string(upstreamtest.Read(t, test.name))
		changed := strings.ReplaceAll(content, test.old, test.new)
		if changed == content {
			t.Errorf("%s does not hold %q", test.name, test.old)
		}
		rules := upstreamtest.Rules{}
		if diff := cmp.Diff(document(t, rules, []byte(content)), document(t, rules, []byte(changed))); diff != "" {
			t.Errorf("%s with %q for %q differs: %s", test.name, test.new, test.old, diff)
		}
	}
}

func TestRealDifferencesStay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, old, new string }{
		{"quick/06-export-secrets.stdout", `"length": 3`, `"length": 4`},
		{"quick/06-export-secrets.stdout", `"said": "hello `, `"said": "bye `},
		{"quick/06-export-secrets.stdout", `s3cr3t`, `secret`},
		{"quick/06-export-secrets.stdout", `"additionalSecretOutputs"`, `"other"`},
		{"quick/11-preview-replace-json.stdout", `"kind": "update"`, `"kind": "add"`},
		{"quick/11-preview-replace-json.stdout", `"op": "replace"`, `"op": "update"`},
		{"quick/09-stack-history-json.stdout", `"same": 7`, `"same": 8`},
		{"randoms/randoms-export.stdout", `"result": 27188`, `"result": 27189`}, // has a seed
		{"randoms/randoms-export.stdout", `"id": "27188"`, `"id": "27189"`},
		{"randoms/randoms-export.stdout", `"id": "none"`, `"id": "x"`},
	} {
		content := string(upstreamtest.Read(t, test.name))
		changed := strings.Replace(content, test.old, test.new, 1)
		if changed == content {
			t.Errorf("%s does not hold %q", test.name, test.old)
		}
		rules := upstreamtest.Rules{}
		if cmp.Equal(document(t, rules, []byte(content)), document(t, rules, []byte(changed))) {
			t.Errorf("%s with %q for %q is taken as equal", test.name, test.new, test.old)
		}
	}
}

// A checkpoint file holds the same deployment as the export of the same state.
func TestCheckpointEqualsExport(t *testing.T) {
	t.Parallel()
	export := document(t, upstreamtest.Rules{}, upstreamtest.Read(t, "quick/06-export.stdout"))
	file := document(t, upstreamtest.Rules{}, upstreamtest.Read(t, "quick/06-be/.pulumi/stacks/quick/dev.json"))
	latest := file.(map[string]any)["checkpoint"].(map[string]any)["latest"]
	if diff := cmp.Diff(export.(map[string]any)["deployment"], latest); diff != "" {
		t.Error(diff)
	}
}

func TestOrderOfResourcesAndSets(t *testing.T) {
	t.Parallel()
	one := `{"resources":[{"urn":"urn:pulumi:s::p::t:m:A::a","type":"t:m:A","id":"first-id","dependencies":["x","y"]},
		{"urn":"urn:pulumi:s::p::t:m:B::b","type":"t:m:B","id":"second-id","outputs":{"of":"first-id, second-id"}}]}`
	two := `{"resources":[{"urn":"urn:pulumi:s::p::t:m:B::b","type":"t:m:B","id":"zweite-id","outputs":{"of":"erste-id, zweite-id"}},
		{"urn":"urn:pulumi:s::p::t:m:A::a","type":"t:m:A","id":"erste-id","dependencies":["y","x"]}]}`
	want := map[string]any{"resources": []any{
		map[string]any{"urn": "urn:pulumi:s::p::t:m:A::a", "type": "t:m:A", "id": "<t:m:A::a id>", "dependencies": []any{"x", "y"}},
		map[string]any{
			"urn": "urn:pulumi:s::p::t:m:B::b", "type": "t:m:B", "id": "<t:m:B::b id>",
			"outputs": map[string]any{"of": "<t:m:A::a id>, <t:m:B::b id>"},
		},
	}}
	for _, content := range []string{one, two} {
		if diff := cmp.Diff(want, document(t, upstreamtest.Rules{}, []byte(content))); diff != "" {
			t.Error(diff)
		}
	}
}

func TestKeepValues(t *testing.T) {
	t.Parallel()
	content := upstreamtest.Read(t, "quick/06-export-secrets.stdout")
	text, err := json.Marshal(document(t, upstreamtest.Rules{KeepValues: true}, content))
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range []string{"amazingly-closing-manatee", "hq3YSfQmGI#4OTktjxLL", "stampf0e03e77"} {
		if !strings.Contains(string(text), kept) {
			t.Errorf("%s is gone", kept)
		}
	}
}

func TestBadDocuments(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "{", "{} {}"} {
		if _, err := (upstreamtest.Rules{}).Document([]byte(content)); err == nil {
			t.Errorf("%q is taken as a document", content)
		}
	}
}
