package yaml_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/langhost"
	"github.com/cairn-iac/cairn/internal/langhost/yaml"
)

func TestRequiredPackages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "sdks", "given.yaml"), "packageDeclarationVersion: 1\nname: given\nversion: 1.0.0\ndownloadUrl: https://g\n")
	write(t, filepath.Join(dir, "sdks", "unused.yaml"), "packageDeclarationVersion: 1\nname: unused\n")
	write(t, filepath.Join(dir, "node_modules", "x.yaml"), "packageDeclarationVersion: 1\nname: hidden\n")
	write(t, filepath.Join(dir, "Pulumi.yaml"), `
name: demo
resources:
  a: {type: random:RandomPet}
  b: {type: "pulumi:providers:aws", options: {version: 6.0.0}}
  c: {type: aws:s3:Bucket}
  d: {type: aws:s3:Bucket, options: {version: 7.0.0, pluginDownloadURL: "https://u"}}
  e: {type: "pulumi:pulumi:StackReference"}
  f: {type: "given:Thing"}
  g: {type: random:RandomId, options: {version: v4.16}}
  h: {type: random:RandomId, options: {version: 4.16.0}}
variables:
  v: {fn::toJSON: ["fn::command:local:run": {command: x}]}
`)
	got, err := yaml.New().RequiredPackages(t.Context(), langhost.Program{Root: dir, Directory: dir})
	if err != nil {
		t.Fatal(err)
	}
	want := []plugin.Package{
		{Name: "aws", Version: "6.0.0"}, {Name: "aws", Version: "7.0.0", DownloadURL: "https://u"}, {Name: "command"},
		{Name: "given", Version: "1.0.0", DownloadURL: "https://g"}, {Name: "random"}, {Name: "random", Version: "4.16.0"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRequiredPackagesOfABrokenProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "Pulumi.yaml"), "outputs: ${\n")
	if got, err := yaml.New().RequiredPackages(t.Context(), langhost.Program{Directory: dir}); err != nil || got != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestNoProgram(t *testing.T) {
	t.Parallel()
	_, err := yaml.New().RequiredPackages(t.Context(), langhost.Program{Directory: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "expected Main.json, Main.yaml or Pulumi.yaml") {
		t.Errorf("got %v", err)
	}
}

func TestCompiler(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a b.txt"), "resources: {a: {type: 'made:Up'}}\n")
	compile := func(command any) ([]plugin.Package, error) {
		return yaml.New().RequiredPackages(t.Context(), langhost.Program{
			Directory: dir, Options: map[string]any{"compiler": command}, Environment: []string{"PATH=/usr/bin:/bin"},
		})
	}
	got, err := compile(`cat "a b.txt"`)
	if err != nil || len(got) != 1 || got[0].Name != "made" {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []any{"", "cat 'x", "cat none", 3} {
		if _, err := compile(bad); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}

func TestBrokenDeclarations(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no name":   "packageDeclarationVersion: 1\n",
		"parameter": "packageDeclarationVersion: 1\nname: x\nparameterization: {name: y, version: 1.0.0, value: '%'}\n",
		"extension": "packageDeclarationVersion: 1\nname: x\nextension: {name: y}\n",
	} {
		r := &runner{files: map[string]string{"sdks/x.yaml": text}}
		if err := r.run(t, "name: demo\n"); err == nil || !strings.Contains(err.Error(), "x.yaml") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
