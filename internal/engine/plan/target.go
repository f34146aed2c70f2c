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
	first, last := strings.IndexByte(glob, '*'), strings.LastIndexByte(glob, '*')
	if !strings.HasPrefix(s, glob[:first]) || !strings.HasSuffix(s, glob[last+1:]) {
		return false
	}
	reach := make([]bool, len(s)+1) // positions in s that the pattern so far can end at
	reach[0] = true
	for glob != "" {
		switch {
		case strings.HasPrefix(glob, "**"):
			glob = strings.TrimLeft(glob, "*")
			spread(reach, func(int) bool { return true })
		case glob[0] == '*':
			glob = glob[1:]
			spread(reach, func(i int) bool { return s[i] != ':' })
		default:
			for i := len(s); i > 0; i-- {
				reach[i] = reach[i-1] && s[i-1] == glob[0]
			}
			reach[0] = false
			glob = glob[1:]
		}
	}
	return reach[len(s)]
}

// spread lets a star pass over the bytes that it may stand for.
func spread(reach []bool, over func(int) bool) {
	for i := range len(reach) - 1 {
		reach[i+1] = reach[i+1] || reach[i] && over(i)
	}
}
