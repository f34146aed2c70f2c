package deploymentjson

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/secret/passphrase"
	"github.com/cairn-iac/cairn/internal/state"
)

// fixtureKey opens the secrets of the recorded stacks.
func fixtureKey(_ context.Context, p *state.SecretsProvider) (secret.Crypter, error) {
	salt, err := passphrase.SaltOf(p.State)
	if err != nil {
		return nil, err
	}
	m, err := passphrase.Open(salt, "fixture")
	if err != nil {
		return nil, err
	}
	return m.Crypter(), nil
}

// TestUpstreamCheckpoints: a state file of the Pulumi CLI comes back byte for byte, with its key and without.
func TestUpstreamCheckpoints(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"quick-06.checkpoint.json", "quick-06.bak.json"} {
		for how, open := range map[string]Opener{"key": fixtureKey, "locked": with(locked())} {
			t.Run(name+"/"+how, func(t *testing.T) {
				t.Parallel()
				data := upstream(t, name)
				c, s, err := DecodeCheckpoint(t.Context(), data, open, SecretsOptions{})
				must(t, err)
				if c.Stack != "organization/quick/dev" {
					t.Errorf("stack %q", c.Stack)
				}
				must(t, c.Snapshot.Verify())
				if diff := cmp.Diff(string(data), encodeCheckpoint(t, c, s)); diff != "" {
					t.Errorf("changed (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestUpstreamExports: so do exports, encrypted and in plaintext.
func TestUpstreamExports(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"quick-06", "quick-11", "quick-15", "randoms", "commands"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := upstream(t, name+".export.json")
			snap, s, err := DecodeExport(t.Context(), data, fixtureKey, SecretsOptions{})
			must(t, err)
			must(t, snap.Verify())
			if diff := cmp.Diff(string(data), encodeExport(t, snap, s, ExportOptions{})); diff != "" {
				t.Errorf("encrypted (-want +got):\n%s", diff)
			}
			if strings.HasPrefix(name, "quick-1") {
				return // Recorded without plaintext.
			}
			plain := upstream(t, name+".secrets.json")
			if diff := cmp.Diff(string(plain), encodeExport(t, snap, s, ExportOptions{ShowSecrets: true})); diff != "" {
				t.Errorf("plaintext (-want +got):\n%s", diff)
			}
			again, _, err := DecodeExport(t.Context(), plain, fixtureKey, SecretsOptions{})
			must(t, err)
			for i, r := range snap.Resources {
				if o := again.Resources[i]; !r.Inputs.Equal(o.Inputs) || !r.Outputs.Equal(o.Outputs) {
					t.Errorf("%s differs between the two exports", r.URN)
				}
			}
		})
	}
}

// TestLocked: without the key nothing is lost, and what needs the plaintext says so and which value it is.
func TestLocked(t *testing.T) {
	t.Parallel()
	data := upstream(t, "quick-06.checkpoint.json")
	c, s, err := DecodeCheckpoint(t.Context(), data, with(locked()), SecretsOptions{})
	must(t, err)
	password := c.Snapshot.Resources[0].Outputs.Get("password")
	if password.Kind() != property.KindSealed || !password.Secret() {
		t.Errorf("password is %s, secret %v", password.Kind(), password.Secret())
	}
	err = EncodeExport(t.Context(), &strings.Builder{}, c.Snapshot, s, ExportOptions{ShowSecrets: true})
	var secretErr *SecretError
	if !errors.As(err, &secretErr) || !errors.Is(err, secret.ErrLocked) {
		t.Fatalf("export with secrets: %v", err)
	}
	if secretErr.URN == "" || secretErr.Path == "" {
		t.Errorf("the error does not name the value: %v", err)
	}
	c.Snapshot.Resources[0].Outputs = property.MapOf(map[string]property.Value{
		"new": property.String("canary").MakeSecret(),
	})
	err = EncodeCheckpoint(t.Context(), &strings.Builder{}, c, s)
	if !errors.As(err, &secretErr) || secretErr.Path != "outputs.new" || strings.Contains(err.Error(), "canary") {
		t.Errorf("a new secret without the key: %v", err)
	}
}

// TestWrongKey: another key is an error that names the value and tells nothing of it.
func TestWrongKey(t *testing.T) {
	t.Parallel()
	wrong, err := secret.NewSymmetric([]byte(strings.Repeat("k", secret.KeyBytes)))
	must(t, err)
	_, _, err = DecodeCheckpoint(t.Context(), upstream(t, "quick-06.checkpoint.json"), with(wrong), SecretsOptions{})
	var secretErr *SecretError
	if !errors.As(err, &secretErr) || secretErr.URN == "" || secretErr.Path == "" {
		t.Errorf("got %v", err)
	}
}
