package passphrase_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/secret/passphrase"
)

func readUpstream(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "upstream", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

type recordedStack struct {
	Salt   string `yaml:"encryptionsalt"`
	Config struct {
		Token struct {
			Secure string `yaml:"secure"`
		} `yaml:"quick:token"`
	} `yaml:"config"`
}

func recordedFile(t *testing.T) recordedStack {
	t.Helper()
	var s recordedStack
	if err := yaml.Unmarshal(readUpstream(t, "quick.Pulumi.dev.yaml"), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// The Pulumi CLI wrote these files with the passphrase "fixture".
func TestOpensWhatThePulumiCLIWrote(t *testing.T) {
	t.Parallel()
	ctx, file := context.Background(), recordedFile(t)
	m, err := passphrase.Open(file.Salt, "fixture")
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Crypter().Decrypt(ctx, file.Config.Token.Secure)
	if err != nil || got != "s3cr3t" {
		t.Errorf("token = %q, %v", got, err)
	}

	var recorded struct {
		State  json.RawMessage
		Values []struct{ Ciphertext, Plaintext string }
	}
	if err := json.Unmarshal(readUpstream(t, "quick.ciphertexts.json"), &recorded); err != nil {
		t.Fatal(err)
	}
	for _, v := range recorded.Values {
		if got, err := m.Crypter().Decrypt(ctx, v.Ciphertext); err != nil || got != v.Plaintext {
			t.Errorf("got %q, %v, want %q", got, err, v.Plaintext)
		}
	}
	if diff := cmp.Diff(compact(t, recorded.State), string(m.State())); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	if m.Type() != "passphrase" || m.Salt() != file.Salt {
		t.Errorf("type %q, salt %q", m.Type(), m.Salt())
	}
}

func compact(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestNewThenOpen(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	m, err := passphrase.New("")
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := m.Crypter().Encrypt(ctx, "text")
	if err != nil {
		t.Fatal(err)
	}
	salt, err := passphrase.SaltOf(m.State())
	if err != nil {
		t.Fatal(err)
	}
	again, err := passphrase.Open(salt, "")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := again.Crypter().Decrypt(ctx, sealed); err != nil || got != "text" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := passphrase.Open(salt, "other"); !errors.Is(err, passphrase.ErrIncorrectPassphrase) {
		t.Errorf("wrong passphrase: %v", err)
	}
}

func TestMalformedSalt(t *testing.T) {
	t.Parallel()
	good := recordedFile(t).Salt
	for _, salt := range []string{
		"", "v1", "v1:", "v1:x", "v1:kEdiOV7tK08=", strings.Replace(good, "v1:", "v2:", 1), strings.Replace(good, ":v1:", ":v9:", 1),
		"v1:!!:" + strings.SplitN(good, ":", 3)[2], good + ":x", good + "!", "v1::v1:AAAA:AAAA", good[:len(good)-3],
	} {
		_, err := passphrase.Open(salt, "fixture")
		if err == nil || errors.Is(err, passphrase.ErrIncorrectPassphrase) || !strings.Contains(err.Error(), "encryption salt") {
			t.Errorf("Open(%q) = %v", salt, err)
		}
		if _, err := passphrase.SaltOf(passphrase.StateOf(salt)); err == nil {
			t.Errorf("SaltOf(%q) took it", salt)
		}
	}
	if _, err := passphrase.SaltOf(json.RawMessage(`[]`)); err == nil {
		t.Error("SaltOf took an array")
	}
}

func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}

func TestKeyringSources(t *testing.T) {
	t.Parallel()
	salt := recordedFile(t).Salt
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "phrase"), []byte("  fixture \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		env  map[string]string
		ask  []string
		want error
		text string
	}{
		"variable":               {env: map[string]string{"PULUMI_CONFIG_PASSPHRASE": "fixture", "PULUMI_CONFIG_PASSPHRASE_FILE": "missing"}},
		"file":                   {env: map[string]string{"PULUMI_CONFIG_PASSPHRASE_FILE": "phrase"}},
		"absolute file":          {env: map[string]string{"PULUMI_CONFIG_PASSPHRASE_FILE": filepath.Join(dir, "phrase")}},
		"empty but set":          {env: map[string]string{"PULUMI_CONFIG_PASSPHRASE": ""}, want: passphrase.ErrIncorrectPassphrase, text: "incorrect passphrase"},
		"wrong, person not used": {env: map[string]string{"PULUMI_CONFIG_PASSPHRASE": "wrong"}, ask: []string{"fixture"}, want: passphrase.ErrIncorrectPassphrase, text: "incorrect passphrase"},
		"missing file":           {env: map[string]string{"PULUMI_CONFIG_PASSPHRASE_FILE": "missing"}, want: os.ErrNotExist, text: "unable to read PULUMI_CONFIG_PASSPHRASE_FILE: open " + filepath.Join(dir, "missing") + ": no such file or directory"},
		"nothing": {
			env: map[string]string{"PULUMI_CONFIG_PASSPHRASE_FILE": ""}, want: passphrase.ErrNoPassphrase,
			text: "passphrase must be set with PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE environment variables",
		},
		"person": {ask: []string{"wrong", "fixture"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := passphrase.Source{Lookup: lookup(c.env), Dir: dir}
			var asked, complaints []string
			if c.ask != nil {
				source.Ask = func(_ context.Context, message string) (string, error) {
					asked = append(asked, message)
					return c.ask[len(asked)-1], nil
				}
				source.Complain = func(message string) { complaints = append(complaints, message) }
			}
			m, err := passphrase.NewKeyring(source).Open(context.Background(), salt, "dev")
			if !errors.Is(err, c.want) || (c.text != "" && err.Error() != c.text) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if (m != nil) != (c.want == nil) {
				t.Errorf("manager %v with %v", m, err)
			}
			if name == "person" {
				if len(asked) != 2 || !strings.HasPrefix(asked[0], "Enter your passphrase to unlock config/secrets for stack dev\n") {
					t.Errorf("asked %q", asked)
				}
				if diff := cmp.Diff([]string{"incorrect passphrase"}, complaints); diff != "" {
					t.Errorf("complaints (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestKeyringLazy(t *testing.T) {
	t.Parallel()
	ctx, file := context.Background(), recordedFile(t)
	state := passphrase.StateOf(file.Salt)

	looks := 0
	counting := passphrase.NewKeyring(passphrase.Source{Lookup: func(string) (string, bool) { looks++; return "fixture", true }})
	m, err := counting.OpenLazily(state, "dev")
	if err != nil {
		t.Fatal(err)
	}
	if string(m.State()) != string(state) || m.Type() != passphrase.Type || looks != 0 {
		t.Errorf("state %s, %d looks", m.State(), looks)
	}
	for range 3 {
		if got, err := m.Crypter().Decrypt(ctx, file.Config.Token.Secure); err != nil || got != "s3cr3t" {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if looks != 1 {
		t.Errorf("looked %d times for the passphrase", looks)
	}

	wrong, err := passphrase.NewKeyring(passphrase.Source{Lookup: lookup(map[string]string{"PULUMI_CONFIG_PASSPHRASE": "wrong"})}).
		OpenLazily(state, "dev")
	if err != nil {
		t.Fatal(err)
	}
	const text = "incorrect passphrase, please set PULUMI_CONFIG_PASSPHRASE to the correct passphrase or set " +
		"PULUMI_CONFIG_PASSPHRASE_FILE to a file containing the passphrase"
	for range 2 {
		_, err = wrong.Crypter().Decrypt(ctx, file.Config.Token.Secure)
		if !errors.Is(err, secret.ErrLocked) || !errors.Is(err, passphrase.ErrIncorrectPassphrase) || err.Error() != "failed to decrypt: "+text {
			t.Errorf("got %v", err)
		}
	}
	if _, err := wrong.Crypter().Encrypt(ctx, "x"); err == nil || err.Error() != "failed to encrypt: "+text {
		t.Errorf("got %v", err)
	}

	none, err := passphrase.NewKeyring(passphrase.Source{}).OpenLazily(state, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := none.Crypter().Decrypt(ctx, "v1:x:y"); !errors.Is(err, passphrase.ErrNoPassphrase) {
		t.Errorf("got %v", err)
	}
}

func TestKeyringCreate(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	answers := []string{"one", "two", "same", "same"}
	var asked, complaints []string
	ring := passphrase.NewKeyring(passphrase.Source{
		Ask: func(_ context.Context, message string) (string, error) {
			asked = append(asked, message)
			return answers[len(asked)-1], nil
		},
		Complain: func(message string) { complaints = append(complaints, message) },
	})
	m, err := ring.Create(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(asked) != 4 || len(complaints) != 1 {
		t.Errorf("asked %q, complained %q", asked, complaints)
	}
	if again, err := ring.Open(ctx, m.Salt(), "dev"); err != nil || again != m || len(asked) != 4 {
		t.Errorf("the new salt is not remembered: %v", err)
	}
	if _, err := passphrase.NewKeyring(passphrase.Source{}).Create(ctx); !errors.Is(err, passphrase.ErrNoPassphrase) {
		t.Errorf("got %v", err)
	}
	broken := errors.New("terminal went away")
	_, err = passphrase.NewKeyring(passphrase.Source{Ask: func(context.Context, string) (string, error) { return "", broken }}).Create(ctx)
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func FuzzOpenSalt(f *testing.F) {
	f.Add("v1:kEdiOV7tK08=:v1:v654FThdG00ZfCzU:lU+RU7yb62oO/SPHzr4vk00rPtDxrQ==")
	f.Add("v1::v1::")
	f.Fuzz(func(t *testing.T, salt string) {
		got, err := passphrase.SaltOf(passphrase.StateOf(salt))
		if err == nil && got != salt {
			t.Errorf("%q came back as %q", salt, got)
		}
	})
}

func TestNothingPrintsAPassphrase(t *testing.T) {
	t.Parallel()
	ring := passphrase.NewKeyring(passphrase.Source{Lookup: lookup(map[string]string{"PULUMI_CONFIG_PASSPHRASE": "canary"})})
	_, err := ring.Open(context.Background(), recordedFile(t).Salt, "dev")
	m, newErr := passphrase.New("canary")
	if newErr != nil {
		t.Fatal(newErr)
	}
	printed := fmt.Sprintf("%v %+v %#v %v %+v %#v", ring, ring, ring, m, m.Crypter(), m.Crypter()) + err.Error()
	if strings.Contains(printed, "canary") || strings.Contains(printed, "0x") && len(printed) > 1000 {
		t.Errorf("printed %s", printed)
	}
}
