package lockfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/pluginstore"
)

// Name is the name of the file.
const Name = "Pulumi.lock"

// File is what the file says.
type File struct {
	// Path is where it is.
	Path string
	// Exists is false when there is no file.
	Exists  bool
	Plugins []Entry
}

// Entry is one plugin in one version.
type Entry struct {
	Kind    pluginstore.Kind `yaml:"kind"`
	Name    string           `yaml:"name"`
	Version string           `yaml:"version"`
	// Source is where it came from: a URL without user and query, or "file".
	Source string `yaml:"source,omitempty"`
	// Hashes are by platform.
	Hashes map[pluginstore.Platform]Hashes `yaml:"hashes"`
}

// FromFile is the source of a plugin that was installed from a file or folder.
const FromFile = "file"

// Hashes are those of a plugin on one platform; Archive is "" when there was none.
type Hashes struct {
	Archive pluginstore.Hash `yaml:"archive,omitempty"`
	Files   pluginstore.Hash `yaml:"files,omitempty"`
}

const header = "# Plugins of this project and the hashes they must have. `pulumi install` writes this file; commit it.\n"

const format = 1

// document is the file.
type document struct {
	Version int     `yaml:"version"`
	Plugins []Entry `yaml:"plugins"`
}

// Load reads the file of a path. One that is not there is empty.
func Load(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &File{Path: path}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the lock file: %w", err)
	}
	f, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w. Take the version that was committed; or delete the file, and `pulumi install` "+
			"writes a new one with the hashes of what it gets", path, err)
	}
	f.Path = path
	return f, nil
}

// Parse reads the text of a file.
func Parse(text []byte) (*File, error) {
	in := yaml.NewDecoder(bytes.NewReader(text))
	in.KnownFields(true)
	var d document
	if err := in.Decode(&d); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	if d.Version != format {
		return nil, fmt.Errorf("its version is %d, and this program knows version %d", d.Version, format)
	}
	for i, e := range d.Plugins {
		if err := e.check(); err != nil {
			return nil, fmt.Errorf("plugins[%d]: %w", i, err)
		}
		if slices.ContainsFunc(d.Plugins[:i], e.same) {
			return nil, fmt.Errorf("plugins[%d]: %s %s %s is there twice", i, e.Kind, e.Name, e.Version)
		}
	}
	return &File{Exists: true, Plugins: d.Plugins}, nil
}

func (e Entry) check() error {
	if _, err := pluginstore.ParseKind(string(e.Kind)); err != nil {
		return err
	}
	if _, err := semver.Parse(e.Version); err != nil || e.Name == "" {
		return fmt.Errorf("it needs a name and a semantic version: %q %q", e.Name, e.Version)
	}
	for platform, h := range e.Hashes {
		if _, err := pluginstore.ParsePlatform(string(platform)); err != nil {
			return err
		}
		for _, hash := range []pluginstore.Hash{h.Archive, h.Files} {
			if hash != "" && !hash.Valid() {
				return fmt.Errorf("%q is not a hash: expected sha256: and 64 hexadecimal digits", hash)
			}
		}
	}
	return nil
}

func (e Entry) same(o Entry) bool {
	return e.Kind == o.Kind && e.Name == o.Name && e.Version == o.Version
}

// Text is the file as it is written.
func (f *File) Text() ([]byte, error) {
	slices.SortFunc(f.Plugins, func(a, b Entry) int {
		if c := strings.Compare(string(a.Kind)+" "+a.Name, string(b.Kind)+" "+b.Name); c != 0 {
			return c
		}
		return pluginstore.CompareVersions(a.Version, b.Version)
	})
	var b bytes.Buffer
	b.WriteString(header)
	out := yaml.NewEncoder(&b)
	out.SetIndent(2)
	if err := out.Encode(document{Version: format, Plugins: f.Plugins}); err != nil {
		return nil, err
	}
	return b.Bytes(), out.Close()
}

// save replaces the file at once.
func (f *File) save() error {
	text, err := f.Text()
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(f.Path); err == nil && bytes.Equal(old, text) {
		return nil
	}
	temp, err := os.CreateTemp(filepath.Dir(f.Path), "."+Name+".*")
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	err = errors.Join(err, temp.Chmod(0o644), temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), f.Path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	f.Exists = true
	return nil
}

// Find gives the entry of a plugin.
func (f *File) Find(kind pluginstore.Kind, name, version string) (Entry, bool) {
	want := Entry{Kind: kind, Name: name, Version: version}
	for _, e := range f.Plugins {
		if e.same(want) {
			return e, true
		}
	}
	return Entry{}, false
}

// Pinned is the version that the file gives a plugin, "" when it names none or several.
func (f *File) Pinned(kind pluginstore.Kind, name string) (Entry, bool) {
	var found []Entry
	for _, e := range f.Plugins {
		if e.Kind == kind && e.Name == name {
			found = append(found, e)
		}
	}
	if len(found) != 1 {
		return Entry{}, false
	}
	return found[0], true
}

// Record adds what is known about a plugin. Hashes that are there are kept: they were compared before.
func (f *File) Record(e Entry) {
	i := slices.IndexFunc(f.Plugins, e.same)
	if i < 0 {
		e.Hashes = maps.Clone(e.Hashes)
		f.Plugins = append(f.Plugins, e)
		return
	}
	known := &f.Plugins[i]
	if known.Source == "" {
		known.Source = e.Source
	}
	if known.Hashes == nil {
		known.Hashes = map[pluginstore.Platform]Hashes{}
	}
	for platform, h := range e.Hashes {
		have := known.Hashes[platform]
		if have.Archive == "" {
			have.Archive = h.Archive
		}
		if have.Files == "" {
			have.Files = h.Files
		}
		known.Hashes[platform] = have
	}
}
