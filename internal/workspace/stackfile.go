package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cairn-iac/cairn/internal/config"
)

// LoadStackFile reads a stack's file; one that is not there is empty. The project's name is the namespace of its keys.
func LoadStackFile(path, projectName string) (*config.File, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the stack's configuration: %w", err)
	}
	return config.Parse(config.Source{Path: path, Project: projectName, Data: data})
}

// SaveStackFile writes a stack's file with its edits. An unchanged file is not touched, and an empty one is not made.
func SaveStackFile(f *config.File) error {
	data, err := f.Bytes()
	if err != nil {
		return err
	}
	if _, err := os.Stat(f.Path()); len(data) == 0 && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return file{path: f.Path(), data: data, perm: 0o644, dirPerm: 0o755}.write()
}
