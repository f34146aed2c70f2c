package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/config"
)

type setAllOptions struct {
	target             *target
	path               bool
	plaintext, secrets []string
	json               string
}

func newSetAllCmd(t *target) *cobra.Command {
	o := &setAllOptions{target: t}
	cmd := &cobra.Command{
		Use: "set-all", Args: usage.Args(0, 0),
		Short: "Set several configuration values",
		Long: "Sets values of a stack's configuration: all of them, or none if something is wrong with one. Each is given as\n" +
			"key=value behind --plaintext or --secret, or all in the JSON that `pulumi config --json --show-secrets` writes.",
		Example: "  pulumi config set-all --plaintext aws:region=eu-central-1 --secret token=abc\n" +
			"  pulumi config set-all --path --plaintext 'names[0]=a' --plaintext 'names[1]=b'",
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.path, "path", false, "the keys lead into maps or lists")
	flags.StringArrayVar(&o.plaintext, "plaintext", nil, "a key=value to keep as it is; repeat it for more")
	flags.StringArrayVar(&o.secrets, "secret", nil, "a key=value to encrypt; repeat it for more")
	flags.StringVar(&o.json, "json", "", "the values as JSON")
	return cmd
}

// assignment is one value to set.
type assignment struct {
	key    key
	text   string
	object bool
	secret bool
}

func (o *setAllOptions) run(ctx context.Context) error {
	assignments, err := o.assignments()
	if err != nil {
		return err
	}
	s, file, err := o.target.open(ctx)
	if err != nil {
		return err
	}
	for _, a := range assignments {
		at, err := a.key.in(s)
		if err != nil {
			return err
		}
		v, err := a.value(ctx, s, at)
		if err != nil {
			return err
		}
		if err := file.Set(at, v); err != nil {
			return fmt.Errorf("could not set config: %w", err)
		}
	}
	return s.SaveConfig()
}

func (a assignment) value(ctx context.Context, s *factory.Stack, at config.Address) (config.Value, error) {
	var v config.Value
	var err error
	switch {
	case a.object:
		v, err = config.ParseJSON([]byte(a.text))
	case a.secret:
		v = config.NewString(a.text)
	default:
		v, err = config.ParseScalar(at, a.text, "")
	}
	if err != nil {
		return v, fmt.Errorf("could not set config: %s: %w", at, err)
	}
	if a.secret {
		return encrypt(ctx, s, v)
	}
	return v, nil
}

func (o *setAllOptions) assignments() ([]assignment, error) {
	if o.json != "" {
		if o.path || len(o.plaintext) > 0 || len(o.secrets) > 0 {
			return nil, errors.New("the --json option cannot be used with the --plaintext, --secret or --path options")
		}
		return fromJSON(o.json)
	}
	var out []assignment
	add := func(pairs []string, secret bool) error {
		for _, pair := range pairs {
			name, value, ok := o.split(pair)
			if !ok {
				return errors.New("config value must be in the form [key]=[value]")
			}
			out = append(out, assignment{key: key{text: name, path: o.path}, text: value, secret: secret})
		}
		return nil
	}
	return out, errors.Join(add(o.plaintext, false), add(o.secrets, true))
}

// split cuts key=value at the first = that is not within quotes of a path.
func (o *setAllOptions) split(pair string) (name, value string, ok bool) {
	if !o.path {
		return strings.Cut(pair, "=")
	}
	quoted, escaped := false, false
	for i, c := range pair {
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = quoted
		case c == '"':
			quoted = !quoted
		case c == '=' && !quoted:
			return pair[:i], pair[i+1:], true
		}
	}
	return "", "", false
}

// fromJSON reads the values that --json gives, in order of their keys.
func fromJSON(text string) ([]assignment, error) {
	var values map[string]struct {
		Value       *string         `json:"value"`
		ObjectValue json.RawMessage `json:"objectValue"`
		Secret      bool            `json:"secret"`
	}
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		return nil, fmt.Errorf("could not parse --json argument: %w", err)
	}
	var out []assignment
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := values[name]
		if v.Value == nil {
			return nil, fmt.Errorf("value for --json object key %q is nil", name)
		}
		isObject := len(v.ObjectValue) > 0 && string(v.ObjectValue) != "null"
		out = append(out, assignment{key: key{text: name}, text: *v.Value, object: isObject, secret: v.Secret})
	}
	return out, nil
}
