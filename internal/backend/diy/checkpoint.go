package diy

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/cairn-iac/cairn/internal/backend"
)

type checkpoints struct{ *store }

// variant is one of the files that may hold a stack's checkpoint.
type variant struct {
	path    string
	ext     string
	changed time.Time
}

// variants lists the checkpoint files of a stack, the newest first. When two are equally old the compressed one wins.
func (s *store) variants(ref backend.StackRef) ([]variant, error) {
	var found []variant
	for _, ext := range []string{"", gzipExt, zstdExt} {
		path := s.checkpoint(ref) + ext
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, explain(err)
		}
		v := variant{path: path, ext: ext, changed: info.ModTime()}
		if len(found) > 0 && v.changed.Before(found[0].changed) {
			found = append(found, v)
			continue
		}
		found = append([]variant{v}, found...)
	}
	return found, nil
}

func (c checkpoints) Read(ctx context.Context, ref backend.StackRef) (backend.Checkpoint, error) {
	if err := errors.Join(ctx.Err(), ref.Validate()); err != nil {
		return backend.Checkpoint{}, err
	}
	found, err := c.variants(ref)
	if err != nil {
		return backend.Checkpoint{}, fmt.Errorf("read the state of stack '%s': %w", ref, err)
	}
	if len(found) == 0 {
		return backend.Checkpoint{}, &backend.StackError{Ref: ref, Err: backend.ErrStackNotFound}
	}
	data, err := found[0].read()
	if err != nil {
		return backend.Checkpoint{}, fmt.Errorf("read the state of stack '%s': %w", ref, err)
	}
	sum := sha256.Sum256(data)
	return backend.Checkpoint{Data: data, SHA256: hex.EncodeToString(sum[:]), Location: found[0].path}, nil
}

func (v variant) read() ([]byte, error) {
	switch v.ext {
	case zstdExt:
		return nil, fmt.Errorf("%s is compressed with zstd, which this program does not read; decompress it with "+
			"`zstd -d %s`, or have the Pulumi CLI write it again without PULUMI_DIY_BACKEND_ZSTD", v.path, v.path)
	case gzipExt:
		return v.readGzip()
	default:
		data, err := os.ReadFile(v.path)
		return data, explain(err)
	}
}

func (v variant) readGzip() ([]byte, error) {
	raw, err := os.ReadFile(v.path)
	if err != nil {
		return nil, explain(err)
	}
	damaged := func(err error) error {
		return &backend.DamagedError{Location: v.path, Reason: err.Error(),
			WayOut: "The state before it is in " + v.path + backupExt + ", older ones are in the backups folder"}
	}
	r, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, damaged(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, damaged(err)
	}
	return data, nil
}

func (c checkpoints) Write(ctx context.Context, lock backend.Lock, data []byte) error {
	ref, err := checkLock(ctx, lock)
	if err != nil {
		return err
	}
	if err := c.replaceCheckpoint(ref, data); err != nil {
		return fmt.Errorf("write the state of stack '%s': %w", ref, err)
	}
	return nil
}

// replaceCheckpoint backs up what is there, writes the new contents uncompressed, and removes compressed ones.
func (s *store) replaceCheckpoint(ref backend.StackRef, data []byte) error {
	found, err := s.variants(ref)
	if err != nil {
		return err
	}
	for _, v := range found {
		if err := s.writer.copy(v.path+backupExt, ref.Name, v.path); err != nil {
			return fmt.Errorf("back up %s: %w", v.path, err)
		}
	}
	if err := s.writer.replace(s.checkpoint(ref), ref.Name, data); err != nil {
		return err
	}
	for _, v := range found {
		if v.ext == "" {
			continue
		}
		if err := s.writer.removeWithSidecar(v.path); err != nil {
			return err
		}
	}
	return nil
}
