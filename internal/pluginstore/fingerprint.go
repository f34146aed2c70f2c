package pluginstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Hash is a sha256 as text: "sha256:" and 64 hexadecimal digits; "" is none.
type Hash string

const hashPrefix = "sha256:"

// HashOf is the hash of data.
func HashOf(data []byte) Hash {
	sum := sha256.Sum256(data)
	return Sum(sum[:])
}

// Sum makes a hash of the 32 bytes of a sha256.
func Sum(sum []byte) Hash { return Hash(hashPrefix + hex.EncodeToString(sum)) }

// Valid says whether h is a hash.
func (h Hash) Valid() bool {
	digits, ok := strings.CutPrefix(string(h), hashPrefix)
	sum, err := hex.DecodeString(digits)
	return ok && err == nil && len(sum) == sha256.Size && digits == strings.ToLower(digits)
}

// HashFile is the hash of a file.
func HashFile(path string) (Hash, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return Sum(sum.Sum(nil)), nil
}

// files lists the files of a plugin: path (with slashes) to hash, or to "link <target>".
type files map[string]string

// hashFiles reads a plugin's folder. Of only, if not nil, the paths are read, and no others.
func hashFiles(dir string, only files) (files, error) {
	out := files{}
	if only != nil {
		for name := range only {
			if err := out.add(dir, filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
		return out, nil
	}
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		return out.add(dir, name)
	})
	return out, err
}

func (f files) add(dir, name string) error {
	file := filepath.Join(dir, name)
	info, err := os.Lstat(file)
	if err != nil {
		return err
	}
	key := filepath.ToSlash(name)
	if info.Mode()&fs.ModeSymlink != 0 {
		to, err := os.Readlink(file)
		f[key] = "link " + filepath.ToSlash(to)
		return err
	}
	if !info.Mode().IsRegular() {
		f[key] = "neither file nor link"
		return nil
	}
	h, err := HashFile(file)
	f[key] = string(h)
	return err
}

// text has a line per file, sorted by path. Permissions are no part of it: not every system has them.
func (f files) text() []byte {
	var b bytes.Buffer
	for _, name := range f.names() {
		fmt.Fprintf(&b, "%s  %q\n", f[name], name)
	}
	return b.Bytes()
}

func (f files) names() []string {
	names := make([]string, 0, len(f))
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func parseFiles(text []byte) (files, error) {
	out := files{}
	for line := range strings.Lines(string(text)) {
		hash, quoted, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		name, err := strconv.Unquote(quoted)
		if !ok || err != nil || !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, errors.New("it is not a list of hashes")
		}
		out[name] = hash
	}
	return out, nil
}

// HashFolder is the hash of a plugin's files: of their paths and contents.
func HashFolder(dir string) (Hash, error) {
	f, err := hashFiles(dir, nil)
	if err != nil {
		return "", fmt.Errorf("hash the files of %s: %w", dir, err)
	}
	return HashOf(f.text()), nil
}

// HashInstalled is the hash of the files of an installed plugin. What a folder plugin's runtime added to them later (the
// packages that it depends on, caches) does not count: only the files that were installed do, which are listed next to
// the plugin. That list is only believed when want, the hash that the plugin should have, is its hash, or when nothing is
// known of the plugin yet (want is "").
func (s Store) HashInstalled(i Installed, want Hash) (Hash, error) {
	f, err := i.files(want)
	if err != nil {
		return "", fmt.Errorf("hash the files of %s: %w", i.Path, err)
	}
	return HashOf(f.text()), nil
}

// Files lists the files that HashInstalled counts, as paths with slashes.
func (s Store) Files(i Installed, want Hash) ([]string, error) {
	f, err := i.files(want)
	return f.names(), err
}

func (i Installed) files(want Hash) (files, error) {
	text, err := os.ReadFile(i.Path + filesSuffix)
	if err != nil || want != "" && HashOf(text) != want {
		return hashFiles(i.Path, nil)
	}
	listed, err := parseFiles(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", i.Path+filesSuffix, err)
	}
	if !listed.grow(i.Kind) {
		return hashFiles(i.Path, nil)
	}
	return hashFiles(i.Path, listed)
}

// grow says whether others may add to the files: whether there is a manifest among them and no executable.
func (f files) grow(kind Kind) bool {
	manifest, executable := false, false
	for name := range f {
		base := path.Base(name)
		manifest = manifest || base == kind.Manifest()
		executable = executable || strings.HasPrefix(base, kind.Executable(""))
	}
	return manifest && !executable
}

// Changed lists what differs between a plugin's files and the list that was made when it was installed, for messages; nil
// when there is no such list.
func (s Store) Changed(i Installed) []string {
	text, err := os.ReadFile(i.Path + filesSuffix)
	if err != nil {
		return nil
	}
	was, err := parseFiles(text)
	if err != nil {
		return nil
	}
	is, err := hashFiles(i.Path, nil)
	if err != nil {
		return nil
	}
	var out []string
	for _, name := range was.names() {
		if h, there := is[name]; !there {
			out = append(out, name+" is gone")
		} else if h != was[name] {
			out = append(out, name+" was changed")
		}
	}
	for _, name := range is.names() {
		if _, known := was[name]; !known && !was.grow(i.Kind) {
			out = append(out, name+" was added")
		}
	}
	return out
}

// ListFolder lists the files and links of a folder, as paths with slashes.
func ListFolder(dir string) ([]string, error) {
	f, err := hashFiles(dir, nil)
	return f.names(), err
}
