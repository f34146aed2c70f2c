package diy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/cairn-iac/cairn/internal/backend"
)

type journals struct{ *store }

func (j journals) Create(ctx context.Context, lock backend.Lock, h backend.JournalHeader) (backend.Journal, error) {
	ref, err := checkLock(ctx, lock)
	if err != nil {
		return nil, err
	}
	path := j.journal(ref)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(&backend.StackError{Ref: ref, Err: backend.ErrJournalExists}, err)
	}
	w, err := j.begin(path, ref.Name, h)
	if err != nil {
		return nil, fmt.Errorf("begin the journal of stack '%s': %w", ref, explain(err))
	}
	go w.run()
	return w, nil
}

func (j journals) Resume(ctx context.Context, lock backend.Lock) (backend.Journal, error) {
	ref, err := checkLock(ctx, lock)
	if err != nil {
		return nil, err
	}
	path := j.journal(ref)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("go on with the journal of stack '%s': %w", ref, explain(err))
	}
	contents, err := parseJournal(path, data)
	if err != nil {
		return nil, err
	}
	if contents.Header == nil {
		return nil, damagedJournal(path, 1, errors.New("it ends within its header"))
	}
	whole := len(data)
	if contents.Torn != nil {
		whole -= contents.Torn.Bytes
	}
	f, err := j.disk.Open(path, os.O_APPEND)
	if err == nil {
		err = f.Truncate(int64(whole)) // A record after a torn one could never be read.
	}
	if err != nil {
		return nil, fmt.Errorf("go on with the journal of stack '%s': %w", ref, explain(err))
	}
	w := newJournalWriter(path, f)
	go w.run()
	return w, nil
}

// begin makes the file with its header in it. It gets its name last, so that a journal always has a whole header.
func (j journals) begin(path, owner string, h backend.JournalHeader) (*journalWriter, error) {
	h.Version = backend.JournalVersion
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, err
	}
	tmp := filepath.Join(dir, tempName(owner, j.writer.random()))
	f, err := j.disk.Open(tmp, newFile)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(appendFrame(nil, text))
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = j.disk.Rename(tmp, path)
	}
	if err == nil {
		err = j.disk.SyncDir(dir)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), j.writer.remove(tmp))
	}
	return newJournalWriter(path, f), nil
}

func newJournalWriter(path string, f file) *journalWriter {
	return &journalWriter{
		path: path,
		file: f,
		kick: make(chan struct{}, 1),
		done: make(chan struct{}),
		next: newBatch(),
	}
}

func (j journals) Remove(ctx context.Context, lock backend.Lock) error {
	ref, err := checkLock(ctx, lock)
	if err != nil {
		return err
	}
	path := j.journal(ref)
	if err := j.writer.removeWithSidecar(path); err != nil {
		return fmt.Errorf("remove the journal of stack '%s': %w", ref, err)
	}
	err = j.disk.SyncDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return explain(err)
}

// journalWriter appends records. Whatever arrives while one batch is being synced goes into the next, so that many
// records share one sync.
type journalWriter struct {
	path string
	file file
	kick chan struct{}
	done chan struct{}

	mu     sync.Mutex
	next   *batch
	err    error
	closed bool
}

// batch is the records of one write. ready is closed when they are durable or err tells why not.
type batch struct {
	frames []byte
	ready  chan struct{}
	err    error
}

func newBatch() *batch { return &batch{ready: make(chan struct{})} }

var errJournalClosed = errors.New("the journal is closed")

func (w *journalWriter) Location() string { return w.path }

func (w *journalWriter) Append(ctx context.Context, record []byte) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if len(record) == 0 || bytes.IndexByte(record, '\n') >= 0 {
		return fmt.Errorf("append to journal %s: a record must be one line of JSON", w.path)
	}
	b, err := w.enqueue(record)
	if err != nil {
		return err
	}
	// From here on the record may become durable, so the answer is waited for even if ctx ends.
	<-b.ready
	return b.err
}

func (w *journalWriter) enqueue(record []byte) (*batch, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return nil, w.err
	}
	if w.closed {
		return nil, errJournalClosed
	}
	b := w.next
	b.frames = appendFrame(b.frames, record)
	select {
	case w.kick <- struct{}{}:
	default: // The writer has been told already.
	}
	return b, nil
}

// run writes batches until Close.
func (w *journalWriter) run() {
	defer close(w.done)
	for range w.kick {
		w.flush()
	}
	w.flush()
}

func (w *journalWriter) flush() {
	w.mu.Lock()
	b, err := w.next, w.err
	w.next = newBatch()
	w.mu.Unlock()
	if len(b.frames) == 0 {
		return
	}
	if err == nil {
		err = w.store(b.frames)
	}
	if err != nil {
		w.mu.Lock()
		w.err = err
		w.mu.Unlock()
	}
	b.err = err
	close(b.ready)
}

// store makes frames durable. After a failed sync nobody knows what is on the disk, so the first error is final.
func (w *journalWriter) store(frames []byte) error {
	if _, err := w.file.Write(frames); err != nil {
		return fmt.Errorf("write journal %s: %w", w.path, explain(err))
	}
	if err := w.file.Sync(); err != nil {
		return fmt.Errorf("write journal %s: %w", w.path, explain(err))
	}
	info, err := w.file.Stat()
	if err != nil {
		return fmt.Errorf("write journal %s: %w", w.path, err)
	}
	if isUnlinked(info) {
		return fmt.Errorf("%w: the journal %s was removed while it was being written, so another update took over",
			backend.ErrLockLost, w.path)
	}
	return nil
}

func (w *journalWriter) Close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	close(w.kick)
	w.mu.Unlock()
	<-w.done
	return w.file.Close()
}
