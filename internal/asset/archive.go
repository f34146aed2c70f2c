package asset

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/cairn-iac/cairn/internal/property"
)

// Member is one file of an archive. Body is valid until the visit returns.
type Member struct {
	// Name is the path within the archive, with slashes.
	Name string
	Body io.Reader
	// Size is the number of bytes in Body.
	Size int64
}

// Walk visits the files of an archive in order. The same name may come more than once; the first one counts.
func (r Reader) Walk(ctx context.Context, a property.Archive, visit func(Member) error) error {
	switch a.Source {
	case property.SourceAssets:
		return r.walkAssets(ctx, a.Assets, visit)
	case property.SourcePath:
		file := r.absolute(a.Location)
		format := formatOf(file)
		if format == formatNone {
			return r.walkFolder(ctx, file, visit)
		}
		b, err := r.openFile(file)
		if err != nil {
			return err
		}
		return walkPacked(file, format, b, visit)
	case property.SourceURI:
		b, format, err := r.openPacked(ctx, a.Location)
		if err != nil {
			return err
		}
		return walkPacked(a.Location, format, b, visit)
	case property.SourceNone, property.SourceText:
		return fmt.Errorf("only the hash of the archive is known, not its contents")
	default:
		return fmt.Errorf("an archive has no source %q", a.Source)
	}
}

func (r Reader) walkAssets(ctx context.Context, members property.Map, visit func(Member) error) error {
	for name, v := range members.All() {
		if a, ok := v.AsAsset(); ok {
			if err := r.visitAsset(ctx, name, a, visit); err != nil {
				return fmt.Errorf("failed to expand archive asset %q: %w", name, err)
			}
			continue
		}
		a, ok := v.AsArchive()
		if !ok {
			return fmt.Errorf("archive member %q is not an asset or archive", name)
		}
		err := r.Walk(ctx, a, func(m Member) error {
			m.Name = path.Join(name, m.Name)
			return visit(m)
		})
		if err != nil {
			return fmt.Errorf("failed to expand sub-archive %q: %w", name, err)
		}
	}
	return nil
}

func (r Reader) visitAsset(ctx context.Context, name string, a property.Asset, visit func(Member) error) error {
	b, err := r.open(ctx, a)
	if err != nil {
		return err
	}
	if b.size < 0 {
		// A tar header needs the size before the bytes.
		data, err := io.ReadAll(b.body)
		if err := errors.Join(err, b.body.Close()); err != nil {
			return err
		}
		b = textBlob(string(data))
	}
	return errors.Join(visit(Member{Name: name, Body: b.body, Size: b.size}), b.body.Close())
}

