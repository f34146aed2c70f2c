package secret_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/secret"
)

func newSymmetric(t testing.TB, fill string) *secret.Symmetric {
	t.Helper()
	s, err := secret.NewSymmetric([]byte(strings.Repeat(fill, secret.KeyBytes)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSymmetricRoundTrip(t *testing.T) {
	t.Parallel()
	ctx, s := context.Background(), newSymmetric(t, "k")
	for _, plaintext := range []string{"", "x", "s3cr3t", "ünïcode \x00 \n", strings.Repeat("long ", 10_000)} {
		first, err := s.Encrypt(ctx, plaintext)
		if err != nil {
			t.Fatal(err)
		}
		second, err := s.Encrypt(ctx, plaintext)
		if err != nil {
			t.Fatal(err)
		}
		if first == second {
			t.Errorf("the same ciphertext twice for %.10q", plaintext)
		}
		if !strings.HasPrefix(first, "v1:") || strings.Count(first, ":") != 2 {
			t.Errorf("format: %.40q", first)
		}
		got, err := s.Decrypt(ctx, first)
		if err != nil || got != plaintext {
			t.Errorf("Decrypt = %.20q, %v", got, err)
		}
	}
}

func TestSymmetricRefuses(t *testing.T) {
	t.Parallel()
	ctx, s := context.Background(), newSymmetric(t, "k")
	good, err := s.Encrypt(ctx, "canary-plaintext")
	if err != nil {
		t.Fatal(err)
	}
	other, err := newSymmetric(t, "q").Encrypt(ctx, "x")
	if err != nil {
		t.Fatal(err)
	}
	nonce, data := strings.Split(good, ":")[1], strings.Split(good, ":")[2]
	for _, bad := range []string{
		"", "v1", "v1:", "v1::", "v2:" + nonce + ":" + data, "v1:AAAA:" + data, "v1:" + nonce + ":", "v1:" + nonce + ":!!",
		"v1:" + nonce + ":" + data[:len(data)-8], "v1:!!:" + data, good + ":x", other, "canary-plaintext",
	} {
		_, err := s.Decrypt(ctx, bad)
		if !errors.Is(err, secret.ErrCiphertext) {
			t.Errorf("Decrypt(%q) = %v", bad, err)
			continue
		}
		if strings.Contains(err.Error(), "canary") {
			t.Errorf("the error tells the text: %v", err)
		}
	}
	if _, err := secret.NewSymmetric([]byte("short")); err == nil {
		t.Error("a short key was taken")
	}
}

func TestLocked(t *testing.T) {
	t.Parallel()
	cause := errors.New("why")
	c := secret.Locked("no passphrase, set one", cause)
	_, encErr := c.Encrypt(context.Background(), "canary")
	_, decErr := c.Decrypt(context.Background(), "canary")
	for want, err := range map[string]error{
		"failed to encrypt: no passphrase, set one": encErr,
		"failed to decrypt: no passphrase, set one": decErr,
	} {
		var locked *secret.LockedError
		if !errors.Is(err, secret.ErrLocked) || !errors.Is(err, cause) || !errors.As(err, &locked) || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func FuzzSymmetricDecrypt(f *testing.F) {
	s := newSymmetric(f, "k")
	good, err := s.Encrypt(context.Background(), "x")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{good, "", "v1:::", "v1:" + strings.Repeat("A", 16) + ":" + strings.Repeat("A", 24)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if plain, err := s.Decrypt(context.Background(), text); err == nil && text != good && plain != "x" {
			t.Errorf("forged: %q", text)
		}
	})
}
