package backend_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cairn-iac/cairn/internal/backend"
)

func TestParseStackRef(t *testing.T) {
	t.Parallel()
	cases := []struct{ text, current, want, display, err string }{
		{text: "dev", current: "quick", want: "organization/quick/dev", display: "dev"},
		{text: "organization/dev", current: "quick", want: "organization/quick/dev", display: "dev"},
		{text: "organization/other/dev", current: "quick", want: "organization/other/dev", display: "organization/other/dev"},
		{text: "organization/other/dev", want: "organization/other/dev", display: "organization/other/dev"},
		{text: "a.b-c_D9", current: "q", want: "organization/q/a.b-c_D9", display: "a.b-c_D9"},
		{text: "", current: "q", err: "stack name must not be empty"},
		{text: "dev", err: "no Pulumi.yaml project file found"},
		{text: "acme/dev", current: "q", err: "organization name must be 'organization'"},
		{text: "acme/q/dev", current: "q", err: "organization name must be 'organization'"},
		{text: "a/b/c/d", current: "q", err: "too many parts"},
		{text: "organization/q/", current: "q", err: "a stack name may not be empty"},
		{text: "organization//dev", current: "q", err: "a project name may not be empty"},
		{text: "de v", current: "q", err: "invalid character ' ' at position 2"},
		{text: "..", current: "q", err: "cannot be a stack name"},
		{text: "organization/../dev", current: "q", err: "cannot be a project name"},
		{text: strings.Repeat("x", 101), current: "q", err: "cannot exceed 100 characters"},
		{text: "é", current: "q", err: "alphanumeric"},
	}
	for _, c := range cases {
		ref, err := backend.ParseStackRef(c.text, c.current)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: %v, want %q", c.text, err, c.err)
			}
			continue
		}
		if err != nil || ref.String() != c.want || ref.Display(c.current) != c.display {
			t.Errorf("%q: %s (%s), %v", c.text, ref, ref.Display(c.current), err)
		}
		again, err := backend.ParseStackRef(ref.String(), "")
		if err != nil || again != ref {
			t.Errorf("%q does not come back: %v, %v", ref, again, err)
		}
	}
}

func TestErrorTexts(t *testing.T) {
	t.Parallel()
	ref := backend.StackRef{Project: "p", Name: "dev"}
	missing := &backend.StackError{Ref: ref, Err: backend.ErrStackNotFound}
	if !errors.Is(missing, backend.ErrStackNotFound) || missing.Error() != "no stack named 'organization/p/dev' found" {
		t.Errorf("got %v", missing)
	}
	conflict := &backend.JournalConflictError{
		Ref: ref, Checkpoint: "/a b/dev.json", Journal: "/a b/it's.journal", Started: time.Unix(0, 0).UTC(),
	}
	if !strings.Contains(conflict.Error(), `mv '/a b/it'\''s.journal' '/a b/it'\''s.journal.kept'`) {
		t.Errorf("the command cannot be pasted: %v", conflict)
	}
	busy := &backend.LockedError{Ref: ref}
	if !strings.Contains(busy.Error(), "another process on this machine") {
		t.Errorf("got %v", busy)
	}
}

func FuzzParseStackRef(f *testing.F) {
	for _, s := range []string{"dev", "organization/p/dev", "../x", "organization/../..", "a\x00b"} {
		f.Add(s, "p")
	}
	f.Fuzz(func(t *testing.T, text, project string) {
		ref, err := backend.ParseStackRef(text, project)
		if err != nil {
			return
		}
		for _, part := range []string{ref.Project, ref.Name} {
			if part == "" || part == "." || part == ".." || strings.ContainsAny(part, "/\\\x00") {
				t.Errorf("%q in %q gives the part %q", text, project, part)
			}
		}
	})
}
