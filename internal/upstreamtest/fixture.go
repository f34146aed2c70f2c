package upstreamtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Path finds a recording, such as "quick/06-up.stdout", from any package of the repository.
func Path(t testing.TB, name string) string {
	t.Helper()
	up := "."
	for range 16 {
		folder := filepath.Join(up, "testdata", "upstream")
		if _, err := os.Stat(filepath.Join(folder, "README.md")); err == nil {
			return filepath.Join(folder, filepath.FromSlash(name))
		}
		up = filepath.Join(up, "..")
	}
	t.Fatal("testdata/upstream is not above the test's folder")
	return ""
}

// Read is the content of a recording.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Step is one recorded command.
type Step struct {
	Command        string // as typed, "pulumi up --yes"
	Stdout, Stderr string
	Code           int
}

// ReadStep is a recorded command by its name, such as "quick/06-up".
func ReadStep(t testing.TB, name string) Step {
	t.Helper()
	code, err := strconv.Atoi(strings.TrimSpace(string(Read(t, name+".rc"))))
	if err != nil {
		t.Fatalf("%s.rc: %v", name, err)
	}
	return Step{
		Command: strings.TrimPrefix(strings.TrimSpace(string(Read(t, name+".cmd"))), "$ "),
		Stdout:  string(Read(t, name+".stdout")),
		Stderr:  string(Read(t, name+".stderr")),
		Code:    code,
	}
}
