package journey_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/clitest"
)

// anything stands in a document for a value that is different each time.
const anything = "…"

// TestDocuments runs the programs in the documents: a block marked `yaml preview` can be previewed, `yaml up` deployed and
// destroyed, `yaml fails` not. Files before a program (`file=name`) are in its folder, and
// commands before it (`sh setup`) are run first. After `yaml up` a block marked
// `yaml outputs` tells the outputs, after `yaml fails` the lines of `text says` are in the message. A part of a program that
// no test can run is marked `yaml fragment`, and must at least be YAML.
func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, document := range []string{"yaml.md", "utility-providers.md", "offline.md"} {
		files := map[string]string{}
		setup := ""
		all := blocks(t, document)
		for i, b := range all {
			if name := b.file(); name != "" {
				files[name] = b.text
				continue
			}
			switch {
			case b.is("setup"):
				setup = b.text
			case b.is("fragment"):
				if err := yaml.Unmarshal([]byte(b.text), new(any)); err != nil {
					t.Errorf("%s:%d: %v", document, b.line, err)
				}
			case b.is("preview"), b.is("up"), b.is("fails"):
				story := story{document: document, block: b, files: files, setup: setup}
				if i+1 < len(all) {
					story.next = all[i+1]
				}
				files, setup = map[string]string{}, ""
				t.Run(fmt.Sprintf("%s:%d", document, b.line), story.run)
			}
		}
	}
}

// story is a program of a document with its files, and the block after it.
type story struct {
	document    string
	block, next block
	files       map[string]string
	// setup are commands to run first.
	setup string
}

func (s story) run(t *testing.T) {
	t.Parallel()
	w := clitest.New(t)
	program := s.block.text
	if !strings.HasPrefix(program, "name: ") {
		program = "name: example\nruntime: yaml\n" + program
	}
	w.Write("Pulumi.yaml", program)
	for name, text := range s.files {
		w.Write(name, text)
	}
	w.Must("stack", "init", "dev")
	for line := range strings.Lines(s.setup) {
		w.Must(strings.Fields(line)[1:]...)
	}
	switch {
	case s.block.is("preview"):
		w.Must("preview")
	case s.block.is("fails"):
		s.fails(t, w)
	default:
		w.Must("up", "--yes", "--skip-preview")
		if s.next.is("outputs") {
			s.outputs(t, w)
		}
		w.Must("preview", "--expect-no-changes")
		w.Must("destroy", "--yes", "--skip-preview")
	}
}

func (s story) fails(t *testing.T, w *clitest.World) {
	r := w.Run("preview")
	if r.Code == 0 {
		t.Fatalf("the program works:\n%s", r.Stdout)
	}
	if !s.next.is("says") {
		t.Fatal("no block marked `text says` follows")
	}
	for line := range strings.Lines(s.next.text) {
		if part := strings.TrimSpace(line); !strings.Contains(r.Stdout+r.Stderr, part) {
			t.Errorf("%q is not in\n%s%s", part, r.Stdout, r.Stderr)
		}
	}
}

// outputs compares the stack's outputs with the block that tells them.
func (s story) outputs(t *testing.T, w *clitest.World) {
	var got, want map[string]any
	text := w.Must("stack", "output", "--json").Stdout
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := yaml.Unmarshal([]byte(s.next.text), &want); err != nil {
		t.Fatalf("%s:%d: %v", s.document, s.next.line, err)
	}
	for name, value := range want {
		if value == anything && got[name] != nil {
			got[name] = anything
		}
	}
	if diff := cmp.Diff(plain(t, want), plain(t, got)); diff != "" {
		t.Errorf("(-document +stack):\n%s", diff)
	}
}

// plain is a value as JSON has it.
func plain(t *testing.T, v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestLinks follows the links between the documents.
func TestLinks(t *testing.T) {
	t.Parallel()
	root := repository(t)
	documents, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(documents, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(text), "](")[1:] {
			target, _, _ := strings.Cut(part, ")")
			target, anchor, _ := strings.Cut(target, "#")
			if strings.Contains(target, "://") {
				continue
			}
			at := filepath.Join(filepath.Dir(path), target)
			if target == "" {
				at = path
			}
			linked, err := os.ReadFile(at)
			if info, statErr := os.Stat(at); statErr == nil && info.IsDir() {
				continue
			}
			if err != nil {
				t.Errorf("%s: the link to %s leads nowhere", path, target)
				continue
			}
			if anchor != "" && !hasHeading(string(linked), anchor) {
				t.Errorf("%s: %s has no heading for #%s", path, target, anchor)
			}
		}
	}
}

func hasHeading(text, anchor string) bool {
	for line := range strings.Lines(text) {
		if heading, ok := strings.CutPrefix(line, "#"); ok {
			heading = strings.ToLower(strings.TrimSpace(strings.TrimLeft(heading, "#")))
			heading = strings.Map(func(r rune) rune {
				if strings.ContainsRune("`.,:;()'\"?", r) {
					return -1
				}
				return r
			}, heading)
			if strings.ReplaceAll(heading, " ", "-") == anchor {
				return true
			}
		}
	}
	return false
}

// The document names every function and every option that programs know.
func TestNothingUndocumented(t *testing.T) {
	t.Parallel()
	w := clitest.New(t)
	w.Write("Pulumi.yaml", "name: example\nruntime: yaml\nresources:\n  r: {type: \"random:RandomPet\", options: {nosuch: 1}}\n"+
		"variables:\n  v: {fn::nosuch: 1}\n")
	w.Must("stack", "init", "dev")
	text, err := os.ReadFile(filepath.Join(repository(t), "docs", "yaml.md"))
	if err != nil {
		t.Fatal(err)
	}
	lists := 0
	for line := range strings.Lines(w.Run("preview").Stdout) {
		names, ok := strings.CutPrefix(strings.TrimSpace(line), "There are: ")
		if !ok {
			continue
		}
		lists++
		for _, name := range strings.Split(strings.TrimSuffix(names, "."), ", ") {
			if !strings.Contains(string(text), "`"+name+"`") && !strings.Contains(string(text), "`"+name+":") {
				t.Errorf("docs/yaml.md does not tell what %s is", name)
			}
		}
	}
	if lists != 2 {
		t.Errorf("got %d lists of names, want those of options and functions", lists)
	}
}
