package random

import (
	"context"
	"fmt"
	"strings"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/property"
)

// CheckConfig accepts the settings that every provider resource has; the package has no configuration of its own.
func (p *provider) CheckConfig(_ context.Context, req plugin.CheckRequest) (plugin.CheckResponse, error) {
	out := plugin.CheckResponse{Inputs: req.News.StripDependencies()}
	for _, key := range req.News.Keys() {
		if key == "version" || key == "pluginDownloadURL" || strings.HasPrefix(key, "__") {
			continue
		}
		out.Failures = append(out.Failures, plugin.CheckFailure{Reason: unknownSetting(req.URN.Name(), key)})
	}
	return out, nil
}

// unknownSetting explains a setting that does not exist: that of a default provider comes from the stack's
// configuration.
func unknownSetting(provider, key string) string {
	if strings.HasPrefix(provider, "default") {
		return fmt.Sprintf("`random:%s` is not a valid configuration key for the random provider, which has none. "+
			"If it is meant for something else, please choose a namespace other than `random:`.", key)
	}
	return fmt.Sprintf("could not validate provider configuration: Invalid or unknown key. Examine values at '%s.%s'.",
		provider, key)
}

// DiffConfig lists which settings differ. None needs a new provider.
func (p *provider) DiffConfig(_ context.Context, req plugin.DiffRequest) (plugin.DiffResponse, error) {
	news, err := ignoreChanges(req.IgnoreChanges, req.OldInputs, req.News)
	if err != nil {
		return plugin.DiffResponse{}, err
	}
	out := plugin.DiffResponse{Changes: plugin.ChangesNone}
	for _, c := range property.Changes(req.OldInputs, news) {
		if out.DetailedDiff == nil {
			out.DetailedDiff = map[string]event.PropertyDiff{}
		}
		out.Changes = plugin.ChangesSome
		out.DetailedDiff[c.Path.String()] = event.PropertyDiff{Kind: diffKind(c.Kind), InputDiff: true}
	}
	return out, nil
}

func diffKind(k property.ChangeKind) event.DiffKind {
	switch k {
	case property.Added:
		return event.DiffAdd
	case property.Deleted:
		return event.DiffDelete
	case property.Updated:
		return event.DiffUpdate
	default:
		return event.DiffUpdate
	}
}

// Configure takes any configuration that CheckConfig accepts: there is nothing to set up.
func (p *provider) Configure(context.Context, plugin.ConfigureRequest) error { return nil }
