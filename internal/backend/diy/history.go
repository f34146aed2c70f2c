package diy

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-iac/cairn/internal/backend"
)

type history struct{ *store }

func (h history) Add(ctx context.Context, lock backend.Lock, entry backend.HistoryEntry) error {
	ref, err := checkLock(ctx, lock)
	if err != nil {
		return err
	}
	if err := h.add(ref, entry); err != nil {
		return fmt.Errorf("add to the history of stack '%s': %w", ref, err)
	}
	return nil
}

func (h history) add(ref backend.StackRef, entry backend.HistoryEntry) error {
	info, err := encodeInfo(entry.Info)
	if err != nil {
		return err
	}
	prefix := h.historyPrefix(ref, h.now().UnixNano())
	if err := h.writer.replace(prefix+historySuffix, ref.Name, info); err != nil {
		return err
	}
	if err := h.writer.replace(prefix+checkpointSuffix, ref.Name, entry.Checkpoint); err != nil {
		return err
	}
	if h.options.DisableBackups {
		return nil
	}
	// Neither copy is ever changed, so that both can share their bytes.
	return h.writer.duplicate(h.backup(ref, h.now().UnixNano()), ref.Name, prefix+checkpointSuffix)
}

func encodeInfo(info backend.UpdateInfo) ([]byte, error) {
	if info.Config == nil {
		info.Config = json.RawMessage("{}")
	}
	if info.Environment == nil {
		info.Environment = map[string]string{}
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(info); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(buf.Bytes()), nil
}

func (h history) List(ctx context.Context, ref backend.StackRef, page backend.Page) ([]backend.UpdateInfo, error) {
	if err := errors.Join(ctx.Err(), ref.Validate()); err != nil {
		return nil, err
	}
	paths, err := h.infoFiles(ref)
	if err != nil {
		return nil, fmt.Errorf("read the history of stack '%s': %w", ref, err)
	}
	if page.Size > 0 {
		start := min((max(page.Number, 1)-1)*page.Size, len(paths))
		paths = paths[start:min(start+page.Size, len(paths))]
	}
	infos := make([]backend.UpdateInfo, 0, len(paths))
	for _, path := range paths {
		info, err := readInfo(path)
		if err != nil {
			return nil, fmt.Errorf("read the history of stack '%s': %w", ref, err)
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// infoFiles lists the files that describe updates, newest first.
func (s *store) infoFiles(ref backend.StackRef) ([]string, error) {
	dir := s.historyDir(ref)
	entries, err := readDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		plain := strings.TrimSuffix(strings.TrimSuffix(e.Name(), gzipExt), zstdExt)
		if !e.IsDir() && strings.HasSuffix(plain, historySuffix) {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(stamp(b), stamp(a)), strings.Compare(b, a))
	})
	for i, name := range names {
		names[i] = filepath.Join(dir, name)
	}
	return names, nil
}

// stamp is the time in the name of a history file, 0 without one.
func stamp(name string) int64 {
	head, _, _ := strings.Cut(name[strings.LastIndexByte(name, '-')+1:], ".")
	nanos, err := strconv.ParseInt(head, 10, 64)
	if err != nil {
		return 0
	}
	return nanos
}

func readInfo(path string) (backend.UpdateInfo, error) {
	var info backend.UpdateInfo
	text, err := os.ReadFile(path)
	if err != nil {
		return info, explain(err)
	}
	damaged := func(reason string) error {
		return &backend.DamagedError{Location: path, Reason: reason,
			WayOut: "It only tells about a past update: move it out of the folder to see the others"}
	}
	if strings.HasSuffix(path, zstdExt) {
		return info, fmt.Errorf("%s is compressed with zstd, which this program does not read; "+
			"decompress it with `zstd -d --rm %s`", path, path)
	}
	if strings.HasSuffix(path, gzipExt) {
		r, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			return info, damaged(err.Error())
		}
		if text, err = io.ReadAll(r); err != nil {
			return info, damaged(err.Error())
		}
	}
	if err := json.Unmarshal(text, &info); err != nil {
		return info, damaged(err.Error())
	}
	return info, nil
}

func sortRefs(refs []backend.StackRef) {
	slices.SortFunc(refs, func(a, b backend.StackRef) int {
		return cmp.Or(strings.Compare(a.Project, b.Project), strings.Compare(a.Name, b.Name))
	})
}
