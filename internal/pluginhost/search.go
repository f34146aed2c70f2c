package pluginhost

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/pluginstore"
)

// Origin says where a plugin was found.
type Origin string

// The places, in the order they are searched.
const (
	FromDebugger Origin = "attached"
	FromProject  Origin = "project"
	FromPath     Origin = "$PATH"
	FromBundle   Origin = "bundled"
	FromCache    Origin = "installed"
	FromBuiltin  Origin = "built in"
)

// Found is the plugin that runs when one is asked for.
type Found struct {
	Kind Kind
	Name string
	// Version is known for installed and built-in plugins, and for those of the project that say it.
	Version string
	// Path is the executable, or the folder with a PulumiPlugin.yaml; "" for attached and built-in ones.
	Path   string
	Origin Origin
	// Port is where an attached provider listens.
	Port int
	// Installed is the entry of the cache, for an installed plugin.
	Installed Installed
}

// query is what is searched for.
type query struct {
	kind   Kind
	name   string
	pkg    plugin.Package
	wanted *semver.Version
	// toRun is false when the answer is only shown.
	toRun bool
}

// Describe says which provider plugin would run for a package, without starting it. A plugin that cannot be found is a
// *plugin.MissingError.
func (h *Host) Describe(pkg plugin.Package) (Found, error) {
	return h.DescribeKind(KindResource, pkg)
}

// DescribeKind is Describe for plugins of any kind.
func (h *Host) DescribeKind(kind Kind, pkg plugin.Package) (Found, error) {
	q, err := h.queryOf(kind, pkg)
	if err != nil {
		return Found{}, err
	}
	found, ok, err := h.search(q)
	if err == nil && !ok {
		err = h.missing(q)
	}
	return found, err
}

// Find is DescribeKind for a plugin that is about to run: one that is missing is installed, if it may be, and an installed
// one is verified.
func (h *Host) Find(ctx context.Context, kind Kind, pkg plugin.Package) (Found, error) {
	q, err := h.queryOf(kind, pkg)
	if err != nil {
		return Found{}, err
	}
	q.toRun = true
	return h.find(ctx, q)
}

// queryOf completes a package by what the project says about it.
func (h *Host) queryOf(kind Kind, pkg plugin.Package) (query, error) {
	said, known := h.o.Project.Packages[pkg.Name]
	if known && kind == KindResource && pkg.DownloadURL == "" && (pkg.Version == "" || said.Version == "" || pkg.Version == said.Version) {
		pkg.DownloadURL = said.DownloadURL
		if pkg.Version == "" {
			pkg.Version = said.Version
		}
		if pkg.Checksums == nil {
			pkg.Checksums = said.Checksums
		}
	}
	wanted, err := parseWanted(pkg.Version)
	return query{kind: kind, name: pkg.Name, pkg: pkg, wanted: wanted}, err
}

func (h *Host) find(ctx context.Context, q query) (Found, error) {
	found, ok, err := h.search(q)
	if err != nil {
		return Found{}, err
	}
	if !ok {
		if err := h.install(ctx, q); err != nil {
			return Found{}, err
		}
		if found, ok, err = h.search(q); err != nil {
			return Found{}, err
		}
		if !ok {
			return Found{}, h.missing(q)
		}
	}
	return found, h.verify(ctx, found)
}

