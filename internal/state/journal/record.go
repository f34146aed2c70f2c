package journal

import (
	"fmt"
	"strconv"

	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
)

// Record is one entry of a journal: Begin, Success, Failure, SecretsProvider, ClearPending or Folded.
type Record interface{ record() }

// Begin says that a provider is about to be asked for something.
type Begin struct {
	// Ticket is unique in the journal and greater than 0.
	Ticket int64
	Kind   resource.PendingKind
	// Resource is what a pending operation shows when Existing is nil: a resource that is not recorded yet.
	Resource *resource.State
	// Existing is the recorded resource that the operation works on.
	Existing *Ref
}

// Success says what changed.
type Success struct {
	// Ticket is the one of the Begin it ends; 0 for changes that needed no provider.
	Ticket int64
	Drop   []Ref
	Put    []Put
	Flag   []Flags
}

// Put adds a resource under a number that later records use for it.
type Put struct {
	// N is unique among the journal's puts and greater than 0. Those of one record are consecutive.
	N     int64
	State *resource.State
}

// Flags sets the flags of a recorded resource to these values.
type Flags struct {
	Ref                               Ref
	Delete, PendingReplacement, Taint bool
}

// Failure says that an operation ended without an effect.
type Failure struct{ Ticket int64 }

// SecretsProvider says that the state's secrets are encrypted by another provider from here on. Whoever writes it
// encrypts all resources anew: folding keeps their values, not their ciphertexts.
type SecretsProvider struct{ Provider *state.SecretsProvider }

// ClearPending says that pending operations of the base are settled; they are named by their index there.
type ClearPending struct{ Base []int }

// Folded says that the journal was about to be folded into a checkpoint with this hash. A journal whose checkpoint has the
// hash is done with: all of it is in there. Folding passes over the record.
type Folded struct{ Checkpoint string }

func (Begin) record()           {}
func (Success) record()         {}
func (Failure) record()         {}
func (SecretsProvider) record() {}
func (ClearPending) record()    {}
func (Folded) record()          {}

// Ref names a recorded resource.
type Ref struct {
	// put tells a number given by a Put from an index in the base.
	put bool
	n   int64
}

// BaseRef names the resource at an index of the base.
func BaseRef(index int) Ref { return Ref{n: int64(index)} }

// PutRef names the resource that a Put added.
func PutRef(n int64) Ref { return Ref{put: true, n: n} }

// String is b<index> or p<number>.
func (r Ref) String() string {
	if r.put {
		return "p" + strconv.FormatInt(r.n, 10)
	}
	return "b" + strconv.FormatInt(r.n, 10)
}

// MarshalText writes String.
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what String gives.
func (r *Ref) UnmarshalText(text []byte) error {
	if len(text) > 1 && (text[0] == 'b' || text[0] == 'p') {
		n, err := strconv.ParseInt(string(text[1:]), 10, 64)
		if err == nil && n >= 0 {
			*r = Ref{put: text[0] == 'p', n: n}
			return nil
		}
	}
	return fmt.Errorf("%q names no resource: expected b<index> or p<number>", text)
}
