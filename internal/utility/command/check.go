package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/schema"
)

// checker finds out what is wrong with the inputs of an object. Reasons name kinds and names, never values: a value
// may be secret.
type checker struct {
	failures []plugin.CheckFailure
	warnings []string
}

// check gives the inputs as they are recorded, without nulls, and what is wrong with them. Unknown values pass.
func (o object) check(news property.Map) (property.Map, *checker) {
	c := &checker{}
	news = withoutNulls(news)
	for name, v := range news.All() {
		at := property.Path{property.Key(name)}
		f, ok := o.input(name)
		if !ok {
			c.fail(at, o.unknownReason(name))
			continue
		}
		c.value(f.kind, at, v)
	}
	for _, f := range o.inputs {
		if f.required && !news.Has(f.name) {
			c.fail(property.Path{property.Key(f.name)}, "is required")
		}
	}
	return news, c
}

func (o object) unknownReason(name string) string {
	for _, f := range o.results {
		if f.name == name {
			return "is an output and cannot be set"
		}
	}
	near := schema.Suggest(name, o.inputNames())
	if len(near) == 0 {
		return "is not a property; there are " + strings.Join(o.inputNames(), ", ")
	}
	return fmt.Sprintf("is not a property; did you mean %s?", strings.Join(near, " or "))
}

func (c *checker) fail(at property.Path, reason string) {
	c.failures = append(c.failures, plugin.CheckFailure{Property: at.String(), Reason: reason})
}

func (c *checker) value(k kind, at property.Path, v property.Value) {
	if v.IsUnknown() {
		return
	}
	switch k {
	case kindText:
		c.plainText(at, v)
	case kindFlag:
		if _, ok := v.AsBool(); !ok {
			c.wrongKind(at, "true or false", v)
		}
	case kindTexts:
		c.texts(at, v)
	case kindGlobs:
		c.globs(at, v)
	case kindEnvironment:
		c.environment(at, v)
	case kindAnything:
		if _, ok := v.AsList(); !ok {
			c.wrongKind(at, "a list", v)
		}
	case kindLogging:
		c.logging(at, v)
	default:
		// Outputs are never checked.
	}
}

func (c *checker) wrongKind(at property.Path, want string, v property.Value) {
	reason := fmt.Sprintf("expected %s, got a %s", want, v.Kind())
	if v.IsNull() {
		reason = fmt.Sprintf("expected %s, got null", want)
	}
	if want == "a string" && (v.Kind() == property.KindNumber || v.Kind() == property.KindBool) {
		reason += ": quote it"
	}
	c.fail(at, reason)
}

// plainText checks a string that reaches the system: only what is piped into the command may hold any byte.
func (c *checker) plainText(at property.Path, v property.Value) {
	s, ok := c.text(at, v)
	if name, _ := at[0].AsKey(); ok && name != propStdin && strings.Contains(s, "\x00") {
		c.fail(at, "holds a NUL character, which a command cannot")
	}
}

func (c *checker) text(at property.Path, v property.Value) (string, bool) {
	s, ok := v.AsString()
	if !ok {
		c.wrongKind(at, "a string", v)
	}
	return s, ok
}

// texts checks a list of strings and calls each, if given, with those that are known.
func (c *checker) texts(at property.Path, v property.Value, each ...func(property.Path, string)) {
	list, ok := v.AsList()
	if !ok {
		c.wrongKind(at, "a list of strings", v)
		return
	}
	for i, e := range list.All() {
		if e.IsUnknown() {
			continue
		}
		at := at.Append(property.Index(i))
		s, ok := c.text(at, e)
		if !ok {
			continue
		}
		for _, f := range each {
			f(at, s)
		}
	}
}

// globs refuses a pattern before the command runs: afterwards its work would be done, and the resource lost.
func (c *checker) globs(at property.Path, v property.Value) {
	c.texts(at, v, func(at property.Path, pattern string) {
		if _, err := parsePattern(pattern); err != nil {
			c.fail(at, "is not a glob pattern: "+err.Error())
		}
	})
}

func (c *checker) environment(at property.Path, v property.Value) {
	m, ok := v.AsMap()
	if !ok {
		c.wrongKind(at, "a map of strings", v)
		return
	}
	for name, e := range m.All() {
		at := at.Append(property.Key(name))
		if name == "" || strings.ContainsAny(name, "=\x00") {
			c.fail(at, "is not a name an environment variable can have")
			continue
		}
		if e.IsUnknown() {
			continue
		}
		if s, ok := c.text(at, e); ok && strings.Contains(s, "\x00") {
			c.fail(at, "holds a NUL character, which an environment variable cannot")
		}
	}
}

// logging only warns of a value that the published provider takes too, and shows nothing for.
func (c *checker) logging(at property.Path, v property.Value) {
	s, ok := c.text(at, v)
	if !ok {
		return
	}
	var known []string
	for _, m := range loggingModes() {
		known = append(known, m.value)
	}
	if !slices.Contains(known, s) {
		c.warnings = append(c.warnings, fmt.Sprintf(
			"%s: the value is none of %s; no output is shown", at, strings.Join(known, ", ")))
	}
}

// withoutNulls drops map entries that are null, as the published provider never sees them.
func withoutNulls(m property.Map) property.Map {
	kept := m.Transform(func(v property.Value) property.Value {
		inner, ok := v.AsMap()
		if !ok {
			return v
		}
		clean := property.FromMap(notNull(inner)).WithSecret(v.Secret())
		return clean.WithDependencies(v.Dependencies())
	})
	return notNull(kept)
}

func notNull(m property.Map) property.Map {
	return m.Filter(func(_ string, v property.Value) bool { return !v.IsNull() })
}
