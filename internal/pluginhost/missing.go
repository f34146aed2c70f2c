package pluginhost

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginstore"
)

// plugin is what would have to be installed for a query.
func (q query) plugin() pluginstore.Plugin {
	p := pluginstore.Plugin{Kind: q.kind, Name: q.name, DownloadURL: q.pkg.DownloadURL}
	if q.wanted != nil {
		p.Version = q.wanted.String()
	}
	if len(q.pkg.Checksums) > 0 {
		p.Checksums = map[pluginstore.Platform][]byte{}
		for platform, sum := range q.pkg.Checksums {
			p.Checksums[pluginstore.Platform(platform)] = sum
		}
	}
	return p
}

// PluginOf is what would be installed for a package, by what it says and by what the project says about it.
func (h *Host) PluginOf(kind Kind, pkg plugin.Package) pluginstore.Plugin {
	q, err := h.queryOf(kind, pkg)
	if err != nil {
		return pluginstore.Plugin{Kind: kind, Name: pkg.Name, Version: pkg.Version, DownloadURL: pkg.DownloadURL}
	}
	return q.plugin()
}

// install gets a plugin that was not found, or says why not.
func (h *Host) install(ctx context.Context, q query) error {
	if h.o.Install == nil || !h.automatic() || Bundled(q.kind, q.name) {
		return h.missing(q)
	}
	if err := h.o.Install(ctx, q.plugin()); err != nil {
		return fmt.Errorf("the %s plugin %s is missing and could not be installed: %w\nTo try it again by itself: `%s`",
			q.kind, q.plugin(), err, q.command())
	}
	return nil
}

// automatic says whether plugins may be installed without having been asked for.
func (h *Host) automatic() bool {
	return !h.env.isTrue(disableVariable) && !h.env.isTrue(offlineVariable)
}

const (
	disableVariable = "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION"
	offlineVariable = "PULUMI_OFFLINE"
)

// command is the command line that installs the plugin.
func (q query) command() string {
	p := q.plugin()
	words := []string{"pulumi plugin install", string(q.kind), q.name}
	if p.Version != "" {
		words = append(words, "v"+p.Version)
	}
	if p.FromGit() {
		at := strings.TrimPrefix(pluginstore.Public(p.DownloadURL), "git://")
		return fmt.Sprintf("pulumi plugin install %s %s@%s", q.kind, at, p.Version)
	}
	if p.DownloadURL != "" {
		words = append(words, "--server", pluginstore.Public(p.DownloadURL))
	}
	return strings.Join(words, " ")
}

// missing tells that there is no such plugin, and how to get it.
func (h *Host) missing(q query) error {
	if q.kind == KindResource {
		return &plugin.MissingError{Package: q.pkg, Hint: h.hint(q)}
	}
	at := ""
	if q.wanted != nil {
		at = " at version v" + q.wanted.String()
	}
	return fmt.Errorf("no %[1]s plugin '%[2]s' found in the workspace%[3]s or on your $PATH. %[4]s",
		q.kind, q.kind.Executable(q.name), at, h.hint(q))
}

// hint says how to get a plugin that is missing.
func (h *Host) hint(q query) string {
	local, _ := q.plugin().LocalName()
	version := "<version>"
	if q.wanted != nil {
		version = q.wanted.String()
	}
	folder := filepath.Join(h.Store().Dir, fmt.Sprintf("%s-%s-v%s", q.kind, local, version))
	var text string
	switch {
	case Bundled(q.kind, q.name):
		text = fmt.Sprintf("It comes with the Pulumi CLI: put its executable %s on your $PATH.", q.kind.Executable(q.name))
	case h.env.isTrue(offlineVariable):
		text = fmt.Sprintf("%s is set, so nothing is downloaded. Ways to get it here: a bundle (`pulumi bundle` on a machine with a "+
			"network, then `pulumi bundle install FILE`), an archive (`pulumi plugin install %s %s %s -f FILE`, which unpacks into %s), "+
			"or the executable %s on your $PATH.", offlineVariable, q.kind, q.name, version, folder, q.kind.Executable(q.name))
	default:
		text = fmt.Sprintf("Install it with `%s` (into %s), or put the executable %s on your $PATH.",
			q.command(), folder, q.kind.Executable(q.name))
		if h.env.isTrue(disableVariable) {
			text += fmt.Sprintf(" It is not installed automatically because %s is set.", disableVariable)
		}
	}
	if b, ok := h.o.Builtins[q.name]; ok && q.kind == KindResource {
		text += fmt.Sprintf(" (The built-in %s provider answers to version %s.)", q.name, b.Version)
	}
	return text
}

// verify lets the project refuse a plugin.
func (h *Host) verify(ctx context.Context, found Found) error {
	if h.o.Verify == nil || found.Path == "" {
		return nil
	}
	return h.o.Verify(ctx, found)
}
