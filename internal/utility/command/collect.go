package command

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gobwas/glob"

	"github.com/cairn-iac/cairn/internal/property"
)

// folder is where a command runs, and how paths in it are recorded.
type folder struct{ path, recorded string }

// pattern takes matching paths in, or out again.
type pattern struct {
	match   *glob.Pattern
	exclude bool
}

func parsePattern(text string) (pattern, error) {
	text, exclude := strings.CutPrefix(text, "!")
	match, err := glob.Compile(text, '/')
	if err != nil {
		return pattern{}, err
	}
	return pattern{match: match, exclude: exclude}, nil
}

// selection is a list of patterns; nil takes nothing and asks for no result.
type selection []pattern

func parseSelection(property string, texts []string) (selection, error) {
	if texts == nil {
		return nil, nil
	}
	s := make(selection, 0, len(texts))
	for i, text := range texts {
		p, err := parsePattern(text)
		if err != nil {
			return nil, fmt.Errorf("property %s[%d] is not a glob pattern: %w", property, i, err)
		}
		s = append(s, p)
	}
	return s, nil
}

// takes says whether the last pattern that matches takes the path in.
func (s selection) takes(name string) bool {
	in := false
	for _, p := range s {
		if p.match.Match(name) {
			in = !p.exclude
		}
	}
	return in
}

// collector gathers the files a command left.
type collector struct {
	folder          folder
	assets, archive selection
}

func newCollector(f folder, s script) (*collector, error) {
	assets, err := parseSelection(propAssetPaths, s.assets)
	if err != nil {
		return nil, err
	}
	archive, err := parseSelection(propArchivePaths, s.archive)
	if err != nil {
		return nil, err
	}
	return &collector{folder: f, assets: assets, archive: archive}, nil
}

// collect gives assets and archive, each only if it was asked for.
func (c *collector) collect(ctx context.Context) (map[string]property.Value, error) {
	out := map[string]property.Value{}
	if c.assets == nil && c.archive == nil {
		return out, nil
	}
	found, err := c.walk(ctx)
	if err != nil {
		return nil, fmt.Errorf("the command succeeded, but its files could not be collected: %w", err)
	}
	if c.assets != nil {
		out[propAssets] = property.FromMap(found.assets())
	}
	if c.archive != nil {
		hash, err := c.hashArchive(found)
		if err != nil {
			return nil, fmt.Errorf("the command succeeded, but its archive could not be read: %w", err)
		}
		out[propArchive] = property.FromArchive(property.Archive{
			Source: property.SourceAssets, Assets: found.archive(), Hash: hash,
		})
	}
	return out, nil
}

// files are the files found, by relative path.
type files map[string]file

type file struct {
	asset               property.Asset
	inAssets, inArchive bool
}

func (f files) assets() property.Map {
	return f.pick(func(f file) bool { return f.inAssets })
}

func (f files) archive() property.Map {
	return f.pick(func(f file) bool { return f.inArchive })
}

func (f files) pick(wanted func(file) bool) property.Map {
	out := map[string]property.Value{}
	for name, e := range f {
		if wanted(e) {
			out[name] = property.FromAsset(e.asset)
		}
	}
	return property.MapOf(out)
}

// walk finds the files. Only regular ones count, or links to them: a folder has no contents to hash, and reading a pipe
// would wait for ever.
func (c *collector) walk(ctx context.Context) (files, error) {
	found := files{}
	err := fs.WalkDir(c.root(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if entry.IsDir() {
			return nil
		}
		f := file{inAssets: c.assets.takes(name), inArchive: c.archive.takes(name)}
		if !f.inAssets && !f.inArchive {
			return nil
		}
		return c.add(found, name, f)
	})
	return found, err
}

func (c *collector) root() fs.FS {
	if c.folder.path == "" {
		return os.DirFS(".")
	}
	return os.DirFS(c.folder.path)
}

func (c *collector) add(found files, name string, f file) error {
	if !utf8.ValidString(name) {
		return fmt.Errorf("the file name %q is not UTF-8", name)
	}
	info, err := fs.Stat(c.root(), name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	hash := sha256.New()
	if err := c.copyFile(hash, name); err != nil {
		return err
	}
	f.asset = property.Asset{
		Source:   property.SourcePath,
		Location: path.Join(c.folder.recorded, name),
		Hash:     hex.EncodeToString(hash.Sum(nil)),
	}
	found[name] = f
	return nil
}

// hashArchive is the sha256 of a tar file with the archive's members in order, which is how Pulumi identifies archives.
func (c *collector) hashArchive(found files) (string, error) {
	hash := sha256.New()
	w := tar.NewWriter(hash)
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if !found[name].inArchive {
			continue
		}
		info, err := fs.Stat(c.root(), name)
		if err != nil {
			return "", err
		}
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: info.Size()}); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		if err := c.copyFile(w, name); err != nil {
			return "", err
		}
	}
	if err := w.Close(); err != nil {
		return "", fmt.Errorf("a file changed while it was read: %w", err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

func (c *collector) copyFile(w io.Writer, name string) error {
	f, err := c.root().Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if _, err := io.Copy(w, f); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}
