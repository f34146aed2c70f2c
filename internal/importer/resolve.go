package importer

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/urn"
)

// Target is the stack that a file is imported into.
type Target struct {
	Project, Stack string
	// Base is what is recorded of the stack, nil for nothing.
	Base *state.Snapshot
	// Protect marks what is imported as protected.
	Protect bool
	// Decode reads properties as state files hold them.
	Decode func(json.RawMessage) (property.Map, error)
}

// Item is one resource of a file, with its names resolved.
type Item struct {
	// Spec has both of its names.
	Spec   Spec
	URN    urn.URN
	parent urn.URN
	// parentItem and providerItem are set for those that the file itself names.
	parentItem, providerItem *Item
	// provider is the reference of a recorded one.
	provider string
	inputs   property.Map
	pkg      *plugin.Package
	done     chan struct{}
	// ref is the item's own provider reference once it is registered, "" unless it is a provider.
	ref string
}

// resolver works a file out.
type resolver struct {
	*File
	t       Target
	live    map[urn.URN]*resource.State
	items   []*Item
	byName  map[string][]*Item
	byURN   map[urn.URN]*Item
	missing map[urn.URN]*Item // providers that are neither recorded nor items of the file
	errs    []error
}

// Resolve checks a file against a stack. All faults are told at once.
func (f *File) Resolve(t Target) (*Plan, error) {
	r := &resolver{
		File: f, t: t, live: map[urn.URN]*resource.State{}, byName: map[string][]*Item{}, byURN: map[urn.URN]*Item{},
		missing: map[urn.URN]*Item{},
	}
	if t.Base != nil {
		for _, s := range t.Base.Resources {
			if !s.Delete {
				r.live[s.URN] = s
			}
		}
	}
	for i, s := range f.Resources {
		r.add(i, s)
	}
	for _, it := range r.items {
		it.parentItem = r.parent(it)
	}
	for _, it := range r.items {
		r.identify(it, map[*Item]bool{})
	}
	for _, it := range r.items {
		r.provider(it)
	}
	r.refuseCycles()
	p := &Plan{Items: r.items, root: r.root(), protect: t.Protect}
	for _, it := range r.missing {
		p.Items = append(p.Items, it)
	}
	return p, errors.Join(r.errs...)
}

func (r *resolver) fail(s Spec, format string, args ...any) {
	name := s.Name
	if name == "" {
		name = s.ID
	}
	text := "resource '" + name + "'"
	if s.Type != "" {
		text += " of type '" + string(s.Type) + "'"
	}
	r.errs = append(r.errs, fmt.Errorf("%s "+format, append([]any{text}, args...)...))
}

// add checks what a resource says of itself.
func (r *resolver) add(at int, s Spec) {
	if s.Name == "" {
		s.Name = s.LogicalName
	}
	if s.LogicalName == "" {
		s.LogicalName = s.Name
	}
	if s.Name == "" && s.ID == "" {
		s.Name = fmt.Sprint(at)
		r.fail(s, "has no name")
		return
	}
	isProvider := s.Type.IsProvider()
	checks := []struct {
		is   bool
		what string
	}{
		{s.Name == "", "has no name"},
		{s.Type == "", "has no type"},
		{s.Type != "" && !s.Type.IsToken() && !isProvider, "has a type that is none: write <package>:<module>:<type>, as the " +
			"import section of the resource's documentation does"},
		{isProvider && s.ID != "", "has an id, but a provider is made, not read; leave the id out"},
		{isProvider && s.Component, "is a provider and cannot be a component"},
		{!isProvider && !s.Component && s.ID == "", "has no id"},
		{s.Component && s.ID != "", "has an id, but is marked as a component, which has none"},
		{s.Remote && !s.Component, "is marked as remote, but not as a component"},
		{len(s.Outputs) > 0, "has outputs; importing a resource without reading it is not available yet in this version"},
		{len(s.Extension) > 0, "has an extension; extension packages are not available yet in this version"},
	}
	for _, c := range checks {
		if c.is {
			r.fail(s, "%s", c.what)
		}
	}
	it := &Item{Spec: s, done: make(chan struct{})}
	it.pkg = r.pkg(s)
	it.inputs = r.decode(s, s.Inputs)
	r.items = append(r.items, it)
	r.byName[s.Name] = append(r.byName[s.Name], it)
}

func (r *resolver) pkg(s Spec) *plugin.Package {
	p := s.Parameterization
	if p == nil {
		return nil
	}
	if s.Version == "" {
		r.fail(s, "has a parameterization, for which the version of the package is needed")
	}
	return &plugin.Package{
		Name: p.PluginName, Version: p.PluginVersion, DownloadURL: s.PluginDownloadURL,
		Parameterization: &plugin.Parameterization{Name: s.Type.Package(), Version: s.Version, Value: p.Value},
	}
}

