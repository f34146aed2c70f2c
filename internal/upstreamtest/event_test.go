package upstreamtest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/upstreamtest"
)

func events(t *testing.T, lines string) []any {
	t.Helper()
	rows, err := upstreamtest.Rules{}.Events([]byte(lines))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestEventsOfAnotherRunAreEqual(t *testing.T) {
	t.Parallel()
	content := string(upstreamtest.Read(t, "quick/11-events.jsonl"))
	lines := strings.Split(strings.TrimSpace(content), "\n")
	// Another order of two resources, another id, other numbers, no debug talk.
	var other []string
	var pets []string
	for _, line := range lines {
		switch {
		case strings.Contains(line, `"severity":"debug"`):
		case strings.Contains(line, `"urn":"urn:pulumi:dev::quick::random:index/randomPet:RandomPet::first","type"`) &&
			strings.Contains(line, `Event":{"metadata":{"op":"same","urn":"urn:pulumi:dev::quick::random:index/randomPet:RandomPet::first"`):
			pets = append(pets, line)
		case strings.Contains(line, `"summaryEvent"`):
			other = append(other, pets...)
			other = append(other, strings.Replace(line, `"durationSeconds":6`, `"durationSeconds":1`, 1))
		default:
			other = append(other, line)
		}
	}
	if len(pets) != 2 {
		t.Fatalf("%d events of the pet", len(pets))
	}
	changed := strings.Join(other, "\n")
	for old, new := range map[string]string{
		`"timestamp":1796073450`: `"timestamp":1`, "amazingly-closing-manatee": "another-pet",
		"18b7669a-ddee-4aec-b703-a99eeeb74c1f": "11111111-ddee-4aec-b703-a99eeeb74c1f",
	} {
		changed = strings.ReplaceAll(changed, old, new)
	}
	if diff := cmp.Diff(events(t, content), events(t, changed)); diff != "" {
		t.Error(diff)
	}
	for old, new := range map[string]string{
		`"op":"replace"`: `"op":"update"`, `"result":"succeeded"`: `"result":"failed"`, `"keys":["length"]`: `"keys":[]`,
	} {
		if cmp.Equal(events(t, content), events(t, strings.ReplaceAll(content, old, new))) {
			t.Errorf("%s for %s is taken as equal", new, old)
		}
	}
}

func TestEventOrder(t *testing.T) {
	t.Parallel()
	rows := events(t, `{"sequence":9,"cancelEvent":{}}
{"sequence":8,"summaryEvent":{"durationSeconds":1,"result":"succeeded"}}
{"sequence":7,"diagnosticEvent":{"message":"m","severity":"info"}}
{"sequence":6,"resOutputsEvent":{"metadata":{"op":"same","urn":"b"}}}
{"sequence":5,"resourcePreEvent":{"metadata":{"op":"same","urn":"a"}}}
{"sequence":4,"diagnosticEvent":{"urn":"a","message":"m","severity":"info"}}
{"sequence":1,"preludeEvent":{"config":{}}}`)
	var got []string
	for _, row := range rows {
		for kind := range row.(map[string]any) {
			got = append(got, kind)
		}
	}
	want := []string{
		"preludeEvent", "resourcePreEvent", "diagnosticEvent", "resOutputsEvent", "diagnosticEvent", "summaryEvent", "cancelEvent",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
