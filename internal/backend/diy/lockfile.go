package diy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-iac/cairn/internal/backend"
)

// lockRecord is the contents of a lock file. The first four fields are all the Pulumi CLI writes and reads.
type lockRecord struct {
	PID       int       `json:"pid"`
	Username  string    `json:"username"`
	Hostname  string    `json:"hostname"`
	Timestamp time.Time `json:"timestamp"`
	// Cairn is absent in the locks of the Pulumi CLI, which nobody renews.
	Cairn *lease `json:"cairn,omitempty"`
}

// lease is what our own locks carry so that others can tell a dead holder from a slow one.
type lease struct {
	Version  string   `json:"version"`
	Instance string   `json:"instance"`
	Process  identity `json:"process"`
	// Flock says that the holder also has the kernel's lock on the lock folder, which ends with its process.
	Flock bool  `json:"flock"`
	Phase phase `json:"phase"`
	// Seconds is how long the lease lasts from the last change of the file. The file system's clock is the judge:
	// Expires and Heartbeat are for people and for whoever watches.
	Seconds   float64   `json:"leaseSeconds"`
	Heartbeat int       `json:"heartbeat"`
	Expires   time.Time `json:"expires"`
}

type phase string

const (
	// phaseCandidate is a lock that its writer has yet to win against others who started at the same instant.
	phaseCandidate phase = "candidate"
	phaseHeld      phase = "held"
)

// lockFile is a lock found in a lock folder.
type lockFile struct {
	name    string
	path    string
	record  lockRecord
	changed time.Time
}

// encode pads the text, so that a later renewal can overwrite it in one write without changing its length.
func (r lockRecord) encode(size int) ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode lock: %w", err)
	}
	if pad := size - len(text); pad > 0 {
		text = append(text, bytes.Repeat([]byte{' '}, pad)...)
	}
	return text, nil
}

// listLocks reads the lock files of a stack. A file that cannot be understood counts as a lock of somebody unknown.
func (s *store) listLocks(ref backend.StackRef) ([]lockFile, error) {
	dir := s.lockDir(ref)
	entries, err := readDir(dir)
	if err != nil {
		return nil, fmt.Errorf("list the locks of stack '%s': %w", ref, err)
	}
	var locks []lockFile
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		lock, err := readLock(filepath.Join(dir, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // Given back since the listing.
		}
		if err != nil {
			return nil, fmt.Errorf("read lock of stack '%s': %w", ref, explain(err))
		}
		locks = append(locks, lock)
	}
	return locks, nil
}

// readLock reads one lock file; it tries again when it meets a renewal half written.
func readLock(path string) (lockFile, error) {
	lock := lockFile{name: filepath.Base(path), path: path}
	for try := 0; ; try++ {
		info, err := os.Stat(path)
		if err != nil {
			return lock, err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return lock, err
		}
		lock.changed = info.ModTime()
		lock.record = lockRecord{}
		err = json.Unmarshal(text, &lock.record)
		if err == nil {
			return lock, nil
		}
		if try == 5 {
			lock.record = lockRecord{Username: "unknown", Hostname: "unknown", Timestamp: lock.changed.UTC()}
			return lock, nil
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func (s *store) holder(ref backend.StackRef, lock lockFile) backend.Holder {
	return backend.Holder{
		URL:      s.address.urlOf(lockKey(ref) + "/" + lock.name),
		Username: lock.record.Username,
		Hostname: lock.record.Hostname,
		PID:      lock.record.PID,
		Since:    lock.record.Timestamp,
		Own:      lock.record.Cairn != nil,
	}
}

func (s *store) holders(ref backend.StackRef, locks []lockFile) []backend.Holder {
	holders := make([]backend.Holder, 0, len(locks))
	for _, lock := range locks {
		holders = append(holders, s.holder(ref, lock))
	}
	return holders
}

func lockFileName(instance string) string { return instance + jsonExt }

// fileClock is the time by the clock that stamps files in dir, which may be another machine's.
func (s *store) fileClock(dir, owner string) time.Time {
	path := filepath.Join(dir, tempName(owner, s.writer.random()))
	f, err := s.disk.Open(path, newFile)
	if err != nil {
		return s.now()
	}
	defer func() {
		_ = f.Close()
		_ = s.disk.Remove(path) // The next holder of the lock clears what is left.
	}()
	info, err := f.Stat()
	if err != nil {
		return s.now()
	}
	return info.ModTime()
}

// clearTemps removes temporary files that a crashed process left for this stack. Only the lock's holder may call it.
func (s *store) clearTemps(ref backend.StackRef) {
	for _, dir := range []string{s.projectDir(ref.Project), s.historyDir(ref), s.backupDir(ref)} {
		s.clearDir(dir, ref.Name, 0)
	}
	// Others may be writing their candidates for the lock at this moment.
	s.clearDir(s.lockDir(ref), ref.Name, s.timing.Lease)
}

func (s *store) clearDir(dir, owner string, olderThan time.Duration) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // Nothing to clear there.
	}
	for _, e := range entries {
		if !isTemp(e.Name(), owner) {
			continue
		}
		info, err := e.Info()
		if err == nil && s.now().Sub(info.ModTime()) >= olderThan {
			_ = s.disk.Remove(filepath.Join(dir, e.Name())) // Litter, not a fault.
		}
	}
}
