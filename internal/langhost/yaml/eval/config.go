package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/check"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
	"github.com/cairn-iac/cairn/internal/property"
)

// config gives the value of a configuration node: what the stack sets, else the default.
func (e *evaluator) config(ctx context.Context, n *check.Node) (property.Value, error) {
	if n.External {
		v := guess(e.Config[n.Name])
		return v.WithSecret(e.isSecret(n.Name)), nil
	}
	d := n.Config
	if e.Inputs != nil {
		return e.input(ctx, d)
	}
	key := check.ConfigKey(e.Project, d)
	text, isSet := e.Config[key]
	secret := isSet && e.isSecret(key)
	if secret && d.Secret != nil && !*d.Secret {
		return property.Value{}, problemAt(d.SecretPos,
			"Cannot mark a configuration value as not secret if the associated config value is secret")
	}
	secret = secret || d.Secret != nil && *d.Secret
	switch {
	case isSet && d.Type == nil && d.Default != nil:
		fallback, err := e.expr(ctx, d.Default)
		if err != nil {
			return property.Value{}, err
		}
		v, err := parseConfig(text, typeLike(fallback))
		return v.WithSecret(secret), configError(d, key, err)
	case isSet:
		v, err := parseConfig(text, d.Type)
		return v.WithSecret(secret), configError(d, key, err)
	case d.Value != nil, d.Default != nil:
		x := d.Value
		if x == nil {
			x = d.Default
		}
		v, err := e.expr(ctx, x)
		if secret {
			v = v.MakeSecret()
		}
		return v, err
	default:
		return property.Value{}, missingConfig(d.Pos, key, d.Secret != nil && *d.Secret)
	}
}

func missingConfig(at diag.Position, key string, secret bool) error {
	flag := ""
	if secret {
		flag = "--secret "
	}
	d := problemAt(at, "missing required configuration variable '%s'; run `pulumi config` to set", key)
	d.Detail = fmt.Sprintf("Set it with `pulumi config set %s%s <value>`.", flag, key)
	return d
}

func configError(d *template.Config, key string, err error) error {
	if err == nil {
		return nil
	}
	out := problemAt(d.Pos, "the configuration value '%s' %v", key, err)
	out.Detail = fmt.Sprintf("Set another value with `pulumi config set %s`, or declare another type.", key)
	return out
}

// input gives the value of a component's input.
func (e *evaluator) input(ctx context.Context, d *template.Config) (property.Value, error) {
	v, ok := e.Inputs.Lookup(d.Name)
	if !ok || v.IsNull() {
		if d.Default == nil {
			return property.Value{}, problemAt(d.Pos, "missing required input '%s'", d.Name)
		}
		var err error
		if v, err = e.expr(ctx, d.Default); err != nil {
			return property.Value{}, err
		}
	}
	if d.Secret != nil && *d.Secret {
		v = v.MakeSecret()
	}
	return v, nil
}

func (e *evaluator) isSecret(key string) bool { return slices.Contains(e.SecretKeys, key) }

// typeLike is the declared type that a default value stands for.
func typeLike(v property.Value) *template.ConfigType {
	switch v.Kind() {
	case property.KindString:
		return &template.ConfigType{Kind: template.ConfigString}
	case property.KindNumber:
		return &template.ConfigType{Kind: template.ConfigNumber}
	case property.KindBool:
		return &template.ConfigType{Kind: template.ConfigBoolean}
	case property.KindList:
		return &template.ConfigType{Kind: template.ConfigArray}
	case property.KindMap:
		return &template.ConfigType{Kind: template.ConfigObject}
	default:
		return nil
	}
}

// parseConfig reads a configuration text as a declared type; nil means that nothing is declared. Errors say what is
// wrong as the end of a sentence and never show the text, which may be secret.
func parseConfig(text string, t *template.ConfigType) (property.Value, error) {
	if t == nil {
		return guess(text), nil
	}
	switch t.Kind {
	case template.ConfigString:
		return property.String(text), nil
	case template.ConfigBoolean:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return property.Value{}, fmt.Errorf("is not a boolean")
		}
		return property.Bool(b), nil
	case template.ConfigNumber, template.ConfigInteger:
		return parseNumber(text, t)
	default:
		v, err := decodeJSON(text)
		if err != nil {
			return property.Value{}, err
		}
		return v, conforms(v, t, "")
	}
}

