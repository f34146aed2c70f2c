package diy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/cairn-iac/cairn/internal/backend"
)

// faultyDisk fails its n-th operation from arming on, and all after it if it is a full or read-only disk.
type faultyDisk struct {
	osDisk
	mu    sync.Mutex
	armed bool
	left  int
	once  bool
	err   error
	// short makes a failing write store half of its bytes.
	short bool
}

func (d *faultyDisk) arm(after int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.armed, d.left = true, after
}

func (d *faultyDisk) disarm() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.armed = false
}

func (d *faultyDisk) fault(op, path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.armed {
		return nil
	}
	if d.left > 0 {
		d.left--
		return nil
	}
	if d.once {
		d.armed = false
	}
	return &os.PathError{Op: op, Path: path, Err: d.err}
}

func (d *faultyDisk) Open(path string, flags int) (file, error) {
	if err := d.fault("open", path); err != nil {
		return nil, err
	}
	f, err := d.osDisk.Open(path, flags)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file: f, disk: d, path: path}, nil
}

func (d *faultyDisk) Rename(from, to string) error {
	if err := d.fault("rename", from); err != nil {
		return err
	}
	return d.osDisk.Rename(from, to)
}

func (d *faultyDisk) SyncDir(path string) error {
	if err := d.fault("sync", path); err != nil {
		return err
	}
	return d.osDisk.SyncDir(path)
}

type faultyFile struct {
	file
	disk *faultyDisk
	path string
}

func (f *faultyFile) Write(p []byte) (int, error) {
	if err := f.disk.fault("write", f.path); err != nil {
		n := 0
		if f.disk.short {
			n, _ = f.file.Write(p[:len(p)/2])
		}
		return n, err
	}
	return f.file.Write(p)
}

func (f *faultyFile) Sync() error {
	if err := f.disk.fault("sync", f.path); err != nil {
		return err
	}
	return f.file.Sync()
}

func (f *faultyFile) Stat() (fs.FileInfo, error) { return f.file.Stat() }

// TestFaults fails every operation of every write in turn: the state is the old or the new one, no temporary file is
// left, and the error says what to do.
func TestFaults(t *testing.T) {
	t.Parallel()
	faults := map[string]struct {
		disk *faultyDisk
		says string
	}{
		"full":      {&faultyDisk{err: syscall.ENOSPC, short: true}, "make room"},
		"quota":     {&faultyDisk{err: syscall.EDQUOT}, "quota"},
		"read-only": {&faultyDisk{err: syscall.EROFS}, "read-only"},
		"forbidden": {&faultyDisk{err: syscall.EACCES}, "owner and mode"},
		"I/O error": {&faultyDisk{err: syscall.EIO, once: true}, "input/output error"},
	}
	writes := map[string]func(s *store, lock backend.Lock) error{
		"checkpoint": func(s *store, lock backend.Lock) error {
			return checkpoints{s}.Write(t.Context(), lock, []byte(`{"new":1}`))
		},
		"history": func(s *store, lock backend.Lock) error {
			return history{s}.Add(t.Context(), lock, backend.HistoryEntry{Checkpoint: []byte(`{"new":1}`)})
		},
		"journal": func(s *store, lock backend.Lock) error {
			j, err := journals{s}.Create(t.Context(), lock, backend.JournalHeader{})
			if err != nil {
				return err
			}
			return errors.Join(j.Append(t.Context(), []byte(`1`)), j.Close())
		},
	}
	for faultName, fault := range faults {
		for writeName, write := range writes {
			t.Run(faultName+"/"+writeName, func(t *testing.T) {
				t.Parallel()
				for after := 0; ; after++ {
					if !faultAt(t, after, fault.disk.clone(), fault.says, write) {
						return
					}
				}
			})
		}
	}
}

func (d *faultyDisk) clone() *faultyDisk {
	return &faultyDisk{err: d.err, once: d.once, short: d.short}
}

// faultAt runs one write with a fault after some operations; it says whether the fault was met.
func faultAt(t *testing.T, after int, d *faultyDisk, says string, write func(*store, backend.Lock) error) bool {
	t.Helper()
	s := testStore(t).withDisk(d)
	lock := mustLock(t, s)
	must(t, stacks{s}.Create(t.Context(), lock, []byte(`{"old":1}`)))
	d.arm(after)
	err := write(s, lock)
	d.disarm()
	if err == nil {
		return false
	}
	if !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), testRef.String()) &&
		!strings.Contains(err.Error(), s.root) {
		t.Errorf("after %d operations: %v", after, err)
	}
	noTemps(t, s.root)
	c, err := checkpoints{s}.Read(t.Context(), testRef)
	must(t, err)
	if got := string(c.Data); got != `{"old":1}` && got != `{"new":1}` {
		t.Errorf("after %d operations the state is %s", after, got)
	}
	if _, err := (journals{s}).Read(t.Context(), testRef); err != nil {
		t.Errorf("after %d operations: %v", after, err)
	}
	must(t, lock.Release(t.Context()))
	return true
}

// TestJournalPoisoned: after a failed write nothing more is taken, and the records before it are still there.
func TestJournalPoisoned(t *testing.T) {
	t.Parallel()
	d := &faultyDisk{err: syscall.ENOSPC, once: true, short: true}
	s := testStore(t).withDisk(d)
	j, err := journals{s}.Create(t.Context(), mustLock(t, s), backend.JournalHeader{})
	must(t, err)
	must(t, j.Append(t.Context(), []byte(`{"n":1}`)))
	d.arm(0)
	first := j.Append(t.Context(), []byte(`{"n":2}`))
	wantInError(t, first, "make room")
	for i := range 3 {
		if err := j.Append(t.Context(), fmt.Appendf(nil, "%d", i)); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("append after a failure: %v", err)
		}
	}
	must(t, j.Close())
	contents, err := journals{s}.Read(t.Context(), testRef)
	must(t, err)
	if len(contents.Records) != 1 || contents.Torn == nil {
		t.Errorf("%d records, torn %v", len(contents.Records), contents.Torn)
	}
}

// TestReadOnlyFolder uses real modes, where the user is bound by them.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("modes do not bind root")
	}
	s := testStore(t)
	lock := mustLock(t, s)
	must(t, stacks{s}.Create(t.Context(), lock, []byte(`{"old":1}`)))
	dir := s.projectDir(testRef.Project)
	must(t, os.Chmod(dir, 0o555))
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	err := checkpoints{s}.Write(t.Context(), lock, []byte(`{}`))
	wantInError(t, err, "cannot be written to", dir)
	c, err := checkpoints{s}.Read(t.Context(), testRef)
	must(t, err)
	if string(c.Data) != `{"old":1}` {
		t.Errorf("the state is %s", c.Data)
	}
}
