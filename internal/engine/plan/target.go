package plan

import (
	"strings"

	"github.com/cairn-iac/cairn/internal/urn"
)

// Targets is a set of URNs and globs: "**" stands for any text, "*" for any text without a colon.
type Targets struct {
	literals map[urn.URN]bool
	globs    []string
}

// NewTargets makes a set. A text with "*" is a glob, any other one a literal.
func NewTargets(texts []string) Targets {
	t := Targets{literals: map[urn.URN]bool{}}
	for _, s := range texts {
		if strings.Contains(s, "*") {
			t.globs = append(t.globs, s)
		} else {
			t.literals[urn.URN(s)] = true
		}
	}
	return t
}

// IsEmpty says whether nothing is named.
func (t Targets) IsEmpty() bool { return len(t.literals) == 0 && len(t.globs) == 0 }

// Contains says whether u is named.
func (t Targets) Contains(u urn.URN) bool {
	if t.literals[u] {
		return true
	}
	for _, g := range t.globs {
		if globMatch(g, string(u)) {
			return true
		}
	}
	return false
}

// Literals are the URNs named in full.
func (t Targets) Literals() []urn.URN {
	out := make([]urn.URN, 0, len(t.literals))
	for u := range t.literals {
		out = append(out, u)
	}
	return out
}

// globMatch matches the whole of s. It needs time linear in the product of the lengths, whatever the pattern.
func globMatch(glob, s string) bool {
	reach := map[int]bool{0: true} // positions in s that the pattern so far can end at
	for glob != "" {
		next := map[int]bool{}
		switch {
		case strings.HasPrefix(glob, "**"):
			glob = strings.TrimLeft(glob, "*")
			for from := range reach {
				for i := from; i <= len(s); i++ {
					next[i] = true
				}
			}
		case glob[0] == '*':
			glob = glob[1:]
			for from := range reach {
				for i := from; ; i++ {
					next[i] = true
					if i == len(s) || s[i] == ':' {
						break
					}
				}
			}
		default:
			for from := range reach {
				if from < len(s) && s[from] == glob[0] {
					next[from+1] = true
				}
			}
			glob = glob[1:]
		}
		reach = next
	}
	return reach[len(s)]
}
