package newcmd

import (
	"path/filepath"
	"strings"
)

// tell says what was made and what to do next.
func (p *plan) tell(m *made) {
	streams := p.options.f.Streams
	streams.Printf("Created project '%s'\n", m.project.Name)
	if !p.options.generateOnly && !p.existing {
		streams.Printf("Created stack '%s'\n", p.stack.Name)
	}
	for _, w := range m.project.Warnings {
		streams.Errorf("warning: %s\n", w.Error())
	}
	if m.missing != "" {
		streams.Printf("\nThe program needs to be told more before it can run:\n%s\n", m.missing)
	}
	streams.Printf("\nNext:\n\n")
	if p.dir != p.options.f.Dir {
		streams.Printf("  cd %s\n", shellWord(fromHere(p.options.f.Dir, p.dir)))
	}
	if p.options.generateOnly {
		streams.Printf("  pulumi stack init\n")
	}
	streams.Printf("  pulumi up\n")
	if p.template.Quickstart != "" {
		streams.Printf("\n%s\n", strings.TrimRight(p.template.Quickstart, "\n"))
	}
}

// fromHere is the shorter way to name a folder.
func fromHere(here, dir string) string {
	if rel, err := filepath.Rel(here, dir); err == nil && len(rel) < len(dir) {
		return rel
	}
	return dir
}

// shellWord quotes what a shell would take apart.
func shellWord(text string) string {
	if strings.ContainsAny(text, " \t\n\"'$&|;<>()*?[]`\\!#~") {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}
