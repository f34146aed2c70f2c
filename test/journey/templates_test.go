package journey_test

import (
	"context"
	"testing"

	"github.com/cairn-iac/cairn/internal/cli/cmd/new/template"
	"github.com/cairn-iac/cairn/internal/clitest"
)

// TestTemplates deploys a project of each template of the program as it comes, and takes it down again.
func TestTemplates(t *testing.T) {
	t.Parallel()
	found, err := template.Find(context.Background(), template.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tpl := range found.Templates {
		t.Run(tpl.Name, func(t *testing.T) {
			t.Parallel()
			if tpl.Description == "" {
				t.Error("the template has no description")
			}
			files, err := tpl.Render(template.Values{Project: "shop", Description: `A "quoted": text`})
			if err != nil {
				t.Fatal(err)
			}
			w := clitest.New(t)
			if _, err := template.Place(files, template.PlaceOptions{Dir: w.Project}); err != nil {
				t.Fatal(err)
			}
			w.Must("stack", "init", "dev")
			w.Must("up", "--yes", "--skip-preview")
			w.Must("preview", "--expect-no-changes")
			w.Must("destroy", "--yes", "--skip-preview")
		})
	}
}
