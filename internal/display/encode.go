package display

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/cairn-iac/cairn/internal/event"
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

// eventValues prepares properties for an event: secrets hold nothing, the texts of assets are left out, and an output of
// the root's that is not known yet says so, secret or not.
func eventValues(m property.Map, root bool) property.Map {
	return m.Transform(func(v property.Value) property.Value {
		if v.Secret() {
			if v.IsUnknown() && root {
				return v.WithSecret(false)
			}
			return property.String(property.Mask).MakeSecret()
		}
		if a, ok := v.AsAsset(); ok && a.Source == property.SourceText {
			a.Location = elided
			return property.FromAsset(a)
		}
		if a, ok := v.AsArchive(); ok && a.Source == property.SourceAssets {
			a.Assets = eventValues(a.Assets, root)
			return property.FromArchive(a)
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

// guarded masks what is secret on either side of a step on both: a value that becomes secret was one before, and one
// that a provider repeats in its outputs still is.
func guarded(s event.Step) event.Step {
	var secrets []property.Path
	sides := [][2]property.Map{{inputs(s.Old), outputs(s.Old)}, {inputs(s.New), outputs(s.New)}}
	for _, side := range sides {
		for _, m := range side {
			secrets = appendSecretPaths(secrets, nil, property.FromMap(m))
		}
	}
	if len(secrets) == 0 {
		return s
	}
	s.Old, s.New = maskedAt(s.Old, secrets), maskedAt(s.New, secrets)
	return s
}

func appendSecretPaths(paths []property.Path, at property.Path, v property.Value) []property.Path {
	if v.Secret() {
		return append(paths, at)
	}
	if m, ok := v.AsMap(); ok {
		for k, e := range m.All() {
			paths = appendSecretPaths(paths, at.Append(property.Key(k)), e)
		}
	}
	if l, ok := v.AsList(); ok {
		for i, e := range l.All() {
			paths = appendSecretPaths(paths, at.Append(property.Index(i)), e)
		}
	}
	return paths
}

func maskedAt(s *resource.State, secrets []property.Path) *resource.State {
	if s == nil {
		return nil
	}
	c := s.Clone()
	for _, m := range []*property.Map{&c.Inputs, &c.Outputs} {
		whole := property.FromMap(*m)
		for _, path := range secrets {
			v, found := path.Get(whole)
			if found && !v.Secret() && !v.IsUnknown() && !v.IsNull() {
				whole, _ = path.Set(whole, property.String(property.Mask).MakeSecret())
			}
		}
		*m, _ = whole.AsMap()
	}
	return c
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
