package journey_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRulesHaveProofs checks that every rule of the table names tests, and that there are tests of these names.
func TestRulesHaveProofs(t *testing.T) {
	t.Parallel()
	proof := regexp.MustCompile("`((?:internal|test)/[a-z/]+)\\s+(?:(Test\\w+)(?:/([^`]+))?|([a-z_-]+\\.txtar))`")
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "engine-rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{} // the tests of a package
	rows := 0
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "| ") && line != "| rule | proof |" {
			rows++
			if !proof.MatchString(line) {
				t.Errorf("line %d: the rule has no proof: %s", i+1, line)
			}
		}
	}
	if rows < 60 {
		t.Errorf("only %d rules", rows)
	}
	for _, m := range proof.FindAllStringSubmatch(string(text), -1) {
		folder, function, part, script := filepath.Join(root, m[1]), m[2], m[3], m[4]
		if script != "" {
			for _, below := range []string{"testdata/script", "testdata"} {
				if _, err := os.Stat(filepath.Join(folder, below, script)); err == nil {
					script = ""
				}
			}
			if script != "" {
				t.Errorf("%s has no script %s", m[1], script)
			}
			continue
		}
		if sources[folder] == "" {
			files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				source, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				sources[folder] += string(source)
			}
		}
		if !strings.Contains(sources[folder], "func "+function+"(t *testing.T)") {
			t.Errorf("%s has no %s", m[1], function)
		}
		if part != "" && !strings.Contains(sources[folder], `"`+part+`"`) {
			t.Errorf("%s of %s has no case %q", function, m[1], part)
		}
	}
}
