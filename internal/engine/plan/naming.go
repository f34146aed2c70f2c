package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/urn"
)

// AutonamingKey is the configuration key of naming rules.
const AutonamingKey = "pulumi:autonaming"

// Naming says how providers are to name resources whose program gives no name: by resource type, else by package, else for
// all. The zero value leaves it to them. Rules are as the Pulumi documentation of `pulumi:autonaming` has them.
type Naming struct {
	root      *rule
	providers map[string]*rule
	resources map[urn.Type]*rule
}

// NamingScope is what patterns may refer to.
type NamingScope struct {
	Organization, Project, Stack string
	// Config is the stack's configuration by full key; Secret says which values must not come into names.
	Config map[string]string
	Secret func(key string) bool
}

// Named is what a rule comes to for one resource.
type Named struct {
	plugin.Autonaming
	// Fixed says that a replacement would get the name of what it replaces, which thus must go first.
	Fixed bool
	// Expected says that the rule was made for this resource: that its provider knows no rules is worth a word.
	Expected bool
}

type rule struct {
	mode    string // default, verbatim or disabled; "" for a pattern
	parts   []part
	enforce bool
}

type ruleJSON struct {
	Mode    *string `json:"mode"`
	Pattern *string `json:"pattern"`
	Enforce *bool   `json:"enforce"`
}

// ParseNaming reads the value of AutonamingKey, a JSON object. Errors name the place in it.
func ParseNaming(text string, scope NamingScope) (*Naming, error) {
	var in struct {
		ruleJSON
		Providers map[string]struct {
			ruleJSON
			Resources map[string]ruleJSON `json:"resources"`
		} `json:"providers"`
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return nil, fmt.Errorf("%s must be an object with mode, or with pattern and enforce, and with providers: %w", AutonamingKey, err)
	}
	n := &Naming{providers: map[string]*rule{}, resources: map[urn.Type]*rule{}}
	var err error
	if n.root, err = in.rule(AutonamingKey, scope); err != nil {
		return nil, err
	}
	for _, pkg := range slices.Sorted(maps.Keys(in.Providers)) {
		p := in.Providers[pkg]
		at := AutonamingKey + ".providers." + pkg
		r, err := p.rule(at, scope)
		if err != nil {
			return nil, err
		}
		if r != nil {
			n.providers[pkg] = r
		}
		for _, t := range slices.Sorted(maps.Keys(p.Resources)) {
			here := at + ".resources." + t
			r, err := p.Resources[t].rule(here, scope)
			if err == nil && r == nil {
				err = fmt.Errorf("%s needs a mode or a pattern", here)
			}
			if err == nil && urn.Type(t).Package() != pkg {
				err = fmt.Errorf("%s: this is no resource type of package %s, which is <package>:<module>:<name>", here, pkg)
			}
			if err != nil {
				return nil, err
			}
			n.resources[urn.Type(t)] = r
		}
	}
	return n, nil
}

// rule is nil where nothing is said.
func (in ruleJSON) rule(at string, scope NamingScope) (*rule, error) {
	switch {
	case in.Mode != nil && (in.Pattern != nil || in.Enforce != nil):
		return nil, fmt.Errorf("%s has a mode and a pattern, or enforce; it can have one of them", at)
	case in.Pattern == nil && in.Enforce != nil:
		return nil, fmt.Errorf("%s.enforce needs a pattern", at)
	case in.Pattern != nil:
		parts, err := scope.parse(*in.Pattern)
		if err != nil {
			return nil, fmt.Errorf("%s.pattern: %w", at, err)
		}
		return &rule{parts: parts, enforce: in.Enforce != nil && *in.Enforce}, nil
	case in.Mode == nil:
		return nil, nil
	case !slices.Contains([]string{"default", "verbatim", "disabled"}, *in.Mode):
		return nil, fmt.Errorf("%s.mode: %q is none of default, verbatim and disabled", at, *in.Mode)
	}
	return &rule{mode: *in.Mode}, nil
}

// part is a piece of a pattern.
type part struct {
	kind partKind
	// text is that of a literal, the alphabet of random characters.
	text string
	n    int
}

type partKind int

const (
	literal partKind = iota
	logicalName
	characters
	uuid
)

