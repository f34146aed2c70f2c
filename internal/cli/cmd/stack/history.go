package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/config"
	"github.com/cairn-iac/cairn/internal/display/table"
	"github.com/cairn-iac/cairn/internal/secret"
)

type historyOptions struct {
	f              *factory.Factory
	stack          *string
	showSecrets    bool
	fullDates      bool
	pageSize, page int
	format         usage.Format
}

func newHistoryCmd(f *factory.Factory, stack *string) *cobra.Command {
	o := &historyOptions{f: f, stack: stack}
	cmd := &cobra.Command{
		Use: "history", Aliases: []string{"hist"}, Args: usage.Args(0, 0),
		Short:   "Show what was done to a stack",
		Long:    "Shows the updates of a stack, the newest first: what they changed, who ran them, and with which configuration.",
		Example: "  pulumi stack history\n  pulumi stack history --json --page-size 1",
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.showSecrets, "show-secrets", false, "show secret configuration values in plain text (in JSON)")
	flags.BoolVar(&o.fullDates, "full-dates", false, "show dates instead of how long ago")
	flags.IntVar(&o.pageSize, "page-size", 10, "how many updates to show; 0 for all")
	flags.IntVar(&o.page, "page", 1, "which page to show")
	usage.Output(cmd, &o.format)
	cmd.AddCommand(usage.Later("events")...)
	return cmd
}

func (o *historyOptions) run(ctx context.Context) error {
	s, err := o.f.Stack(ctx, factory.StackQuery{Flag: *o.stack})
	if err != nil {
		return err
	}
	page := backend.Page{Size: max(o.pageSize, 0), Number: max(o.page, 1)}
	if page.Size == 0 {
		page.Number = 1
	}
	infos, err := s.Backend.History.List(ctx, s.Ref, page)
	if err != nil {
		return fmt.Errorf("getting history: %w", err)
	}
	updates, err := o.updates(ctx, s, infos)
	if err != nil {
		return err
	}
	if o.format == usage.JSON {
		text, err := table.HistoryJSON(updates)
		if err != nil {
			return err
		}
		o.f.Streams.Printf("%s", text)
		return nil
	}
	colors, err := o.f.Palette()
	if err != nil {
		return err
	}
	show := table.HistoryShow{FullDates: o.fullDates, Page: o.page}
	o.f.Streams.Printf("%s", table.History(updates, time.Now(), show, colors))
	return nil
}

func (o *historyOptions) updates(ctx context.Context, s *factory.Stack, infos []backend.UpdateInfo) ([]table.Update, error) {
	configs := make([]config.Map, len(infos))
	encrypted := false
	for i, info := range infos {
		if len(info.Config) == 0 {
			continue
		}
		if err := json.Unmarshal(info.Config, &configs[i]); err != nil {
			return nil, fmt.Errorf("the configuration of the update at %s: %w", time.Unix(info.StartTime, 0).UTC().Format(time.RFC3339), err)
		}
		encrypted = encrypted || configs[i].Encrypted()
	}
	var key secret.Decrypter
	if o.showSecrets && encrypted {
		var err error
		if key, err = s.Decrypter(ctx); err != nil {
			return nil, fmt.Errorf("decrypting secrets: %w", err)
		}
	}
	updates := make([]table.Update, len(infos))
	for i, info := range infos {
		values, err := shown(ctx, configs[i], key)
		if err != nil {
			return nil, err
		}
		updates[i] = table.Update{
			Version: info.Version, Kind: string(info.Kind), Message: info.Message, Environment: info.Environment,
			Start: time.Unix(info.StartTime, 0), End: time.Unix(info.EndTime, 0),
			Result: string(info.Result), Changes: info.ResourceChanges, Config: values,
		}
	}
	return updates, nil
}

// undecryptable stands for a value that was encrypted with a key that is gone.
const undecryptable = "ERROR_UNABLE_TO_DECRYPT"

// shown gives the values of a recorded configuration; a key opens the secrets.
func shown(ctx context.Context, values config.Map, key secret.Decrypter) (map[string]table.ConfigValue, error) {
	out := make(map[string]table.ConfigValue, len(values))
	for k, v := range values {
		if key != nil && v.Encrypted() {
			opened, err := v.Reveal(ctx, key)
			switch {
			case errors.Is(err, secret.ErrLocked), ctx.Err() != nil:
				return nil, err
			case err != nil:
				text := undecryptable
				out[k.String()] = table.ConfigValue{Value: &text, Secret: true}
				continue
			}
			v = opened
		}
		s := v.Show()
		shown := table.ConfigValue{Value: s.Value, Secret: s.Secret}
		if s.ObjectValue != nil {
			shown.ObjectValue = s.ObjectValue
		}
		out[k.String()] = shown
	}
	return out, nil
}
