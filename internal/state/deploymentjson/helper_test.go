package deploymentjson

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/state"
)

// countingCrypter makes a new ciphertext each time, as real ones do.
type countingCrypter struct{ n atomic.Int64 }

func (c *countingCrypter) Encrypt(_ context.Context, plaintext string) (string, error) {
	return fmt.Sprintf("c%d:%s", c.n.Add(1), base64.StdEncoding.EncodeToString([]byte(plaintext))), nil
}

func (c *countingCrypter) Decrypt(_ context.Context, ciphertext string) (string, error) {
	_, text, ok := strings.Cut(ciphertext, ":")
	plaintext, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil {
		return "", errors.New("not a ciphertext")
	}
	return string(plaintext), nil
}

func with(c secret.Crypter) Opener {
	return func(context.Context, *state.SecretsProvider) (secret.Crypter, error) { return c, nil }
}

func locked() secret.Crypter { return secret.Locked("no passphrase", nil) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func upstream(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "upstream", name))
	must(t, err)
	return data
}

func encodeCheckpoint(t *testing.T, c *Checkpoint, s *Secrets) string {
	t.Helper()
	var buf bytes.Buffer
	must(t, EncodeCheckpoint(t.Context(), &buf, c, s))
	return buf.String()
}

func encodeExport(t *testing.T, snap *state.Snapshot, s *Secrets, opts ExportOptions) string {
	t.Helper()
	var buf bytes.Buffer
	must(t, EncodeExport(t.Context(), &buf, snap, s, opts))
	return buf.String()
}
