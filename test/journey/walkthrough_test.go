package journey_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestWalkthrough follows docs/get-started.md with the built program and an empty home folder. Lines of a block marked
// `text` must come out of the commands before it, in their order; … stands for anything.
func TestWalkthrough(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	program := build(t)
	cmd := exec.Command(bash, filepath.Join(repository(t), "tools", "walkthrough.sh"), program)
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "PULUMI_BACKEND_URL=file:///nonexistent", "PULUMI_STACK=nosuch")
	began := time.Now()
	out, err := cmd.CombinedOutput()
	t.Logf("the whole way took %.1f s", time.Since(began).Seconds())
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	came := steps(t, string(out))
	all := blocks(t, "get-started.md")
	for i, b := range all[:len(all)-1] {
		if next := all[i+1]; b.info[0] == "sh" && next.info[0] == "text" {
			compare(t, next, came[b.line])
		}
	}
}

// build makes the program in a folder of its own.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "pulumi")
	cmd := exec.Command("go", "build", "-o", program, "./cmd/pulumi")
	cmd.Dir = repository(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return program
}

// steps takes what the script printed apart, by the lines of the document.
func steps(t *testing.T, out string) map[int]string {
	t.Helper()
	mark := regexp.MustCompile(`(?m)^# docs/get-started\.md:(\d+)$`)
	found := mark.FindAllStringSubmatchIndex(out, -1)
	if len(found) == 0 {
		t.Fatalf("the script announced no step:\n%s", out)
	}
	came := map[int]string{}
	for i, at := range found {
		line, err := strconv.Atoi(out[at[2]:at[3]])
		if err != nil {
			t.Fatal(err)
		}
		end := len(out)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		came[line] = out[at[1]:end]
	}
	return came
}

// compare wants the lines of a block in an output, in their order.
func compare(t *testing.T, want block, got string) {
	t.Helper()
	rest := strings.Split(got, "\n")
	for line := range strings.Lines(want.text) {
		line = strings.TrimRight(line, " \n")
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(line), anything, ".*") + " *$")
		n := 0
		for n < len(rest) && !pattern.MatchString(rest[n]) {
			n++
		}
		if n == len(rest) {
			t.Errorf("docs/get-started.md:%d: there is no line %q, or not at its place, in:\n%s", want.line, line, got)
			return
		}
		rest = rest[n+1:]
	}
}
