package workspace_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/workspace"
)

func lookup(env map[string]string) workspace.Lookup {
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}

func newHome(t *testing.T) workspace.Home {
	t.Helper()
	home, err := workspace.Locate(lookup(map[string]string{"PULUMI_HOME": filepath.Join(t.TempDir(), "home")}))
	if err != nil {
		t.Fatal(err)
	}
	return home
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// onlyFile checks that a folder holds one file: nothing temporary stays.
func onlyFile(t *testing.T, dir, name string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != name {
		t.Errorf("%s holds %v", dir, entries)
	}
}

func TestLocate(t *testing.T) {
	t.Parallel()
	for want, env := range map[string]map[string]string{
		"/x|/x":                 {"PULUMI_HOME": "/x", "HOME": "/u"},
		"/u/.pulumi|/u/.pulumi": {"HOME": "/u"},
		"/x|/c":                 {"PULUMI_HOME": "/x", "PULUMI_CREDENTIALS_PATH": "/c"},
	} {
		home, err := workspace.Locate(lookup(env))
		if got := home.Dir + "|" + home.CredentialsDir; err != nil || got != want {
			t.Errorf("Locate(%v) = %s, %v", env, got, err)
		}
	}
	if home, err := workspace.Locate(lookup(nil)); err != nil || filepath.Base(home.Dir) != ".pulumi" {
		t.Errorf("got %v, %v", home, err)
	}
}

func TestCredentialsAreThePulumiCLIs(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	c, err := home.Credentials()
	if err != nil || c.Current != "" || len(c.Accounts) != 0 {
		t.Fatalf("%v, %v", c, err)
	}
	c.Login("file:///project/state", workspace.Account{})
	if err := home.SaveCredentials(c); err != nil {
		t.Fatal(err)
	}
	path := home.Path("credentials.json")
	if diff := cmp.Diff(read(t, filepath.Join("testdata", "upstream", "credentials.json")), read(t, path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	onlyFile(t, home.Dir, "credentials.json")

	if c, err = home.Credentials(); err != nil || c.Current != "file:///project/state" {
		t.Fatalf("%v, %v", c, err)
	}
	c.Logout("file:///project/state")
	if err := home.SaveCredentials(c); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("empty credentials stay: %v", err)
	}
}

func TestCredentialsKeepWhatTheyDoNotKnow(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	path := home.Path("credentials.json")
	write(t, path, `{"version": 2, "future": [1.10], "credentialHelper": {"path": "/h"}, "current": "https://a",
		"accessTokens": {"https://a": "canary-token", "https://old": "canary-old"},
		"accounts": {"https://a": {"accessToken": "canary-token", "username": "u", "lastValidatedAt": "2026-01-02T03:04:05.6Z", "later": true}}}`)
	c, err := home.Credentials()
	if err != nil {
		t.Fatal(err)
	}
	for _, printed := range []string{fmt.Sprint(c), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c.Accounts["https://a"].AccessToken), fmt.Sprintf("%q", c.Accounts["https://a"].AccessToken)} {
		if strings.Contains(printed, "canary") {
			t.Errorf("a token is printed: %s", printed)
		}
	}
	c.Login("file://~", workspace.Account{})
	if err := home.SaveCredentials(c); err != nil {
		t.Fatal(err)
	}
	const want = `{
    "version": 2,
    "credentialHelper": {
        "path": "/h"
    },
    "current": "file://~",
    "accessTokens": {
        "file://~": "",
        "https://a": "canary-token",
        "https://old": "canary-old"
    },
    "accounts": {
        "file://~": {
            "lastValidatedAt": "0001-01-01T00:00:00Z"
        },
        "https://a": {
            "accessToken": "canary-token",
            "username": "u",
            "lastValidatedAt": "2026-01-02T03:04:05.6Z",
            "later": true
        },
        "https://old": {
            "accessToken": "canary-old",
            "lastValidatedAt": "0001-01-01T00:00:00Z"
        }
    },
    "future": [
        1.10
    ]
}`
	if diff := cmp.Diff(want, read(t, path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("a world-readable file stays so: %v, %v", info.Mode(), err)
	}
}

func TestCredentialsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"$pulumiSecureStore": 1, "backend": "x", "data": "y"}`: "is encrypted with a key of the operating system's store",
		`{"current": `:   "Please fix or delete invalid credentials file",
		`[]`:             "Please fix or delete invalid credentials file",
		`{"current": 5}`: "Please fix or delete invalid credentials file",
	} {
		home := newHome(t)
		path := home.Path("credentials.json")
		write(t, path, text)
		_, err := home.Credentials()
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", text, err)
		}
		var c workspace.Credentials
		c.Login("file://~", workspace.Account{})
		if err := home.SaveCredentials(c); err == nil {
			t.Errorf("%s: replaced", text)
		}
		if got := read(t, path); got != text {
			t.Errorf("%s became %s", text, got)
		}
		var sealed *workspace.SealedCredentialsError
		if strings.Contains(text, "$") != errors.As(err, &sealed) {
			t.Errorf("%s: %T", text, err)
		}
	}
	home := newHome(t)
	write(t, home.Path("credentials.json"), "")
	if c, err := home.Credentials(); err != nil || c.Current != "" {
		t.Errorf("an empty file: %v, %v", c, err)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	s, err := home.Settings()
	if err != nil || s.Backends != nil {
		t.Fatalf("%v, %v", s, err)
	}
	write(t, home.Path("config.json"), `{"x": 1, "backends": {"https://a": {"defaultOrg": "o"}}}`)
	if s, err = home.Settings(); err != nil || s.Backends["https://a"].DefaultOrg != "o" {
		t.Fatalf("%v, %v", s, err)
	}
	s.Backends["https://b"] = workspace.BackendSettings{DefaultOrg: "p"}
	if err := home.SaveSettings(s); err != nil {
		t.Fatal(err)
	}
	const want = `{
    "backends": {
        "https://a": {
            "defaultOrg": "o"
        },
        "https://b": {
            "defaultOrg": "p"
        }
    },
    "x": 1
}`
	if diff := cmp.Diff(want, read(t, home.Path("config.json"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	write(t, home.Path("config.json"), "nonsense")
	if err := home.SaveSettings(s); err == nil {
		t.Error("an unreadable file was replaced")
	}
}

func TestChooseBackend(t *testing.T) {
	t.Parallel()
	stored := func(url string) func() (workspace.Credentials, error) {
		return func() (workspace.Credentials, error) { return workspace.Credentials{Current: url}, nil }
	}
	broken := errors.New("broken")
	cases := map[string]struct {
		env         map[string]string
		projectURL  string
		credentials func() (workspace.Credentials, error)
		want        workspace.Backend
		unavailable string
	}{
		"environment wins": {
			env: map[string]string{"PULUMI_BACKEND_URL": "file:///env"}, projectURL: "file:///p",
			credentials: func() (workspace.Credentials, error) { return workspace.Credentials{}, broken },
			want:        workspace.Backend{URL: "file:///env", Source: workspace.FromEnvironment},
		},
		"then the project": {
			env: map[string]string{"PULUMI_BACKEND_URL": ""}, projectURL: "file:///p", credentials: stored("file:///c"),
			want: workspace.Backend{URL: "file:///p", Source: workspace.FromProject},
		},
		"then the credentials": {
			credentials: stored("file:///c"), want: workspace.Backend{URL: "file:///c", Source: workspace.FromCredentials},
		},
		"then the cloud": {
			credentials: stored(""), want: workspace.Backend{URL: "https://api.pulumi.com", Source: workspace.FromNowhere},
			unavailable: "no backend is chosen, and the default one, the cloud at https://api.pulumi.com, is not available yet: " +
				"run `pulumi login --local` to keep state in your home folder, or `pulumi login file://<folder>`",
		},
		"another cloud": {
			env: map[string]string{"PULUMI_API": "https://mine.example"}, credentials: stored(""),
			want: workspace.Backend{URL: "https://mine.example", Source: workspace.FromNowhere},
			unavailable: "no backend is chosen, and the default one, the cloud at https://mine.example, is not available yet: " +
				"run `pulumi login --local` to keep state in your home folder, or `pulumi login file://<folder>`",
		},
		"cloud login": {
			credentials: stored("https://u:canary@x.example/p?t=canary"),
			want:        workspace.Backend{URL: "https://u:canary@x.example/p?t=canary", Source: workspace.FromCredentials},
			unavailable: "the cloud backend https://u:xxxxx@x.example/p?... is not available yet: " +
				"use a local one with `pulumi login --local` or `pulumi login file://<folder>`",
		},
		"bucket of a project": {
			projectURL: "s3://b?region=r", credentials: stored(""), want: workspace.Backend{URL: "s3://b?region=r", Source: workspace.FromProject},
			unavailable: "the backend s3://b?... is not available yet: set `backend.url` of the project file to file://~ or file://<folder>, " +
				"or override it with PULUMI_BACKEND_URL",
		},
		"nonsense": {
			env: map[string]string{"PULUMI_BACKEND_URL": "./folder"}, want: workspace.Backend{URL: "./folder", Source: workspace.FromEnvironment},
			unavailable: "./folder is not the URL of a backend (want file://<folder>): set PULUMI_BACKEND_URL to file://~ or file://<folder>, or unset it",
		},
	}
	for name, c := range cases {
		got, err := workspace.ChooseBackend(workspace.BackendQuery{Lookup: lookup(c.env), ProjectURL: c.projectURL, Credentials: c.credentials})
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		err = got.Available()
		text := ""
		if err != nil {
			text = err.Error()
			var unavailable *workspace.UnavailableError
			if !errors.As(err, &unavailable) || unavailable.Backend != c.want {
				t.Errorf("%s: %T", name, err)
			}
		}
		if diff := cmp.Diff(c.unavailable, text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if _, err := workspace.ChooseBackend(workspace.BackendQuery{
		Lookup: lookup(nil), Credentials: func() (workspace.Credentials, error) { return workspace.Credentials{}, broken },
	}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
