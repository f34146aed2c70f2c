package yaml_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cairn-iac/cairn/internal/langhost"
)

// TestProblems runs the programs in testdata/problems.txtar: each ends with the diagnostics it must give, one a line.
func TestProblems(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/problems.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse(data).Files {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			program, want, ok := strings.Cut(string(f.Data), "\n=>\n")
			if !ok {
				t.Fatal("no =>")
			}
			r := &runner{deployment: &deployment{outputsFn: pets}, config: map[string]string{"demo:set": "x", "demo:number": "12x"}}
			runErr := r.run(t, program)
			var got []string
			for _, d := range r.diags {
				line := string(d.Severity) + " " + strings.TrimPrefix(d.Error(), "Pulumi.yaml:")
				got = append(got, strings.ReplaceAll(line, "\n", " | "))
			}
			if text := strings.Join(got, "\n"); text != strings.TrimSuffix(want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", text, want)
			}
			if failed := errors.Is(runErr, langhost.ErrBail); failed != strings.Contains("\n"+want, "\nerror ") {
				t.Errorf("run gave %v", runErr)
			}
			if strings.Contains("\n"+want, "\nerror ") && len(r.order) > 1 {
				t.Errorf("declared %v", r.order)
			}
		})
	}
}
