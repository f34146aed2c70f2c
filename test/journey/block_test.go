package journey_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// block is a fenced block of a document.
type block struct {
	// info are the words behind the fence: a language, then what the block is for.
	info []string
	text string
	// line is where it starts.
	line int
}

// is says whether the block is for a purpose.
func (b block) is(purpose string) bool { return len(b.info) > 1 && b.info[1] == purpose }

// file is the name of the file that the block holds, "" for none.
func (b block) file() string {
	if len(b.info) < 2 {
		return ""
	}
	name, _ := strings.CutPrefix(b.info[1], "file=")
	if name == b.info[1] {
		return ""
	}
	return name
}

// repository is the repository's root folder.
func repository(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// blocks reads the fenced blocks of a document in docs/.
func blocks(t testing.TB, document string) []block {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository(t), "docs", document))
	if err != nil {
		t.Fatal(err)
	}
	var out []block
	var open *block
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		info, fence := strings.CutPrefix(strings.TrimRight(line, "\n"), "```")
		switch {
		case open == nil && fence:
			open = &block{info: strings.Fields(info), line: number}
		case fence:
			out = append(out, *open)
			open = nil
		case open != nil:
			open.text += line
		}
	}
	if open != nil {
		t.Fatalf("%s:%d: the block has no end", document, open.line)
	}
	return out
}
