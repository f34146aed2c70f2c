package factory

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cairn-iac/cairn/internal/backend"
)

// RemoveConfig deletes the stack's file, if there is one.
func (s *Stack) RemoveConfig() error {
	if s.ConfigPath == "" {
		return nil
	}
	if err := os.Remove(s.ConfigPath); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the stack's configuration: %w", err)
	}
	return nil
}

// Unselect takes the selection away from ref, if it is selected.
func (f *Factory) Unselect(ref backend.StackRef) error {
	name, err := f.CurrentStack("")
	if err != nil || name == "" {
		return err
	}
	if current, err := f.ParseStack(name); err != nil || current != ref {
		return nil // another stack is selected, or the selection makes no sense here
	}
	return f.Select(backend.StackRef{})
}
