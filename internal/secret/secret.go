package secret

import (
	"context"
	"encoding/json"
)

// Encrypter turns plaintext into ciphertext that a file may hold.
type Encrypter interface {
	Encrypt(ctx context.Context, plaintext string) (ciphertext string, err error)
}

// Decrypter is the way back.
type Decrypter interface {
	Decrypt(ctx context.Context, ciphertext string) (plaintext string, err error)
}

// Crypter does both. Implementations are safe for concurrent use.
type Crypter interface {
	Encrypter
	Decrypter
}

// Manager is what a stack's secrets are kept with. A checkpoint names it as `secrets_providers: {type, state}`.
type Manager interface {
	// Type is the manager's name in a checkpoint: "passphrase", "cloud", "service".
	Type() string
	// State is what a checkpoint keeps besides the type: enough to open the manager again, nothing that is secret.
	State() json.RawMessage
	// Crypter encrypts and decrypts with the stack's key. A manager without its key answers every call with [ErrLocked].
	Crypter() Crypter
}
