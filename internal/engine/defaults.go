package engine

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/urn"
)

const disableDefaultProviders = "pulumi:disable-default-providers"

// defaultProviders makes the provider of a package on its first use where a program names none.
type defaultProviders struct {
	mu   sync.Mutex
	refs map[string]*defaultProvider
}

type defaultProvider struct {
	once sync.Once
	ref  urn.ProviderRef
	err  error
}

// providerFor works out which provider serves a registration: the one it names, its parent's for the package, or the
// default one.
func (d *deployment) providerFor(u urn.URN, r Registration) (urn.ProviderRef, error) {
	pkg := r.Type.Package()
	for _, text := range []string{r.Provider, r.Providers[pkg], d.parentProvider(r.Options.Parent, pkg)} {
		if text == "" {
			continue
		}
		ref, err := urn.ParseProviderRef(text)
		if err != nil {
			return ref, diag.Errorf(u, "the provider option of %s is not valid: %s", u.Name(), err)
		}
		if ref.URN.Type().ProviderPackage() != pkg {
			if text == r.Provider {
				return ref, diag.Errorf(u, "the provider %s is one of package %s and cannot serve a resource of package %s",
					ref.URN.Name(), ref.URN.Type().ProviderPackage(), pkg)
			}
			continue
		}
		return ref, nil
	}
	want, err := d.wanted(pkg, r.Package)
	if err != nil {
		return urn.ProviderRef{}, err
	}
	return d.defaultProvider(u, want)
}

// parentProvider is the provider that a component hands to children of a package.
func (d *deployment) parentProvider(parent urn.URN, pkg string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	for parent != "" {
		e := d.entries[parent]
		if e == nil {
			return ""
		}
		if ref := e.providers[pkg]; ref != "" {
			return ref
		}
		parent = e.goal.Parent
	}
	return ""
}

// childProviders is what a component hands to its children.
func (d *deployment) childProviders(r Registration) map[string]string {
	if r.Custom {
		return nil
	}
	out := maps.Clone(r.Providers)
	if r.Provider != "" {
		if ref, err := urn.ParseProviderRef(r.Provider); err == nil {
			if out == nil {
				out = map[string]string{}
			}
			out[ref.URN.Type().ProviderPackage()] = r.Provider
		}
	}
	return out
}

// wanted is the package that a request asks for.
func (d *deployment) wanted(name string, ref PackageRef) (plugin.Package, error) {
	if name == builtinPackage {
		return plugin.Package{Name: name}, nil
	}
	if ref.Ref != "" {
		d.mu.Lock()
		defer d.mu.Unlock()
		pkg, ok := d.packages[ref.Ref]
		if !ok {
			return pkg, fmt.Errorf("unknown provider package '%s'", ref.Ref)
		}
		return pkg, nil
	}
	if ref.Version == "" && ref.DownloadURL == "" {
		if pkg, ok := d.op.Options.DefaultVersions[name]; ok {
			return pkg, nil
		}
	}
	return plugin.Package{Name: name, Version: ref.Version, DownloadURL: ref.DownloadURL, Checksums: ref.Checksums}, nil
}

// defaultProvider gives the default provider of a package, registering it on first use.
func (d *deployment) defaultProvider(user urn.URN, pkg plugin.Package) (urn.ProviderRef, error) {
	name := pkg.Name
	if pkg.Parameterization != nil {
		name = pkg.Parameterization.Name
	}
	if d.defaultsDisabled(name) {
		return urn.ProviderRef{}, diag.Errorf(user, "Default provider for '%s' disabled. '%s' must use an explicit provider.",
			name, user.Name())
	}
	key := packageKey(pkg)
	d.defaults.mu.Lock()
	p := d.defaults.refs[key]
	if p == nil {
		p = &defaultProvider{}
		d.defaults.refs[key] = p
	}
	d.defaults.mu.Unlock()
	p.once.Do(func() { p.ref, p.err = d.registerDefault(name, pkg) })
	return p.ref, p.err
}

func (d *deployment) registerDefault(name string, pkg plugin.Package) (urn.ProviderRef, error) {
	typ := urn.ProviderType(name)
	inputs := withPackage(property.MapOf(d.packageConfig(name)), pkg, nil)
	logical := defaultName(pkg)
	e := &entry{done: make(chan struct{})}
	e.goal = resource.Goal{
		URN: urn.New(d.op.Stack.Name, d.op.Stack.Project, "", typ, logical), Type: typ, Name: logical,
		Custom: true, Inputs: inputs,
	}
	if err := d.claim(e); err != nil {
		return urn.ProviderRef{}, err
	}
	defer close(e.done)
	if _, err := d.settle(e, false); err != nil {
		return urn.ProviderRef{}, err
	}
	return e.state.ProviderRef(), nil
}

// packageConfig is the stack's configuration of a package, as inputs of its provider.
func (d *deployment) packageConfig(pkg string) map[string]property.Value {
	out := map[string]property.Value{}
	if pkg == builtinPackage {
		return out // what stacks configure under this name is for the engine
	}
	for key, value := range d.op.Stack.Config {
		name, ok := strings.CutPrefix(key, pkg+":")
		if !ok || pkg == d.op.Stack.Project {
			continue
		}
		out[name] = property.String(value).WithSecret(slices.Contains(d.op.Stack.SecretKeys, key))
	}
	return out
}

func (d *deployment) defaultsDisabled(pkg string) bool {
	var names []string
	if err := json.Unmarshal([]byte(d.op.Stack.Config[disableDefaultProviders]), &names); err != nil {
		return false
	}
	return pkg != builtinPackage && (slices.Contains(names, "*") || slices.Contains(names, pkg))
}

func packageKey(p plugin.Package) string {
	parts := []string{p.Name, p.Version, p.DownloadURL}
	for _, platform := range slices.Sorted(maps.Keys(p.Checksums)) {
		parts = append(parts, platform, hex.EncodeToString(p.Checksums[platform]))
	}
	if q := p.Parameterization; q != nil {
		parts = append(parts, q.Name, q.Version, string(q.Value))
	}
	return strings.Join(parts, "\x00")
}

// defaultName is the logical name of a default provider, as the Pulumi engine makes it: "default" with the version and
// the download URL behind it.
func defaultName(pkg plugin.Package) string {
	version := pkg.Version
	if pkg.Parameterization != nil {
		version = pkg.Parameterization.Version
	}
	name := "default"
	if version != "" {
		name += "_" + nameSafe(version, "_")
	}
	if pkg.DownloadURL != "" {
		segments := strings.FieldsFunc(pkg.DownloadURL, func(r rune) bool { return r == '/' })
		for i, s := range segments {
			segments[i] = nameSafe(s, "_.-")
		}
		name += "_" + strings.Join(segments, "/")
	}
	return name
}

// nameSafe replaces what is neither a letter, a digit nor one of others.
func nameSafe(s, others string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(others, r):
			return r
		default:
			return '_'
		}
	}, s)
}
