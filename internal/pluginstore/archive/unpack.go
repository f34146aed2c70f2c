package archive

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Error tells that an archive cannot be used.
type Error struct{ Err error }

func (e *Error) Error() string { return "the archive cannot be used: " + e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// IsGzip says whether data starts like a gzipped file.
func IsGzip(data []byte) bool { return len(data) >= 2 && data[0] == 0x1f && data[1] == 0x8b }

// Unpack unpacks a gzipped tar archive into an empty folder. What is wrong with the archive is an *[Error].
func Unpack(r io.Reader, dir string, o Options) error {
	t, err := newTarget(dir, o)
	if err != nil {
		return err
	}
	return t.close(t.unpack(r))
}

func (t *target) unpack(r io.Reader) error {
	packed := &counter{r: r}
	unzipped, err := gzip.NewReader(packed)
	if err != nil {
		return &Error{fmt.Errorf("it is no gzipped file: %w", whole(err))}
	}
	content := &counter{r: unzipped}
	content.check = func(n int64) error {
		if l := t.o.Limits; n > l.RatioFrom && n/l.Ratio > packed.n {
			return &Error{fmt.Errorf("it unpacks to more than %d times its size", l.Ratio)}
		}
		return nil
	}
	in := tar.NewReader(content)
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return asError(err)
		}
		if err := t.entry(header, in); err != nil {
			return asError(err)
		}
	}
	if t.entries == 0 {
		return &Error{errors.New("it is empty")}
	}
	// The checksum comes last. What follows the files is padding.
	n, err := io.Copy(io.Discard, io.LimitReader(content, maxPadding+1))
	switch {
	case err != nil:
		return asError(err)
	case n > maxPadding:
		return &Error{errors.New("something else follows the files in it")}
	}
	return nil
}

// maxPadding is how many bytes may follow the end of a tar archive; tools pad to blocks.
const maxPadding = 1 << 20

func (t *target) entry(header *tar.Header, content io.Reader) error {
	switch header.Typeflag {
	case tar.TypeXGlobalHeader:
		return nil // a note of the tool that packed it
	}
	name, err := local(header.Name)
	if err != nil {
		return &Error{err}
	}
	switch header.Typeflag {
	case tar.TypeDir:
		if name == "" {
			return nil
		}
		return t.folder(name)
	case tar.TypeReg:
		if name == "" || header.Size < 0 {
			return &Error{fmt.Errorf("%q is no name for a file", header.Name)}
		}
		return t.file(name, fs.FileMode(header.Mode)&fs.ModePerm, content)
	case tar.TypeSymlink:
		if name == "" {
			return &Error{fmt.Errorf("%q is no name for a link", header.Name)}
		}
		return t.link(name, header.Linkname)
	default:
		return &Error{fmt.Errorf("%q is neither a file, a folder nor a symbolic link (type %q)", header.Name, header.Typeflag)}
	}
}

// asError marks what the archive is to blame for. Failures to write have a path.
func asError(err error) error {
	var known *Error
	var disk *fs.PathError
	var link *os.LinkError
	if errors.As(err, &known) || errors.As(err, &disk) || errors.As(err, &link) {
		return err
	}
	return &Error{whole(err)}
}

// whole says what an unexpected end means.
func whole(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("it is cut off: %w", err)
	}
	return err
}

// counter counts what is read.
type counter struct {
	r     io.Reader
	n     int64
	check func(n int64) error
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if c.check != nil {
		if cerr := c.check(c.n); cerr != nil {
			return 0, cerr
		}
	}
	return n, err
}
