package pluginhost

import (
	"path/filepath"

	"github.com/blang/semver/v4"

	"github.com/cairn-iac/cairn/internal/pluginstore"
)

// Installed is one plugin in the cache ($PULUMI_HOME/plugins).
type Installed = pluginstore.Installed

// List gives the installed plugins in the order of kind, name and version.
func (h *Host) List() ([]Installed, error) { return h.Store().List() }

// Store is the cache.
func (h *Host) Store() pluginstore.Store { return StoreOf(h.env) }

// StoreOf is the cache of an environment: $PULUMI_HOME/plugins.
func StoreOf(variables []string) pluginstore.Store {
	env := environ(variables)
	home := env.get("PULUMI_HOME")
	if home == "" {
		home = filepath.Join(env.home(), ".pulumi")
	}
	return pluginstore.Store{Dir: filepath.Join(home, "plugins")}
}

// candidate is an installed plugin with its version read.
type candidate struct {
	Installed
	version semver.Version
}

// candidates lists the installed plugins of a kind and local name.
func (h *Host) candidates(kind Kind, local string) ([]candidate, error) {
	all, err := h.Store().All()
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, p := range all {
		if v, err := semver.Parse(p.Version); err == nil && p.Kind == kind && p.Name == local {
			out = append(out, candidate{p, v})
		}
	}
	return out, nil
}
