package table

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
)

// ValueShow says how values are written.
type ValueShow struct {
	// Secrets writes what secrets hold instead of [secret].
	Secrets bool
}

// Outputs lists the outputs of a stack: `stack output`.
func Outputs(m property.Map, show ValueShow) (string, error) {
	title := fmt.Sprintf("Current stack outputs (%d):\n", m.Len())
	if m.Len() == 0 {
		return title + "    No output values currently in this stack\n", nil
	}
	t := Table{Headers: []string{"OUTPUT", "VALUE"}, Prefix: "    "}
	for k, v := range m.All() {
		text, err := Output(v, show)
		if err != nil {
			return "", err
		}
		t.Rows = append(t.Rows, Row{Cells: []string{k, text}})
	}
	return title + t.String(), nil
}

// Output is one output without a line break: strings as they are, anything else as JSON.
func Output(v property.Value, show ValueShow) (string, error) {
	v = plain(v, show)
	if s, ok := v.AsString(); ok {
		return s, nil
	}
	raw, err := valueJSON(v)
	return string(raw), err
}

// OutputsJSON is the outputs as one JSON object: `stack output --json`.
func OutputsJSON(m property.Map, show ValueShow) (string, error) {
	raw, err := valueJSON(plain(property.FromMap(m), show))
	if err != nil {
		return "", err
	}
	return indent(raw)
}

// OutputJSON is one output as JSON: `stack output NAME --json`.
func OutputJSON(v property.Value, show ValueShow) (string, error) {
	raw, err := valueJSON(plain(v, show))
	if err != nil {
		return "", err
	}
	return indent(raw)
}

// OutputsShell is the outputs as assignments for a POSIX shell: `stack output --shell`.
func OutputsShell(m property.Map, show ValueShow) (string, error) {
	var b strings.Builder
	for k, v := range m.All() {
		line, err := OutputShell(k, v, show)
		if err != nil {
			return "", err
		}
		b.WriteString(line)
	}
	return b.String(), nil
}

// OutputShell is one output as an assignment for a POSIX shell, with its line break.
func OutputShell(name string, v property.Value, show ValueShow) (string, error) {
	text, err := Output(v, show)
	if err != nil {
		return "", err
	}
	return name + "=" + shellQuote(text) + "\n", nil
}

// shellQuote leaves words alone that a shell takes as they are.
func shellQuote(s string) string {
	plainWord := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("@%+=:,./-_", r))
	})
	if plainWord {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// plain replaces secrets by [secret], or by what they hold, and bytes that are no text by their base64 form.
func plain(v property.Value, show ValueShow) property.Value {
	if v.Secret() && !show.Secrets || v.Kind() == property.KindSealed {
		return property.String(property.Mask)
	}
	v = v.WithSecret(false)
	if s, ok := v.AsString(); ok && !utf8.ValidString(s) {
		return property.String(`b"` + base64.StdEncoding.EncodeToString([]byte(s)) + `"`)
	}
	if l, ok := v.AsList(); ok {
		items := l.Slice()
		for i, e := range items {
			items[i] = plain(e, show)
		}
		return property.NewList(items...)
	}
	if m, ok := v.AsMap(); ok {
		members := m.Clone()
		for k, e := range members {
			members[k] = plain(e, show)
		}
		return property.NewMap(members)
	}
	return v
}

// valueJSON is a value without secrets as state files write it.
func valueJSON(v property.Value) (json.RawMessage, error) {
	carrier := &resource.State{Inputs: property.MapOf(map[string]property.Value{"v": v})}
	text, err := deploymentjson.AppendResource(context.Background(), nil, carrier, deploymentjson.NewSecrets(nil, deploymentjson.SecretsOptions{}))
	if err != nil {
		return nil, fmt.Errorf("write an output as JSON: %w", err)
	}
	const key = `"inputs":{"v":`
	_, rest, found := bytes.Cut(text, []byte(key))
	if !found {
		panic("invariant: a resource with inputs is written with inputs")
	}
	return json.RawMessage(rest[:len(rest)-len("}}")]), nil
}

func indent(raw json.RawMessage) (string, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return "", err
	}
	return b.String() + "\n", nil
}
