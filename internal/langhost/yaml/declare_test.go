package yaml_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/langhost"
	"github.com/cairn-iac/cairn/internal/langhost/yaml"
	"github.com/cairn-iac/cairn/internal/schema"
)

func TestDeclarePackage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		pkg             schema.Package
		file, text, err string
	}{
		"plain": {
			pkg:  schema.Package{Name: "p", Version: "1.2.3", PluginDownloadURL: "https://u"},
			file: "p-1.2.3.yaml", text: "packageDeclarationVersion: 1\nname: p\nversion: 1.2.3\ndownloadUrl: https://u\n",
		},
		"no version": {pkg: schema.Package{Name: "p"}, file: "p.yaml", text: "packageDeclarationVersion: 1\nname: p\n"},
		"parameterized": {
			pkg: schema.Package{Name: "null", Version: "3.2.1", Parameterization: &schema.Parameterization{
				BaseProvider: schema.Plugin{Name: "bridge", Version: "0.5.0"}, Parameter: []byte("x"),
			}},
			file: "null-3.2.1.yaml",
			text: "packageDeclarationVersion: 1\nname: bridge\nversion: 0.5.0\nparameterization:\n" +
				"    name: \"null\"\n    version: 3.2.1\n    value: eA==\n",
		},
		"parameterized without version": {
			pkg: schema.Package{Name: "x", Parameterization: &schema.Parameterization{BaseProvider: schema.Plugin{Name: "b"}}},
			err: "must have a version",
		},
		"extension": {pkg: schema.Package{Name: "x", Extension: &schema.Extension{}}, err: "not supported yet"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := yaml.DeclarePackage(&tt.pkg)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %v", err)
				}
				return
			}
			if diff := cmp.Diff([]string{tt.file, tt.text}, []string{got.File, string(got.Text)}); diff != "" || err != nil {
				t.Error(err, diff)
			}
		})
	}
}

// TestPackagesOverTheWire: what is generated is what programs then require.
func TestPackagesOverTheWire(t *testing.T) {
	t.Parallel()
	client, _ := serveHost(t)
	dir := t.TempDir()
	sdk := filepath.Join(dir, "sdks", "p")
	_, err := client.GeneratePackage(t.Context(), &pulumirpc.GeneratePackageRequest{
		Directory: sdk, Schema: `{"name": "p", "version": "1.0.0", "parameterization": {"baseProvider": {"name": "b", "version": "2.0.0"}, "parameter": "eA=="}}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	packed, err := client.Pack(t.Context(), &pulumirpc.PackRequest{PackageDirectory: sdk, DestinationDirectory: filepath.Join(dir, "dist")})
	if err != nil || packed.GetArtifactPath() != filepath.Join(dir, "dist", "p-1.0.0.yaml") {
		t.Fatal(packed, err)
	}
	if _, err := os.Stat(packed.GetArtifactPath()); err != nil {
		t.Error(err)
	}
	if _, err := client.Link(t.Context(), &pulumirpc.LinkRequest{}); err != nil {
		t.Error(err)
	}
	write(t, filepath.Join(dir, "Pulumi.yaml"), "name: demo\nresources: {a: {type: 'p:Thing'}}\n")
	got, err := yaml.New().RequiredPackages(t.Context(), langhost.Program{Root: dir, Directory: dir})
	want := []plugin.Package{{
		Name: "b", Version: "2.0.0", Parameterization: &plugin.Parameterization{Name: "p", Version: "1.0.0", Value: []byte("x")},
	}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for name, r := range map[string]*pulumirpc.GeneratePackageRequest{
		"overlays":   {Directory: sdk, Schema: `{"name": "p"}`, ExtraFiles: map[string][]byte{"a": nil}},
		"no schema":  {Directory: sdk, Schema: `{`},
		"extensions": {Directory: sdk, Schema: `{"name": "p", "extensionParameterization": {"baseProvider": {"name": "b", "version": "1.0.0"}, "parameter": ""}}`},
	} {
		if _, err := client.GeneratePackage(t.Context(), r); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
