package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
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
	pattern string
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
		pattern, err := scope.resolve(*in.Pattern)
		if err != nil {
			return nil, fmt.Errorf("%s.pattern: %w", at, err)
		}
		return &rule{pattern: pattern, enforce: in.Enforce != nil && *in.Enforce}, nil
	case in.Mode == nil:
		return nil, nil
	case !slices.Contains([]string{"default", "verbatim", "disabled"}, *in.Mode):
		return nil, fmt.Errorf("%s.mode: %q is none of default, verbatim and disabled", at, *in.Mode)
	}
	return &rule{mode: *in.Mode}, nil
}

var expression = regexp.MustCompile(`\$\{([^}]*)\}`)

// resolve fills in what a pattern says of the stack, and checks the rest.
func (s NamingScope) resolve(pattern string) (string, error) {
	var problem error
	out := expression.ReplaceAllStringFunc(pattern, func(whole string) string {
		inner := whole[2 : len(whole)-1]
		switch inner {
		case "organization":
			return s.Organization
		case "project":
			return s.Project
		case "stack":
			return s.Stack
		}
		key, isConfig := strings.CutPrefix(inner, "config.")
		if !isConfig {
			_, err := randomPart(inner, nil)
			if inner != "name" && err != nil {
				problem = errors.Join(problem, err)
			}
			return whole
		}
		if !strings.Contains(key, ":") {
			key = s.Project + ":" + key
		}
		value, has := s.Config[key]
		switch {
		case !has:
			problem = errors.Join(problem, fmt.Errorf("the stack has no configuration value %q; set it with `pulumi config set %s <value>`", key, key))
		case s.Secret(key):
			problem = errors.Join(problem, fmt.Errorf("the configuration value %q is secret, and names are not", key))
		}
		return value
	})
	return out, problem
}

// longest is how many characters one random part may have.
const longest = 255

var drawn = regexp.MustCompile(`^(hex|alphanum|string|num)\((\d{1,9})\)$`)

// randomPart gives the text of an expression that makes something up; without random only its length is right.
func randomPart(inner string, random *rand.Rand) (string, error) {
	alphabets := map[string]string{
		"hex": "0123456789abcdef", "alphanum": "abcdefghijklmnopqrstuvwxyz0123456789", "string": "abcdefghijklmnopqrstuvwxyz", "num": "0123456789",
	}
	pick := func(alphabet string, n int) string {
		out := make([]byte, n)
		for i := range out {
			if random != nil {
				out[i] = alphabet[random.IntN(len(alphabet))]
			}
		}
		return string(out)
	}
	if inner == "uuid" {
		h := pick(alphabets["hex"], 32)
		return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-" + "a" + h[17:20] + "-" + h[20:], nil
	}
	m := drawn.FindStringSubmatch(inner)
	if m == nil {
		return "", fmt.Errorf("${%s} is unknown; there are ${name}, ${organization}, ${project}, ${stack}, ${config.<key>}, ${hex(n)}, "+
			"${alphanum(n)}, ${string(n)}, ${num(n)} and ${uuid}", inner)
	}
	n, err := strconv.Atoi(m[2])
	if err != nil || n < 1 || n > longest {
		return "", fmt.Errorf("${%s}: there may be 1 to %d characters", inner, longest)
	}
	return pick(alphabets[m[1]], n), nil
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
		out.ProposedName = expression.ReplaceAllStringFunc(r.pattern, func(whole string) string {
			inner := whole[2 : len(whole)-1]
			if inner == "name" {
				return u.Name()
			}
			text, err := randomPart(inner, random)
			if err != nil {
				return whole // patterns were checked when they were read: it is part of a configuration value
			}
			out.Fixed = false
			return text
		})
	}
	return out
}
