package session

import (
	"context"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
)

// Create makes a new stack whose secrets Options.Manager keeps. snap is its first state; nil is an empty one. It fails
// with backend.ErrStackExists. The diagnostics are warnings.
func Create(ctx context.Context, opts Options, snap *state.Snapshot) (diag.Diagnostics, error) {
	lock, err := opts.Backend.Locker.Lock(ctx, opts.Ref, opts.Lock)
	if err != nil {
		return nil, err
	}
	s := &Session{opts: opts, lock: lock}
	err = create(ctx, s, snap)
	return append(append(diag.Diagnostics(nil), lock.Notices()...), s.release(context.WithoutCancel(ctx))...), err
}

func create(ctx context.Context, s *Session, snap *state.Snapshot) error {
	first := state.Snapshot{}
	if snap != nil {
		first = *snap
	}
	var secrets *deploymentjson.Secrets
	if first.SecretsProvider = providerOf(s.opts.Manager); first.SecretsProvider == nil {
		secrets = deploymentjson.NewSecrets(nil, s.opts.secretsOptions())
	} else {
		secrets = deploymentjson.NewSecrets(s.opts.Manager.Crypter(), s.opts.secretsOptions())
	}
	data, err := encode(ctx, s.opts, foldResult{checkpoint: &deploymentjson.Checkpoint{}, snapshot: &first, secrets: secrets})
	if err != nil {
		return err
	}
	return s.opts.Backend.Stacks.Create(ctx, s.lock, data)
}

// findSealed looks for a secret that was read without its key.
func findSealed(r *resource.State) (path string, found bool) {
	for name, m := range map[string]property.Map{"inputs": r.Inputs, "outputs": r.Outputs} {
		for key, v := range m.All() {
			if hasSealed(v) {
				return name + "." + key, true
			}
		}
	}
	return "replacementTrigger", hasSealed(r.ReplacementTrigger)
}

func hasSealed(v property.Value) bool {
	found := false
	v.Transform(func(e property.Value) property.Value {
		found = found || e.Kind() == property.KindSealed
		return e
	})
	return found
}
