package pluginstore_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/pluginstore"
)

func TestParse(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("0a", 20)
	cases := map[string]struct {
		text  string
		asked pluginstore.Plugin
		want  pluginstore.Plugin
		says  string
	}{
		"name":              {text: "aws", want: pluginstore.Plugin{Name: "aws"}},
		"with version":      {text: "aws@7.1.0", want: pluginstore.Plugin{Name: "aws", Version: "7.1.0"}},
		"tolerant":          {text: "aws@v7.1", want: pluginstore.Plugin{Name: "aws", Version: "7.1.0"}},
		"version apart":     {text: "aws", asked: pluginstore.Plugin{Version: "v7.1.0"}, want: pluginstore.Plugin{Name: "aws", Version: "7.1.0"}},
		"server":            {text: "aws", asked: pluginstore.Plugin{DownloadURL: "https://x"}, want: pluginstore.Plugin{Name: "aws", DownloadURL: "https://x"}},
		"version twice":     {text: "aws@7.1.0", asked: pluginstore.Plugin{Version: "7.1.0"}, says: "as a version"},
		"no version":        {text: "aws@latest", says: "invalid plugin semver"},
		"commit of a name":  {text: "aws@abcdef12", says: "invalid plugin semver"},
		"repository":        {text: "github.com/org/repo", want: pluginstore.Plugin{Name: "github.com_org_repo.git", DownloadURL: "git://github.com/org/repo"}},
		"https":             {text: "https://github.com/org/repo@v1.2.3", want: pluginstore.Plugin{Name: "github.com_org_repo.git", Version: "1.2.3", DownloadURL: "git://github.com/org/repo"}},
		"git":               {text: "git://github.com/org/repo/a/b@1.2.3", want: pluginstore.Plugin{Name: "github.com_org_repo.git_a_b", Version: "1.2.3", DownloadURL: "git://github.com/org/repo/a/b"}},
		"commit":            {text: "github.com/org/repo@" + hash, want: pluginstore.Plugin{Name: "github.com_org_repo.git", Version: "0.0.0-x" + hash, DownloadURL: "git://github.com/org/repo"}},
		"user":              {text: "https://me:pw@example.com/o/r", want: pluginstore.Plugin{Name: "example.com_o_r.git", DownloadURL: "git://me:pw@example.com/o/r"}},
		"branch":            {text: "github.com/org/repo@main", says: "invalid plugin semver"},
		"repository+server": {text: "github.com/org/repo", asked: pluginstore.Plugin{DownloadURL: "https://x"}, says: "when the plugin name is a URL"},
		"http":              {text: "http://github.com/org/repo", says: "unknown URL scheme"},
		"no repository":     {text: "https://github.com/org", says: "does not name a repository"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := pluginstore.Parse(c.text, c.asked)
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("got %v", err)
				}
				return
			}
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

func TestIsAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"aws": false, "./folder": false, "../x.y/z": false, "/abs/a.com/b": false, "pulumi/aws": false, "github.com/org/repo": true,
		"https://x": true, "git://x": true, "example.com/a@1.0.0": true, "private/pulumi/aws": false,
	} {
		if got := pluginstore.IsAddress(text); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	p := pluginstore.Plugin{Kind: pluginstore.KindResource, Name: "fp", Version: "1.0.0"}
	if got := p.Asset("linux-arm64"); got != "pulumi-resource-fp-v1.0.0-linux-arm64.tar.gz" {
		t.Error(got)
	}
	if got := p.Label(); got != "[resource plugin fp-1.0.0]" {
		t.Error(got)
	}
	if got := pluginstore.Public("https://u:p@x.com/${NAME}/v${VERSION}?token=t"); got != "https://x.com/${NAME}/v${VERSION}" {
		t.Error(got)
	}
	if got := pluginstore.Public("git://me:pw@example.com/o/r"); got != "git://example.com/o/r" {
		t.Error(got)
	}
	s := pluginstore.Store{Dir: "/plugins"}
	for says, p := range map[string]pluginstore.Plugin{
		"not a kind":             {Kind: "policy", Name: "fp", Version: "1.0.0"},
		"not a plugin name":      {Kind: "resource", Name: "../fp", Version: "1.0.0"},
		"not a semantic version": {Kind: "resource", Name: "fp", Version: "1.0.0/../.."},
	} {
		if path, err := s.Path(p); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %s, %v", says, path, err)
		}
	}
	for _, text := range []string{"linux-386", "plan9-amd64", "linux", "../x"} {
		if _, err := pluginstore.ParsePlatform(text); err == nil {
			t.Errorf("%s is no platform", text)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("https://me:pw@example.com/o/r/sub@v1.2.3")
	f.Add("aws@7.0.0")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := pluginstore.Parse(text, pluginstore.Plugin{Kind: pluginstore.KindResource})
		if err != nil {
			return
		}
		path, err := pluginstore.Store{Dir: "/plugins"}.Path(p)
		if err == nil && (!strings.HasPrefix(path, "/plugins/resource-") || strings.Count(path, "/") != 2) {
			t.Errorf("%q is kept at %s", text, path)
		}
	})
}
