package secret

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// KeyBytes is the length of a data key: AES-256.
const KeyBytes = 32

// ErrCiphertext is what a text is refused with that no [Symmetric] of this key can have written: another format, a
// truncated or changed text, or another key.
var ErrCiphertext = errors.New("bad ciphertext")

// Symmetric encrypts with AES-256-GCM under one key. Its ciphertext is the text `v1:<nonce>:<sealed>`, both parts in
// standard base64 with padding, the nonce of 12 random bytes, no additional data: the format of passphrase and
// key-management stacks in every Pulumi CLI.
type Symmetric struct{ aead cipher.AEAD }

// NewSymmetric makes the crypter of a 32-byte key.
func NewSymmetric(key []byte) (*Symmetric, error) {
	if len(key) != KeyBytes {
		return nil, fmt.Errorf("a data key has %d bytes, not %d", KeyBytes, len(key))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make the AES cipher: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("make the AES-GCM cipher: %w", err)
	}
	return &Symmetric{aead: aead}, nil
}

// String keeps the key out of whatever prints a crypter.
func (*Symmetric) String() string { return "AES-256-GCM" }

// GoString is String.
func (s *Symmetric) GoString() string { return s.String() }

// Encrypt seals plaintext under a fresh nonce: the same plaintext never gives the same ciphertext twice.
func (s *Symmetric) Encrypt(_ context.Context, plaintext string) (string, error) {
	nonce := make([]byte, s.aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return "", fmt.Errorf("read random bytes: %w", err)
	}
	sealed := s.aead.Seal(nil, nonce, []byte(plaintext), nil)
	b64 := base64.StdEncoding
	return "v1:" + b64.EncodeToString(nonce) + ":" + b64.EncodeToString(sealed), nil
}

// Decrypt opens what Encrypt sealed. Every refusal is an [ErrCiphertext]; the text itself is never part of the message.
func (s *Symmetric) Decrypt(_ context.Context, ciphertext string) (string, error) {
	version, rest, ok := strings.Cut(ciphertext, ":")
	nonceText, sealedText, ok2 := strings.Cut(rest, ":")
	switch {
	case !ok || !ok2:
		return "", fmt.Errorf("%w: want v1:<nonce>:<data>", ErrCiphertext)
	case version != "v1":
		return "", fmt.Errorf("%w: it is of an unknown version; a newer CLI may have written it", ErrCiphertext)
	}
	nonce, err := base64.StdEncoding.DecodeString(nonceText)
	if err != nil || len(nonce) != s.aead.NonceSize() {
		return "", fmt.Errorf("%w: the nonce is not %d bytes of base64", ErrCiphertext, s.aead.NonceSize())
	}
	sealed, err := base64.StdEncoding.DecodeString(sealedText)
	if err != nil {
		return "", fmt.Errorf("%w: the data is not base64", ErrCiphertext)
	}
	plaintext, err := s.aead.Open(nil, nonce, sealed, nil)
	if err != nil {
		return "", fmt.Errorf("%w: it was changed, or written with another key", ErrCiphertext)
	}
	return string(plaintext), nil
}
