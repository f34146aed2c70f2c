package template

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/cairn-iac/cairn/internal/git"
)

// IsURL says whether a text is the address of a repository: a URL, or git's short form of one, user@host:path.
func IsURL(text string) bool {
	head, _, found := strings.Cut(text, ":")
	return strings.Contains(text, "://") || found && strings.Contains(head, "@") && !strings.Contains(head, "/")
}

// shownAddress is an address without a password.
func shownAddress(address string) string {
	if !strings.Contains(address, "://") {
		return address // git's short form has none
	}
	return git.Redact(address)
}

// fetch gets a repository, and takes the templates of the folder that the address names in it.
func (f *Found) fetch(ctx context.Context, q Query, address string) error {
	shown := shownAddress(address)
	if strings.HasSuffix(strings.ToLower(address), ".zip") {
		return fmt.Errorf("%s: templates in .zip files are not available yet in this version; unpack it and give the folder's path", shown)
	}
	if q.Offline != "" && !strings.HasPrefix(address, "file:") {
		return fmt.Errorf("%s cannot be used: %s\nClone it where there is a network, and give the path of the folder: pulumi new ./%s",
			shown, q.Offline, path.Base(strings.TrimSuffix(address, "/")))
	}
	location, err := git.Split(address)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "pulumi-template-")
	if err != nil {
		return err
	}
	f.close = append(f.close, func() error { return os.RemoveAll(dir) })
	folder, err := checkOut(ctx, checkout{location: location, dir: filepath.Join(dir, "repository"), environ: q.Environ})
	if err != nil {
		return fmt.Errorf("get the template %s: %w", shown, err)
	}
	root, err := f.root(filepath.Join(dir, "repository"))
	if err != nil {
		return err
	}
	name := path.Base(folder)
	if folder == "." {
		name = strings.TrimSuffix(path.Base(location.URL), ".git")
	}
	files, err := fs.Sub(root, folder)
	if err != nil {
		return fmt.Errorf("get the template %s: %w", shown, err)
	}
	if info, err := fs.Stat(files, "."); err != nil || !info.IsDir() {
		return fmt.Errorf("the repository %s has no folder %s: %w", shownAddress(location.URL), folder,
			errors.Join(err, fs.ErrNotExist))
	}
	return f.take(files, place{name: name, shown: shown})
}
