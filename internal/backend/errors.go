package backend

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// The errors that callers tell apart.
var (
	// ErrStackNotFound means that the backend has no such stack.
	ErrStackNotFound = errors.New("no such stack")
	// ErrStackExists means that a stack of that name is there already.
	ErrStackExists = errors.New("a stack of that name already exists")
	// ErrJournalExists means that an unfinished journal is in the way of a new one.
	ErrJournalExists = errors.New("the stack has an unfinished journal")
	// ErrLockLost means that the lock under which a write was asked for is no longer held.
	ErrLockLost = errors.New("the lock of the stack was lost")
	// ErrLegacyLayout means that the store still has the layout in which stacks did not belong to projects.
	ErrLegacyLayout = errors.New("the store has the legacy layout, in which stacks do not belong to projects")
)

// StackError says which stack an error is about.
type StackError struct {
	Ref StackRef
	Err error
}

func (e *StackError) Error() string {
	switch {
	case errors.Is(e.Err, ErrStackNotFound):
		return fmt.Sprintf("no stack named '%s' found", e.Ref)
	case errors.Is(e.Err, ErrStackExists):
		return fmt.Sprintf("stack '%s' already exists", e.Ref)
	default:
		return fmt.Sprintf("stack '%s': %v", e.Ref, e.Err)
	}
}

func (e *StackError) Unwrap() error { return e.Err }

// Holder describes one holder of a lock.
type Holder struct {
	// URL is where the lock is, without credentials.
	URL      string
	Username string
	Hostname string
	PID      int
	// Since is when the lock was taken.
	Since time.Time
	// Own says that the lock was written by this program, which renews its locks. A lock without it stays until
	// somebody cancels it.
	Own bool
}

func (h Holder) String() string {
	return fmt.Sprintf("%s: created by %s@%s (pid %d) at %s",
		h.URL, h.Username, h.Hostname, h.PID, h.Since.Format(time.RFC3339))
}

// LockedError means that others hold the lock of a stack. Its text is the one the Pulumi CLI prints.
type LockedError struct {
	Ref StackRef
	// Holders is empty when a process of this machine is about to take or to give back the lock.
	Holders []Holder
}

func (e *LockedError) Error() string {
	if len(e.Holders) == 0 {
		return fmt.Sprintf("the stack '%s' is currently locked by another process on this machine, which is just "+
			"starting or ending (or goes on after its lock was cancelled). "+
			"Wait for it to end, or use --wait-for-lock", e.Ref)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the stack is currently locked by %d lock(s). Either wait for the other process(es) to end or "+
		"delete the lock file with `pulumi cancel`.", len(e.Holders))
	for _, h := range e.Holders {
		b.WriteString("\n  " + h.String())
	}
	return b.String()
}

// JournalConflictError means that the checkpoint was changed after an unfinished journal began, so that the journal
// cannot be folded onto it. Both are kept.
type JournalConflictError struct {
	Ref StackRef
	// Checkpoint and Journal are the places of the two.
	Checkpoint string
	Journal    string
	// Writer and Started are from the journal's header.
	Writer  string
	Started time.Time
}

func (e *JournalConflictError) Error() string {
	return fmt.Sprintf("the state of stack '%s' was changed by another tool while an update of %s was unfinished, "+
		"and the two cannot be merged by themselves.\n"+
		"  state now:          %s\n"+
		"  unfinished journal: %s\n"+
		"Nothing was changed. Each line of the journal names a resource that the unfinished update created, changed "+
		"or deleted. To go on from the state as it is now, move the journal away:\n"+
		"  mv %s %s\n"+
		"then run `pulumi refresh`. What only the journal knows must be deleted or adopted by hand",
		e.Ref, e.Started.Format(time.RFC3339), e.Checkpoint, e.Journal,
		quoteForShell(e.Journal), quoteForShell(e.Journal+".kept"))
}

// DamagedError means that a stored file cannot be read as what it should be.
type DamagedError struct {
	// Location is the file or object.
	Location string
	// Line counts from 1; 0 when the damage is not at a line.
	Line int
	// Reason says what is wrong, WayOut what to do.
	Reason string
	WayOut string
}

func (e *DamagedError) Error() string {
	at := e.Location
	if e.Line > 0 {
		at = fmt.Sprintf("%s, line %d", e.Location, e.Line)
	}
	return fmt.Sprintf("%s is damaged: %s. %s", at, e.Reason, e.WayOut)
}

// quoteForShell makes a path safe to paste into a POSIX shell.
func quoteForShell(path string) string {
	plain := func(r rune) bool {
		return !(r < 0x80 && (isNameByte(byte(r)) || r == '/' || r == ':' || r == '~'))
	}
	if strings.IndexFunc(path, plain) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
