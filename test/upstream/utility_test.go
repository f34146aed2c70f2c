package upstream_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/upstreamtest"
)

// utilityStory is a project that uses every resource of one provider.
func utilityStory(t *testing.T, folder string) *story {
	t.Helper()
	s := newStory(t, folder)
	s.write("Pulumi.yaml", folder+".Pulumi.yaml")
	return s
}

// An exported stack that the Pulumi CLI and the published provider made is imported and goes on here.
func TestUtilitiesGoOn(t *testing.T) {
	t.Parallel()
	for folder, resources := range map[string]int{"randoms": 15, "commands": 4} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			s := utilityStory(t, folder)
			s.write("Pulumi.dev.yaml", folder+".Pulumi.dev.yaml")
			s.world.Write("made.txt", "file\n") // what the commands made where they were recorded
			s.tell(folder + "-init")
			exported := s.here(string(upstreamtest.Read(t, folder+"/"+folder+"-export-encrypted.stdout")))
			s.world.Write("exported.json", exported)
			s.world.Must("stack", "import", "--file", filepath.Join(s.world.Project, "exported.json"))
			s.know(folder + "-export.stdout")
			s.tell(folder+"-export", folder+"-export-encrypted")
			s.noChanges(resources)
			s.utilityGoesOn()
		})
	}
}

// The same stories, all of them told by this program.
func TestUtilitiesFromTheBeginning(t *testing.T) {
	t.Parallel()
	for folder, resources := range map[string]int{"randoms": 15, "commands": 4} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			s := utilityStory(t, folder)
			s.tell(folder + "-init")
			up := s.run(s.recorded(folder + "-up").Command)
			s.know(folder + "-export.stdout")
			s.check(folder+"-up", up)
			s.tell(folder+"-export", folder+"-export-encrypted")
			s.noChanges(resources)
			s.utilityGoesOn()
		})
	}
}

// utilityGoesOn refreshes, goes to the second version of the program, and destroys everything.
func (s *story) utilityGoesOn() {
	s.t.Helper()
	s.tell(s.folder + "-refresh")
	s.write("Pulumi.yaml", s.folder+".step2.Pulumi.yaml")
	s.tell(s.folder + "-2-preview-diff")
	up := s.run(s.recorded(s.folder + "-2-up").Command)
	s.know(s.folder + "-2-export.stdout")
	s.check(s.folder+"-2-up", up)
	s.tell(s.folder+"-2-export", s.folder+"-destroy")
}

// noChanges previews and counts what stays the same.
func (s *story) noChanges(resources int) {
	s.t.Helper()
	var preview struct{ ChangeSummary map[string]int }
	if err := json.Unmarshal([]byte(s.world.Must("preview", "--json").Stdout), &preview); err != nil {
		s.t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"same": resources}, preview.ChangeSummary); diff != "" {
		s.t.Errorf("a preview without changes, -want +have:\n%s", diff)
	}
}
