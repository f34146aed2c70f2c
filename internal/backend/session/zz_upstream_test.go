package session_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"encoding/json"
	"context"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/backend/diy"
	"github.com/cairn-iac/cairn/internal/backend/session"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/secret/passphrase"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

func TestZZ(t *testing.T) {
	root, prj, home := t.TempDir(), t.TempDir(), t.TempDir()
	os.WriteFile(filepath.Join(prj, "Pulumi.yaml"), []byte("name: quick\nruntime: yaml\noutputs:\n  x: hi\n"), 0o644)
	run := func(args ...string) {
		cmd := exec.Command("/work/peer/bin/pulumi", append(args, "--non-interactive")...)
		cmd.Dir = prj
		cmd.Env = append(os.Environ(), "PULUMI_HOME="+home, "PULUMI_BACKEND_URL=file://"+root, "PULUMI_CONFIG_PASSPHRASE=fixture", "PULUMI_SKIP_UPDATE_CHECK=true", "PATH="+os.Getenv("PATH")+":/work/peer/bin")
		out, err := cmd.CombinedOutput()
		t.Logf("$ pulumi %v\n%s(%v)", args, out, err)
	}
	ls := func() { out, _ := exec.Command("sh", "-c", "cd "+root+" && find . -type f | sort").CombinedOutput(); t.Logf("%s", out) }
	m, err := passphrase.New("fixture")
	must(t, err)
	b, err := diy.Open(ctx, diy.Options{URL: "file://" + root, Username: "u", Hostname: "h", Version: "v"})
	must(t, err)
	opts := session.Options{Backend: b, Ref: backend.StackRef{Project: "quick", Name: "dev"}, Version: "v3.276.0+cairn.1", Manager: m, Kind: "update",
		Keys: func(_ context.Context, p *state.SecretsProvider) (secret.Crypter, error) {
			salt, err := passphrase.SaltOf(p.State)
			if err != nil { return nil, err }
			m, err := passphrase.Open(salt, "fixture")
			if err != nil { return nil, err }
			return m.Crypter(), nil
		}}
	_, err = session.Create(ctx, opts, nil)
	must(t, err)
	os.WriteFile(filepath.Join(prj, "Pulumi.dev.yaml"), []byte("encryptionsalt: "+m.Salt()+"\n"), 0o644)
	run("stack", "ls"); run("stack", "select", "dev"); run("stack")
	s, err := session.Open(ctx, opts)
	must(t, err)
	st := &resource.State{URN: urn.New("dev", "quick", "", urn.StackType, "quick-dev"), Type: urn.StackType, Outputs: property.MapOf(map[string]property.Value{"s": property.String("geheim").MakeSecret(), "n": property.Number(1.5)})}
	must(t, create(s, st))
	ls()
	run("stack", "ls"); run("up", "--yes", "--skip-preview"); run("stack", "output", "--show-secrets")
	run("stack", "init", "other"); run("stack", "ls", "--json"); run("stack", "rm", "other", "--yes"); run("stack", "select", "dev")
	_, err = s.Close(ctx, session.Outcome{Info: &backend.UpdateInfo{Kind: "update", StartTime: 1, EndTime: 2, Result: "succeeded", Environment: map[string]string{"a": "b"}, Config: json.RawMessage(`{"quick:x":"y"}`), ResourceChanges: map[string]int{"create": 1}}})
	must(t, err)
	ls()
	run("stack", "output", "--show-secrets"); run("stack", "history", "--json"); run("up", "--yes", "--skip-preview"); ls()
	v, err := session.Read(ctx, opts)
	must(t, err)
	t.Log(v.Snapshot.Resources[0].Outputs.Keys())
	s, err = session.Open(ctx, opts)
	must(t, err)
	must(t, update(s, s.Base().Resources[0], st))
	run("cancel", "--yes"); ls()
	_, err = s.Abandon(ctx)
	run("up", "--yes", "--skip-preview")
	_, err = session.Open(ctx, opts)
	t.Log(err)
	run("stack", "rm", "--yes", "--force"); ls()
}
