package display_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/display"
)

func TestZZ(t *testing.T) {
	files, _ := filepath.Glob("/tmp/dd/*.jsonl")
	for _, f := range files {
		b := strings.TrimSuffix(f, ".jsonl")
		meta, _ := os.ReadFile(b + ".meta")
		kind, p, _ := strings.Cut(string(meta), " ")
		opts := display.Options{Clock: frozen(), Phase: display.Phase{Kind: display.Kind(kind), Preview: p == "true", Stack: "dev", Project: "quick"}}
		events := readLog(t, f)
		var o, e bytes.Buffer
		opts.Diagnostics = &e
		show(t, display.NewDiff(&o, opts), events)
		cut := func(s string) string { _, a, _ := strings.Cut(s, "\n"); return a }
		os.WriteFile(b+".diff.our", []byte(cut(o.String())), 0o644)
		os.WriteFile(b+".differr.our", e.Bytes(), 0o644)
		o.Reset()
		show(t, display.NewProgress(&o, opts), events)
		os.WriteFile(b+".prog.our", []byte(cut(o.String())), 0o644)
		os.WriteFile(b+".details.our", []byte(display.Details(events, opts)+"\n"), 0o644)
	}
}
