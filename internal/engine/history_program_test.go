package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// kind is what a program registers under a name.
type kind string

const (
	thing    kind = "thing"
	group    kind = "group"
	provider kind = "provider"
	lookup   kind = "lookup"
)

// source is an output of another resource.
type source struct{ from, output string }

// spec is one resource of a made-up program.
type spec struct {
	name        string
	kind        kind
	parent      string // "" is the stack
	deps        []string
	refs        map[string]source // by the property that takes the output
	deletedWith string
	replaceWith []string
	provider    string // of things and lookups: theirs; of groups: what their children get
	inputs      map[string]string
	secret      map[string]bool
	dbrInput    bool
	dbr         *bool
	protect     *bool
	retain      *bool
	ignore      []string
	replaceOn   []string
	trigger     string
	timeouts    bool
	ownID       bool // a lookup of what the engine made itself under this name
	// aliased resources name every URN they are recorded under, also of the name they had before.
	aliased bool
	former  string
	// importID is what the import option names.
	importID string
}

func (s *spec) clone() *spec {
	c := *s
	c.deps, c.replaceWith = slices.Clone(s.deps), slices.Clone(s.replaceWith)
	c.refs, c.inputs, c.secret = maps.Clone(s.refs), maps.Clone(s.inputs), maps.Clone(s.secret)
	return &c
}

func (s *spec) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", s.kind, s.name)
	add := func(name string, v any, set bool) {
		if set {
			fmt.Fprintf(&b, " %s=%v", name, v)
		}
	}
	text := func(p *bool) string {
		if p == nil {
			return ""
		}
		return fmt.Sprint(*p)
	}
	add("parent", s.parent, s.parent != "")
	add("deps", s.deps, len(s.deps) > 0)
	add("refs", s.refs, len(s.refs) > 0)
	add("deletedWith", s.deletedWith, s.deletedWith != "")
	add("replaceWith", s.replaceWith, len(s.replaceWith) > 0)
	add("provider", s.provider, s.provider != "")
	add("inputs", s.inputs, len(s.inputs) > 0)
	add("secret", s.secret, len(s.secret) > 0)
	add("dbrInput", s.dbrInput, s.dbrInput)
	add("dbr", text(s.dbr), s.dbr != nil)
	add("protect", text(s.protect), s.protect != nil)
	add("retain", text(s.retain), s.retain != nil)
	add("ignore", s.ignore, len(s.ignore) > 0)
	add("replaceOn", s.replaceOn, len(s.replaceOn) > 0)
	add("trigger", s.trigger, s.trigger != "")
	add("ownID", s.ownID, s.ownID)
	add("aliased", s.former, s.aliased)
	add("import", s.importID, s.importID != "")
	return b.String()
}

// author makes up programs and changes them.
type author struct {
	t     *rapid.T
	specs []*spec
	names int
	// version is that of the package the program was built with.
	version int
}

func (a *author) odds(percent int, what string) bool {
	return rapid.IntRange(0, 99).Draw(a.t, what) < percent
}

func (a *author) number(most int, what string) string {
	return fmt.Sprint(rapid.IntRange(0, most).Draw(a.t, what))
}

func (a *author) optional(what string) *bool {
	switch rapid.IntRange(0, 5).Draw(a.t, what) {
	case 0:
		return new(true)
	case 1:
		return new(false)
	default:
		return nil
	}
}

