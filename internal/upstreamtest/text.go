package upstreamtest

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Text normalises what a command printed for people. Ids and random values need Names, best those of an export.
func (r Rules) Text(text string) string {
	text = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]").ReplaceAllString(text, "")
	if r.Names != nil && !r.KeepValues {
		text = r.Names.replacer().Replace(text)
	}
	text = genericMarks(text)
	for _, rule := range textRules() {
		text = rule.form.ReplaceAllString(text, rule.with)
	}
	lines := strings.Split(text, "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "@ ") })
	lines = sortBlocks(sortProgress(unpadTables(lines)))
	return strings.Join(lines, "\n")
}

type textRule struct {
	form *regexp.Regexp
	with string
}

func textRules() []textRule {
	rules := []struct{ form, with string }{
		{`\((\d+(\.\d+)?)s\)`, `(Ns)`},
		{`(?m)^Duration: \d+\w+$`, `Duration: Ns`},
		{`\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?( ?[+-]\d{4} UTC|Z|[+-]\d\d:\d\d)?`, `<time>`},
		{`\b(\d+|an?) (second|minute|hour|day|week|month|year)s? ago\b`, `<ago>`},
		{`(?m)(Last updated: |Updated |^\S+\*? +)now\b`, `${1}<ago>`},
		{`\btook \d+\w+`, `took <ago>`},
		{`(?m)^( *Pulumi version used: |Version +|Go Version +| *pulumi\.version: )(go)?v?\d\S*$`, `${1}<version>`},
		{`created by \S+@\S+ \(pid \d+\)`, `created by <holder>`},
	}
	out := make([]textRule, 0, len(rules))
	for _, r := range rules {
		out = append(out, textRule{regexp.MustCompile(r.form), r.with})
	}
	return out
}

// unpadTables takes the padding out of tables whose cells have changed their width.
func unpadTables(lines []string) []string {
	gap := regexp.MustCompile(` {2,}`)
	header := regexp.MustCompile(`^[A-Z ]+$`)
	for i, line := range lines {
		if !header.MatchString(line) || !strings.Contains(line, "  ") {
			continue
		}
		end := i + 1
		for end < len(lines) && strings.TrimSpace(lines[end]) != "" {
			end++
		}
		if !slices.ContainsFunc(lines[i:end], func(l string) bool { return strings.Contains(l, "<ago>") }) {
			continue
		}
		for j := i; j < end; j++ {
			lines[j] = gap.ReplaceAllString(strings.TrimRight(lines[j], " "), "  ")
		}
	}
	return lines
}

// sortProgress sorts runs of progress rows by resource.
func sortProgress(lines []string) []string {
	row := regexp.MustCompile(`^ [-+~<>= ]{2} ([A-Za-z]\S*:\S*:\S*[^\s:] \S+)( |$)`)
	key := func(line string) string {
		if match := row.FindStringSubmatch(line); match != nil {
			return match[1]
		}
		return ""
	}
	for start := 0; start < len(lines); {
		end := start
		for end < len(lines) && key(lines[end]) != "" {
			end++
		}
		slices.SortStableFunc(lines[start:end], func(a, b string) int { return cmp.Compare(key(a), key(b)) })
		start = max(end, start+1)
	}
	return lines
}

// sortBlocks sorts the blocks of a --diff, each a headline with an operation and the lines that belong to it.
func sortBlocks(lines []string) []string {
	headline := regexp.MustCompile(`^[-+~<>= ]*[A-Za-z]\S*:\S*:\S*: \([a-z -]+\)`)
	urn := regexp.MustCompile(`\[urn=(.*)\]`)
	var out []string
	var blocks [][]string
	flush := func() {
		slices.SortStableFunc(blocks, func(a, b []string) int { return cmp.Compare(find(urn, a), find(urn, b)) })
		out = append(out, slices.Concat(blocks...)...)
		blocks = nil
	}
	for _, line := range lines {
		switch {
		case headline.MatchString(line):
			blocks = append(blocks, []string{line})
		case len(blocks) > 0 && strings.HasPrefix(line, " ") && !strings.Contains(line, "--outputs:--"):
			blocks[len(blocks)-1] = append(blocks[len(blocks)-1], line)
		default:
			flush()
			out = append(out, line)
		}
	}
	flush()
	return out
}

func find(form *regexp.Regexp, lines []string) string {
	for _, line := range lines {
		if match := form.FindStringSubmatch(line); match != nil {
			return match[1]
		}
	}
	return ""
}
