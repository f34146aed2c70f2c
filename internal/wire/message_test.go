package wire_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
	"github.com/cairn-iac/cairn/internal/wire"
)

func TestDependencies(t *testing.T) {
	t.Parallel()
	want := map[string][]urn.URN{"a": {someURN}, "b": nil}
	sent := wire.ToDependencies(want, func(urns []string) *pulumirpc.ConstructRequest_PropertyDependencies {
		return &pulumirpc.ConstructRequest_PropertyDependencies{Urns: urns}
	})
	got, err := wire.FromDependencies(sent)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	sent["c"] = &pulumirpc.ConstructRequest_PropertyDependencies{Urns: []string{"nonsense"}}
	if _, err := wire.FromDependencies(sent); err == nil || !strings.Contains(err.Error(), `property "c"`) {
		t.Errorf("got %v", err)
	}
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	got, err := wire.FromTimeouts(&pulumirpc.ConstructRequest_CustomTimeouts{Create: "1h30m", Delete: "90s", Read: "5ms"})
	want := resource.Timeouts{Create: 90 * time.Minute, Delete: 90 * time.Second, Read: 5 * time.Millisecond}
	if err != nil || got != want {
		t.Errorf("got %v, %v", got, err)
	}
	var none *pulumirpc.RegisterResourceRequest_CustomTimeouts
	if got, err := wire.FromTimeouts(none); err != nil || !got.IsZero() {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []string{"5", "-1s", "soon"} {
		_, err := wire.FromTimeouts(&pulumirpc.RegisterResourceRequest_CustomTimeouts{Update: bad})
		if err == nil || !strings.Contains(err.Error(), "customTimeouts.update") {
			t.Errorf("%s: got %v", bad, err)
		}
	}
	if s := wire.ToSeconds(1500 * time.Millisecond); s != 1.5 || wire.FromSeconds(s) != 1500*time.Millisecond {
		t.Errorf("got %v", s)
	}
	if wire.FromSeconds(1e300) != 0 || wire.FromSeconds(-1) != 0 {
		t.Error("a timeout that no duration holds is no timeout")
	}
}

func TestDiffRoundTrip(t *testing.T) {
	t.Parallel()
	detailed := map[string]event.PropertyDiff{}
	for _, k := range []event.DiffKind{
		event.DiffAdd, event.DiffAddReplace, event.DiffDelete, event.DiffDeleteReplace, event.DiffUpdate, event.DiffUpdateReplace,
	} {
		detailed[string(k)] = event.PropertyDiff{Kind: k, InputDiff: k == event.DiffAdd}
	}
	for _, want := range []plugin.DiffResponse{
		{},
		{Changes: plugin.ChangesNone, StableKeys: []string{"id"}},
		{Changes: plugin.ChangesSome, ReplaceKeys: []string{"a"}, ChangedKeys: []string{"a"}, DeleteBeforeReplace: true, DetailedDiff: detailed},
		{Changes: plugin.ChangesNone, DetailedDiff: map[string]event.PropertyDiff{}},
	} {
		if diff := cmp.Diff(want, wire.FromDiff(wire.ToDiff(want))); diff != "" {
			t.Error(diff)
		}
	}
	odd := &pulumirpc.DiffResponse{HasDetailedDiff: true, DetailedDiff: map[string]*pulumirpc.PropertyDiff{"x": {Kind: 99}}, Changes: 99}
	if got := wire.FromDiff(odd); got.DetailedDiff["x"].Kind != event.DiffUpdate || got.Changes != plugin.ChangesUnknown {
		t.Errorf("got %+v", got)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	want := []plugin.CheckFailure{{Property: "a.b", Reason: "r"}, {Reason: "whole"}}
	if diff := cmp.Diff(want, wire.FromFailures(wire.ToFailures(want))); diff != "" {
		t.Error(diff)
	}
}