func (h *Host) search(q query) (Found, bool, error) {
	if q.name == "" || strings.ContainsAny(q.name, `/\`) {
		return Found{}, false, fmt.Errorf("%q is not a plugin name", q.name)
	}
	for _, place := range []func(query) (Found, bool, error){h.attached, h.ofProject, h.ambient, h.cachedOrBuiltin} {
		if found, ok, err := place(q); ok || err != nil {
			return found, ok, err
		}
	}
	return Found{}, false, nil
}

// attached looks for a running provider that the user named.
func (h *Host) attached(q query) (Found, bool, error) {
	if q.kind != KindResource {
		return Found{}, false, nil
	}
	for entry := range strings.SplitSeq(h.env.get("PULUMI_DEBUG_PROVIDERS"), ",") {
		name, text, _ := strings.Cut(strings.TrimSpace(entry), ":")
		if name != q.name {
			continue
		}
		port, err := strconv.Atoi(text)
		if err != nil || port < 1 || port > 65535 {
			return Found{}, false, fmt.Errorf("Expected a numeric port, got %s in PULUMI_DEBUG_PROVIDERS for %s", text, name)
		}
		return Found{Kind: q.kind, Name: q.name, Origin: FromDebugger, Port: port}, true, nil
	}
	return Found{}, false, nil
}

// ofProject looks among the plugins and local packages of the project.
func (h *Host) ofProject(q query) (Found, bool, error) {
	var candidates []ProjectPlugin
	for _, p := range h.o.Project.Plugins {
		if p.Kind != q.kind || p.Name != q.name {
			continue
		}
		same := func(o ProjectPlugin) bool { return p.Version != "" && o.Version == p.Version }
		if slices.ContainsFunc(candidates, same) {
			return Found{}, false, fmt.Errorf("multiple project plugins with kind %s, name %s, version %s", p.Kind, p.Name, p.Version)
		}
		candidates = append(candidates, p)
	}
	for _, p := range candidates {
		have, err := parseWanted(p.Version)
		if err != nil {
			return Found{}, false, fmt.Errorf("project plugin %s: %w", p.Name, err)
		}
		if have != nil && q.wanted != nil && !have.EQ(*q.wanted) {
			h.warn(q, fmt.Sprintf("Project plugin %s with version %s is incompatible with requested version %s.", p.Name, p.Version, q.wanted))
			continue
		}
		path, err := pluginIn(p.Path, q)
		if err != nil {
			return Found{}, false, fmt.Errorf("project plugin %s: %w", p.Name, err)
		}
		return Found{Kind: q.kind, Name: q.name, Version: p.Version, Path: path, Origin: FromProject}, true, nil
	}
	return Found{}, false, nil
}

// pluginIn gives the executable of a plugin in its folder, or the folder when it has none but a PulumiPlugin.yaml.
func pluginIn(dir string, q query) (string, error) {
	for _, ext := range extensions() {
		file := filepath.Join(dir, q.kind.Executable(q.name)+ext)
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			return file, nil
		}
	}
	if _, err := os.Stat(filepath.Join(dir, manifestName)); err == nil {
		return dir, nil
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("the folder %s does not exist", dir)
	}
	return "", fmt.Errorf("the folder %s holds neither %s nor %s", dir, q.kind.Executable(q.name), manifestName)
}

func extensions() []string {
	if runtime.GOOS == "windows" {
		return []string{".exe", ".cmd"}
	}
	return []string{""}
}

// ambient looks on $PATH and next to our executable. $PATH wins, with a warning when the two differ.
func (h *Host) ambient(q query) (Found, bool, error) {
	bundle, hasBundle := h.inBundle(q)
	found := Found{Kind: q.kind, Name: q.name, Path: bundle, Origin: FromBundle}
	if h.env.isTrue("PULUMI_IGNORE_AMBIENT_PLUGINS") {
		return found, hasBundle, nil
	}
	path, ok := h.onPath(q)
	if !ok {
		return found, hasBundle, nil
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil && path != bundle && resolved != bundle {
		expected := ""
		if hasBundle {
			expected = " expected " + bundle
		}
		h.warn(q, fmt.Sprintf("using %s from $PATH at %s%s", q.kind.Executable(q.name), path, expected))
	}
	found.Path, found.Origin = path, FromPath
	return found, true, nil
}

func (h *Host) onPath(q query) (string, bool) {
	for _, dir := range h.env.path() {
		if file, ok := h.executableIn(dir, q); ok {
			return file, true
		}
	}
	return "", false
}

func (h *Host) inBundle(q query) (string, bool) {
	if !Bundled(q.kind, q.name) || h.o.Executable == "" {
		return "", false
	}
	self, err := filepath.EvalSymlinks(h.o.Executable)
	if err != nil {
		return "", false
	}
	return h.executableIn(filepath.Dir(self), q)
}

// executableIn looks for the executable of a plugin in a folder. Our own one does not count.
func (h *Host) executableIn(dir string, q query) (string, bool) {
	for _, ext := range extensions() {
		file := filepath.Join(dir, q.kind.Executable(q.name)+ext)
		info, err := os.Stat(file)
		if err != nil || info.IsDir() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
			continue
		}
		if self, err := os.Stat(h.o.Executable); err == nil && os.SameFile(self, info) {
			continue
		}
		return file, true
	}
	return "", false
}

// cachedOrBuiltin chooses between an installed and a built-in plugin by the rules of the package comment.
func (h *Host) cachedOrBuiltin(q query) (Found, bool, error) {
	local, subfolder := q.plugin().LocalName()
	if err := h.pin(&q, local); err != nil {
		return Found{}, false, err
	}
	candidates, err := h.candidates(q.kind, local)
	if err != nil {
		return Found{}, false, err
	}
	cached, hasCached := selectInstalled(candidates, q.wanted, h.env.get("PULUMI_ENABLE_LEGACY_PLUGIN_SEARCH") != "")
	own, hasOwn, err := h.builtin(q)
	if err != nil {
		return Found{}, false, err
	}
	if hasOwn && (!hasCached || q.wanted == nil && own.GT(cached.version)) {
		return Found{Kind: q.kind, Name: q.name, Version: own.String(), Origin: FromBuiltin}, true, nil
	}
	if !hasCached {
		return Found{}, false, nil
	}
	path, err := pluginIn(filepath.Join(cached.Path, filepath.FromSlash(subfolder)), q)
	if err != nil {
		return Found{}, false, fmt.Errorf("installed plugin %s %s: %w", q.name, cached.Version, err)
	}
	if q.toRun {
		pluginstore.MarkUsed(cached.Installed)
	}
	return Found{
		Kind: q.kind, Name: q.name, Version: cached.Version, Path: path, Origin: FromCache, Installed: cached.Installed,
	}, true, nil
}

// pin gives a query for any version the one that the project has settled on.
func (h *Host) pin(q *query, local string) error {
	if q.wanted != nil || h.o.Pinned == nil {
		return nil
	}
	version, err := h.o.Pinned(q.kind, local)
	if err != nil {
		return err
	}
	q.wanted, err = parseWanted(version)
	return err
}

// builtin gives the version of the built-in provider, if there is one that serves.
func (h *Host) builtin(q query) (semver.Version, bool, error) {
	b, ok := h.o.Builtins[q.name]
	if !ok || q.kind != KindResource || q.pkg.DownloadURL != "" {
		return semver.Version{}, false, nil
	}
	v, err := semver.Parse(b.Version)
	if err != nil {
		return v, false, fmt.Errorf("built-in provider %s: version %q: %w", q.name, b.Version, err)
	}
	return v, serves(v, q.wanted), nil
}

// warn tells something once per host, and only about plugins that are about to run.
func (h *Host) warn(q query, text string) {
	if q.toRun && h.first(text) {
		h.log(plugin.Log{Severity: diag.Warning, Message: text})
	}
}
