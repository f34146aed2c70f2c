package yaml_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
)

const featuresFile = "FEATURES.md"

// TestFeatures keeps the list of features with their programs.
func TestFeatures(t *testing.T) {
	t.Parallel()
	byFeature := map[string][]string{}
	var differences []string
	for _, p := range programs(t) {
		for _, f := range p.features {
			byFeature[f] = append(byFeature[f], p.name)
		}
		for _, d := range p.differs {
			differences = append(differences, fmt.Sprintf("| %s | %s |", link(p.name), cell(d)))
		}
	}
	var b strings.Builder
	b.WriteString("# YAML programs: every feature with its test\n\n")
	b.WriteString("Written by `UPDATE=1 go test ./test/yaml`. Each program runs as `TestPrograms/<name>`.\n\n")
	b.WriteString("| feature | programs |\n|---|---|\n")
	for _, f := range slices.Sorted(maps.Keys(byFeature)) {
		names := byFeature[f]
		for i := range names {
			names[i] = link(names[i])
		}
		fmt.Fprintf(&b, "| %s | %s |\n", cell(f), strings.Join(names, ", "))
	}
	b.WriteString("\n## Where the Pulumi CLI does otherwise\n\n| program | what, and why |\n|---|---|\n")
	fmt.Fprintf(&b, "%s\n", strings.Join(differences, "\n"))
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(featuresFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(featuresFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(have), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("%s, -have +want (UPDATE=1 writes it):\n%s", featuresFile, diff)
	}
}

func link(name string) string { return fmt.Sprintf("[%s](testdata/%s.txtar)", name, name) }

// cell is a text for a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// TestAllIsTested finds functions and options that no program uses.
func TestAllIsTested(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, p := range programs(t) {
		for _, text := range p.files() {
			all.WriteString(text)
		}
	}
	for _, name := range template.FunctionNames() {
		if !strings.Contains(all.String(), name+":") {
			t.Errorf("no program uses the function %s", name)
		}
	}
	for _, name := range template.OptionNames() {
		if !strings.Contains(all.String(), name+":") {
			t.Errorf("no program uses the option %s", name)
		}
	}
}
