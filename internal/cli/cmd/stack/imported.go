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

// imported is a state that was read from an export.
type imported struct {
	snapshot *state.Snapshot
	// present is what the stack's state says about its secrets.
	present *state.SecretsProvider
}

// decode reads an export. Secrets that are encrypted as the stack's own are carried over as they are; others are opened,
// to be encrypted for the stack.
func decode(ctx context.Context, s *factory.Stack, data []byte) (imported, error) {
	if err := checkDeployment(data); err != nil {
		return imported{}, explain(s.Ref, err)
	}
	view, err := s.Look(ctx, factory.Looking{Damaged: true, Quiet: true})
	if err != nil {
		return imported{}, err
	}
	in := imported{present: view.Snapshot.SecretsProvider}
	same := false
	open := func(ctx context.Context, p *state.SecretsProvider) (secret.Crypter, error) {
		if same = p != nil && sameProvider(p, in.present); same {
			return secret.Locked("these secrets stay encrypted as they are", nil), nil
		}
		return s.OpenState(ctx, p)
	}
	in.snapshot, _, err = deploymentjson.DecodeExport(ctx, data, open, deploymentjson.SecretsOptions{})
	if err != nil {
		return in, explain(s.Ref, err)
	}
	if same {
		return in, nil
	}
	for _, r := range in.snapshot.Resources {
		if sealed(r) {
			return in, fmt.Errorf("the secrets of %s cannot be decrypted: their passphrase is needed to encrypt them for "+
				"stack %s; or export with --show-secrets", r.URN, s.Ref)
		}
	}
	return in, nil
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

// options open the stack for writing with a secrets provider, if the new state needs one.
func (in imported) options(ctx context.Context, s *factory.Stack) (session.Options, error) {
	opts, err := s.SessionOptions(ctx)
	if err != nil {
		return opts, err
	}
	opts.Kind, opts.Command = backend.UpdateKindStackImport, "stack import"
	// What is replaced need not be in order.
	opts.NoIntegrityCheck = true
	if opts.Manager == nil && in.present == nil && in.hasSecrets() {
		opts.Manager, err = s.EnsureSecrets(ctx, in.snapshot.SecretsProvider)
	}
	return opts, err
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
