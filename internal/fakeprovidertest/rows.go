package fakeprovidertest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// rowFile is an append-only file of JSON rows that several processes share. A row counts once its newline is
// written: a writer killed in the middle leaves a torn tail, which the next writer cuts off.
type rowFile struct {
	path   string
	offset int64 // end of the last row that tail has delivered
}

// locked opens the file and holds its exclusive lock for fn. The kernel drops the lock of a killed process.
func (r *rowFile) locked(fn func(*os.File) error) (err error) {
	file, err := os.OpenFile(r.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", r.path, err)
	}
	return fn(file)
}

// tail delivers the complete rows after offset and moves it on.
func (r *rowFile) tail(file *os.File, each func(row []byte) error) error {
	section := io.NewSectionReader(file, r.offset, 1<<62)
	reader := bufio.NewReaderSize(section, 1<<16)
	for {
		row, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", r.path, err)
		}
		if err := each(bytes.TrimSuffix(row, []byte("\n"))); err != nil {
			return fmt.Errorf("%s at byte %d: %w", r.path, r.offset, err)
		}
		r.offset += int64(len(row))
	}
}

// add appends one row after everything that tail has seen; call it with the lock held and after tail.
func (r *rowFile) add(file *os.File, row any, durable durability) error {
	text, err := json.Marshal(row)
	if err != nil {
		return fmt.Errorf("row for %s: %w", r.path, err)
	}
	if err := file.Truncate(r.offset); err != nil {
		return err
	}
	text = append(text, '\n')
	if _, err := file.Write(text); err != nil {
		return err
	}
	r.offset += int64(len(text))
	if durable == synced {
		return file.Sync()
	}
	return nil
}

// durability says whether a row must be on the disk before the writer goes on.
type durability int

const (
	buffered durability = iota
	synced
)
