package journal_test

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
	"github.com/cairn-iac/cairn/internal/state/journal"
)

// TestLines pins the form of the lines: journals on disk must stay readable.
func TestLines(t *testing.T) {
	t.Parallel()
	existing := journal.BaseRef(3)
	r := &resource.State{URN: "u", Type: "t", Inputs: property.MapOf(map[string]property.Value{"a": property.String("<&>")})}
	for want, record := range map[string]journal.Record{
		`{"record":"begin","ticket":1,"operation":"creating","resource":{"urn":"u","custom":false,"type":"t","inputs":{"a":"<&>"}}}`: journal.Begin{
			Ticket: 1, Kind: resource.PendingCreating, Resource: r},
		`{"record":"begin","ticket":2,"operation":"updating","existing":"b3"}`: journal.Begin{
			Ticket: 2, Kind: resource.PendingUpdating, Resource: r, Existing: &existing},
		`{"record":"success","ticket":2,"drop":["b3"],"flag":[{"on":"p4","delete":true}],"first":5,"put":[{"urn":"u","custom":false,"type":"t","inputs":{"a":"<&>"}}]}`: journal.Success{
			Ticket: 2, Drop: []journal.Ref{existing}, Flag: []journal.Flags{{Ref: journal.PutRef(4), Delete: true}},
			Put: []journal.Put{{N: 5, State: r}}},
		`{"record":"failure","ticket":2}`: journal.Failure{Ticket: 2},
		`{"record":"secretsProvider","provider":{"type":"passphrase","state":{"salt":"s"}}}`: journal.SecretsProvider{
			Provider: &state.SecretsProvider{Type: "passphrase", State: []byte(`{"salt":"s"}`)}},
		`{"record":"folded","checkpoint":"abc"}`:    journal.Folded{Checkpoint: "abc"},
		`{"record":"clearPending","pending":[0,2]}`: journal.ClearPending{Base: []int{0, 2}},
	} {
		got, err := journal.Encode(t.Context(), record, deploymentjson.NewSecrets(nil, deploymentjson.SecretsOptions{}))
		must(t, err)
		if string(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestBadLines(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `{}`, `[]`, `{"record":"future"}`, `{"record":"begin","ticket":1}`, `{"record":"begin","ticket":1,"resource":{}}`,
		`{"record":"begin","ticket":1,"existing":"x"}`, `{"record":"success","put":[1]}`, `{"record":"success","drop":["?"]}`,
	} {
		if r, err := journal.Decode(t.Context(), []byte(text), deploymentjson.NewSecrets(nil, deploymentjson.SecretsOptions{})); err == nil {
			t.Errorf("%s reads as %+v", text, r)
		}
	}
}

// TestSize: creating or updating a recorded stack costs at most 2.5 times the bytes of its resources.
func TestSize(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../deploymentjson/testdata/upstream/quick-06.checkpoint.json")
	must(t, err)
	open := func(context.Context, *state.SecretsProvider) (secret.Crypter, error) {
		return secret.Locked("no key", nil), nil
	}
	c, secrets, err := deploymentjson.DecodeCheckpoint(t.Context(), data, open, deploymentjson.SecretsOptions{})
	must(t, err)
	const framing = len("01234567 \n")
	var changed, created, updated int
	size := func(r journal.Record) int {
		line, err := journal.Encode(t.Context(), r, secrets)
		must(t, err)
		if bytes.ContainsAny(line, "\n") {
			t.Errorf("a line break in %s", line)
		}
		return len(line) + framing
	}
	for i, r := range c.Snapshot.Resources {
		text, err := deploymentjson.AppendResource(t.Context(), nil, r, secrets)
		must(t, err)
		changed += len(text)
		begun := r.Clone()
		begun.Outputs, begun.ID = property.Map{}, ""
		ref := journal.BaseRef(i)
		success := journal.Success{Ticket: 1000, Put: []journal.Put{{N: 1000, State: r}}}
		created += size(journal.Begin{Ticket: 1000, Kind: resource.PendingCreating, Resource: begun}) + size(success)
		success.Drop = []journal.Ref{ref}
		updated += size(journal.Begin{Ticket: 1000, Kind: resource.PendingUpdating, Existing: &ref}) + size(success)
	}
	t.Logf("resources %d, journal of creates %d, of updates %d", changed, created, updated)
	if float64(created) > 2.5*float64(changed) || float64(updated) > 1.5*float64(changed) {
		t.Errorf("resources %d, journal of creates %d, of updates %d", changed, created, updated)
	}
}

// FuzzFold: no journal, however broken, makes folding panic, and what can be folded can be written and read.
func FuzzFold(f *testing.F) {
	f.Add([]byte(`{"record":"success","put":[{"urn":"urn:pulumi:s::p::t::n","type":"t"}],"first":1}` + "\n" + `{"record":"success","drop":["p1","b0"]}`))
	f.Add([]byte(`{"record":"begin","ticket":1,"operation":"creating","resource":{"urn":"u","type":"t","parent":"u"}}` + "\n" + `{"record":"failure","ticket":1}`))
	f.Add([]byte(`{"record":"begin","ticket":2,"existing":"b0"}` + "\n" + `{"record":"success","ticket":2,"flag":[{"on":"b0","delete":true}]}`))
	f.Add([]byte(`{"record":"clearPending","pending":[0]}` + "\n" + `{"record":"secretsProvider"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		secrets := deploymentjson.NewSecrets(nil, deploymentjson.SecretsOptions{})
		base := snapshot(res("a"), res("b", "a"))
		base.Pending = []state.PendingOperation{{Kind: resource.PendingCreating, Resource: res("c")}}
		var records []journal.Record
		for _, text := range bytes.Split(data, []byte("\n")) {
			r, err := journal.Decode(t.Context(), text, secrets)
			if err != nil {
				break
			}
			records = append(records, r)
		}
		for cut := range len(records) + 1 {
			got, err := journal.Fold(base, records[:cut])
			if err != nil {
				return
			}
			again, err := journal.Fold(base, records[:cut])
			if err != nil || show(got) != show(again) {
				t.Fatalf("not deterministic: %v\n%s\n%s", err, show(got), show(again))
			}
			var text bytes.Buffer
			must(t, deploymentjson.EncodeExport(t.Context(), &text, got, secrets, deploymentjson.ExportOptions{Compact: true}))
		}
	})
}
