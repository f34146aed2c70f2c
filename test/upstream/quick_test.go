package upstream_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/upstreamtest"
)

// A stack that the Pulumi CLI made goes on here.
func TestQuickGoesOn(t *testing.T) {
	t.Parallel()
	s := newStory(t, "quick")
	s.sameValues = true
	s.adopt("06-be")
	s.write("Pulumi.yaml", "quick.Pulumi.yaml")
	s.write("comp/PulumiPlugin.yaml", "quick.comp.PulumiPlugin.yaml")
	s.write("Pulumi.dev.yaml", "03-Pulumi.dev.yaml")
	s.world.Must("stack", "select", "dev")
	for _, step := range []string{
		"04-config", "04-config-json", "04-config-json-secrets", "06-export", "06-export-secrets",
		"07-preview-noop", "07-preview-noop-json", "08-up-noop", "08-up-expect",
		"09-stack", "09-stack-urns", "09-stack-ls", "09-stack-ls-json", "09-stack-output", "09-stack-output-json", "09-stack-output-name",
		"09-stack-output-secrets", "09-stack-history", "09-stack-history-json", "09-whoami-json", "09-about", "09-plugin-ls",
		"10-refresh",
	} {
		s.tell(step)
	}
	s.quickChanges()
}

// quickChanges is the second half of the story: changes, errors, locks, the end.
func (s *story) quickChanges() {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Join(s.world.Root, "out"), 0o755); err != nil {
		s.t.Fatal(err)
	}
	s.write("Pulumi.yaml", "quick.step2.Pulumi.yaml")
	for _, step := range []string{"11-preview-replace", "11-preview-replace-diff", "11-preview-replace-json", "11-up", "11-export"} {
		s.tell(step)
	}
	log, err := os.ReadFile(filepath.Join(s.world.Root, "out", "11-events.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.compare("11-events.jsonl", string(upstreamtest.Read(s.t, "quick/11-events.jsonl")), string(log))
	s.write("Pulumi.yaml", "quick.Pulumi.yaml")
	s.tell("12-up-json")
	program := string(upstreamtest.Read(s.t, "quick/quick.step2.Pulumi.yaml"))
	s.world.Write("Pulumi.yaml", strings.Replace(program, "changed ", "targeted ", 1))
	s.tell("12-up-target")
	s.tell("12-target-export")
	s.write("Pulumi.yaml", "quick.Pulumi.yaml")
	for _, step := range []string{"12-up-back", "13-err-nostack", "13-err-passphrase", "13-err-flag"} {
		s.tell(step)
	}
	s.failingProgram()
	s.foreignLock()
	for _, step := range []string{"15-destroy", "15-export"} {
		s.tell(step)
	}
	s.layout("15.layout")
	s.tell("16-destroy-noop")
	s.tell("17-stack-rm")
	s.layout("17.layout")
}

// failingProgram is a recorded shell script: a preview with a misspelt name.
func (s *story) failingProgram() {
	s.t.Helper()
	program := string(upstreamtest.Read(s.t, "quick/quick.Pulumi.yaml"))
	s.world.Write("Pulumi.yaml", strings.ReplaceAll(program, "${second.id}", "${secnd.id}"))
	recorded := upstreamtest.ReadStep(s.t, "quick/13-err-program")
	r := s.run("pulumi preview --non-interactive")
	if r.Code != recorded.Code {
		s.t.Errorf("13-err-program: exit code %d instead of %d", r.Code, recorded.Code)
	}
	s.compare("13-err-program.stdout", recorded.Stdout, r.Stdout)
	s.compare("13-err-program.stderr", recorded.Stderr, r.Stderr)
	s.write("Pulumi.yaml", "quick.Pulumi.yaml")
}

// foreignLock is the lock of another machine, which nobody can know to be dead.
func (s *story) foreignLock() {
	s.t.Helper()
	folder := filepath.Join(s.world.State, ".pulumi/locks/organization/quick/dev")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		s.t.Fatal(err)
	}
	lock := `{"pid":1,"username":"root","hostname":"other","timestamp":"2026-11-30T19:00:00Z"}`
	if err := os.WriteFile(filepath.Join(folder, "00000000-0000-4000-8000-000000000000.json"), []byte(lock), 0o644); err != nil {
		s.t.Fatal(err)
	}
	s.tell("14-locked-up")
	s.tell("14-cancel")
}
