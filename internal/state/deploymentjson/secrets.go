package deploymentjson

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"

	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Opener gives the crypter for the secrets provider of a document; nil stands for a document without one. The crypter may
// be a locked one.
type Opener func(ctx context.Context, p *state.SecretsProvider) (secret.Crypter, error)

// Secrets opens and seals the secrets of one stack. It remembers the ciphertext of each plaintext it met at a place, so
// that writing an unchanged secret again gives the same text. It may be used by many goroutines.
type Secrets struct {
	crypter secret.Crypter
	forget  bool

	mu    sync.Mutex
	known map[cacheKey]string
}

// SecretsOptions tune NewSecrets.
type SecretsOptions struct {
	// NoCache encrypts every secret anew (PULUMI_DISABLE_SECRET_CACHE).
	NoCache bool
}

// NewSecrets makes the Secrets of a crypter; nil is a stack without a secrets provider.
func NewSecrets(c secret.Crypter, opts SecretsOptions) *Secrets {
	return &Secrets{crypter: c, forget: opts.NoCache, known: map[cacheKey]string{}}
}

// cacheKey is a hash of place and plaintext; plaintexts are not kept.
type cacheKey [sha256.Size]byte

// place is where a value is.
type place struct {
	urn  urn.URN
	path string
}

func (p place) key(plaintext string) cacheKey {
	h := sha256.New()
	for _, part := range []string{string(p.urn), p.path, plaintext} {
		_, _ = h.Write([]byte(part)) // A hash takes everything.
		_, _ = h.Write([]byte{0})
	}
	return cacheKey(h.Sum(nil))
}

var (
	errNoProvider  = errors.New("the state names no secrets provider that could open it")
	errNoEncrypter = errors.New("the stack has no secrets provider to encrypt it with")
)

// open decrypts. sealed tells that there is no key.
func (s *Secrets) open(ctx context.Context, at place, ciphertext string) (plaintext string, sealed bool, err error) {
	if s.crypter == nil {
		return "", false, &SecretError{URN: at.urn, Path: at.path, Err: errNoProvider}
	}
	plaintext, err = s.crypter.Decrypt(ctx, ciphertext)
	if errors.Is(err, secret.ErrLocked) {
		return "", true, nil
	}
	if err != nil {
		return "", false, &SecretError{URN: at.urn, Path: at.path, Err: err}
	}
	s.remember(at.key(plaintext), ciphertext)
	return plaintext, false, nil
}

// seal encrypts, or gives the ciphertext that the same plaintext had at this place before.
func (s *Secrets) seal(ctx context.Context, at place, plaintext string) (string, error) {
	key := at.key(plaintext)
	if known, ok := s.recall(key); ok {
		return known, nil
	}
	if s.crypter == nil {
		return "", &SecretError{URN: at.urn, Path: at.path, Err: errNoEncrypter}
	}
	ciphertext, err := s.crypter.Encrypt(ctx, plaintext)
	if err != nil {
		return "", &SecretError{URN: at.urn, Path: at.path, Err: err}
	}
	s.remember(key, ciphertext)
	return ciphertext, nil
}

func (s *Secrets) remember(key cacheKey, ciphertext string) {
	if s.forget {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[key] = ciphertext
}

func (s *Secrets) recall(key cacheKey) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.known[key]
	return c, ok
}
