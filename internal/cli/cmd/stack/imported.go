package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/backend/session"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
)

// imported is a state that was read from an export, and how the stack is to be opened for it.
type imported struct {
	snapshot *state.Snapshot
	options  session.Options
}

// decode reads an export. Secrets that are encrypted as the stack will keep them are carried over as they are; others are
// opened, to be encrypted for the stack.
func decode(ctx context.Context, s *factory.Stack, data []byte) (in imported, err error) {
	if err := checkDeployment(data); err != nil {
		return in, explain(s.Ref, err)
	}
	if in.options, err = s.SessionOptions(ctx); err != nil {
		return in, err
	}
	in.options.Kind, in.options.Command = backend.UpdateKindStackImport, "stack import"
	in.options.NoIntegrityCheck = true // What is replaced need not be in order.
	target, err := provider(ctx, s, in.options.Manager)
	if err != nil {
		return in, err
	}
	same := false
	open := func(ctx context.Context, p *state.SecretsProvider) (secret.Crypter, error) {
		if same = sameProvider(p, target); same {
			return secret.Locked("these secrets stay encrypted as they are", nil), nil
		}
		return s.OpenState(ctx, p)
	}
	in.snapshot, _, err = deploymentjson.DecodeExport(ctx, data, open, deploymentjson.SecretsOptions{})
	if err != nil {
		return in, explain(s.Ref, err)
	}
	for _, r := range in.snapshot.Resources {
		if !same && sealed(r) {
			return in, fmt.Errorf("the secrets of %s cannot be decrypted: their passphrase is needed to encrypt them for "+
				"stack %s; or export with --show-secrets", r.URN, s.Ref)
		}
	}
	if target == nil && in.hasSecrets() {
		in.options.Manager, err = s.EnsureSecrets(ctx, in.snapshot.SecretsProvider)
	}
	return in, err
}

// provider is what the stack's secrets will be encrypted by: the manager of its file, else what its state says.
func provider(ctx context.Context, s *factory.Stack, m secret.Manager) (*state.SecretsProvider, error) {
	if m != nil {
		return &state.SecretsProvider{Type: m.Type(), State: m.State()}, nil
	}
	view, err := s.Look(ctx, factory.Looking{Damaged: true, Quiet: true})
	if err != nil {
		return nil, err
	}
	return view.Snapshot.SecretsProvider, nil
}

// checkDeployment refuses a document that says nothing of a state, rather than to take it for an empty one.
func checkDeployment(data []byte) error {
	var doc struct {
		Version    json.RawMessage `json:"version"`
		Deployment json.RawMessage `json:"deployment"`
	}
	if json.Unmarshal(data, &doc) != nil || len(doc.Version) == 0 {
		return nil // What is wrong is told where the document is read.
	}
	if len(doc.Deployment) == 0 || string(doc.Deployment) == "null" {
		return errors.New("the document has no deployment; it must be what `pulumi stack export` writes")
	}
	return nil
}

func (in imported) hasSecrets() bool {
	for _, r := range in.snapshot.Resources {
		if r.Inputs.ContainsSecret() || r.Outputs.ContainsSecret() || r.ReplacementTrigger.ContainsSecret() {
			return true
		}
	}
	return false
}

// sealed says whether a resource holds a secret that could not be opened.
func sealed(r *resource.State) bool {
	found := false
	for _, v := range []property.Value{property.FromMap(r.Inputs), property.FromMap(r.Outputs), r.ReplacementTrigger} {
		v.Transform(func(e property.Value) property.Value {
			found = found || e.Kind() == property.KindSealed
			return e
		})
	}
	return found
}

func sameProvider(a, b *state.SecretsProvider) bool {
	if a == nil || b == nil || a.Type != b.Type {
		return false
	}
	var x, y bytes.Buffer
	if json.Compact(&x, a.State) != nil || json.Compact(&y, b.State) != nil {
		return false
	}
	return bytes.Equal(x.Bytes(), y.Bytes())
}

// explain says what is wrong with an export.
func explain(ref backend.StackRef, err error) error {
	var features *deploymentjson.FeatureError
	switch {
	case errors.Is(err, deploymentjson.ErrTooOld):
		return fmt.Errorf("the stack '%s' is too old to be used by this version: %w", ref.Name, err)
	case errors.Is(err, deploymentjson.ErrTooNew):
		return fmt.Errorf("the stack '%s' is newer than what this version understands: %w; use a newer release", ref.Name, err)
	case errors.As(err, &features):
		return fmt.Errorf("the stack '%s' is newer than what this version understands: %w", ref.Name, err)
	default:
		return fmt.Errorf("could not deserialize deployment: %w", err)
	}
}
