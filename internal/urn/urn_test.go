package urn_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/cairn-iac/cairn/internal/urn"
)

func TestParts(t *testing.T) {
	t.Parallel()
	u := urn.New("dev", "proj", "my:index:Group", "random:index/randomPet:RandomPet", "a::b $ c/\n")
	if u.Stack() != "dev" || u.Project() != "proj" || u.Name() != "a::b $ c/\n" ||
		u.QualifiedType() != "my:index:Group$random:index/randomPet:RandomPet" || u.Type() != "random:index/randomPet:RandomPet" {
		t.Errorf("parts of %q", u)
	}
	if root := urn.New("dev", "proj", urn.StackType, "t:i:T", "n"); root.QualifiedType() != "t:i:T" {
		t.Errorf("the stack is not part of its children's types: %q", root)
	}
	for _, bad := range []string{"", "urn:pulumi:", "urn:pulumi:a::b::c", "arn:a::b::c::d"} {
		if _, err := urn.Parse(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	for text, want := range map[urn.Type]string{
		"random:index/randomPet:RandomPet": "random:index:RandomPet",
		"command:local:Command":            "command:local:Command",
		"aws:s3/bucketV2:BucketV2":         "aws:s3:BucketV2",
		"aws:s3/other:Bucket":              "aws:s3/other:Bucket",
		"free text":                        "free text",
	} {
		if got := text.Short(); got != want {
			t.Errorf("%s: short %q", text, got)
		}
	}
	p := urn.ProviderType("aws")
	if !p.IsProvider() || p.ProviderPackage() != "aws" || urn.Type("a:b:c").IsProvider() {
		t.Errorf("provider type %q", p)
	}
}

func TestAnyNameSurvives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		u := urn.New("s", "p", "", "a:b:C", name)
		if back, err := urn.Parse(string(u)); err != nil || back.Name() != name || back.Type() != "a:b:C" {
			t.Fatalf("%q: %q, %v", name, back.Name(), err)
		}
	})
}

func TestProviderRef(t *testing.T) {
	t.Parallel()
	ref := urn.ProviderRef{URN: urn.New("s", "p", "", urn.ProviderType("aws"), "x::y"), ID: "id"}
	back, err := urn.ParseProviderRef(ref.String())
	if err != nil || back != ref {
		t.Errorf("%v, %v", back, err)
	}
	for _, bad := range []string{"x", "urn:pulumi:s::p::a:b:C::n::id"} {
		if _, err := urn.ParseProviderRef(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