func parseNumber(text string, t *template.ConfigType) (property.Value, error) {
	text = strings.TrimSpace(text)
	if f, err := strconv.ParseFloat(text, 64); err != nil || math.IsInf(f, 0) || math.IsNaN(f) ||
		strings.ContainsAny(text, "_xXpP") {
		return property.Value{}, fmt.Errorf("is not of type %s", t)
	}
	// Exact arithmetic on extreme exponents would not end.
	if _, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok && len(exponent) > 4 || len(text) > 400 {
		return property.Value{}, fmt.Errorf("is too long for a number")
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok {
		return property.Value{}, fmt.Errorf("is not of type %s", t)
	}
	if t.Kind == template.ConfigInteger && !exact.IsInt() {
		return property.Value{}, fmt.Errorf("is not a whole number")
	}
	f, same := exact.Float64()
	if exact.IsInt() && !same {
		return property.Value{}, fmt.Errorf("is a number that cannot be held exactly; declare it as type string")
	}
	return property.Number(f), nil
}

// guess reads a text whose type nobody declared: true and false, numbers that are written the way they are shown, JSON
// lists and objects. Everything else is the string itself, so that no identifier loses a zero.
func guess(text string) property.Value {
	switch text {
	case "true":
		return property.Bool(true)
	case "false":
		return property.Bool(false)
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) &&
		template.FormatNumber(f) == text {
		return property.Number(f)
	}
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		if v, err := decodeJSON(text); err == nil {
			return v
		}
	}
	return property.String(text)
}

// decodeJSON reads JSON whose whole numbers must be exact.
func decodeJSON(text string) (property.Value, error) {
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.UseNumber()
	var raw any
	if err := dec.Decode(&raw); err != nil {
		return property.Value{}, fmt.Errorf("is not valid JSON")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return property.Value{}, fmt.Errorf("is followed by something after the JSON value")
	}
	return fromJSON(raw)
}

func fromJSON(raw any) (property.Value, error) {
	switch raw := raw.(type) {
	case bool:
		return property.Bool(raw), nil
	case string:
		return property.String(raw), nil
	case json.Number:
		return parseNumber(raw.String(), &template.ConfigType{Kind: template.ConfigNumber})
	case []any:
		items := make([]property.Value, len(raw))
		for i, r := range raw {
			v, err := fromJSON(r)
			if err != nil {
				return property.Value{}, err
			}
			items[i] = v
		}
		return property.NewList(items...), nil
	case map[string]any:
		m := make(map[string]property.Value, len(raw))
		for k, r := range raw {
			v, err := fromJSON(r)
			if err != nil {
				return property.Value{}, err
			}
			m[k] = v
		}
		return property.NewMap(m), nil
	default:
		return property.Null(), nil
	}
}

// conforms checks a value against a declared type. at is the path within the value.
func conforms(v property.Value, t *template.ConfigType, at string) error {
	ok := true
	switch t.Kind {
	case template.ConfigString:
		ok = v.Kind() == property.KindString
	case template.ConfigBoolean:
		ok = v.Kind() == property.KindBool
	case template.ConfigNumber:
		ok = v.Kind() == property.KindNumber
	case template.ConfigInteger:
		n, isNumber := v.AsNumber()
		ok = isNumber && n == float64(int64(n))
	case template.ConfigObject:
		ok = v.Kind() == property.KindMap
	case template.ConfigArray:
		l, isList := v.AsList()
		if ok = isList; ok && t.Items != nil {
			for i, item := range l.All() {
				if err := conforms(item, t.Items, fmt.Sprintf("%s[%d]", at, i)); err != nil {
					return err
				}
			}
		}
	}
	if !ok && at != "" {
		return fmt.Errorf("is not of type %s at %s", t, at)
	}
	if !ok {
		return fmt.Errorf("is not of type %s", t)
	}
	return nil
}
