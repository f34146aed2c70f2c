package pluginstore

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

// Store is the folder of installed plugins. Its methods may be called concurrently, from several processes.
type Store struct {
	// Dir is the absolute path; it need not exist.
	Dir string
}

// Installed is one plugin in the store.
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
}

const (
	lockSuffix     = ".lock"
	partialSuffix  = ".partial"
	lastUsedSuffix = ".lastused"
	filesSuffix    = ".files"
	noteSuffix     = ".note"
	stagingSuffix  = ".new"
	scratchSuffix  = ".scratch"
)

// List gives the installed plugins in the order of kind, name and version.
func (s Store) List() ([]Installed, error) {
	plugins, err := s.All()
	if err != nil {
		return nil, err
	}
	for i := range plugins {
		describe(&plugins[i])
	}
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

// All lists the plugins that are wholly installed like List, without sizes and times.
func (s Store) All() ([]Installed, error) {
	entries, err := os.ReadDir(s.Dir)
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
		if !e.IsDir() || parts == nil || unfinished.MatchString(e.Name()) || !Kind(parts[1]).Valid() {
			continue
		}
		version, err := semver.ParseTolerant(parts[3])
		if err != nil {
			continue
		}
		path := filepath.Join(s.Dir, e.Name())
		if !complete(path) {
			continue
		}
		out = append(out, Installed{Name: parts[2], Kind: Kind(parts[1]), Version: version.String(), Path: path})
	}
	slices.SortFunc(out, func(a, b Installed) int {
		if c := strings.Compare(string(a.Kind)+" "+a.Name, string(b.Kind)+" "+b.Name); c != 0 {
			return c
		}
		return CompareVersions(a.Version, b.Version)
	})
	return out, nil
}

// CompareVersions orders semantic versions, and text where two are equal.
func CompareVersions(a, b string) int {
	x, errX := semver.Parse(a)
	y, errY := semver.Parse(b)
	if errX == nil && errY == nil {
		if c := x.Compare(y); c != 0 {
			return c
		}
	}
	return strings.Compare(a, b)
}

// complete says whether a plugin's folder is there and counts.
func complete(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return false
	}
	_, err = os.Stat(path + partialSuffix)
	return errors.Is(err, fs.ErrNotExist)
}

// Find gives the plugin if exactly that version is installed.
func (s Store) Find(p Plugin) (Installed, bool) {
	path, err := s.Path(p)
	if err != nil || !complete(path) {
		return Installed{}, false
	}
	local, _ := p.LocalName()
	return Installed{Name: local, Kind: p.Kind, Version: p.Version, Path: path}, true
}

// FindAtLeast gives the newest installed release that is not older than what is wanted; any when no version is.
func (s Store) FindAtLeast(p Plugin) (Installed, bool, error) {
	if found, ok := s.Find(p); ok {
		return found, true, nil
	}
	all, err := s.All()
	if err != nil {
		return Installed{}, false, err
	}
	local, _ := p.LocalName()
	wanted, werr := semver.Parse(p.Version)
	if len(wanted.Pre) > 0 {
		return Installed{}, false, nil
	}
	for _, i := range slices.Backward(all) {
		v, err := semver.Parse(i.Version)
		if i.Kind == p.Kind && i.Name == local && err == nil && (werr != nil || len(v.Pre) == 0 && v.GTE(wanted)) {
			return i, true, nil
		}
	}
	return Installed{}, false, nil
}

// Path is where a plugin is, or would be.
func (s Store) Path(p Plugin) (string, error) {
	key, err := p.key()
	if err != nil {
		return "", err
	}
	return filepath.Join(s.Dir, key), nil
}

// MarkUsed notes that an installed plugin is about to run. A store that cannot be written still works.
func MarkUsed(i Installed) { _ = os.WriteFile(i.Path+lastUsedSuffix, nil, 0o600) }

// Note is the line that was kept with an installed plugin; "" if none was, or if the files are not those that it was kept
// for, as another program may have installed the plugin again.
func (s Store) Note(i Installed) string {
	text, err := os.ReadFile(i.Path + noteSuffix)
	if err != nil {
		return ""
	}
	list, err := os.ReadFile(i.Path + filesSuffix)
	if err != nil {
		return ""
	}
	want := HashOf(list)
	if has, err := s.HashInstalled(i, want); err != nil || has != want {
		return ""
	}
	return strings.TrimSpace(string(text))
}
