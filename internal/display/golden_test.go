package display_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cairn-iac/cairn/internal/display"
	"github.com/cairn-iac/cairn/internal/display/palette"
)

// TestGolden shows each case of testdata/case in the views it has sections for. UPDATE=1 rewrites them.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "case", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sections := readCase(t, file)
			s := parseScript(t, phaseOf(t, sections["phase"]), sections["events"])
			for i, f := range archive.Files {
				if slices.Contains([]string{"phase", "options", "events"}, f.Name) {
					continue
				}
				opts := optionsOf(t, sections["options"])
				opts.Phase = s.phase
				got := s.view(t, f.Name, opts)
				if got != "" && !strings.HasSuffix(got, "\n") {
					got += "\n"
				}
				if os.Getenv("UPDATE") != "" {
					archive.Files[i].Data = []byte(got)
				} else if d := cmp.Diff(string(f.Data), got); d != "" {
					t.Errorf("%s, -want +got:\n%s", f.Name, d)
				}
			}
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func optionsOf(t testing.TB, words string) display.Options {
	t.Helper()
	var o display.Options
	for _, w := range strings.Fields(words) {
		switch w {
		case "config":
			o.Show.Config = true
		case "sames":
			o.Show.Sames = true
		case "reads":
			o.Show.Reads = true
		case "steps":
			o.Show.ReplacementSteps = true
		case "secrets":
			o.Show.Secrets = true
		case "urns":
			o.Show.URNs = true
		case "debug":
			o.Show.Debug = true
		case "no-outputs":
			o.Suppress.Outputs = true
		case "short":
			o.Suppress.FullOutput = true
		case "raw":
			o.Palette = palette.New(palette.Raw)
		case "emoji":
			o.Emoji = true
		case "colour":
			o.Palette = palette.New(palette.Always)
		default:
			t.Fatalf("option %q", w)
		}
	}
	return o
}
