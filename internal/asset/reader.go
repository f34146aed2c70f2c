package asset

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/cairn-iac/cairn/internal/property"
)

// Files is the part of a file system that assets need. Names are paths of the operating system.
type Files interface {
	// Open opens a file, following links.
	Open(name string) (fs.File, error)
	// Stat describes a name, following links.
	Stat(name string) (fs.FileInfo, error)
	// Lstat describes a name without following a link at its end.
	Lstat(name string) (fs.FileInfo, error)
	// ReadDir lists a folder in the order of names.
	ReadDir(name string) ([]fs.DirEntry, error)
}

// Disk is the file system of this machine.
type Disk struct{}

// Open opens a file of this machine.
func (Disk) Open(name string) (fs.File, error) { return os.Open(name) }

// Stat describes a file of this machine.
func (Disk) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// Lstat describes a name of this machine.
func (Disk) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }

// ReadDir lists a folder of this machine.
func (Disk) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// FetchFunc gets the body behind an http or https URL. An answer other than success is an error.
type FetchFunc func(ctx context.Context, url string) (io.ReadCloser, error)

// Reader reads assets and archives.
type Reader struct {
	// Dir is the absolute folder that relative paths start from.
	Dir   string
	Files Files
	// Fetch may be nil: then assets with http or https URLs are an error.
	Fetch FetchFunc
}

// Open gives the contents of an asset.
func (r Reader) Open(ctx context.Context, a property.Asset) (io.ReadCloser, error) {
	b, err := r.open(ctx, a)
	if err != nil {
		return nil, err
	}
	return b.body, nil
}

// blob is a stream of known size; a size below zero is not known.
type blob struct {
	body io.ReadCloser
	size int64
}

func (r Reader) open(ctx context.Context, a property.Asset) (blob, error) {
	switch a.Source {
	case property.SourceText:
		return textBlob(a.Location), nil
	case property.SourcePath:
		return r.openFile(r.absolute(a.Location))
	case property.SourceURI:
		return r.openURI(ctx, a.Location)
	case property.SourceNone, property.SourceAssets:
		return blob{}, fmt.Errorf("only the hash of the asset is known, not its contents")
	default:
		return blob{}, fmt.Errorf("an asset has no source %q", a.Source)
	}
}

func (r Reader) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(r.Dir, path)
}

// openFile opens a plain file, following links. What is no file is not opened: a pipe would block.
func (r Reader) openFile(path string) (blob, error) {
	info, err := r.Files.Stat(path)
	switch {
	case err != nil:
		return blob{}, fmt.Errorf("failed to open asset file %q: %w", path, err)
	case info.IsDir():
		return blob{}, fmt.Errorf("asset path %q is a directory; try using an archive", path)
	case !info.Mode().IsRegular():
		return blob{}, fmt.Errorf("asset file %q is not a regular file", path)
	}
	f, err := r.Files.Open(path)
	if err != nil {
		return blob{}, fmt.Errorf("failed to open asset file %q: %w", path, err)
	}
	return blob{body: f, size: info.Size()}, nil
}

func (r Reader) openURI(ctx context.Context, text string) (blob, error) {
	u, err := url.Parse(text)
	if err != nil {
		return blob{}, fmt.Errorf("asset URI: %w", err)
	}
	switch u.Scheme {
	case "http", "https":
		if r.Fetch == nil {
			return blob{}, fmt.Errorf("the asset at %s cannot be fetched here", u.Redacted())
		}
		body, err := r.Fetch(ctx, text)
		if err != nil {
			return blob{}, fmt.Errorf("fetch %s: %w", u.Redacted(), err)
		}
		return blob{body: body, size: -1}, nil
	case "file":
		if u.Host != "" && u.Host != "localhost" {
			return blob{}, fmt.Errorf("asset URI %s: file:// host %q not supported (only localhost)", u.Redacted(), u.Host)
		}
		if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return blob{}, fmt.Errorf("asset URI %s: file:// URIs have no user, query or fragment", u.Redacted())
		}
		return r.openFile(filepath.FromSlash(u.Path))
	default:
		return blob{}, fmt.Errorf("asset URI %s: unrecognized or unsupported scheme %q; use http, https or file", u.Redacted(), u.Scheme)
	}
}
