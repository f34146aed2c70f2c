package pkg

import (
	"regexp"
	"strings"

	"github.com/cairn-iac/cairn/internal/display/palette"
)

// width is how wide descriptions are.
const width = 80

// cleaned takes the choices between languages out of a description.
func cleaned(text string) string {
	text = regexp.MustCompile("(?s)(`[A-Z][A-Z0-9_]*`) or <span\\b[^>]*>.*?</span> environment variables").ReplaceAllString(text, "$1 environment variable")
	return regexp.MustCompile(`(?s)<span\b[^>]*>(.*?)</span>`).ReplaceAllString(text, "$1")
}

// summary is the first paragraph of a description, on one line.
func summary(text string) string {
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(cleaned(text))) {
		if strings.TrimSpace(line) == "" {
			break
		}
		lines = append(lines, strings.TrimRight(line, "\r\n"))
	}
	return strings.TrimSpace(palette.OneLine(strings.Join(lines, " ")))
}

// rendered is a description as text for a terminal: without examples, wrapped.
func rendered(text string) string {
	var out []string
	for _, line := range withoutExamples(cleaned(text)) {
		line = plain(line)
		if line == "" && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		out = append(out, wrapped(line)...)
	}
	return palette.Clean(strings.TrimRight(strings.Join(out, "\n"), "\n"), false)
}

// withoutExamples leaves out code, and the sections that show how to use or import a resource.
func withoutExamples(text string) []string {
	heading := regexp.MustCompile(`^(#{1,6})\s+(.*?)\s*#*$`)
	glued := regexp.MustCompile(`(?i)#{2,4}\s*(?:Example Usage|Import|Example)\b.*$`)
	examples := regexp.MustCompile(`(?s)\{\{%\s*examples?\s*%\}\}.*?\{\{%\s*/examples?\s*%\}\}|\{\{%.*?%\}\}`)
	reference := regexp.MustCompile(`\{\{%\s*ref\s+#/(?:resources|functions|types)/(\S+?)(?:/(?:inputP|p)roperties/(\S+?))?\s*%\}\}`)
	text = reference.ReplaceAllStringFunc(text, func(m string) string {
		g := reference.FindStringSubmatch(m)
		if g[2] != "" {
			return "`" + g[1] + "." + g[2] + "`"
		}
		return "`" + g[1] + "`"
	})
	text = examples.ReplaceAllString(text, "")
	var out []string
	fence, dropped := "", 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		start := strings.TrimSpace(line)
		if fence != "" {
			if strings.HasPrefix(start, fence) {
				fence = ""
			}
			continue
		}
		if strings.HasPrefix(start, "```") || strings.HasPrefix(start, "~~~") {
			fence = start[:3]
			continue
		}
		if m := heading.FindStringSubmatch(line); m != nil {
			if dropped == 0 || len(m[1]) <= dropped {
				dropped = 0
				switch strings.ToLower(m[2]) {
				case "example usage", "example", "import":
					dropped = len(m[1])
				}
			}
		}
		if dropped == 0 {
			out = append(out, glued.ReplaceAllString(line, ""))
		}
	}
	return out
}

// plain takes the marks of Markdown out of a line.
func plain(line string) string {
	line = strings.TrimRight(line, " ")
	if !regexp.MustCompile(`^\s*([*+-]|\d+[.)])\s`).MatchString(line) {
		line = strings.TrimLeft(line, " \t")
	}
	for _, r := range []struct{ mark, text string }{
		{`^#{1,6}\s+`, ""},
		{`^>\s?`, "│ "},
		{`^(\s*)[*+-]\s+`, "$1• "},
		{`!?\[([^\]]*)\]\(([^)\s]+)[^)]*\)`, "$1\x02($2)"},
		{`<(https?://[^>]+)>`, "$1"},
		{`</?[a-zA-Z][^>]*>`, ""},
		{`\*\*([^*]+)\*\*`, "$1"},
		{`(^|[\s(])\*([^*\s][^*]*)\*`, "$1$2"},
		{`\\([_*<>#\[\]])`, "$1"},
	} {
		line = regexp.MustCompile(r.mark).ReplaceAllString(line, r.text)
	}
	return line
}

// wrapped breaks a line at spaces. A link's text and address stay together; the lines of a quote keep their rail.
func wrapped(line string) []string {
	rail := ""
	if strings.HasPrefix(line, "│ ") {
		rail = "│ "
	}
	var out []string
	current := ""
	for i, word := range strings.Split(line, " ") {
		word = strings.ReplaceAll(word, "\x02", " ")
		switch {
		case i == 0:
			current = word
		case palette.Width(current)+1+palette.Width(word) > width && strings.TrimSpace(current) != "":
			out = append(out, current)
			current = rail + word
		default:
			current += " " + word
		}
	}
	return append(out, current)
}
