// Command planted shows that the property tests of the engine catch bugs: it plants one in each of several rules, one at a
// time and only in a copy that the compiler sees, runs the histories, and fails unless every one is caught.
//
//	go run ./planted ROOT
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: planted ROOT")
	}
	root, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	missed := 0
	for _, b := range bugs() {
		caught, err := try(root, b)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", b.rule, err)
		case caught == "":
			missed++
			fmt.Printf("MISSED  %-20s %s\n", b.rule, b.what)
		default:
			fmt.Printf("caught  %-20s %s\n        %s\n", b.rule, b.what, caught)
		}
	}
	if missed > 0 {
		return fmt.Errorf("%d of %d planted bugs were not caught", missed, len(bugs()))
	}
	return nil
}

// try plants a bug and says how it was caught, "" if it was not.
func try(root string, b bug) (string, error) {
	planted, err := b.plant(root)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "planted")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a leftover copy harms nobody
	source, overlay := filepath.Join(dir, filepath.Base(b.file)), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(source, planted, 0o600); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, b.file): source}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		return "", err
	}
	// The limits are large: a bug that takes long to be caught is caught.
	test := exec.Command("go", "test", "-overlay", overlay, "-count=1", "-run", "^TestHistories$", "-timeout", "30m",
		"./internal/engine", "-rapid.checks=20000", "-rapid.shrinktime=1ms", "-rapid.nofailfile")
	test.Dir = root
	out, err := test.CombinedOutput()
	if err == nil {
		return "", nil
	}
	// What rapid says of the first history that went wrong, before it looks for a smaller one.
	said := regexp.MustCompile(`\[rapid\] (failed after \d+ tests: (problems:\n)?.*)`).FindSubmatch(out)
	if said == nil {
		return "", fmt.Errorf("the tests did not run: %w\n%s", err, out)
	}
	text := strings.Join(strings.Fields(string(said[1])), " ")
	return text[:min(len(text), 240)], nil
}

// bug is a small change of one file.
type bug struct {
	rule, what string
	file       string
	old, new   string
}

// plant gives the file with the bug in it.
func (b bug) plant(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, b.file))
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(text, []byte(b.old)); n != 1 {
		return nil, fmt.Errorf("%s has the text %q %d times; say in tools/planted/bugs.go where the bug goes now", b.file, b.old, n)
	}
	return bytes.Replace(text, []byte(b.old), []byte(b.new), 1), nil
}
