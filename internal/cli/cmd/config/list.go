package config

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/config"
	"github.com/cairn-iac/cairn/internal/display/table"
)

type listOptions struct {
	target      *target
	showSecrets bool
	json        bool
}

func (o *listOptions) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&o.showSecrets, "show-secrets", false, "show secret values in plain text")
	flags.BoolVarP(&o.json, "json", "j", false, "write JSON")
}

func (o *listOptions) run(ctx context.Context) error {
	s, file, err := o.target.open(ctx)
	if err != nil {
		return err
	}
	values, err := effective(s, file)
	if err != nil {
		return err
	}
	if o.showSecrets && values.Encrypted() {
		key, err := s.Decrypter(ctx)
		if err != nil {
			return err
		}
		if values, err = values.Reveal(ctx, key); err != nil {
			return err
		}
	}
	if o.json {
		return o.writeJSON(values)
	}
	return o.writeText(s, values)
}

func (o *listOptions) writeText(s *factory.Stack, values config.Map) error {
	if !o.showSecrets {
		masked := make(config.Map, len(values))
		for k, v := range values {
			masked[k] = v.Masked()
		}
		values = masked
	}
	colors, err := o.target.f.Palette()
	if err != nil {
		return err
	}
	var entries []table.ConfigEntry
	for _, r := range values.Rows(s.Ref.Project) {
		entries = append(entries, table.ConfigEntry{Key: r.Key, Value: r.Value})
	}
	o.target.f.Streams.Printf("%s", table.Config(entries, colors))
	return nil
}

func (o *listOptions) writeJSON(values config.Map) error {
	shown := make(map[string]table.ConfigValue, len(values))
	for k, v := range values {
		if v.Secure() && !o.showSecrets {
			shown[k.String()] = table.ConfigValue{Secret: true}
			continue
		}
		shown[k.String()] = asJSON(v)
	}
	text, err := table.ConfigJSON(shown)
	if err != nil {
		return err
	}
	o.target.f.Streams.Printf("%s", text)
	return nil
}

// asJSON is a value as the JSON outputs have it.
func asJSON(v config.Value) table.ConfigValue {
	s := v.Show()
	out := table.ConfigValue{Value: s.Value, Secret: s.Secret}
	if s.ObjectValue != nil {
		out.ObjectValue = s.ObjectValue
	}
	return out
}
