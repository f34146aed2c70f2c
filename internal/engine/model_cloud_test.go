package engine_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

// cloud is a model provider: a map from ids to inputs. The input "v" updates, "force" replaces, "dbr" makes a
// replacement delete first, "name" is made up where the program gives none and must be unique. failures maps
// "<call> <name>" to how often it still fails.
type cloud struct {
	mu        sync.Mutex
	next      int
	resources map[string]property.Map
	owners    map[string]urn.URN // of what was created here; others exist without the engine
	attached  map[string]string  // to what goes when the other one goes
	attach    func(urn.URN) string
	went      map[string]string // with what others went
	calls     []string
	failures  map[string]int
	configs   []property.Map
	versions  []string
	canceled  int
	unnamed   bool // whether names need not be unique; to find that out takes time
	tokens    bool // whether what is created gets a token, an output that errors quote
	unruly    bool // providers that know nothing of naming rules
	undiffed  bool // whether updates of the input "v" are no difference
	blind     bool // providers that know nothing of secrets answer without their marks
	gone      map[string]bool
	// hook may slow a call down or make it fail in one of the ways providers do.
	hook      func(call string, u urn.URN) fault
	construct func(plugin.ConstructRequest) (plugin.ConstructResponse, error)
	// problems are things an engine must not do.
	problems []string
}

// fault is how a call goes wrong.
type fault int

const (
	healthy   fault = iota
	fails           // without an effect
	uncertain       // nobody knows; there is no effect
	uncertainDone
	partial // the resource is there but not well
	faultKinds
)

func newCloud() *cloud {
	return &cloud{
		resources: map[string]property.Map{}, owners: map[string]urn.URN{}, failures: map[string]int{},
		gone: map[string]bool{}, attached: map[string]string{}, went: map[string]string{},
	}
}

// copyFrom takes over what exists in another cloud.
func (c *cloud) copyFrom(o *cloud) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c.next, c.resources, c.owners, c.attached = o.next, maps.Clone(o.resources), maps.Clone(o.owners), maps.Clone(o.attached)
	c.went = maps.Clone(o.went)
}

// call notes a call and says how it goes. The lock is held from here on; release must follow.
func (c *cloud) call(kind string, u urn.URN) (f fault, release func()) {
	if c.hook != nil {
		f = c.hook(kind, u)
	}
	c.mu.Lock()
	key := kind + " " + u.Name()
	if kind != "check" && kind != "diff" && kind != "configure" {
		c.calls = append(c.calls, key)
	}
	if c.failures[key] > 0 {
		c.failures[key]--
		f = fails
	}
	return f, c.mu.Unlock
}

// remove takes a resource away, and everything that is attached to it.
func (c *cloud) remove(id string) {
	delete(c.resources, id)
	delete(c.owners, id)
	for other, to := range c.attached {
		if to == id {
			delete(c.attached, other)
			c.went[other] = id
			c.remove(other)
		}
	}
}

func (c *cloud) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// failure is the error of a fault; what it says quotes secrets, as real ones do.
func failure(f fault, call string, u urn.URN, inputs property.Map) error {
	err := fmt.Errorf("model failure of %s %s with %v", call, u.Name(), plainText(inputs))
	switch f {
	case fails:
		return err
	case uncertain, uncertainDone:
		return &plugin.UncertainError{Err: err}
	case partial:
		return &plugin.InitError{Reasons: []string{err.Error()}}
	default:
		return nil
	}
}

func plainText(m property.Map) string {
	var out []string
	for k, v := range m.All() {
		text, _ := v.AsString()
		out = append(out, k+"="+text)
	}
	return strings.Join(out, " ")
}

func (c *cloud) ids() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.resources))
}

func (c *cloud) takeCalls() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls := c.calls
	c.calls = nil
	return calls
}

