package document

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/cairn-iac/cairn/internal/diag"
)

// syntax turns what the YAML parser says into a diagnostic with a line.
func (d *Document) syntax(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	at := diag.Position{File: d.Path}
	if m := regexp.MustCompile(`^line (\d+): (.*)`).FindStringSubmatch(text); m != nil {
		text = m[2]
		if line, err := strconv.Atoi(m[1]); err == nil {
			at.Line = line + grammarOffset(text)
		}
	}
	return d.refuse(at, "the file is not valid YAML: "+text)
}

// grammarOffset mends the line of the parser's own errors: it counts them from 0 and those of its scanner from 1.
func grammarOffset(text string) int {
	switch text {
	case "did not find expected <document start>", "did not find expected node content", "did not find expected '-' indicator",
		"did not find expected key", "did not find expected ',' or ']'", "did not find expected ',' or '}'":
		return 1
	default:
		return 0
	}
}
