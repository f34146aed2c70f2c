package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/backend/session"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
)

// TestSecretsProvider: a stack that changes its key is all on the new one, also when it happens in a journal.
func TestSecretsProvider(t *testing.T) {
	t.Parallel()
	for _, crash := range []bool{false, true} {
		w := newWorld(t)
		s := w.open()
		must(t, create(s, thing("a", "1")))
		must(t, create(s, thing("b", "1")))
		w.close(s)
		if got := w.read("dev.json"); !strings.Contains(got, `"one.`) || strings.Contains(got, "secret of") {
			t.Errorf("secrets: %s", got)
		}
		before := w.read("dev.json")
		w.opts.Manager = w.manager("two")
		s = w.open()
		must(t, update(s, find(t, s, "a"), thing("a", "2")))
		if got := w.read("dev.journal"); !strings.Contains(got, `"two.`) || strings.Contains(got, `"one.`) {
			t.Errorf("journal: %s", got)
		}
		if crash {
			_, err := s.Abandon(ctx)
			must(t, err)
			w.reopen()
			want(t, "not yet", w.read("dev.json"), before)
			s = w.open()
		}
		w.close(s)
		got := w.read("dev.json")
		if strings.Contains(got, `"one.`) || !strings.Contains(got, `{"salt":"two"}`) || strings.Count(got, `"two.`) != 2 {
			t.Errorf("crash %v: %s", crash, got)
		}
		want(t, "state", w.stored(), "a=id-a:2 b=id-b:1")
	}
}

// TestWithoutKey: a stack can be read without its key; moving it to another key needs the old one.
func TestWithoutKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.open()
	must(t, create(s, thing("a", "1")))
	w.close(s)
	first := w.read("dev.json")
	w.opts.Keys = func(context.Context, *state.SecretsProvider) (secret.Crypter, error) {
		return secret.Locked("no passphrase", nil), nil
	}
	v, err := session.Read(ctx, w.opts)
	must(t, err)
	if kind := v.Snapshot.Resources[0].Inputs.Get("s").Kind(); kind != property.KindSealed {
		t.Errorf("the secret is a %s", kind)
	}
	w.opts.Manager = nil
	w.close(w.open())
	if got, old := w.read("dev.json"), first; cutManifest(got) != cutManifest(old) {
		t.Errorf("storing without the key changed the state:\n%s\n%s", old, got)
	}
	w.opts.Manager = w.manager("two")
	_, err = session.Open(ctx, w.opts)
	var secretErr *deploymentjson.SecretError
	if !errors.As(err, &secretErr) || secretErr.Path != "inputs.s" {
		t.Errorf("change of the key: %v", err)
	}
}

func cutManifest(text string) string {
	_, rest, _ := strings.Cut(text, `"secrets_providers"`)
	return rest
}
