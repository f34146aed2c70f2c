package workspace

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/cairn-iac/cairn/internal/project"
)

// Selection is which stack is selected in one project, by backend. It stands in the home folder as
// `workspaces/<project>-<sha1 of the project file's path>-workspace.json`.
type Selection struct {
	path string
	// old is where CLIs that did not follow links looked; it is removed on saving.
	old  string
	file selectionFile
	rest map[string]json.RawMessage
}

type selectionFile struct {
	// Stack is the selection of CLIs that did not tell backends apart.
	Stack  string            `json:"stack,omitempty"`
	Stacks map[string]string `json:"stacks,omitempty"`
}

// Selection reads the selection of a project whose file has an absolute path.
func (h Home) Selection(p *project.Project) (*Selection, error) {
	resolved, err := filepath.EvalSymlinks(p.Path)
	if err != nil {
		resolved = p.Path
	}
	s := &Selection{path: h.selectionPath(p.Name, resolved)}
	if old := h.selectionPath(p.Name, p.Path); old != s.path {
		s.old = old
	}
	for _, path := range []string{s.path, s.old} {
		if path == "" {
			continue
		}
		rest, found, err := readRecord(path, &s.file, "stack", "stacks")
		if err != nil {
			return nil, fmt.Errorf("read the selected stack from %s (fix or delete the file): %w", path, err)
		}
		if found {
			s.rest = rest
			break
		}
	}
	return s, nil
}

func (h Home) selectionPath(name, projectPath string) string {
	sum := sha1.Sum([]byte(projectPath))
	return h.Path("workspaces", name+"-"+hex.EncodeToString(sum[:])+"-workspace.json")
}

// Stack is the stack selected for a backend, or empty.
func (s *Selection) Stack(backendURL string) string {
	if name, ok := s.file.Stacks[backendURL]; ok {
		return name
	}
	return s.file.Stack
}

// Select selects a stack for a backend; an empty name unselects.
func (s *Selection) Select(backendURL, stack string) {
	if stack == "" {
		delete(s.file.Stacks, backendURL)
		s.file.Stack = ""
		return
	}
	if s.file.Stacks == nil {
		s.file.Stacks = map[string]string{}
	}
	s.file.Stacks[backendURL] = stack
}

// Save writes the selection, or removes its file when nothing is selected.
func (s *Selection) Save() error {
	if s.old != "" {
		if err := remove(s.old); err != nil {
			return err
		}
	}
	if s.file.Stack == "" && len(s.file.Stacks) == 0 {
		return remove(s.path)
	}
	data, err := record{known: &s.file, rest: s.rest}.text()
	if err != nil {
		return fmt.Errorf("write %s: %w", s.path, err)
	}
	return file{path: s.path, data: data, perm: 0o600, dirPerm: 0o700}.write()
}

// StackQuery is what decides about the stack.
type StackQuery struct {
	// Flag is the `--stack` flag.
	Flag   string
	Lookup Lookup
	// BackendURL is the chosen backend's.
	BackendURL string
	// Selection may be nil, outside of a project.
	Selection *Selection
}

// CurrentStack is the name of the stack that a command means, possibly qualified, or empty: `--stack`, PULUMI_STACK (which may be
// set and empty to mean none), the selection.
func CurrentStack(q StackQuery) string {
	if q.Flag != "" {
		return q.Flag
	}
	if name, ok := q.Lookup("PULUMI_STACK"); ok {
		return name
	}
	if q.Selection == nil {
		return ""
	}
	return q.Selection.Stack(q.BackendURL)
}
