package passphrase

import (
	"context"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/cairn-iac/cairn/internal/secret"
)

// Type is the manager's name in checkpoints and in `--secrets-provider`.
const Type = "passphrase"

const (
	iterations = 1_000_000
	saltBytes  = 8
	// witness is the plaintext whose ciphertext stands in the state to tell a wrong passphrase.
	witness = "pulumi"
)

// ErrIncorrectPassphrase says that the passphrase is not the one the salt was made with. Its text is one that scripts and
// the Automation API look for.
var ErrIncorrectPassphrase = errors.New("incorrect passphrase")

// Manager is an opened passphrase manager. It is safe for concurrent use.
type Manager struct {
	salt    string
	crypter *secret.Symmetric
}

// Type is "passphrase".
func (m *Manager) Type() string { return Type }

// State is `{"salt": "v1:<salt>:v1:<nonce>:<sealed witness>"}`.
func (m *Manager) State() json.RawMessage { return StateOf(m.salt) }

// Salt is the `encryptionsalt` of the stack's file.
func (m *Manager) Salt() string { return m.salt }

// Crypter encrypts and decrypts with the derived key.
func (m *Manager) Crypter() secret.Crypter { return m.crypter }

// New makes a manager with a fresh salt.
func New(passphrase string) (*Manager, error) { return create(passphrase, nil) }

func create(passphrase string, keys *Keys) (*Manager, error) {
	salt := make([]byte, saltBytes)
	if _, err := rand.Read(salt); err != nil {
		return nil, fmt.Errorf("read random bytes for a salt: %w", err)
	}
	crypter, err := keys.derive(passphrase, salt)
	if err != nil {
		return nil, err
	}
	sealed, err := crypter.Encrypt(context.Background(), witness)
	if err != nil {
		return nil, fmt.Errorf("seal the passphrase check: %w", err)
	}
	return &Manager{salt: "v1:" + base64.StdEncoding.EncodeToString(salt) + ":" + sealed, crypter: crypter}, nil
}

// Open makes the manager of an existing salt (see [Manager.Salt]). A passphrase that does not fit is
// [ErrIncorrectPassphrase]; a salt that no passphrase can fit is another error.
func Open(salt, passphrase string) (*Manager, error) { return open(salt, passphrase, nil) }

func open(salt, passphrase string, keys *Keys) (*Manager, error) {
	raw, sealed, err := splitSalt(salt)
	if err != nil {
		return nil, err
	}
	crypter, err := keys.derive(passphrase, raw)
	if err != nil {
		return nil, err
	}
	if text, err := crypter.Decrypt(context.Background(), sealed); err != nil || text != witness {
		return nil, ErrIncorrectPassphrase
	}
	return &Manager{salt: salt, crypter: crypter}, nil
}

// StateOf is the checkpoint state of a salt.
func StateOf(salt string) json.RawMessage {
	// A string always marshals.
	quoted, _ := json.Marshal(salt)
	return json.RawMessage(`{"salt":` + string(quoted) + `}`)
}

// SaltOf reads the salt out of a checkpoint's state.
func SaltOf(state json.RawMessage) (string, error) {
	var s struct {
		Salt string `json:"salt"`
	}
	if err := json.Unmarshal(state, &s); err != nil {
		return "", fmt.Errorf("read the state of the passphrase secrets provider: %w", err)
	}
	if _, _, err := splitSalt(s.Salt); err != nil {
		return "", err
	}
	return s.Salt, nil
}

// splitSalt takes `v1:<salt>:v1:<nonce>:<sealed>` apart.
func splitSalt(text string) (salt []byte, sealed string, err error) {
	const way = "restore `encryptionsalt` from version control or from the stack's checkpoint"
	parts := strings.SplitN(text, ":", 3)
	switch {
	case len(parts) != 3 || strings.Count(parts[2], ":") != 2:
		return nil, "", errors.New("the encryption salt is malformed (want v1:<salt>:v1:<nonce>:<check>): " + way)
	case parts[0] != "v1" || !strings.HasPrefix(parts[2], "v1:"):
		return nil, "", errors.New("the encryption salt is of an unknown version; a newer CLI may have written it")
	}
	salt, err = base64.StdEncoding.DecodeString(parts[1])
	if err != nil || len(salt) == 0 {
		return nil, "", errors.New("the encryption salt is not base64: " + way)
	}
	for part := range strings.SplitSeq(parts[2][len("v1:"):], ":") {
		if _, err := base64.StdEncoding.DecodeString(part); err != nil {
			return nil, "", errors.New("the check in the encryption salt is not base64: " + way)
		}
	}
	return salt, parts[2], nil
}

func derive(passphrase string, salt []byte) (*secret.Symmetric, error) {
	key, err := pbkdf2.Key(sha256.New, passphrase, salt, iterations, secret.KeyBytes)
	if err != nil {
		return nil, fmt.Errorf("derive a key from the passphrase: %w", err)
	}
	return secret.NewSymmetric(key)
}
