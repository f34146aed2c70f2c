package diy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cairn-iac/cairn/internal/backend"
)

type stacks struct{ *store }

func (s stacks) List(ctx context.Context, filter backend.StackFilter) ([]backend.StackRef, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	projects, err := readDir(s.stacksDir())
	if err != nil {
		return nil, fmt.Errorf("list stacks: %w", err)
	}
	var refs []backend.StackRef
	for _, p := range projects {
		if !p.IsDir() || filter.Project != "" && p.Name() != filter.Project {
			continue
		}
		files, err := readDir(filepath.Join(s.stacksDir(), p.Name()))
		if err != nil {
			return nil, fmt.Errorf("list stacks: %w", err)
		}
		seen := map[string]bool{}
		for _, f := range files {
			ref := backend.StackRef{Project: p.Name(), Name: stackName(f.Name())}
			if f.IsDir() || seen[ref.Name] || ref.Validate() != nil {
				continue
			}
			seen[ref.Name] = true
			refs = append(refs, ref)
		}
	}
	sortRefs(refs)
	return refs, nil
}

func (s stacks) Exists(ctx context.Context, ref backend.StackRef) (bool, error) {
	if err := errors.Join(ctx.Err(), ref.Validate()); err != nil {
		return false, err
	}
	found, err := s.variants(ref)
	if err != nil {
		return false, fmt.Errorf("look for stack '%s': %w", ref, err)
	}
	return len(found) > 0, nil
}

func (s stacks) Create(ctx context.Context, lock backend.Lock, checkpoint []byte) error {
	ref, err := checkLock(ctx, lock)
	if err != nil {
		return err
	}
	exists, err := s.Exists(ctx, ref)
	if err != nil {
		return err
	}
	if exists {
		return &backend.StackError{Ref: ref, Err: backend.ErrStackExists}
	}
	left := s.journal(ref)
	if _, err := os.Lstat(left); err == nil {
		return fmt.Errorf("create stack '%s': %w: %s was left by an earlier stack of this name, and names resources that "+
			"may still exist; look into it, then move it away", ref, backend.ErrJournalExists, left)
	}
	if err := s.writer.replace(s.checkpoint(ref), ref.Name, checkpoint); err != nil {
		return fmt.Errorf("create stack '%s': %w", ref, err)
	}
	return nil
}

// Remove leaves the last state as .bak, and the backups, as the Pulumi CLI does. The checkpoint goes last: until then
// the stack is still there and the removal can be run again.
func (s stacks) Remove(ctx context.Context, lock backend.Lock, opts backend.RemoveOptions) error {
	ref, err := checkLock(ctx, lock)
	if err != nil {
		return err
	}
	found, err := s.variants(ref)
	if err != nil {
		return fmt.Errorf("remove stack '%s': %w", ref, err)
	}
	if len(found) == 0 {
		return &backend.StackError{Ref: ref, Err: backend.ErrStackNotFound}
	}
	if err := s.removeParts(ref, found, opts); err != nil {
		return fmt.Errorf("remove stack '%s': %w", ref, err)
	}
	return nil
}

func (s stacks) removeParts(ref backend.StackRef, found []variant, opts backend.RemoveOptions) error {
	for _, v := range found {
		if opts.Backups {
			continue
		}
		if err := s.writer.copy(v.path+backupExt, ref.Name, v.path); err != nil {
			return err
		}
	}
	if err := s.emptyDir(s.historyDir(ref)); err != nil {
		return err
	}
	if opts.Backups {
		if err := s.emptyDir(s.backupDir(ref)); err != nil {
			return err
		}
	}
	for _, path := range []string{s.tags(ref), s.journal(ref)} {
		if err := s.writer.removeWithSidecar(path); err != nil {
			return err
		}
	}
	for _, v := range found {
		if opts.Backups {
			if err := s.writer.removeWithSidecar(v.path + backupExt); err != nil {
				return err
			}
		}
		if err := s.writer.removeWithSidecar(v.path); err != nil {
			return err
		}
	}
	return explain(s.disk.SyncDir(s.projectDir(ref.Project)))
}

// emptyDir removes the files of a folder, not the folder.
func (s *store) emptyDir(dir string) error {
	entries, err := readDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		if err := s.writer.removeWithSidecar(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
