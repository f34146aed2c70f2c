//go:build linux

package chaos_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGuardMissing loses the whole cloud, as a refresh with credentials of another account does.
func TestGuardMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settingsOf(t), 500)
	defer w.leave()
	w.put(0)
	w.succeed("stack", "init", stackName)
	w.succeed(operate("up")...)
	ids, err := w.cloud.IDs()
	w.must(err)
	for _, id := range ids {
		w.must(w.cloud.Remove(id))
	}
	w.succeed("refresh", "--preview-only", "--non-interactive", "--stack", stackName)
	refuse := func(args ...string) {
		t.Helper()
		got := w.run(args...)
		if got.code == 0 || !strings.Contains(got.stdout, "They stay recorded") || !strings.Contains(got.stdout, "--guard-missing=off") {
			w.fatalf("%s; want a refusal\n%s", got, got.said())
		}
		if export := w.succeed("stack", "export", "--stack", stackName); !strings.Contains(export.stdout, ids[0]) {
			w.fatalf("%s is not recorded any more", ids[0])
		}
	}
	refuse(operate("refresh", "--guard-missing")...)
	refuse(operate("up", "--refresh", "--guard-missing=50%")...)
	project := filepath.Join(w.project, "Pulumi.yaml")
	program, err := os.ReadFile(project)
	w.must(err)
	w.must(os.WriteFile(project, append(program, "\ncairn: {guardMissing: 30}\n"...), 0o600))
	refuse(operate("refresh")...)
	if got := w.run(operate("refresh", "--guard-missing=most")...); got.code == 0 || !strings.Contains(got.stderr, "--guard-missing") {
		w.fatalf("%s; want a complaint about the flag\n%s", got, got.said())
	}
	w.succeed(operate("refresh", "--guard-missing=off")...)
	if export := w.succeed("stack", "export", "--stack", stackName); strings.Contains(export.stdout, ids[0]) {
		w.fatalf("%s is still recorded", ids[0])
	}
}
