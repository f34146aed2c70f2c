package secret

import (
	"context"
	"errors"
	"fmt"
)

// ErrLocked is what every [LockedError] unwraps to: the key of a stack is not at hand.
var ErrLocked = errors.New("the key is not available")

// LockedError says that a text could not be encrypted or decrypted for want of the key, and how to provide it.
type LockedError struct {
	// Action is "encrypt" or "decrypt".
	Action string
	// Reason says why there is no key and how to give it.
	Reason string
	// Cause is what the attempt to get the key ended with; it may be nil.
	Cause error
}

func (e *LockedError) Error() string { return fmt.Sprintf("failed to %s: %s", e.Action, e.Reason) }

// Unwrap makes errors.Is find [ErrLocked] and the cause.
func (e *LockedError) Unwrap() []error {
	if e.Cause == nil {
		return []error{ErrLocked}
	}
	return []error{ErrLocked, e.Cause}
}

// Locked is a crypter without a key. State stays readable with it (names, types, structure), and ciphertext can be carried
// along; the first secret that somebody wants to see or change is a [LockedError].
func Locked(reason string, cause error) Crypter { return locked{reason: reason, cause: cause} }

type locked struct {
	reason string
	cause  error
}

func (l locked) Encrypt(context.Context, string) (string, error) {
	return "", &LockedError{Action: "encrypt", Reason: l.reason, Cause: l.cause}
}

func (l locked) Decrypt(context.Context, string) (string, error) {
	return "", &LockedError{Action: "decrypt", Reason: l.reason, Cause: l.cause}
}
