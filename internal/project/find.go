package project

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// ErrNotFound says that there is no project file here or above.
var ErrNotFound = errors.New("no project file found")

// Files is how the package reads: os.Stat and os.ReadFile, or something like them.
type Files struct {
	Stat     func(path string) (fs.FileInfo, error)
	ReadFile func(path string) ([]byte, error)
}

// Find locates the project file (`Pulumi.json`, `.yaml` or `.yml`) of a folder or the closest folder above it. The folder
// must be absolute. Not finding one is [ErrNotFound].
func Find(files Files, dir string) (string, error) {
	path, err := findUpwards(files, dir, "Pulumi")
	if errors.Is(err, ErrNotFound) {
		return "", fmt.Errorf("no Pulumi.yaml project file found (searching upwards from %s). "+
			"Run the command within a project's folder, or give that folder with --cwd; `pulumi new` makes a project: %w", dir, err)
	}
	return path, err
}

// FindPlugin is [Find] for `PulumiPlugin.yaml`, in the folder only.
func FindPlugin(files Files, dir string) (string, error) {
	path, err := findIn(files, dir, "PulumiPlugin")
	if err == nil && path == "" {
		return "", fmt.Errorf("no PulumiPlugin.yaml file found in %s: %w", dir, ErrNotFound)
	}
	return path, err
}

func findUpwards(files Files, dir, base string) (string, error) {
	for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
		path, err := findIn(files, dir, base)
		switch {
		case errors.Is(err, fs.ErrPermission):
			// A folder above that nobody may look into is where the search ends.
			return "", fmt.Errorf("%w (%s may not be read)", ErrNotFound, dir)
		case err != nil || path != "":
			return path, err
		case filepath.Dir(dir) == dir:
			return "", ErrNotFound
		}
	}
}

func findIn(files Files, dir, base string) (string, error) {
	for _, ext := range []string{".json", ".yaml", ".yml"} {
		path := filepath.Join(dir, base+ext)
		info, err := files.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", fmt.Errorf("look for %s: %w", path, err)
		case !info.IsDir():
			return path, nil
		}
	}
	return "", nil
}

// Load reads and parses a project file.
func Load(files Files, path string) (*Project, error) {
	data, err := files.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("could not read '%s': %w", path, err)
	}
	return Parse(path, data)
}

// LoadPlugin reads and parses a plugin project file.
func LoadPlugin(files Files, path string) (*PluginProject, error) {
	data, err := files.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("could not read '%s': %w", path, err)
	}
	return ParsePlugin(path, data)
}
