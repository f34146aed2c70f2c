package template

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/cairn-iac/cairn/internal/config/document"
	"github.com/cairn-iac/cairn/internal/project"
)

// sectionKey is the part of a project file that describes the template.
const sectionKey = "template"

// finish makes a project file of a filled template's: without its template section, with the new name and description.
// Where the text allows it, nothing else changes.
func finish(text []byte, v Values) ([]byte, error) {
	if out := cutSection(text); isFinished(out, v) {
		return out, nil
	}
	doc, err := document.Parse(projectFile, text)
	if err != nil {
		return nil, err
	}
	root, err := doc.Mapping()
	if err != nil {
		return nil, err
	}
	document.Delete(root, sectionKey)
	put(root, "name", v.Project)
	if v.Description != "" {
		put(root, "description", v.Description)
	}
	out, err := doc.Encode()
	if err != nil {
		return nil, err
	}
	_, err = project.Parse(projectFile, out)
	return out, err
}

// put replaces a text and keeps the comment beside it; a new one comes after the name.
func put(root *yaml.Node, key, value string) {
	n := document.Text(value)
	if p, ok := document.Lookup(root, key); ok {
		n.LineComment = document.Resolve(p.Value).LineComment
		document.Put(root, key, n)
		return
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "name" {
			pair := []*yaml.Node{document.Text(key), n}
			root.Content = append(root.Content[:i+2:i+2], append(pair, root.Content[i+2:]...)...)
			return
		}
	}
	document.Put(root, key, n)
}

func isFinished(text []byte, v Values) bool {
	p, err := project.Parse(projectFile, text)
	return err == nil && p.Template == nil && p.Name == v.Project && (v.Description == "" || p.Description == v.Description)
}

// cutSection takes the lines of the template section out of a text in block style.
func cutSection(text []byte) []byte {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(string(text)) {
		isTop := strings.TrimSpace(line) != "" && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t")
		if isTop {
			inside = strings.HasPrefix(line, sectionKey+":")
		}
		if !inside {
			b.WriteString(line)
		}
	}
	return []byte(b.String())
}
