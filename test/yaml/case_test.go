// Package yaml_test runs programs in YAML, one file of testdata each, and compares what they do with what is written
// down there: steps, diagnostics, outputs and state. UPDATE=1 writes it down.
//
// A file is a txtar archive. Its comment is a title and lines "name: value":
//
//	feature: what the program shows, for FEATURES.md
//	differs: what the Pulumi CLI does otherwise, and why
//	provider: fp gives it the fake provider
//
// Its files are the project's, with {{server}} for the address of a web server of the files below www/. Two are
// special: script holds the commands, want what they do. A script knows all commands of the program and
//
//	put DIR    copies the files below DIR over the project, for its next version
//	in DIR     goes to another project, below the first one
package yaml_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

const (
	scriptFile = "script"
	wantFile   = "want"
	webFolder  = "www/"
)

// program is one file of testdata.
type program struct {
	name, path string
	title      string
	features   []string
	differs    []string
	fake       bool
	script     []string
	want       string
	archive    *txtar.Archive
}

func programs(t *testing.T) []*program {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var out []*program
	for _, path := range paths {
		out = append(out, readProgram(t, path))
	}
	return out
}

func readProgram(t *testing.T, path string) *program {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p := &program{name: strings.TrimSuffix(filepath.Base(path), ".txtar"), path: path, archive: archive}
	p.readComment(t, string(archive.Comment))
	for _, file := range archive.Files {
		switch file.Name {
		case scriptFile:
			p.script = lines(string(file.Data))
		case wantFile:
			p.want = string(file.Data)
		}
	}
	if len(p.script) == 0 {
		p.script = []string{"up"}
	}
	return p
}

func (p *program) readComment(t *testing.T, text string) {
	t.Helper()
	for _, line := range lines(text) {
		key, value, isPair := strings.Cut(line, ": ")
		switch {
		case p.title == "":
			p.title = line
		case isPair && key == "feature":
			p.features = append(p.features, value)
		case isPair && key == "differs":
			p.differs = append(p.differs, value)
		case line == "provider: fp":
			p.fake = true
		default:
			t.Fatalf("%s: the comment has a line of no meaning: %s", p.path, line)
		}
	}
	if p.title == "" || len(p.features) == 0 {
		t.Fatalf("%s: the comment needs a title and a feature", p.path)
	}
}

// files are the files of the project, by name.
func (p *program) files() map[string]string {
	out := map[string]string{}
	for _, file := range p.archive.Files {
		if file.Name != scriptFile && file.Name != wantFile {
			out[file.Name] = string(file.Data)
		}
	}
	return out
}

// rewrite puts what happened into the archive.
func (p *program) rewrite(t *testing.T, got string) {
	t.Helper()
	kept := p.archive.Files[:0]
	for _, file := range p.archive.Files {
		if file.Name != wantFile {
			kept = append(kept, file)
		}
	}
	p.archive.Files = append(kept, txtar.File{Name: wantFile, Data: []byte(got)})
	if err := os.WriteFile(p.path, txtar.Format(p.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// lines are the lines of a text that say something.
func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}