// pick names a resource before position at of one of the kinds, "" when there is none.
func (a *author) pick(at int, kinds ...kind) string {
	var names []string
	for _, s := range a.specs[:at] {
		if slices.Contains(kinds, s.kind) {
			names = append(names, s.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return rapid.SampledFrom(names).Draw(a.t, "pick")
}

// add puts a new resource at the end.
func (a *author) add() {
	a.names++
	s := &spec{name: fmt.Sprintf("n%d", a.names), kind: thing, inputs: map[string]string{}, secret: map[string]bool{}, refs: map[string]source{}}
	switch n := rapid.IntRange(0, 19).Draw(a.t, "kind"); {
	case n < 4:
		s.kind = group
	case n < 6:
		s.kind = provider
	case n < 8:
		s.kind = lookup
	}
	a.specs = append(a.specs, s)
	at := len(a.specs) - 1
	if a.odds(40, "has parent") {
		s.parent = a.pick(at, group, group, thing)
	}
	for range rapid.IntRange(1, 5).Draw(a.t, "aspects") {
		a.change(at)
	}
}

// change changes one aspect of the resource at a position.
func (a *author) change(at int) {
	s := a.specs[at]
	aspects := map[kind][]string{
		thing: {
			"v", "v", "v", "force", "force", "secret", "secret", "dep", "dep", "ref", "ref", "ref", "forceref", "deletedWith",
			"replaceWith", "dbr", "dbrInput", "protect", "retain", "ignore", "replaceOn", "trigger", "timeouts", "provider",
			"parent", "lookup", "aliased", "import",
		},
		group:    {"v", "v", "ref", "dep", "dep", "protect", "retain", "provider", "parent", "deletedWith", "aliased"},
		provider: {"region", "region", "token", "token", "secret", "dbrInput", "dbr", "ref", "dep", "parent", "aliased"},
		lookup:   {"dep", "v", "own", "lookup", "provider"},
	}
	toggle := func(list []string, v string) []string {
		if i := slices.Index(list, v); i >= 0 {
			return slices.Delete(slices.Clone(list), i, i+1)
		}
		if v == "" {
			return list
		}
		return append(slices.Clone(list), v)
	}
	switch rapid.SampledFrom(aspects[s.kind]).Draw(a.t, "aspect") {
	case "v":
		s.inputs["v"] = a.number(3, "v")
	case "force":
		s.inputs["force"] = a.number(3, "force")
	case "region":
		s.inputs["region"] = a.number(2, "region")
	case "token":
		s.inputs["token"] = a.number(3, "token")
	case "secret":
		key := rapid.SampledFrom([]string{"v", "force", "s", "token"}).Draw(a.t, "key")
		if key == "s" {
			s.inputs["s"] = a.number(3, "s")
		}
		s.secret[key] = key == "s" || !s.secret[key]
	case "dep":
		s.deps = toggle(s.deps, a.pick(at, thing, group, lookup, provider))
	case "ref":
		a.refer(s, at, rapid.SampledFrom([]string{"ref0", "ref1"}).Draw(a.t, "property"))
	case "forceref":
		a.refer(s, at, "force")
	case "deletedWith":
		s.deletedWith = a.pick(at, thing)
		if a.odds(40, "none") {
			s.deletedWith = ""
		}
	case "replaceWith":
		s.replaceWith = toggle(s.replaceWith, a.pick(at, thing))
	case "dbr":
		s.dbr = a.optional("dbr")
	case "dbrInput":
		s.dbrInput = !s.dbrInput
	case "protect":
		s.protect = a.optional("protect")
	case "retain":
		s.retain = a.optional("retain")
	case "ignore":
		s.ignore = toggle(s.ignore, rapid.SampledFrom([]string{"v", "force", "ref0", "s"}).Draw(a.t, "path"))
	case "replaceOn":
		s.replaceOn = toggle(s.replaceOn, rapid.SampledFrom([]string{"v", "ref0", "*", "#initerror"}).Draw(a.t, "path"))
	case "trigger":
		s.trigger = rapid.SampledFrom([]string{"", "1", "2", "secret 1", "secret 2"}).Draw(a.t, "trigger")
	case "timeouts":
		s.timeouts = !s.timeouts
	case "provider":
		s.provider = a.pick(at, provider)
		if a.odds(30, "none") {
			s.provider = ""
		}
	case "parent":
		s.parent = a.pick(at, group, group, thing)
	case "lookup":
		s.kind = map[kind]kind{thing: lookup, lookup: thing}[s.kind]
	case "aliased":
		s.aliased = !s.aliased
	case "import":
		// The name with which it was made up, which renames do not change, makes the id one of its own.
		if s.importID == "" {
			s.importID = "import-" + s.name
		} else {
			s.importID = ""
		}
	case "own":
		s.ownID = !s.ownID
	}
}

func (a *author) refer(s *spec, at int, property string) {
	from := a.pick(at, thing, thing, lookup)
	if from == "" || a.odds(20, "unset") {
		delete(s.refs, property)
		return
	}
	s.refs[property] = source{from, rapid.SampledFrom([]string{"serial", "serial", "s", "v"}).Draw(a.t, "output")}
}

// edit changes the program here and there.
func (a *author) edit() {
	specs := make([]*spec, len(a.specs))
	for i, s := range a.specs {
		specs[i] = s.clone()
	}
	a.specs = specs
	for range rapid.IntRange(0, 4).Draw(a.t, "edits") {
		switch n := rapid.IntRange(0, 19).Draw(a.t, "edit"); {
		case n < 3 || len(a.specs) == 0:
			a.add()
		case n < 6:
			i := rapid.IntRange(0, len(a.specs)-1).Draw(a.t, "remove")
			a.specs = slices.Delete(a.specs, i, i+1)
		case n < 7:
			i := rapid.IntRange(0, len(a.specs)-1).Draw(a.t, "move")
			j := rapid.IntRange(0, len(a.specs)-1).Draw(a.t, "to")
			moved := a.specs[i]
			a.specs = slices.Insert(slices.Delete(a.specs, i, i+1), j, moved)
		case n < 8 && a.odds(60, "rename"):
			a.rename(rapid.IntRange(0, len(a.specs)-1).Draw(a.t, "which"))
		case n < 8:
			a.version = rapid.IntRange(0, 2).Draw(a.t, "version")
		default:
			a.change(rapid.IntRange(0, len(a.specs)-1).Draw(a.t, "which"))
		}
	}
	a.normalize()
}

// rename gives a resource a new name, with an alias.
func (a *author) rename(at int) {
	s := a.specs[at]
	a.names++
	s.aliased, s.former, s.name = true, s.name, fmt.Sprintf("n%d", a.names)
	now := func(name string) string {
		if name == s.former {
			return s.name
		}
		return name
	}
	for _, o := range a.specs {
		o.parent, o.deletedWith, o.provider = now(o.parent), now(o.deletedWith), now(o.provider)
		for _, list := range [][]string{o.deps, o.replaceWith} {
			for i := range list {
				list[i] = now(list[i])
			}
		}
		for k, r := range o.refs {
			o.refs[k] = source{now(r.from), r.output}
		}
	}
}

// normalize drops references that do not lead to an earlier resource of a fitting kind.
func (a *author) normalize() {
	kinds := map[string]kind{}
	for _, s := range a.specs {
		is := func(name string, ks ...kind) bool { return slices.Contains(ks, kinds[name]) }
		if !is(s.parent, group, thing) {
			s.parent = ""
		}
		s.deps = slices.DeleteFunc(slices.Clone(s.deps), func(d string) bool { return kinds[d] == "" })
		maps.DeleteFunc(s.refs, func(_ string, r source) bool { return !is(r.from, thing, lookup) })
		if !is(s.deletedWith, thing) {
			s.deletedWith = ""
		}
		s.replaceWith = slices.DeleteFunc(slices.Clone(s.replaceWith), func(d string) bool { return !is(d, thing) })
		if !is(s.provider, provider) {
			s.provider = ""
		}
		kinds[s.name] = s.kind
	}
}

// needs lists what must be registered before s.
func (s *spec) needs() []string {
	out := slices.Concat(s.deps, s.replaceWith, []string{s.parent, s.deletedWith, s.provider})
	for _, r := range s.refs {
		out = append(out, r.from)
	}
	return slices.DeleteFunc(out, func(n string) bool { return n == "" })
}

func describe(specs []*spec) string {
	var b strings.Builder
	for _, s := range specs {
		fmt.Fprintln(&b, "   ", s)
	}
	return b.String()
}
