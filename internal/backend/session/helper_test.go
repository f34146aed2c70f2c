package session_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/backend/diy"
	"github.com/cairn-iac/cairn/internal/backend/session"
	"github.com/cairn-iac/cairn/internal/engine/exec"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

var ctx = context.Background()

// manager is a secrets manager that needs no key derivation.
type manager struct {
	name string
	n    atomic.Int64
}

func (m *manager) Type() string            { return "passphrase" }
func (m *manager) State() json.RawMessage  { return json.RawMessage(`{"salt":"` + m.name + `"}`) }
func (m *manager) Crypter() secret.Crypter { return m }

func (m *manager) Encrypt(_ context.Context, plaintext string) (string, error) {
	return fmt.Sprintf("%s.%d:%s", m.name, m.n.Add(1), base64.StdEncoding.EncodeToString([]byte(plaintext))), nil
}

func (m *manager) Decrypt(_ context.Context, ciphertext string) (string, error) {
	text, ok := strings.CutPrefix(ciphertext, m.name+".")
	_, text, ok2 := strings.Cut(text, ":")
	plaintext, err := base64.StdEncoding.DecodeString(text)
	if !ok || !ok2 || err != nil {
		return "", errors.New("encrypted with another key")
	}
	return string(plaintext), nil
}

// world is a store on disk with one stack.
type world struct {
	t        testing.TB
	root     string
	managers map[string]*manager
	opts     session.Options
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, root: t.TempDir(), managers: map[string]*manager{}}
	w.opts = session.Options{
		Ref: backend.StackRef{Project: "p", Name: "dev"}, Kind: backend.UpdateKindUpdate, Version: "v3.276.0+test",
		Manager: w.manager("one"), Keys: w.keys,
	}
	w.reopen()
	_, err := session.Create(ctx, w.opts, nil)
	must(t, err)
	return w
}

func (w *world) manager(name string) *manager {
	if w.managers[name] == nil {
		w.managers[name] = &manager{name: name}
	}
	return w.managers[name]
}

func (w *world) keys(_ context.Context, p *state.SecretsProvider) (secret.Crypter, error) {
	if p == nil {
		return nil, nil
	}
	var st struct{ Salt string }
	if err := json.Unmarshal(p.State, &st); err != nil {
		return nil, err
	}
	return w.manager(st.Salt), nil
}

// reopen opens the store as another process would.
func (w *world) reopen() {
	w.t.Helper()
	b, err := diy.Open(ctx, diy.Options{
		URL: "file://" + w.root, Username: "u", Hostname: "h", Version: "test",
		Timing: diy.Timing{Watch: 5 * time.Millisecond},
	})
	must(w.t, err)
	w.opts.Backend = b
}

func (w *world) open() *session.Session {
	w.t.Helper()
	s, err := session.Open(ctx, w.opts)
	must(w.t, err)
	return s
}

func (w *world) close(s *session.Session) {
	w.t.Helper()
	warnings, err := s.Close(ctx, session.Outcome{Info: &backend.UpdateInfo{Kind: w.opts.Kind, Result: backend.ResultSucceeded}})
	must(w.t, err)
	if len(warnings) > 0 {
		w.t.Errorf("warnings: %v", warnings)
	}
}

func (w *world) path(name string) string {
	return filepath.Join(w.root, ".pulumi", "stacks", "p", name)
}

func (w *world) exists(name string) bool {
	_, err := os.Stat(w.path(name))
	return err == nil
}

func (w *world) read(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(w.path(name))
	must(w.t, err)
	return string(data)
}

// stored is the checkpoint in short.
func (w *world) stored() string {
	w.t.Helper()
	if w.exists("dev.journal") {
		w.t.Error("the journal is still there")
	}
	v, err := session.Read(ctx, w.opts)
	must(w.t, err)
	return show(v.Snapshot)
}

// show writes a snapshot in short: name, id and v of each resource, then what is pending.
func show(s *state.Snapshot) string {
	var out []string
	for _, r := range s.Resources {
		v, _ := r.Inputs.Get("v").AsString()
		text := r.URN.Name() + "=" + string(r.ID) + ":" + v
		if r.Delete {
			text += "!"
		}
		out = append(out, text)
	}
	for _, p := range s.Pending {
		out = append(out, string(p.Kind)+":"+p.Resource.URN.Name())
	}
	return strings.Join(out, " ")
}

func thing(name, v string) *resource.State {
	return &resource.State{
		URN: urn.New("dev", "p", "", "t:i:T", name), Type: "t:i:T", Custom: true, ID: resource.ID("id-" + name),
		Inputs: property.MapOf(map[string]property.Value{
			"v": property.String(v), "s": property.String("secret of " + name).MakeSecret(),
		}),
	}
}

func find(t testing.TB, s *session.Session, name string) *resource.State {
	t.Helper()
	for _, r := range s.Base().Resources {
		if r.URN.Name() == name {
			return r
		}
	}
	t.Fatalf("no resource %s", name)
	return nil
}

// create goes through one create as the engine does.
func create(s *session.Session, r *resource.State) error {
	begun := r.Clone()
	begun.ID = ""
	ticket, err := s.Begin(ctx, exec.Begin{Kind: resource.PendingCreating, Resource: begun})
	if err != nil {
		return err
	}
	return s.Success(ctx, exec.Success{Ticket: ticket, Changes: []exec.Change{{New: r}}})
}

func update(s *session.Session, old, changed *resource.State) error {
	ticket, err := s.Begin(ctx, exec.Begin{Kind: resource.PendingUpdating, Resource: changed, Existing: old})
	if err != nil {
		return err
	}
	return s.Success(ctx, exec.Success{Ticket: ticket, Changes: []exec.Change{{Old: old, New: changed}}})
}

func remove(s *session.Session, old *resource.State) error {
	ticket, err := s.Begin(ctx, exec.Begin{Kind: resource.PendingDeleting, Resource: old, Existing: old})
	if err != nil {
		return err
	}
	return s.Success(ctx, exec.Success{Ticket: ticket, Changes: []exec.Change{{Old: old}}})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func want(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}
