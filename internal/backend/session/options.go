package session

import (
	"time"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
)

// Options say which stack, and with which keys.
type Options struct {
	Backend *backend.Backend
	Ref     backend.StackRef
	// Keys opens the secrets of the recorded state. It may answer with a locked crypter.
	Keys deploymentjson.Opener
	// Manager encrypts what is written; nil means as the recorded state says.
	Manager secret.Manager
	// Kind of update, for the journal's header.
	Kind backend.UpdateKind
	// Version of this program, as manifests name it; Command is what the user typed, for reports of damaged states.
	Version string
	Command string
	Lock    backend.LockOptions
	Now     func() time.Time
	// NoSecretCache encrypts every secret anew (PULUMI_DISABLE_SECRET_CACHE).
	NoSecretCache bool
	// NoIntegrityCheck takes a state that breaks the integrity rules (--disable-integrity-checking).
	NoIntegrityCheck bool
}

func (o Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

func (o Options) secretsOptions() deploymentjson.SecretsOptions {
	return deploymentjson.SecretsOptions{NoCache: o.NoSecretCache}
}

// providerOf is what a checkpoint says about a manager.
func providerOf(m secret.Manager) *state.SecretsProvider {
	if m == nil {
		return nil
	}
	return &state.SecretsProvider{Type: m.Type(), State: m.State()}
}
