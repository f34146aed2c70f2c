package backend

import (
	"context"
	"encoding/json"
	"time"

	"github.com/cairn-iac/cairn/internal/diag"
)

// Backend is one place where stacks live: the parts that a member provides.
type Backend struct {
	// URL is the address as the user gave it.
	URL         string
	Stacks      Stacks
	Locker      Locker
	Checkpoints Checkpoints
	Journals    Journals
	History     History
	// Notices are warnings that came up on opening.
	Notices diag.Diagnostics
}

// Stacks lists, makes and removes stacks.
type Stacks interface {
	// List gives the stacks in order of project and name.
	List(ctx context.Context, filter StackFilter) ([]StackRef, error)
	// Exists says whether the stack has a checkpoint.
	Exists(ctx context.Context, ref StackRef) (bool, error)
	// Create writes the first checkpoint of the lock's stack. It fails with ErrStackExists.
	Create(ctx context.Context, lock Lock, checkpoint []byte) error
	// Remove takes the lock's stack away, with its history and journal. It does not look at what the stack holds.
	Remove(ctx context.Context, lock Lock, opts RemoveOptions) error
}

// StackFilter selects stacks; the zero value selects all.
type StackFilter struct {
	// Project keeps the stacks of one project.
	Project string
}

// RemoveOptions tune Stacks.Remove.
type RemoveOptions struct {
	// Backups removes the backups too; by default they stay, so that a removal by mistake can be mended.
	Backups bool
}

// Locker keeps two updates of one stack apart.
type Locker interface {
	// Lock takes the lock of a stack, which need not exist. It fails with *LockedError when others hold it.
	Lock(ctx context.Context, ref StackRef, opts LockOptions) (Lock, error)
	// Holders lists who holds the lock now; dead holders are left out.
	Holders(ctx context.Context, ref StackRef) ([]Holder, error)
	// Cancel takes the lock from whoever holds it and lists them.
	Cancel(ctx context.Context, ref StackRef) ([]Holder, error)
}

// LockOptions tune Locker.Lock.
type LockOptions struct {
	// Wait is how long to wait for other holders; 0 fails at once.
	Wait time.Duration
	// OnWait is called when waiting begins, and again when the holders change. It may be nil.
	OnWait func(holders []Holder)
}

// Lock is a held lock. Methods that write check it first.
type Lock interface {
	// Ref is the locked stack.
	Ref() StackRef
	// Check is nil while the lock is held, an ErrLockLost afterwards. It looks at the store.
	Check() error
	// Lost is closed when the lock is found lost: stop cleanly.
	Lost() <-chan struct{}
	// Notices are warnings that came up on locking, such as a lock taken over from a dead process.
	Notices() diag.Diagnostics
	// Release gives the lock back. An error means that the lock may be left behind; it then ends by itself when its
	// lease does, so that it is a warning to the user and no failure of the work done under the lock.
	Release(ctx context.Context) error
}

// Checkpoints keeps the state file of each stack.
type Checkpoints interface {
	// Read gives the newest checkpoint. It fails with ErrStackNotFound.
	Read(ctx context.Context, ref StackRef) (Checkpoint, error)
	// Write replaces the checkpoint of the lock's stack: afterwards either the old or the new one is there in full,
	// whatever happens in between. The previous contents are kept beside it.
	Write(ctx context.Context, lock Lock, data []byte) error
}

// Checkpoint is a stored state file.
type Checkpoint struct {
	// Data is the JSON text, uncompressed.
	Data []byte
	// SHA256 is the hash of Data in hex.
	SHA256 string
	// Location is where it is stored, for messages.
	Location string
}

// Journals keeps what an update has done since its checkpoint.
type Journals interface {
	// Create begins the journal of the lock's stack. It fails with ErrJournalExists.
	Create(ctx context.Context, lock Lock, header JournalHeader) (Journal, error)
	// Resume goes on with the journal of the lock's stack, without its torn end.
	Resume(ctx context.Context, lock Lock) (Journal, error)
	// Read gives the stack's journal; nil when there is none.
	Read(ctx context.Context, ref StackRef) (*JournalContents, error)
	// Remove takes the journal of the lock's stack away, if there is one.
	Remove(ctx context.Context, lock Lock) error
}

// Journal takes records. It may be used by many goroutines.
type Journal interface {
	// Append stores one record, JSON text without line breaks. When it returns nil the record survives a crash. After
	// an error nothing more can be appended.
	Append(ctx context.Context, record []byte) error
	// Location is where the journal is stored, for messages.
	Location() string
	// Close ends writing. The journal stays.
	Close() error
}

// JournalVersion is the journal format this package writes and the newest it reads.
const JournalVersion = 1

// JournalHeader is the first record of a journal: what it continues, and who wrote it.
type JournalHeader struct {
	Version int `json:"version"`
	// Checkpoint is the Checkpoint.SHA256 of the state that the records continue.
	Checkpoint string `json:"checkpoint"`
	// Writer is the random id of the writing process; Kind the kind of update; Started when it began.
	Writer  string    `json:"writer"`
	Kind    string    `json:"kind"`
	Started time.Time `json:"started"`
	// SecretsProvider is the provider and its state, as in a deployment, that encrypted the records' secrets.
	SecretsProvider json.RawMessage `json:"secretsProvider,omitempty"`
}

// JournalContents is a stored journal.
type JournalContents struct {
	// Header is nil when the journal ends before the end of its header: nothing was done under it.
	Header  *JournalHeader
	Records [][]byte
	// Torn is set when the end of the last record is missing, as after a crash. That record was never confirmed.
	Torn *TornRecord
	// Location is where the journal is stored, for messages.
	Location string
}

// TornRecord is a last record that was not written to its end.
type TornRecord struct {
	// Line counts from 1; Bytes is how much of it there is.
	Line  int
	Bytes int
}

// History keeps what updates did.
type History interface {
	// Add records a finished update of the lock's stack with the checkpoint it left.
	Add(ctx context.Context, lock Lock, entry HistoryEntry) error
	// List gives the updates of a stack, newest first.
	List(ctx context.Context, ref StackRef, page Page) ([]UpdateInfo, error)
}

// HistoryEntry is a finished update and the checkpoint it left.
type HistoryEntry struct {
	Info       UpdateInfo
	Checkpoint []byte
}

// Page selects a part of a list. Pages count from 1; Size 0 means all.
type Page struct {
	Size   int
	Number int
}
