package pluginhost

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/blang/semver/v4"
)

// Installed is one plugin in the cache ($PULUMI_HOME/plugins).
type Installed struct {
	Name string
	Kind Kind
	// Version is a semantic version without "v".
	Version string
	// Path is the plugin's folder.
	Path string
	// Size is the number of bytes of its files; List fills it in.
	Size int64
	// InstallTime is when the folder was last changed.
	InstallTime time.Time
	// LastUsedTime is when the plugin was last chosen to run.
	LastUsedTime time.Time

	version semver.Version
}

const (
	partialSuffix  = ".partial"
	lastUsedSuffix = ".lastused"
)

// List gives the installed plugins in the order of kind, name and version.
func (h *Host) List() ([]Installed, error) {
	plugins, err := h.installed()
	if err != nil {
		return nil, err
	}
	for i := range plugins {
		describe(&plugins[i])
	}
	slices.SortFunc(plugins, func(a, b Installed) int {
		if c := strings.Compare(string(a.Kind)+" "+a.Name, string(b.Kind)+" "+b.Name); c != 0 {
			return c
		}
		return a.version.Compare(b.version)
	})
	return plugins, nil
}

// describe fills in what it costs time to know. What cannot be read is left out: it is for display only.
func describe(p *Installed) {
	if info, err := os.Stat(p.Path); err == nil {
		p.InstallTime, p.LastUsedTime = folderTimes(info)
	}
	if info, err := os.Stat(p.Path + lastUsedSuffix); err == nil {
		p.LastUsedTime = info.ModTime()
	}
	_ = filepath.WalkDir(p.Path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			p.Size += info.Size()
		}
		return nil
	})
}

// installed lists the plugins that are wholly installed, without sizes and times.
func (h *Host) installed() ([]Installed, error) {
	entries, err := os.ReadDir(h.cacheDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list installed plugins: %w", err)
	}
	names := regexp.MustCompile(`^([a-z]+)-([a-zA-Z0-9-][a-zA-Z0-9-_.]*[a-zA-Z0-9])-v(.*)$`)
	unfinished := regexp.MustCompile(`\.tmp[0-9]+$`)
	var out []Installed
	for _, e := range entries {
		parts := names.FindStringSubmatch(e.Name())
		if !e.IsDir() || parts == nil || unfinished.MatchString(e.Name()) || !Kind(parts[1]).valid() {
			continue
		}
		version, err := semver.ParseTolerant(parts[3])
		if err != nil {
			continue
		}
		path := filepath.Join(h.cacheDir(), e.Name())
		if _, err := os.Stat(path + partialSuffix); err == nil {
			continue
		}
		out = append(out, Installed{
			Name: parts[2], Kind: Kind(parts[1]), Version: version.String(), Path: path, version: version,
		})
	}
	return out, nil
}

// markUsed notes that a plugin of the cache is about to run. A cache that cannot be written still works.
func markUsed(p Installed) {
	_ = os.WriteFile(p.Path+lastUsedSuffix, nil, 0o600)
}

// cacheDir is $PULUMI_HOME/plugins.
func (h *Host) cacheDir() string {
	home := h.env.get("PULUMI_HOME")
	if home == "" {
		home = filepath.Join(h.env.home(), ".pulumi")
	}
	return filepath.Join(home, "plugins")
}

// localName is a plugin's name in the cache and the folder within it. They differ from the package's name for plugins
// from a git repository: host_owner_repository.git[_path].
func localName(name, downloadURL string) (local, subfolder string) {
	rest, isGit := strings.CutPrefix(downloadURL, gitScheme)
	if !isGit {
		return name, ""
	}
	parts := strings.Split(strings.Trim(rest, "/"), "/")
	if i := strings.LastIndex(parts[0], "@"); i >= 0 {
		parts[0] = parts[0][i+1:]
	}
	repository := min(3, len(parts))
	if i := slices.IndexFunc(parts, func(p string) bool { return strings.HasSuffix(p, ".git") }); i >= 0 {
		repository = i + 1
	}
	local = strings.TrimSuffix(strings.Join(parts[:repository], "_"), ".git") + ".git"
	if sub := parts[repository:]; len(sub) > 0 {
		return local + "_" + strings.Join(sub, "_"), filepath.Join(sub...)
	}
	return local, ""
}

const gitScheme = "git://"
