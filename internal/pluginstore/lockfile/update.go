package lockfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"github.com/cairn-iac/cairn/internal/pluginstore"
)

// Update changes the file of a path: change gets what it says now, and what it makes of that is written. Processes that do
// so at the same time wait for each other; the store is where they meet.
func Update(ctx context.Context, store pluginstore.Store, path string, change func(*File) error) error {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(absolute))
	return store.Exclusive(ctx, "project-"+hex.EncodeToString(sum[:8]), func() error {
		f, err := Load(path)
		if err != nil {
			return err
		}
		if err := change(f); err != nil {
			return err
		}
		if err := f.save(); err != nil {
			return fmt.Errorf("write the lock file: %w", err)
		}
		return nil
	})
}
