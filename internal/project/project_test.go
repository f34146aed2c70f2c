package project_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cairn-iac/cairn/internal/config"
	"github.com/cairn-iac/cairn/internal/config/document"
	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/project"
)

func disk() project.Files { return project.Files{Stat: os.Stat, ReadFile: os.ReadFile} }

// memory is a file system whose root is /.
func memory(m fstest.MapFS) project.Files {
	return project.Files{
		Stat:     func(path string) (fs.FileInfo, error) { return fs.Stat(m, strings.TrimPrefix(path, "/")) },
		ReadFile: func(path string) ([]byte, error) { return fs.ReadFile(m, strings.TrimPrefix(path, "/")) },
	}
}

func TestLoadsRecordedProjects(t *testing.T) {
	t.Parallel()
	p, err := project.Load(disk(), filepath.Join("testdata", "upstream", "quick.Pulumi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	two := config.Value{}
	if p.Config[1].Default == nil {
		t.Fatal("no default")
	}
	two = *p.Config[1].Default
	want := &project.Project{
		Path: "testdata/upstream/quick.Pulumi.yaml", Name: "quick", Runtime: project.Runtime{Name: "yaml"},
		Description: "resources with a dependency, a secret, a component, a command and outputs",
		Config: []project.ConfigEntry{
			{Name: "token", Address: config.Address{Key: config.Key{Namespace: "quick", Name: "token"}, Path: config.Path{}}, Own: true, Type: &project.Type{Name: "string"}, Secret: true},
			{Name: "words", Address: config.Address{Key: config.Key{Namespace: "quick", Name: "words"}, Path: config.Path{}}, Own: true, Type: &project.Type{Name: "integer"}, Default: &two},
		},
		Packages: []project.Package{{Name: "pair", Source: "./comp"}},
	}
	ignore := []cmp.Option{
		cmpopts.IgnoreFields(project.Project{}, "Document"), cmpopts.IgnoreFields(project.ConfigEntry{}, "Position"),
		cmpopts.IgnoreFields(project.Package{}, "Position"), cmp.Comparer(config.Value.Equal),
	}
	if diff := cmp.Diff(want, p, ignore...); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if two.ProgramText() != "2" || p.Config[0].Position.String() != "testdata/upstream/quick.Pulumi.yaml:5:3" {
		t.Errorf("default %s at %s", two.ProgramText(), p.Config[0].Position)
	}
	if _, ok := document.Lookup(p.Document.Root, "resources"); !ok {
		t.Error("the program is not at hand")
	}
	for _, name := range []string{"randoms", "commands"} {
		if p, err := project.Load(disk(), filepath.Join("testdata", "upstream", name+".Pulumi.yaml")); err != nil || p.Name != name || len(p.Warnings) > 0 {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	plugin, err := project.LoadPlugin(disk(), filepath.Join("testdata", "upstream", "quick.comp.PulumiPlugin.yaml"))
	if err != nil || plugin.Name != "pair" || plugin.Runtime.Name != "yaml" || plugin.Document == nil {
		t.Errorf("plugin %+v, %v", plugin, err)
	}
}

const everything = `name: all
runtime:
  name: nodejs
  options: {typescript: false, nodeargs: [--trace, 1, 1.5, {deep: ~}], port: 8080}
main: src
description: d
author: a
website: w
license: l
stackConfigDir: stacks
backend: {url: "file://~"}
options: {refresh: always}
cairn: {guardMissing: 30}
requiredPulumiVersion: ">=3.0.0"
template:
  displayName: D
  important: true
  metadata: {cloud: aws}
  config:
    aws:region: {description: r, default: us-west-2, secret: true}
packages:
  a: random@4.21.2
  b:
    source: terraform-provider
    version: 1.2.3
    parameters: [hashicorp/time]
    pluginDownloadURL: https://example.com
    checksums: {linux-x64: abc}
    extensions: [e]
plugins:
  providers: [{name: p, path: ../p, version: 1.0.0}]
  languages: [{name: l, path: ./l}]
config:
  plain: text
  num: 251985589757358482
  list: [1, two]
  aws:region: eu
  typed: {type: array, items: {type: array, items: {type: integer}}, default: [[1], ["2"]], description: x}
  other:ns: {value: {a: 1}}
  deep.key: {default: true}
`

func TestParseEverything(t *testing.T) {
	t.Parallel()
	p, err := project.Parse("/p/Pulumi.yaml", []byte(everything))
	if err != nil {
		t.Fatal(err)
	}
	got := []any{p.Runtime, p.Main, p.Author, p.Website, p.License, p.BackendURL, p.RefreshAlways, *p.GuardMissing, p.RequiredPulumiVersion, *p.Template, p.Plugins}
	want := []any{
		project.Runtime{Name: "nodejs", Options: map[string]any{
			"typescript": false, "nodeargs": []any{"--trace", 1, 1.5, map[string]any{"deep": nil}}, "port": 8080,
		}},
		"src", "a", "w", "l", "file://~", true, 30, ">=3.0.0",
		project.Template{DisplayName: "D", Important: true, Metadata: map[string]string{"cloud": "aws"}, Config: []project.TemplateConfig{
			{Name: "aws:region", Description: "r", Default: "us-west-2", Secret: true},
		}},
		project.Plugins{Providers: []project.Plugin{{Name: "p", Path: "../p", Version: "1.0.0"}}, Languages: []project.Plugin{{Name: "l", Path: "./l"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	packages := []project.Package{
		{Name: "a", Source: "random", Version: "4.21.2"},
		{
			Name: "b", Source: "terraform-provider", Version: "1.2.3", Parameters: []string{"hashicorp/time"}, PluginDownloadURL: "https://example.com",
			Checksums: map[string]string{"linux-x64": "abc"}, Extensions: []string{"e"},
		},
	}
	if diff := cmp.Diff(packages, p.Packages, cmpopts.IgnoreFields(project.Package{}, "Position")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for stack, want := range map[string]string{"dev": "/p/stacks/Pulumi.dev.yaml", "organization/all/dev": "/p/stacks/Pulumi.dev.yaml"} {
		if got := p.StackFile(stack); got != want {
			t.Errorf("StackFile(%s) = %s", stack, got)
		}
	}
	m, err := p.EffectiveConfig(nil)
	if err != nil {
		t.Fatal(err)
	}
	program, err := m.Program()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{
		"all:plain": "text", "all:num": "251985589757358482", "all:list": `[1,"two"]`, "aws:region": "eu", "all:typed": `[[1],["2"]]`,
		"other:ns": `{"a":1}`, "all:deep": `{"key":true}`,
	}, program.Values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := p.CheckConfig("dev", m); err != nil {
		t.Error(err)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"":                                     "Pulumi.yaml: the project file is empty; it needs a name and a runtime",
		"[]":                                   "Pulumi.yaml:1:1: the file must hold keys and values, not a list",
		"runtime: yaml":                        "Pulumi.yaml:1:1: project is missing a 'name' attribute",
		"runtime: yaml\nnam: x":                "Pulumi.yaml:2:1: project is missing a 'name' attribute; found 'nam' instead",
		"NAME: x":                              "Pulumi.yaml:1:1: project is missing a 'name' attribute; found 'NAME' instead",
		"name: ''":                             "Pulumi.yaml:1:7: project is missing a non-empty string 'name' attribute",
		"name: [x]":                            "Pulumi.yaml:1:7: project is missing a non-empty string 'name' attribute",
		"name: 5":                              "Pulumi.yaml:1:7: name must be a text, not a number; put it in quotes if it is one",
		"name: a b":                            "Pulumi.yaml:1:7: the project's name 'a b' cannot be used: project names may only contain alphanumerics, hyphens, underscores, and periods",
		"name: ..":                             "Pulumi.yaml:1:7: the project's name '..' cannot be used: project names need more than periods",
		"name: x\nname: y":                     `Pulumi.yaml:2:1: the key "name" stands twice: it is in line 1 already`,
		"name: x\nruntime: [yaml":              "Pulumi.yaml:2: the file is not valid YAML: did not find expected ',' or ']'",
		"name: x\nruntime: 5":                  "Pulumi.yaml:2:10: runtime must be a name, or a mapping with name and options, not a number",
		"name: x\nruntime: {nme: y}":           "Pulumi.yaml:2:11: runtime has no attribute 'nme'; did you mean 'name'?",
		"name: x\nruntime: {name: y, x: y}":    "Pulumi.yaml:2:20: runtime has no attribute 'x'; it takes 'name', 'options'",
		"name: x\nbackend: {urll: y}":          "Pulumi.yaml:2:11: backend has no attribute 'urll'; did you mean 'url'?",
		"name: x\nbackend: y":                  "Pulumi.yaml:2:10: backend must be a mapping, not a text",
		"name: x\nmain: 1.10":                  "Pulumi.yaml:2:7: main must be a text, not a number; put it in quotes if it is one",
		"name: x\ncairn: {guardMissing: many}": "Pulumi.yaml:2:23: cairn.guardMissing must be a whole number from 0 to 100, a share in percent",
		"name: x\noptions: {refresh: maybe}":   "Pulumi.yaml:2:20: options.refresh: value must be \"always\"; leave it out to refresh on demand",
		"name: x\npackages: [a]":               "Pulumi.yaml:2:11: packages must be a mapping, not a list",
		"name: x\npackages: {a: {version: 1.0.0}}":                                  "Pulumi.yaml:2:15: packages.a names no source: give a package's name, a URL or a path",
		"name: x\npackages: {a: {sorce: b}}":                                        "Pulumi.yaml:2:16: packages.a has no attribute 'sorce'; did you mean 'source'?",
		"name: x\nplugins: {providers: [{name: a}]}":                                "Pulumi.yaml:2:23: an entry of plugins.providers needs a name and a path",
		"name: x\nplugins: {providers: {a: b}}":                                     "Pulumi.yaml:2:22: plugins.providers must be a list, not a mapping",
		"name: x\ntemplate: {important: maybe}":                                     "Pulumi.yaml:2:23: template.important must be true or false, not a text",
		"name: x\nconfig: dir\nstackConfigDir: other":                               "Pulumi.yaml:2:9: Should not use both config and stackConfigDir to define the stack directory. Use only stackConfigDir instead.",
		"name: x\nconfig: [a]":                                                      "Pulumi.yaml:2:9: config must be a mapping, not a list",
		"name: x\nconfig: {d: ~}":                                                   "Pulumi.yaml:2:10: config.d needs a type or a default, or a value: `d: {type: string}`",
		"name: x\nconfig: {d: {typ: string}}":                                       "Pulumi.yaml:2:14: config.d has no attribute 'typ'; did you mean 'type'?",
		"name: x\nconfig: {d: {type: strng}}":                                       "Pulumi.yaml:2:20: config.d.type must be one of 'string', 'integer', 'number', 'boolean', 'array', 'object'; did you mean 'string'?",
		"name: x\nconfig: {d: {type: array}}":                                       "Pulumi.yaml:2:20: The configuration key 'd' declares an array but does not specify the underlying type via the 'items' attribute",
		"name: x\nconfig: {d: {type: string, items: {type: string}}}":               "Pulumi.yaml:2:35: config.d.items is for arrays only",
		"name: x\nconfig: {d: {items: {type: string}}}":                             "Pulumi.yaml:2:21: config.d has items but no type; add `type: array`",
		"name: x\nconfig: {d: {type: array, items: {}}}":                            "Pulumi.yaml:2:34: config.d.items needs a type",
		"name: x\nconfig: {d: {value: x, default: 3}}":                              "Pulumi.yaml:2:10: project config 'd' cannot have both a 'default' and 'value' attribute",
		"name: x\nconfig: {d: {type: string, default: 3}}":                          "Pulumi.yaml:2:10: The default value specified for configuration key 'd' is not of the expected type 'string'",
		"name: x\nconfig: {d: {type: array, items: {type: integer}, default: [x]}}": "Pulumi.yaml:2:10: The default value specified for configuration key 'd' is not of the expected type 'array<integer>'",
		"name: x\nconfig: {aws:region: {type: string}}":                             "Pulumi.yaml:2:10: Configuration key 'aws:region' is not namespaced by the project and should not define a type",
		"name: x\nconfig: {aws:region: {default: 3}}":                               "Pulumi.yaml:2:10: Configuration key 'aws:region' is not namespaced by the project and should not define a default value. Did you mean to use the 'value' attribute instead of 'default'?",
		"name: x\nconfig: {aws:region: {secret: true}}":                             "Pulumi.yaml:2:10: Configuration key 'aws:region' is namespaced and must provide an attribute 'value'",
		"name: x\nconfig: {a:b:c: 1}":                                               "Pulumi.yaml:2:10: 'a:b:c' cannot be a configuration key: could not parse a:b:c as a configuration key (configuration keys should be of the form `<namespace>:<name>`)",
		"name: x\nconfig: {'[0]': 1}":                                               "Pulumi.yaml:2:10: '[0]' cannot be a configuration key: the first step of a config key path must be a name",
		"name: x\nconfig: {a: 1, 'x:a': 2}":                                         "Pulumi.yaml:2:16: 'a' and 'x:a' are the same configuration key; keep one",
		"name: x\nconfig: {a: {value: {secure: c}}}":                                "Pulumi.yaml:2:21: a project file holds no secrets, which belong to a stack's key; set it with `pulumi config set --secret`",
		"name: x\nmain: []\nauthor: {}":                                             "Pulumi.yaml:2:7: main must be a text, not a list; put it in quotes if it is one\nPulumi.yaml:3:9: author must be a text, not a mapping; put it in quotes if it is one",
	}
	for text, want := range cases {
		_, err := project.Parse("Pulumi.yaml", []byte(text))
		ds, ok := diag.As(err)
		if !ok {
			t.Errorf("%q: got %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, ds.Error()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	for text, want := range map[string]string{
		"name: x":                       "PulumiPlugin.yaml:1:1: project is missing a 'runtime' attribute",
		"runtime: []":                   "PulumiPlugin.yaml:1:10: runtime must be a name, or a mapping with name and options, not a list",
		"- x":                           "PulumiPlugin.yaml:1:1: the file must hold keys and values, not a list",
		"":                              "PulumiPlugin.yaml: project is missing a 'runtime' attribute",
		"runtime: y\npackages: {a: {}}": "PulumiPlugin.yaml:2:15: packages.a names no source: give a package's name, a URL or a path",
	} {
		if _, err := project.ParsePlugin("PulumiPlugin.yaml", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestParseWarns(t *testing.T) {
	t.Parallel()
	p, err := project.Parse("Pulumi.yaml", []byte("name: x\nruntime: yaml\ndescripton: y\nresources: {}\nsomethingelse: 1\noutput: {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "Pulumi.yaml:3:1: the attribute 'descripton' means nothing; did you mean 'description'?\n" +
		"Pulumi.yaml:6:1: the attribute 'output' means nothing; did you mean 'outputs'?"
	if diff := cmp.Diff(want, p.Warnings.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	file := &fstest.MapFile{Data: []byte("name: x\nruntime: yaml\n")}
	files := memory(fstest.MapFS{
		"a/Pulumi.yaml": file, "a/b/c/x": file, "a/yml/Pulumi.yml": file, "a/both/Pulumi.yaml": file, "a/both/Pulumi.json": file,
		"a/dir/Pulumi.yaml/x": file, "a/plugin/PulumiPlugin.yaml": file, "z/x": file,
	})
	for dir, want := range map[string]string{
		"/a": "/a/Pulumi.yaml", "/a/b/c": "/a/Pulumi.yaml", "/a/b/c/": "/a/Pulumi.yaml", "/a/yml": "/a/yml/Pulumi.yml",
		"/a/both": "/a/both/Pulumi.json", "/a/dir": "/a/Pulumi.yaml", "/a/plugin": "/a/Pulumi.yaml", "/a/missing/too": "/a/Pulumi.yaml",
	} {
		if got, err := project.Find(files, dir); err != nil || got != want {
			t.Errorf("Find(%s) = %s, %v", dir, got, err)
		}
	}
	_, err := project.Find(files, "/z")
	if !errors.Is(err, project.ErrNotFound) || !strings.HasPrefix(err.Error(), "no Pulumi.yaml project file found (searching upwards from /z)") {
		t.Errorf("got %v", err)
	}
	if got, err := project.FindPlugin(files, "/a/plugin"); err != nil || got != "/a/plugin/PulumiPlugin.yaml" {
		t.Errorf("FindPlugin = %s, %v", got, err)
	}
	if _, err := project.FindPlugin(files, "/a"); !errors.Is(err, project.ErrNotFound) {
		t.Errorf("got %v", err)
	}

	closed := project.Files{Stat: func(path string) (fs.FileInfo, error) {
		if strings.HasPrefix(path, "/closed/open/") {
			return nil, fs.ErrNotExist
		}
		return nil, fs.ErrPermission
	}}
	if _, err := project.Find(closed, "/closed/open/x"); !errors.Is(err, project.ErrNotFound) || !strings.Contains(err.Error(), "/closed may not be read") {
		t.Errorf("got %v", err)
	}
	broken := project.Files{Stat: func(string) (fs.FileInfo, error) { return nil, fs.ErrInvalid }}
	if _, err := project.Find(broken, "/x"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	if _, err := project.Load(files, "/nope/Pulumi.yaml"); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "could not read '/nope/Pulumi.yaml'") {
		t.Errorf("got %v", err)
	}
	if _, err := project.LoadPlugin(files, "/nope/PulumiPlugin.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"a", "A-b_c.9", ".hidden", "-", strings.Repeat("x", 100)} {
		if err := project.ValidateName(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
		if err := project.ValidateStackName(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", ".", "..", "...", "a/b", "a b", "é", "a:b", "a\nb", strings.Repeat("x", 101)} {
		if project.ValidateName(bad) == nil || project.ValidateStackName(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if err := project.ValidateStackName("ab/c"); err.Error() != `a stack name may only contain alphanumeric, hyphens, underscores, or periods: invalid character '/' at position 2` {
		t.Error(err)
	}
}

func TestCheckVersion(t *testing.T) {
	t.Parallel()
	for required, want := range map[string]string{
		"": "", ">=3.0.0": "", ">=3.0.0 !3.1.2": "", "<3.0.0 || >3.200.0": "",
		">=4.0.0": `Pulumi CLI version 3.276.0+cairn.1 does not satisfy the version range ">=4.0.0"`,
		"new":     `parsing CLI version range "new": Could not get version from string: "new"`,
	} {
		err := project.CheckVersion(required, "v3.276.0+cairn.1")
		if got := strings.TrimSpace(errorText(err)); got != want {
			t.Errorf("%q: %s", required, got)
		}
	}
	if err := project.CheckVersion(">=1.0.0", "dev"); err == nil {
		t.Error("took a version that is none")
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{everything, "name: x", "name: &a x\nruntime: *a", "name: x\nconfig: {a: {type: array, items: {type: array, items: {}}}}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, path := range []string{"Pulumi.yaml", "Pulumi.json"} {
			p, err := project.Parse(path, []byte(text))
			if err != nil {
				if _, ok := diag.As(err); !ok {
					t.Errorf("not a diagnostic: %v", err)
				}
				continue
			}
			if m, err := p.EffectiveConfig(nil); err == nil {
				_ = p.CheckConfig("dev", m)
			}
		}
		_, _ = project.ParsePlugin("PulumiPlugin.yaml", []byte(text))
	})
}