// longest is how many characters one random part may have.
const longest = 255

// parse takes a pattern apart and fills in what it says of the stack. All that is wrong is told at once.
func (s NamingScope) parse(pattern string) ([]part, error) {
	var out []part
	var problems []error
	for {
		before, rest, found := strings.Cut(pattern, "${")
		inner, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			return append(out, part{text: pattern}), errors.Join(problems...)
		}
		p, err := s.expression(inner)
		problems = append(problems, err)
		out, pattern = append(out, part{text: before}, p), after
	}
}

// expression reads what is between ${ and }.
func (s NamingScope) expression(inner string) (part, error) {
	switch inner {
	case "name":
		return part{kind: logicalName}, nil
	case "organization":
		return part{text: s.Organization}, nil
	case "project":
		return part{text: s.Project}, nil
	case "stack":
		return part{text: s.Stack}, nil
	case "uuid":
		return part{kind: uuid}, nil
	}
	if key, is := strings.CutPrefix(inner, "config."); is {
		text, err := s.value(key)
		return part{text: text}, err
	}
	alphabets := map[string]string{
		"hex": hexDigits, "alphanum": "abcdefghijklmnopqrstuvwxyz0123456789", "string": "abcdefghijklmnopqrstuvwxyz", "num": "0123456789",
	}
	name, argument, _ := strings.Cut(strings.TrimSuffix(inner, ")"), "(")
	if alphabets[name] == "" || !strings.HasSuffix(inner, ")") {
		return part{}, fmt.Errorf("${%s} is unknown; there are ${name}, ${organization}, ${project}, ${stack}, ${config.<key>}, ${hex(n)}, "+
			"${alphanum(n)}, ${string(n)}, ${num(n)} and ${uuid}", inner)
	}
	n, err := strconv.Atoi(argument)
	if err != nil || n < 1 || n > longest {
		return part{}, fmt.Errorf("${%s}: write a number of characters from 1 to %d", inner, longest)
	}
	return part{kind: characters, text: alphabets[name], n: n}, nil
}

// value is a configuration value that may be part of names.
func (s NamingScope) value(key string) (string, error) {
	if !strings.Contains(key, ":") {
		key = s.Project + ":" + key
	}
	value, has := s.Config[key]
	switch {
	case !has:
		return "", fmt.Errorf("the stack has no configuration value %q; set it with `pulumi config set %s <value>`", key, key)
	case s.Secret(key):
		return "", fmt.Errorf("the configuration value %q is secret, and names are not; use one that is not secret", key)
	}
	return value, nil
}

const hexDigits = "0123456789abcdef"

// fill gives the text of a part.
func (p part) fill(name string, random *rand.Rand) string {
	pick := func(alphabet string, n int) string {
		out := make([]byte, n)
		for i := range out {
			out[i] = alphabet[random.IntN(len(alphabet))]
		}
		return string(out)
	}
	switch p.kind {
	case logicalName:
		return name
	case characters:
		return pick(p.text, p.n)
	case uuid: // of version 4
		h := pick(hexDigits, 32)
		return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-" + pick("89ab", 1) + h[17:20] + "-" + h[20:]
	case literal:
	}
	return p.text
}

// For is the rule for a resource, nil if there is none. The same seed, of any length, gives the same name.
func (n *Naming) For(u urn.URN, seed []byte) *Named {
	if n == nil {
		return nil
	}
	r, expected := n.resources[u.Type()], true
	if r == nil {
		r = n.providers[u.Type().Package()]
	}
	if r == nil {
		r, expected = n.root, n.root != nil && n.root.enforce
	}
	if r == nil || r.mode == "default" {
		return nil
	}
	out := &Named{Expected: expected, Fixed: true}
	switch r.mode {
	case "verbatim":
		out.ProposedName, out.Mode = u.Name(), "enforce"
	case "disabled":
		out.Mode = "disable"
	default:
		out.Mode = "propose"
		if r.enforce {
			out.Mode = "enforce"
		}
		random := rand.New(rand.NewChaCha8(sha256.Sum256(seed)))
		for _, p := range r.parts {
			out.ProposedName += p.fill(u.Name(), random)
			out.Fixed = out.Fixed && p.kind != characters && p.kind != uuid
		}
	}
	return out
}