func (r *resolver) decode(s Spec, raw json.RawMessage) property.Map {
	if len(raw) == 0 {
		return property.Map{}
	}
	m, err := r.t.Decode(raw)
	switch {
	case err != nil:
		r.fail(s, "has inputs that cannot be read: %w", err)
	case m.ContainsUnknown():
		r.fail(s, "has inputs that are unknown; fill them in before importing")
	}
	return m
}

// named finds the one item of a name, nil when there is none.
func (r *resolver) named(s Spec, what, name string) *Item {
	all := r.byName[name]
	if len(all) > 1 {
		r.fail(s, "has an ambiguous %s: %d resources are called '%s'", what, len(all), name)
	}
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// parent finds what an item is below; the stack by default.
func (r *resolver) parent(it *Item) *Item {
	name := it.Spec.Parent
	if name == "" {
		it.parent = r.root()
		return nil
	}
	if p := r.named(it.Spec, "parent", name); p != nil {
		return p
	}
	u, ok := r.NameTable[name]
	if !ok {
		r.fail(it.Spec, "has a parent '%s' that is in neither 'nameTable' nor 'resources'", name)
		return nil
	}
	if r.live[u] == nil {
		r.fail(it.Spec, "has a parent '%s' that is not part of the stack: %s", name, u)
	}
	it.parent = u
	return nil
}

func (r *resolver) root() urn.URN {
	for u := range r.live {
		if u.Type() == urn.StackType {
			return u
		}
	}
	return urn.New(r.t.Stack, r.t.Project, "", urn.StackType, r.t.Project+"-"+r.t.Stack)
}

// identify works out the URN of an item, after that of its parent.
func (r *resolver) identify(it *Item, below map[*Item]bool) {
	if it.URN != "" {
		return
	}
	if below[it] {
		r.fail(it.Spec, "is its own parent")
		it.parentItem = nil
		return
	}
	below[it] = true
	if p := it.parentItem; p != nil {
		r.identify(p, below)
		it.parent = p.URN
	}
	if it.URN != "" {
		return
	}
	it.URN = urn.New(r.t.Stack, r.t.Project, it.parent.QualifiedType(), it.Spec.Type, it.Spec.LogicalName)
	if other := r.byURN[it.URN]; other != nil {
		r.fail(it.Spec, "is there twice: both would be %s", it.URN)
	}
	r.byURN[it.URN] = it
}

// provider finds the provider that an item names.
func (r *resolver) provider(it *Item) {
	name := it.Spec.Provider
	if name == "" {
		return
	}
	if p := r.named(it.Spec, "provider", name); p != nil {
		if !p.Spec.Type.IsProvider() {
			r.fail(it.Spec, "has a provider '%s' that is none", name)
		}
		it.providerItem = p
		return
	}
	u, ok := r.NameTable[name]
	switch {
	case !ok:
		r.fail(it.Spec, "has a provider '%s' that is in neither 'nameTable' nor 'resources'", name)
	case !u.IsValid() || !u.Type().IsProvider():
		r.fail(it.Spec, "has a provider '%s' that is none: %s", name, u)
	case r.live[u] != nil:
		it.provider = r.live[u].ProviderRef().String()
	case r.byURN[u] != nil:
		it.providerItem = r.byURN[u]
	default:
		it.providerItem = r.missingProvider(it, name, u)
	}
}

// refuseCycles tells of items that wait for each other as parents and providers.
func (r *resolver) refuseCycles() {
	const open, closed = 1, 2
	seen := map[*Item]int{}
	var visit func(*Item)
	visit = func(it *Item) {
		if it == nil || seen[it] == closed {
			return
		}
		if seen[it] == open {
			r.fail(it.Spec, "needs itself, by the parents and providers that are named")
			return
		}
		seen[it] = open
		visit(it.parentItem)
		visit(it.providerItem)
		seen[it] = closed
	}
	for _, it := range r.items {
		visit(it)
	}
}

// missingProvider is made for the sake of those that name it.
func (r *resolver) missingProvider(user *Item, name string, u urn.URN) *Item {
	if p := r.missing[u]; p != nil {
		return p
	}
	s := Spec{
		Type: u.Type(), Name: name, LogicalName: u.Name(), Version: user.Spec.Version, PluginDownloadURL: user.Spec.PluginDownloadURL,
	}
	p := &Item{Spec: s, URN: u, parent: r.root(), pkg: user.pkg, done: make(chan struct{})}
	if u.QualifiedType() != u.Type() {
		r.fail(user.Spec, "has a provider '%s' that is not part of the stack and below another resource; put it into 'resources'", name)
	}
	p.inputs = r.decode(s, r.ProviderInputs[name])
	r.missing[u] = p
	return p
}
