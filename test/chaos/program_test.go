//go:build linux

package chaos_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// How many things the two programs of a world have in common, and how many each has for itself.
const (
	commonThings = 40
	ownThings    = 10
)

// canary is a secret of every program; it must never be found in anything that is written or printed.
const canary = "canary-7d1c5a90"

// program is one version of a stack's program.
type program struct {
	yaml  string
	names []string // of its things
}

// fate is what becomes of a thing that both programs have, when one follows the other.
type fate int

const (
	stays fate = iota
	isUpdated
	isReplaced
	isDeletedFirst  // replaced, by deletion before creation
	followsReplaced // replaced because one that is deleted first is
)

// thing is one resource of a program.
type thing struct {
	name     string
	fate     fate
	links    []string // things whose ids it has in a property
	waits    []string // things it depends on by option
	force    string   // a thing whose new id replaces it
	explicit bool     // has the explicit provider
}

// programs draws a pair of programs with dependencies, such that going from one to the other updates, replaces, creates
// and deletes.
func programs(random *rand.Rand) [2]program {
	common := drawThings(random, "c", commonThings, nil)
	var pair [2]program
	for i, prefix := range []string{"a", "b"} {
		all := slices.Concat(common, drawThings(random, prefix, ownThings, common))
		pair[i] = program{yaml: render(all, i)}
		for _, t := range all {
			pair[i].names = append(pair[i].names, t.name)
		}
	}
	return pair
}

func drawThings(random *rand.Rand, prefix string, count int, earlier []thing) []thing {
	var made []thing
	for i := range count {
		t := thing{name: fmt.Sprintf("%s%02d", prefix, i), explicit: random.IntN(6) == 0}
		known := slices.Concat(earlier, made)
		if len(known) > 0 {
			pick := func() string { return known[random.IntN(len(known))].name }
			if random.IntN(2) == 0 {
				t.links = append(t.links, pick())
			}
			if random.IntN(3) == 0 {
				t.waits = append(t.waits, pick())
			}
		}
		t.fate = drawFate(random)
		if t.fate == followsReplaced {
			t.force, t.fate = lastDeletedFirst(known), stays
		}
		made = append(made, t)
	}
	return made
}

func drawFate(random *rand.Rand) fate {
	switch n := random.IntN(20); {
	case n < 6:
		return stays
	case n < 12:
		return isUpdated
	case n < 16:
		return isReplaced
	case n < 18:
		return isDeletedFirst
	default:
		return followsReplaced
	}
}

func lastDeletedFirst(known []thing) string {
	for _, t := range slices.Backward(known) {
		if t.fate == isDeletedFirst {
			return t.name
		}
	}
	return ""
}

const head = `name: chaos
runtime: yaml
description: Fifty things that change from one version to the next
resources:
  explicit:
    type: pulumi:providers:fp
`

func render(things []thing, version int) string {
	var b strings.Builder
	b.WriteString(head)
	for _, t := range things {
		t.render(&b, version)
	}
	b.WriteString("outputs:\n  first: ${c00.id}\n")
	fmt.Fprintf(&b, "  version: version %d\n", version)
	return b.String()
}

func (t thing) render(b *strings.Builder, version int) {
	line := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	changing := func(when ...fate) int {
		if slices.Contains(when, t.fate) {
			return version
		}
		return 0
	}
	line("  %s:", t.name)
	line("    type: fp:index:Thing")
	line("    properties:")
	line("      v: value %d of %s", changing(isUpdated), t.name)
	if t.force != "" {
		line("      force: ${%s.id}", t.force)
	} else {
		line("      force: generation %d", changing(isReplaced, isDeletedFirst))
	}
	line("      hidden: { 'fn::secret': %s }", canary)
	if len(t.links) > 0 {
		line("      data:")
		for i, link := range t.links {
			line("        link%d: ${%s.id}", i, link)
		}
	}
	if t.fate != isDeletedFirst && len(t.waits) == 0 && !t.explicit {
		return
	}
	line("    options:")
	if t.fate == isDeletedFirst {
		line("      deleteBeforeReplace: true")
	}
	if t.explicit {
		line("      provider: ${explicit}")
	}
	if len(t.waits) > 0 {
		line("      dependsOn:")
		for _, name := range t.waits {
			line("        - ${%s}", name)
		}
	}
}
