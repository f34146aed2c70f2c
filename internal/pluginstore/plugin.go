package pluginstore

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/cairn-iac/cairn/internal/git"
)

// Plugin says which plugin is meant.
type Plugin struct {
	Kind Kind
	Name string
	// Version is a semantic version without "v"; "" for any.
	Version string
	// DownloadURL is where the plugin comes from: github://, gitlab://, https://, file:// or git://; "" for the usual places.
	DownloadURL string
	// Checksums maps platforms to the sha256 of the archive.
	Checksums map[Platform][]byte
}

// Platform is an operating system and a processor architecture, like linux-amd64.
type Platform string

// Here is the platform of this program.
func Here() Platform { return Platform(runtime.GOOS + "-" + runtime.GOARCH) }

// ParsePlatform reads a platform that plugins are published for.
func ParsePlatform(text string) (Platform, error) {
	switch p := Platform(text); p {
	case "linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64", "windows-arm64":
		return p, nil
	default:
		return "", fmt.Errorf("plugins are published for linux, darwin and windows on amd64 and arm64, not for %s", text)
	}
}

// OS is the operating system.
func (p Platform) OS() string { os, _, _ := strings.Cut(string(p), "-"); return os }

// Arch is the processor architecture.
func (p Platform) Arch() string { _, arch, _ := strings.Cut(string(p), "-"); return arch }

// String names the plugin in messages: name-version.
func (p Plugin) String() string {
	if p.Version == "" {
		return p.Name
	}
	return p.Name + "-" + p.Version
}

// Label is what commands call the plugin: [resource plugin fp-1.0.0].
func (p Plugin) Label() string { return fmt.Sprintf("[%s plugin %s]", p.Kind, p) }

// Asset is the name of the archive for a platform.
func (p Plugin) Asset(for_ Platform) string {
	return fmt.Sprintf("%s-v%s-%s-%s.tar.gz", p.Kind.Executable(p.Name), p.Version, for_.OS(), for_.Arch())
}

// FromGit says whether the plugin is a folder of a git repository.
func (p Plugin) FromGit() bool { return strings.HasPrefix(p.DownloadURL, gitScheme) }

const gitScheme = "git://"

// LocalName is the plugin's name in the store, and the folder within its files where it is. They differ from its name for
// plugins from git: host_owner_repository.git[_path].
func (p Plugin) LocalName() (local, subfolder string) {
	rest, isGit := strings.CutPrefix(p.DownloadURL, gitScheme)
	if !isGit {
		return p.Name, ""
	}
	return gitName("https://" + rest)
}

func gitName(address string) (local, subfolder string) {
	at, err := git.Split(address)
	if err != nil {
		return strings.ReplaceAll(strings.TrimPrefix(git.Redact(address), "https://"), "/", "_"), ""
	}
	local = strings.TrimPrefix(git.Redact(at.URL), "https://")
	if at.Path != "" {
		local += "_" + at.Path
	}
	return strings.ReplaceAll(local, "/", "_"), at.Path
}

// Public is a download URL as messages and files may show it: without user and query, with its placeholders in their form.
func Public(downloadURL string) string {
	if downloadURL == "" {
		return ""
	}
	return strings.NewReplacer("$%7B", "${", "%7D", "}").Replace(git.Redact(downloadURL))
}

// key is the name of the plugin's folder.
func (p Plugin) key() (string, error) {
	local, _ := p.LocalName()
	switch {
	case !p.Kind.Valid():
		return "", fmt.Errorf("%q is not a kind of plugin", p.Kind)
	case !validName(local):
		return "", fmt.Errorf("%q is not a plugin name", p.Name)
	}
	v, err := semver.Parse(p.Version)
	if err != nil {
		return "", fmt.Errorf("%s: version %q is not a semantic version", p.Name, p.Version)
	}
	return fmt.Sprintf("%s-%s-v%s", p.Kind, local, v), nil
}

func validName(name string) bool {
	return regexp.MustCompile(`^[a-zA-Z0-9-][a-zA-Z0-9-_.]*[a-zA-Z0-9]$`).MatchString(name)
}

// Parse reads how a person names a plugin: a name or the address of a git repository, either with @version. The version of
// a repository may be a commit. A version, if given, and one in the text exclude each other, and so do an address and
// a download URL.
func Parse(text string, o Plugin) (Plugin, error) {
	p := o
	name, version, has := cutLast(text, "@")
	if has && strings.Contains(version, "/") {
		name, version, has = text, "", false // the @ belongs to a user in the address
	}
	switch {
	case has && o.Version != "":
		return p, fmt.Errorf("cannot specify both \"@%s\" and %q as a version", version, o.Version)
	case has:
		p.Version = version
	}
	isGit := IsAddress(name)
	if isGit {
		if o.DownloadURL != "" {
			return p, errors.New("cannot specify a plugin download URL when the plugin name is a URL")
		}
		scheme, rest, ok := strings.Cut(name, "://")
		switch {
		case !ok:
			rest = name
		case scheme != "git" && scheme != "https":
			return p, fmt.Errorf(`unknown URL scheme %q: expected "git" or "https"`, scheme)
		}
		if _, err := git.Split("https://" + rest); err != nil {
			return p, err
		}
		p.DownloadURL = gitScheme + rest
		p.Name, _ = p.LocalName()
	} else {
		p.Name = name
	}
	if p.Version == "" {
		return p, nil
	}
	v, err := semver.ParseTolerant(p.Version)
	switch {
	case err == nil:
		p.Version = v.String()
	case isGit && git.IsCommit(p.Version):
		p.Version = git.CommitVersion(p.Version)
	default:
		return p, fmt.Errorf("invalid plugin semver: version %q of %s: %w", p.Version, p.Name, err)
	}
	return p, nil
}

func cutLast(text, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return text, "", false
}

// IsAddress tells the address of a repository from a name or a path, as the Pulumi CLI does.
func IsAddress(text string) bool {
	for _, scheme := range []string{"https://", "http://", "git://"} {
		if strings.HasPrefix(text, scheme) {
			return true
		}
	}
	return regexp.MustCompile(`^[^./].*\.[a-z]+/[a-zA-Z0-9-_./]*[a-zA-Z0-9/](@.*)?$`).MatchString(text)
}
