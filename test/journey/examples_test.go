package journey_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/clitest"
)

// TestExamples deploys each example, finds nothing left to do, and takes it down again.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		folders []string
		setup   []string
		// said is a part of the last one's outputs.
		said string
	}{
		{folders: []string{"quickstart"}, setup: []string{"config", "set", "--secret", "token", "hunter22"}, said: "greeting"},
		{folders: []string{"passwords"}, said: `"alice": "[secret]"`},
		{folders: []string{"site"}, said: `"hash"`},
		{folders: []string{"two-stacks/network", "two-stacks/app"}, said: `"password": "[secret]"`},
	} {
		t.Run(c.folders[0], func(t *testing.T) {
			t.Parallel()
			w := clitest.New(t)
			var worlds []*clitest.World
			for _, folder := range c.folders {
				v := *w
				v.Project = filepath.Join(w.Root, folder)
				copyTree(t, filepath.Join(repository(t), "examples", folder), v.Project)
				worlds = append(worlds, &v)
				v.Must("stack", "init", "dev")
				if c.setup != nil {
					v.Must(c.setup...)
				}
				v.Must("up", "--yes", "--skip-preview")
				v.Must("preview", "--expect-no-changes")
			}
			last := worlds[len(worlds)-1]
			if got := last.Must("stack", "output", "--json").Stdout; !strings.Contains(got, c.said) {
				t.Errorf("%s is not in %s", c.said, got)
			}
			for i := len(worlds) - 1; i >= 0; i-- {
				worlds[i].Must("destroy", "--yes", "--skip-preview")
			}
		})
	}
}

// copyTree copies a project without the state that `make up` leaves in it.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && name != "." && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case strings.HasPrefix(d.Name(), "Pulumi.") && d.Name() != "Pulumi.yaml":
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}