func (r Reader) walkFolder(ctx context.Context, root string, visit func(Member) error) error {
	info, err := r.Files.Lstat(root)
	if err != nil {
		return fmt.Errorf("couldn't read archive path %q: %w", root, err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		isFolder, err := r.linksToFolder(root)
		if err != nil {
			return fmt.Errorf("couldn't read archive path %q: %w", root, err)
		}
		if isFolder {
			return nil // the link rule, see the package comment
		}
	}
	if !info.IsDir() {
		return fmt.Errorf("%q is neither a recognized archive type nor a directory", root)
	}
	return r.walkEntries(ctx, folder{path: root}, visit)
}

// folder is a folder within an archive: its path on disk and its name in the archive ("" for the root).
type folder struct{ path, name string }

func (r Reader) walkEntries(ctx context.Context, at folder, visit func(Member) error) error {
	if path.Base(filepath.ToSlash(at.path)) == bookkeeping {
		return nil
	}
	entries, err := r.Files.ReadDir(at.path)
	if err != nil {
		return fmt.Errorf("couldn't read archive path %q: %w", at.path, err)
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		here := folder{path: filepath.Join(at.path, e.Name()), name: path.Join(at.name, e.Name())}
		if err := r.walkEntry(ctx, e, here, visit); err != nil {
			return err
		}
	}
	return nil
}

// bookkeeping is the folder in which Pulumi keeps its own files.
const bookkeeping = ".pulumi"

func (r Reader) walkEntry(ctx context.Context, e fs.DirEntry, here folder, visit func(Member) error) error {
	if e.Name() == bookkeeping {
		return nil
	}
	if e.IsDir() {
		return r.walkEntries(ctx, here, visit)
	}
	if e.Type()&fs.ModeSymlink != 0 {
		isFolder, err := r.linksToFolder(here.path)
		if err != nil {
			return fmt.Errorf("couldn't follow the link %q: %w", here.path, err)
		}
		if isFolder {
			return nil
		}
	}
	b, err := r.openFile(here.path)
	if err != nil {
		return err
	}
	return errors.Join(visit(Member{Name: here.name, Body: b.body, Size: b.size}), b.body.Close())
}

func (r Reader) linksToFolder(link string) (bool, error) {
	info, err := r.Files.Stat(link)
	return err == nil && info.IsDir(), err
}

// format is how an archive file is packed.
type format int

const (
	formatNone format = iota
	formatTar
	formatTarGzip
	formatZip
)

func formatOf(name string) format {
	switch {
	case strings.HasSuffix(name, ".tar"):
		return formatTar
	case strings.HasSuffix(name, ".tgz"), strings.HasSuffix(name, ".tar.gz"):
		return formatTarGzip
	case strings.HasSuffix(name, ".zip"), strings.HasSuffix(name, ".jar"):
		return formatZip
	default:
		return formatNone
	}
}

func (r Reader) openPacked(ctx context.Context, uri string) (blob, format, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return blob{}, formatNone, fmt.Errorf("archive URI: %w", err)
	}
	format := formatOf(u.Path)
	if format == formatNone {
		return blob{}, formatNone, fmt.Errorf("file at URL %s is not a recognized archive format (.tar, .tgz, .tar.gz, .zip, .jar)", u.Redacted())
	}
	b, err := r.openURI(ctx, uri)
	return b, format, err
}

func walkPacked(name string, f format, b blob, visit func(Member) error) error {
	var err error
	switch f {
	case formatTar:
		err = walkTar(b.body, visit)
	case formatTarGzip:
		var unzipped *gzip.Reader
		if unzipped, err = gzip.NewReader(b.body); err == nil {
			err = walkTar(unzipped, visit)
		}
	case formatZip:
		err = walkZip(b.body, visit)
	case formatNone:
		err = errors.New("not a recognized archive type")
	}
	if err := errors.Join(err, b.body.Close()); err != nil {
		return fmt.Errorf("read archive %q: %w", name, err)
	}
	return nil
}

func walkTar(body io.Reader, visit func(Member) error) error {
	t := tar.NewReader(body)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeDir, tar.TypeXGlobalHeader:
			continue
		case tar.TypeReg:
		default:
			return fmt.Errorf("entry %q is a link or device; only files and folders can be part of another archive", h.Name)
		}
		if err := visit(Member{Name: path.Clean(h.Name), Body: t, Size: h.Size}); err != nil {
			return err
		}
	}
}

// zipBytes is how much of a zip file that is part of another archive is held in memory: its index is at its end.
const zipBytes = 2 << 30

func walkZip(body io.Reader, visit func(Member) error) error {
	data, err := io.ReadAll(io.LimitReader(body, zipBytes+1))
	if err != nil {
		return err
	}
	if len(data) > zipBytes {
		return fmt.Errorf("larger than %d bytes; unpack it into a folder and use that", zipBytes)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return fmt.Errorf("failed to read ZIP: %w", err)
	}
	for _, f := range z.File {
		if f.FileInfo().IsDir() {
			continue
		}
		if err := visitZipFile(f, visit); err != nil {
			return fmt.Errorf("failed to read ZIP inner file %q: %w", f.Name, err)
		}
	}
	return nil
}

func visitZipFile(f *zip.File, visit func(Member) error) error {
	if f.UncompressedSize64 > 1<<62 {
		return errors.New("too large")
	}
	body, err := f.Open()
	if err != nil {
		return err
	}
	return errors.Join(visit(Member{Name: path.Clean(f.Name), Body: body, Size: int64(f.UncompressedSize64)}), body.Close())
}