// Load implements plugin.Host.
func (c *cloud) Load(_ context.Context, pkg plugin.Package, _ plugin.LoadOptions) (plugin.Provider, error) {
	if pkg.Name != "fp" {
		return nil, &plugin.MissingError{Package: pkg, Hint: "The model only has fp."}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.versions = append(c.versions, pkg.Version)
	return &modelProvider{cloud: c}, nil
}

type modelProvider struct {
	*cloud
	configured bool
}

func (p *modelProvider) CheckConfig(_ context.Context, r plugin.CheckRequest) (plugin.CheckResponse, error) {
	return plugin.CheckResponse{Inputs: r.News}, nil
}

func (p *modelProvider) DiffConfig(_ context.Context, r plugin.DiffRequest) (plugin.DiffResponse, error) {
	if r.OldInputs.Get("region").EqualPlain(r.News.Get("region")) {
		return plugin.DiffResponse{Changes: plugin.ChangesNone}, nil
	}
	first, _ := r.News.Get("dbr").AsBool()
	return plugin.DiffResponse{Changes: plugin.ChangesSome, ReplaceKeys: []string{"region"}, DeleteBeforeReplace: first}, nil
}

func (p *modelProvider) Configure(_ context.Context, r plugin.ConfigureRequest) error {
	f, release := p.call("configure", r.URN)
	defer release()
	if f != healthy {
		return failure(fails, "configure", r.URN, r.Inputs)
	}
	if p.configured {
		p.problem("%s is configured twice", r.URN)
	}
	p.configured = true
	p.configs = append(p.configs, r.Inputs)
	return nil
}

func (p *modelProvider) ready(call string, u urn.URN) {
	if !p.configured {
		p.problem("%s of %s before its provider is configured", call, u)
	}
}

func (p *modelProvider) Check(_ context.Context, r plugin.CheckRequest) (plugin.CheckResponse, error) {
	f, release := p.call("check", r.URN)
	defer release()
	p.ready("check", r.URN)
	if f == fails {
		return plugin.CheckResponse{}, failure(f, "check", r.URN, r.News)
	}
	if f != healthy || r.News.Has("invalid") {
		return plugin.CheckResponse{Failures: []plugin.CheckFailure{{Property: "invalid", Reason: "must not be set"}}}, nil
	}
	switch {
	case r.News.Has("name"):
	case r.Olds.Has("name"):
		r.News = r.News.With("name", r.Olds.Get("name"))
	case r.Autonaming != nil && p.unruly:
		return plugin.CheckResponse{Inputs: p.seen(r.News), AutonamingIgnored: true}, nil
	case r.Autonaming != nil && r.Autonaming.Mode == "disable":
		return plugin.CheckResponse{Failures: []plugin.CheckFailure{{Property: "name", Reason: "is required"}}}, nil
	case r.Autonaming != nil:
		r.News = r.News.With("name", property.String(r.Autonaming.ProposedName))
	case len(r.RandomSeed) == 32:
		r.News = r.News.With("name", property.String(r.URN.Name()+"-"+hex.EncodeToString(r.RandomSeed[:4])))
	default:
		p.problem("check of %s has a seed of %d bytes", r.URN, len(r.RandomSeed))
	}
	return plugin.CheckResponse{Inputs: p.seen(r.News)}, nil
}

func (p *modelProvider) Diff(_ context.Context, r plugin.DiffRequest) (plugin.DiffResponse, error) {
	f, release := p.call("diff", r.URN)
	defer release()
	p.ready("diff", r.URN)
	if f != healthy {
		return plugin.DiffResponse{}, failure(fails, "diff", r.URN, r.News)
	}
	var d plugin.DiffResponse
	d.Changes = plugin.ChangesNone
	for _, c := range property.Changes(r.OldInputs, r.News) {
		key, _ := c.Path[0].AsKey()
		if key == "v" && p.undiffed {
			continue
		}
		d.Changes = plugin.ChangesSome
		d.ChangedKeys = append(d.ChangedKeys, key)
		if key == "force" || key == "name" {
			d.ReplaceKeys = append(d.ReplaceKeys, key)
		}
	}
	if first, _ := r.News.Get("dbr").AsBool(); first {
		d.DeleteBeforeReplace = true
	}
	return d, nil
}

// seen is how values come back from a provider.
func (c *cloud) seen(m property.Map) property.Map {
	if c.blind {
		return m.StripSecrets()
	}
	return m
}

var errNoSuchResource = errors.New("no such resource")
