package display_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/display"
	"github.com/cairn-iac/cairn/internal/event"
)

func frozen() display.Clock {
	at := time.Date(2026, 11, 30, 21, 17, 30, 0, time.UTC)
	return display.Clock{Now: func() time.Time { return at }}
}

func show(t testing.TB, v display.View, events []event.Event) {
	t.Helper()
	for _, e := range events {
		v.Handle(e)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestX(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("testdata", "upstream")
	var b bytes.Buffer
	show(t, display.NewProgress(&b, display.Options{Clock: frozen(), Phase: display.Phase{Kind: display.Update, Stack: "dev", Project: "quick"}}), readLog(t, filepath.Join(dir, "quick-11-events.jsonl")))
	want, _ := os.ReadFile(filepath.Join(dir, "quick-11-up.stdout"))
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Error(d)
	}
}
