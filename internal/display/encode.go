package display

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/secret"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
)

// blind encrypts every secret to the same text.
type blind struct{ secret.Crypter }

func (blind) Encrypt(context.Context, string) (string, error) { return property.Mask, nil }

func blindSecrets() *deploymentjson.Secrets {
	return deploymentjson.NewSecrets(blind{secret.Locked("events hold no secrets", nil)},
		deploymentjson.SecretsOptions{NoCache: true})
}

// elided stands in events for the text of an asset, which may be a file of any size.
const elided = "<contents elided>"

// eventValues prepares properties for an event: asset texts are left out, and a secret of the root's that is not known
// yet says so.
func eventValues(m property.Map, root bool) property.Map {
	return m.Transform(func(v property.Value) property.Value {
		if a, ok := v.AsAsset(); ok && a.Source == property.SourceText {
			a.Location = elided
			return property.FromAsset(a).WithSecret(v.Secret())
		}
		if a, ok := v.AsArchive(); ok && a.Source == property.SourceAssets {
			a.Assets = eventValues(a.Assets, root)
			return property.FromArchive(a).WithSecret(v.Secret())
		}
		if v.IsUnknown() && v.Secret() && root {
			return v.WithSecret(false)
		}
		return v
	})
}

// eventProperties is the JSON of properties in an event: secrets in their envelope, but without what they hold.
func eventProperties(m property.Map, root bool) (json.RawMessage, error) {
	if m.Len() == 0 {
		return json.RawMessage("{}"), nil
	}
	carrier := &resource.State{Inputs: eventValues(m, root)}
	text, err := deploymentjson.AppendResource(context.Background(), nil, carrier, blindSecrets())
	if err != nil {
		return nil, fmt.Errorf("encode properties: %w", err)
	}
	const key = `"inputs":`
	_, rest, found := bytes.Cut(text, []byte(key))
	if !found {
		panic("invariant: a resource with inputs is written with inputs")
	}
	return rest[:len(rest)-len("}")], nil
}

// plainSecrets replaces secrets by the bare text [secret].
func plainSecrets(m property.Map) property.Map {
	return m.Transform(func(v property.Value) property.Value {
		if v.Secret() {
			return property.String(property.Mask)
		}
		return v
	})
}

// resourceJSON is a state as state files hold it, with [secret] in place of secrets.
func resourceJSON(s *resource.State) (json.RawMessage, error) {
	c := *s
	c.Inputs, c.Outputs = plainSecrets(s.Inputs), plainSecrets(s.Outputs)
	if c.ReplacementTrigger.ContainsSecret() {
		c.ReplacementTrigger = property.String(property.Mask)
	}
	text, err := deploymentjson.AppendResource(context.Background(), nil, &c, blindSecrets())
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", s.URN, err)
	}
	return text, nil
}
