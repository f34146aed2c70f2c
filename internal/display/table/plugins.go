package table

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/cairn-iac/cairn/internal/display/palette"
)

// Plugin is one plugin that is there.
type Plugin struct {
	Name, Kind, Version string
	// Bytes is 0 when it is not known, as for a plugin that is part of the program.
	Bytes uint64
	// Installed and LastUsed may be zero.
	Installed, LastUsed time.Time
	// Source, ours, says where a plugin comes from that is not in the cache ("built in"); "" otherwise.
	Source string
}

// Plugins lists plugins and what they take together: `plugin ls`. The column SOURCE is there only when a plugin has one.
func Plugins(plugins []Plugin, now time.Time, p palette.Palette) string {
	t := Table{Headers: []string{"NAME", "KIND", "VERSION", "SIZE", "INSTALLED", "LAST USED"}, Palette: p}
	sources := false
	var total uint64
	for _, plugin := range plugins {
		sources = sources || plugin.Source != ""
		total += plugin.Bytes
	}
	if sources {
		t.Headers = append(t.Headers, "SOURCE")
	}
	for _, plugin := range plugins {
		size, installed, used := notAvailable, notAvailable, "never"
		if plugin.Bytes > 0 {
			size = humanize.Bytes(plugin.Bytes)
		}
		if !plugin.Installed.IsZero() {
			installed = ago(plugin.Installed, now)
		}
		if !plugin.LastUsed.IsZero() {
			used = ago(plugin.LastUsed, now)
		}
		cells := []string{plugin.Name, plugin.Kind, plugin.Version, size, installed, used}
		if sources {
			cells = append(cells, plugin.Source)
		}
		t.Rows = append(t.Rows, Row{Cells: cells})
	}
	return t.String() + fmt.Sprintf("\nTOTAL plugin cache size: %s\n", humanize.Bytes(total))
}

// PluginsJSON lists plugins as JSON: `plugin ls --json`.
func PluginsJSON(plugins []Plugin) (string, error) {
	type record struct {
		Name         string  `json:"name"`
		Kind         string  `json:"kind"`
		Version      string  `json:"version"`
		Size         uint64  `json:"size"`
		InstallTime  *string `json:"installTime,omitempty"`
		LastUsedTime *string `json:"lastUsedTime,omitempty"`
		Source       string  `json:"source,omitempty"`
	}
	records := make([]record, len(plugins))
	for i, p := range plugins {
		records[i] = record{
			Name: p.Name, Kind: p.Kind, Version: p.Version, Size: p.Bytes,
			InstallTime: timeOrNil(p.Installed), LastUsedTime: timeOrNil(p.LastUsed), Source: p.Source,
		}
	}
	return JSON(records)
}
