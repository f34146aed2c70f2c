package generate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/langhost/yaml/generate"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
)

func TestResources(t *testing.T) {
	t.Parallel()
	text := func(s string) property.Value { return property.String(s) }
	inputs := property.MapOf(map[string]property.Value{
		"asset":   property.FromAsset(property.Asset{Source: property.SourceText, Location: "hello"}),
		"big":     property.Number(1234567890123),
		"escaped": text("a ${b} c"),
		"file":    property.FromArchive(property.Archive{Source: property.SourcePath, Location: "./files"}),
		"files": property.FromArchive(property.Archive{Source: property.SourceAssets, Assets: property.MapOf(map[string]property.Value{
			"a.txt": property.FromAsset(property.Asset{Source: property.SourceURI, Location: "https://example.com/a"}),
		})}),
		"lines":  text("one\ntwo\n"),
		"list":   property.NewList(property.Number(1.5), property.Bool(true), property.Null()),
		"number": text("1.10"),
		"secret": property.NewMap(map[string]property.Value{"password": text("swordfish").MakeSecret()}),
	})
	list := []generate.Resource{
		{Key: "main", State: &resource.State{
			URN: "urn:pulumi:dev::p::aws:ec2/vpc:Vpc::main", Type: "aws:ec2/vpc:Vpc", Custom: true, Inputs: inputs,
		}},
		{Key: "salt", Parent: "main", Provider: "prov", Version: "4.0.0", State: &resource.State{
			URN:  "urn:pulumi:dev::p::aws:ec2/vpc:Vpc$random:index/randomPet:RandomPet::other name",
			Type: "random:index/randomPet:RandomPet", Custom: true, Options: resource.Options{Protect: true},
		}},
	}
	want := `resources:
  main:
    type: aws:ec2:Vpc
    properties:
      asset:
        fn::stringAsset: hello
      big: 1234567890123
      escaped: a $${b} c
      file:
        fn::fileArchive: ./files
      files:
        fn::assetArchive:
          a.txt:
            fn::remoteAsset: https://example.com/a
      lines: |
        one
        two
      list:
        - 1.5
        - true
        - null
      number: "1.10"
      secret:
        password:
          fn::secret: '[secret]' # not shown: fill it in from the configuration, or use --show-secrets
  salt:
    type: random:RandomPet
    name: other name
    options:
      parent: ${main}
      protect: true
      provider: ${prov}
      version: 4.0.0
`
	got, err := generate.Resources(list, generate.Options{})
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, (-want +got):\n%s", err, diff)
	}
	got, err = generate.Resources(list[:1], generate.Options{Secrets: true})
	if err != nil || !strings.Contains(got, "fn::secret: swordfish") {
		t.Errorf("error %v, got %s", err, got)
	}
}
