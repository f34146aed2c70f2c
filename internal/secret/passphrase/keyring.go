package passphrase

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/cairn-iac/cairn/internal/secret"
)

// Keyring finds passphrases and opens managers with them. Deriving a key takes a noticeable time on purpose, so a keyring
// derives each one once, however often the same salt is opened: one keyring serves one command, for the stack's file, its
// checkpoint and its stack references.
type Keyring struct {
	source Source

	mu sync.Mutex
	// opened holds the managers that are open, by salt.
	opened map[string]*Manager
	// refused holds what did not fit, so that nothing is derived twice.
	refused map[attempt]bool
}

type attempt struct{ salt, passphrase string }

// NewKeyring makes an empty keyring.
func NewKeyring(source Source) *Keyring {
	return &Keyring{source: source, opened: map[string]*Manager{}, refused: map[attempt]bool{}}
}

// String keeps passphrases out of whatever prints a keyring.
func (*Keyring) String() string { return "passphrase keyring" }

// GoString is String.
func (k *Keyring) GoString() string { return k.String() }

// Open opens the manager of a salt. A passphrase of the environment that does not fit is [ErrIncorrectPassphrase]; a person
// is asked again until it fits. Without a passphrase and without a person it is [ErrNoPassphrase]. The name of the stack is
// for the question only.
func (k *Keyring) Open(ctx context.Context, salt, stack string) (*Manager, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if m := k.opened[salt]; m != nil {
		return m, nil
	}
	if _, _, err := splitSalt(salt); err != nil {
		return nil, err
	}
	phrase, ok, err := k.source.given()
	switch {
	case err != nil:
		return nil, err
	case ok:
		return k.try(salt, phrase)
	case k.source.Ask == nil:
		return nil, ErrNoPassphrase
	}
	for {
		phrase, err := k.ask(ctx, unlockMessage(stack))
		if err != nil {
			return nil, err
		}
		m, err := k.try(salt, phrase)
		if !errors.Is(err, ErrIncorrectPassphrase) {
			return m, err
		}
		k.source.complain(ErrIncorrectPassphrase.Error())
	}
}

// OpenLazily gives the manager of a checkpoint's state without looking for the passphrase yet: most reading commands never
// need it. The first secret to encrypt or decrypt does what [Keyring.Open] does, and what goes wrong then is a
// [secret.LockedError].
func (k *Keyring) OpenLazily(state json.RawMessage, stack string) (secret.Manager, error) {
	salt, err := SaltOf(state)
	if err != nil {
		return nil, err
	}
	return &lazy{keyring: k, salt: salt, stack: stack}, nil
}

// Create makes the manager of a new stack: with the passphrase of the environment, or with one that a person has typed
// twice.
func (k *Keyring) Create(ctx context.Context) (*Manager, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	phrase, ok, err := k.source.given()
	switch {
	case err != nil:
		return nil, err
	case !ok && k.source.Ask == nil:
		return nil, ErrNoPassphrase
	case !ok:
		if phrase, err = k.askTwice(ctx); err != nil {
			return nil, err
		}
	}
	m, err := create(phrase, k.source.Keys)
	if err != nil {
		return nil, err
	}
	k.opened[m.salt] = m
	return m, nil
}

func (k *Keyring) askTwice(ctx context.Context) (string, error) {
	for {
		first, err := k.ask(ctx, "Enter your passphrase to protect config/secrets")
		if err != nil {
			return "", err
		}
		second, err := k.ask(ctx, "Re-enter your passphrase to confirm")
		if err != nil {
			return "", err
		}
		if first == second {
			return first, nil
		}
		k.source.complain("passphrases do not match")
	}
}

func (k *Keyring) ask(ctx context.Context, message string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	phrase, err := k.source.Ask(ctx, message)
	if err != nil {
		return "", fmt.Errorf("read the passphrase: %w", err)
	}
	return phrase, nil
}

// try opens salt with one passphrase, at most once for the pair.
func (k *Keyring) try(salt, phrase string) (*Manager, error) {
	if k.refused[attempt{salt, phrase}] {
		return nil, ErrIncorrectPassphrase
	}
	m, err := open(salt, phrase, k.source.Keys)
	if err != nil {
		if errors.Is(err, ErrIncorrectPassphrase) {
			k.refused[attempt{salt, phrase}] = true
		}
		return nil, err
	}
	k.opened[salt] = m
	return m, nil
}

// lazy is a manager whose passphrase has not been looked for yet.
type lazy struct {
	keyring     *Keyring
	salt, stack string
}

func (l *lazy) Type() string            { return Type }
func (l *lazy) State() json.RawMessage  { return StateOf(l.salt) }
func (l *lazy) Crypter() secret.Crypter { return l }

func (l *lazy) Encrypt(ctx context.Context, plaintext string) (string, error) {
	return l.open(ctx).Encrypt(ctx, plaintext)
}

func (l *lazy) Decrypt(ctx context.Context, ciphertext string) (string, error) {
	return l.open(ctx).Decrypt(ctx, ciphertext)
}

func (l *lazy) open(ctx context.Context) secret.Crypter {
	m, err := l.keyring.Open(ctx, l.salt, l.stack)
	switch {
	case errors.Is(err, ErrIncorrectPassphrase):
		return secret.Locked("incorrect passphrase, please set "+EnvPassphrase+" to the correct passphrase or set "+
			EnvPassphraseFile+" to a file containing the passphrase", err)
	case err != nil:
		return secret.Locked(err.Error(), err)
	default:
		return m.Crypter()
	}
}
