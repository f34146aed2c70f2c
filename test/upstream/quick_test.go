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
	s.tell("04-config", "04-config-json", "04-config-json-secrets")
	s.quickGoesOn()
}

// The same story, all of it told by this program.
func TestQuickFromTheBeginning(t *testing.T) {
	t.Parallel()
	s := newStory(t, "quick")
	s.write("Pulumi.yaml", "quick.Pulumi.yaml")
	s.write("comp/PulumiPlugin.yaml", "quick.comp.PulumiPlugin.yaml")
	s.tell("01-stack-init", "02-config-set", "03-config-set-secret", "04-config-json-secrets", "04-config-json", "04-config")
	s.layout("04.layout")
	s.tell("05-preview", "05-preview-diff", "05-preview-json")
	up := s.run(s.recorded("06-up").Command)
	s.know("06-export-secrets.stdout")
	s.check("06-up", up)
	s.layout("06.layout")
	s.quickGoesOn()
}

// quickGoesOn is what was recorded after the first update.
func (s *story) quickGoesOn() {
	s.t.Helper()
	s.tell("06-export", "06-export-secrets", "07-preview-noop", "07-preview-noop-json", "08-up-noop", "08-up-expect",
		"09-stack", "09-stack-urns", "09-stack-ls", "09-stack-ls-json",
		"09-stack-output", "09-stack-output-json", "09-stack-output-name", "09-stack-output-secrets",
		"09-stack-history", "09-stack-history-json", "09-whoami-json", "09-about", "09-plugin-ls", "10-refresh")
	s.secondStep()
	s.targeted()
	s.tell("13-err-nostack", "13-err-passphrase", "13-err-flag")
	s.failingProgram()
	s.foreignLock()
	s.tell("15-destroy", "15-export")
	s.layout("15.layout")
	s.tell("16-destroy-noop", "17-stack-rm")
	s.layout("17.layout")
}

// secondStep replaces one resource and updates another, and goes back.
func (s *story) secondStep() {
	s.t.Helper()
	s.write("Pulumi.yaml", "quick.step2.Pulumi.yaml")
	out := filepath.Join(s.world.Root, "out")
	if err := os.MkdirAll(out, 0o755); err != nil {
		s.t.Fatal(err)
	}
	s.tell("11-preview-replace", "11-preview-replace-diff", "11-preview-replace-json", "11-up", "11-export")
	log, err := os.ReadFile(filepath.Join(out, "11-events.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.compare("11-events.jsonl", string(upstreamtest.Read(s.t, "quick/11-events.jsonl")), string(log))
	s.write("Pulumi.yaml", "quick.Pulumi.yaml")
	s.tell("12-up-json")
}

// targeted updates one resource of a program that would replace another one, and goes back.
func (s *story) targeted() {
	s.t.Helper()
	program := string(upstreamtest.Read(s.t, "quick/quick.step2.Pulumi.yaml"))
	s.world.Write("Pulumi.yaml", strings.Replace(program, "changed ", "targeted ", 1))
	s.tell("12-up-target", "12-target-export")
	s.write("Pulumi.yaml", "quick.Pulumi.yaml")
	s.tell("12-up-back")
}

// failingProgram previews with a misspelt name; the recording did so from a shell script.
func (s *story) failingProgram() {
	s.t.Helper()
	program := string(upstreamtest.Read(s.t, "quick/quick.Pulumi.yaml"))
	s.world.Write("Pulumi.yaml", strings.ReplaceAll(program, "${second.id}", "${secnd.id}"))
	s.check("13-err-program", s.run("pulumi preview --non-interactive"))
	s.write("Pulumi.yaml", "quick.Pulumi.yaml")
}

// foreignLock meets the lock of another machine, which nobody can know to be dead.
func (s *story) foreignLock() {
	s.t.Helper()
	folder := filepath.Join(s.world.State, ".pulumi", "locks", "organization", "quick", "dev")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		s.t.Fatal(err)
	}
	lock := `{"pid":1,"username":"root","hostname":"other","timestamp":"2026-11-30T19:00:00Z"}`
	if err := os.WriteFile(filepath.Join(folder, "00000000-0000-4000-8000-000000000000.json"), []byte(lock), 0o644); err != nil {
		s.t.Fatal(err)
	}
	s.tell("14-locked-up", "14-cancel")
}
