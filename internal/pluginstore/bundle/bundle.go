package bundle

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"

	"github.com/cairn-iac/cairn/internal/pluginstore"
	"github.com/cairn-iac/cairn/internal/pluginstore/lockfile"
)

// Index is what a bundle says about itself.
type Index struct {
	// Format is 1.
	Format int `json:"pulumiBundle"`
	// Project is the name of the project that it was made for.
	Project string `json:"project"`
	Plugins []Item `json:"plugins"`
}

const format = 1

// Item is one plugin for one platform.
type Item struct {
	Kind pluginstore.Kind `json:"kind"`
	Name string           `json:"name"`
	// Version is a semantic version without "v".
	Version string `json:"version"`
	// DownloadURL is the one that programs name the plugin by, "" if they name none.
	DownloadURL string               `json:"downloadURL,omitempty"`
	Source      string               `json:"source,omitempty"`
	Platform    pluginstore.Platform `json:"platform"`
	// Entry is the name of the archive in the bundle, Size its bytes, Archive its hash.
	Entry   string           `json:"entry"`
	Size    int64            `json:"size"`
	Archive pluginstore.Hash `json:"archive"`
	// Files is the hash of what it unpacks to.
	Files pluginstore.Hash `json:"files"`
	// Published is true for an archive as it was published, false for one that was packed from an installed plugin.
	Published bool `json:"published,omitempty"`

	// path is the archive on this machine while a bundle is written.
	path string
}

// Plugin is what the item installs.
func (i Item) Plugin() pluginstore.Plugin {
	return pluginstore.Plugin{Kind: i.Kind, Name: i.Name, Version: i.Version, DownloadURL: i.DownloadURL}
}

const (
	indexName  = "bundle.json"
	pluginsDir = "plugins"
)

// Writing is a bundle to write.
type Writing struct {
	Project string
	// Lock is the text of the lock file.
	Lock  []byte
	Items []Item
}

// Add adds an archive of this machine; of item, what is in the archive is left out.
func (w *Writing) Add(item Item, archive string) error {
	info, err := os.Stat(archive)
	if err != nil {
		return err
	}
	if item.Archive, err = pluginstore.HashFile(archive); err != nil {
		return err
	}
	item.Size, item.path = info.Size(), archive
	local, _ := item.Plugin().LocalName()
	item.Entry = path.Join(pluginsDir, fmt.Sprintf("%s-v%s-%s.tar.gz", item.Kind.Executable(local), item.Version, item.Platform))
	if slices.ContainsFunc(w.Items, func(o Item) bool { return o.Entry == item.Entry }) {
		return nil
	}
	w.Items = append(w.Items, item)
	return nil
}

// Write writes a bundle.
func Write(to io.Writer, w Writing) error {
	slices.SortFunc(w.Items, func(a, b Item) int {
		if a.Entry < b.Entry {
			return -1
		}
		return 1
	})
	index, err := json.MarshalIndent(Index{Format: format, Project: w.Project, Plugins: w.Items}, "", "  ")
	if err != nil {
		return err
	}
	out := tar.NewWriter(to)
	for _, small := range []struct {
		name string
		text []byte
	}{{indexName, append(index, '\n')}, {lockfile.Name, w.Lock}} {
		if err := out.WriteHeader(header(small.name, int64(len(small.text)))); err != nil {
			return err
		}
		if _, err := out.Write(small.text); err != nil {
			return err
		}
	}
	for _, item := range w.Items {
		if err := writeItem(out, item); err != nil {
			return fmt.Errorf("add %s: %w", item.Plugin().Label(), err)
		}
	}
	return out.Close()
}

func header(name string, size int64) *tar.Header {
	return &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: size}
}

func writeItem(out *tar.Writer, item Item) error {
	if err := out.WriteHeader(header(item.Entry, item.Size)); err != nil {
		return err
	}
	f, err := os.Open(item.path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(out, f)
	return err
}

// Bundle is one that is read.
type Bundle struct {
	// Path is where it is.
	Path string
	Index
	// Lock is the lock file in it.
	Lock *lockfile.File
}

// Damaged is what to do about a bundle whose content is not what its index says.
const Damaged = "The bundle was damaged or changed after it was made. Copy it again, or make it anew."

// ErrNotABundle tells that a file is something else.
var ErrNotABundle = errors.New("not a bundle that `pulumi bundle` made")

// smallBytes is the size that the index and the lock file may have.
const smallBytes = 16 << 20

// Open reads what a bundle says about itself. A file that is none is ErrNotABundle.
func Open(file string) (*Bundle, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := &Bundle{Path: file}
	in := tar.NewReader(f)
	first, err := in.Next()
	if err != nil || first.Name != indexName || first.Size > smallBytes {
		return nil, fmt.Errorf("%s: %w", file, ErrNotABundle)
	}
	if err := json.NewDecoder(in).Decode(&b.Index); err != nil {
		return nil, fmt.Errorf("%s: its index cannot be read: %w", file, err)
	}
	if b.Format != format {
		return nil, fmt.Errorf("%s: its format is %d, and this program knows format %d", file, b.Format, format)
	}
	for i, item := range b.Plugins {
		if err := item.check(); err != nil {
			return nil, fmt.Errorf("%s: plugins[%d]: %w", file, i, err)
		}
	}
	second, err := in.Next()
	if err != nil || second.Name != lockfile.Name || second.Size > smallBytes {
		return nil, fmt.Errorf("%s: the bundle has no lock file", file)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if b.Lock, err = lockfile.Parse(text); err != nil {
		return nil, fmt.Errorf("%s: its lock file: %w", file, err)
	}
	return b, nil
}

func (i Item) check() error {
	if _, err := pluginstore.ParseKind(string(i.Kind)); err != nil {
		return err
	}
	if _, err := pluginstore.ParsePlatform(string(i.Platform)); err != nil {
		return err
	}
	if i.Name == "" || !i.Archive.Valid() || !i.Files.Valid() || i.Size < 0 {
		return errors.New("a name, a size and two hashes are needed")
	}
	return nil
}

// For lists what a bundle has for a platform.
func (b *Bundle) For(p pluginstore.Platform) []Item {
	var out []Item
	for _, item := range b.Plugins {
		if item.Platform == p {
			out = append(out, item)
		}
	}
	return out
}

// Extract writes the archive of an item into a file, whole and with the hash that the index says, or fails.
func (b *Bundle) Extract(item Item, to string) (err error) {
	f, err := os.Open(b.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := tar.NewReader(f)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("%s: the bundle is cut off: %s is not in it", b.Path, item.Entry)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", b.Path, err)
		}
		if h.Name == item.Entry && h.Typeflag == tar.TypeReg {
			break
		}
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, sum), io.LimitReader(in, item.Size+1))
	if err != nil {
		return fmt.Errorf("%s: take out %s: %w", b.Path, item.Entry, err)
	}
	if has := pluginstore.Sum(sum.Sum(nil)); n != item.Size || has != item.Archive {
		return &lockfile.MismatchError{
			Plugin: item.Plugin(), Part: lockfile.Archive, Where: b.Path + ": " + item.Entry, Says: "the bundle's index",
			Has: has, Want: item.Archive, Mend: Damaged,
		}
	}
	return nil
}
