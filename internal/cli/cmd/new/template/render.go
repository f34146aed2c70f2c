package template

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"gopkg.in/yaml.v3"
)

const gitDir = ".git"

// Values are what a new project is called.
type Values struct {
	Project, Description string
}

// File is one file or folder of a new project.
type File struct {
	// Path is relative to the project's folder, with slashes.
	Path string
	// Dir is true for a folder, which has no data.
	Dir  bool
	Data []byte
	Mode fs.FileMode
}

// Render makes the files of a project, folders before what is in them. The project file loses its template section.
func (t *Template) Render(v Values) ([]File, error) {
	var out []File
	err := fs.WalkDir(t.files, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case d.IsDir() && d.Name() == gitDir:
			return fs.SkipDir
		case name == ".pulumi.template.yaml" || name == projectFile+".append":
			return nil // notes to the tool that made the template
		}
		f := File{Path: strings.ReplaceAll(name, projectMark, v.Project), Dir: d.IsDir(), Mode: 0o755}
		if !f.Dir {
			if f.Data, f.Mode, err = t.read(name); err != nil {
				return err
			}
			f.Data = fill(f.Data, name, v)
		}
		if name == projectFile {
			if f.Data, err = finish(f.Data, v); err != nil {
				return err
			}
		}
		out = append(out, f)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the template %s: %w", t.Name, err)
	}
	return out, nil
}

// read gives a file's contents and a mode with which its owner can work.
func (t *Template) read(name string) ([]byte, fs.FileMode, error) {
	info, err := fs.Stat(t.files, name)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s is not a file; a template holds files and folders only", name)
	}
	data, err := fs.ReadFile(t.files, name)
	return data, info.Mode().Perm() | 0o600, err
}

// fill replaces the placeholders of a text file. Other files stay as they are.
func fill(data []byte, name string, v Values) []byte {
	const enough = 8000 // how git tells texts from other files
	if bytes.IndexByte(data[:min(len(data), enough)], 0) >= 0 {
		return data
	}
	text := string(data)
	switch path.Ext(name) {
	case ".yaml", ".yml":
		text = fillValues(text, projectMark, v.Project)
		text = fillValues(text, descriptionMark, v.Description)
	case ".json":
		v = Values{Project: inJSON(v.Project), Description: inJSON(v.Description)}
	}
	return []byte(strings.NewReplacer(projectMark, v.Project, descriptionMark, v.Description).Replace(text))
}

// fillValues replaces a placeholder that is a whole YAML value, so that the value reads back as this text.
func fillValues(text, mark, value string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, " \t\r\n")
		head, found := strings.CutSuffix(body, mark)
		if found && strings.HasSuffix(strings.TrimRight(head, " \t"), ":") && !strings.Contains(head, mark) {
			line = head + inYAML(value) + line[len(body):]
		}
		b.WriteString(line)
	}
	return b.String()
}

// inYAML is a text as a YAML value on one line.
func inYAML(value string) string {
	text, err := yaml.Marshal(value)
	line := strings.TrimSuffix(string(text), "\n")
	if err != nil || strings.Contains(line, "\n") {
		return quoted(value)
	}
	return line
}

func inJSON(value string) string {
	text := quoted(value)
	return text[1 : len(text)-1]
}

func quoted(value string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // a text can always be written
	return strings.TrimSuffix(b.String(), "\n")
}
