// Package upstream_test tells the recorded stories of testdata/upstream once more, with this program, and compares
// every command's exit code, output and files with what the Pulumi CLI printed and wrote.
//
// What differs on purpose is taken out in one place, differences_test.go; anything else that differs is a fault.
package upstream_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-iac/cairn/internal/clitest"
	"github.com/cairn-iac/cairn/internal/upstreamtest"
)

// story is one recorded project on a machine like the one it was recorded on.
type story struct {
	t      *testing.T
	world  *clitest.World
	folder string // in testdata/upstream, and the project's name
	// sameValues says that the stack goes on with the recorded ids and random values; else both sides' are replaced by
	// what they are, and told from the exports in theirs and ours.
	sameValues   bool
	theirs, ours upstreamtest.Names
}

func newStory(t *testing.T, folder string) *story {
	t.Helper()
	s := &story{t: t, world: clitest.New(t), folder: folder}
	s.world.Username = "root"
	s.world.Env = append(s.world.Env, "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true", "PULUMI_SKIP_UPDATE_CHECK=true")
	return s
}

// write puts a recorded file into the project, with the paths of this machine.
func (s *story) write(name, recording string) {
	s.t.Helper()
	s.world.Write(name, s.here(string(upstreamtest.Read(s.t, s.folder+"/"+recording))))
}

// here and there translate between the paths of this machine and those of the recordings.
func (s *story) here(text string) string { return s.paths(true).Replace(text) }

func (s *story) there(text string) string { return s.paths(false).Replace(text) }

func (s *story) paths(here bool) *strings.Replacer {
	var pairs []string
	for _, pair := range [][2]string{
		{s.world.Project, "/project/" + s.folder}, {s.world.State, "/project/state"}, {s.world.Home, "/project/home"},
		{filepath.Join(s.world.Root, "out"), "/project/out"},
	} {
		if here {
			pair[0], pair[1] = pair[1], pair[0]
		}
		pairs = append(pairs, pair[0], pair[1])
	}
	return strings.NewReplacer(pairs...)
}

// tell runs recorded commands, one after the other, and compares all each of them did.
func (s *story) tell(names ...string) {
	s.t.Helper()
	for _, name := range names {
		s.check(name, s.run(s.recorded(name).Command))
	}
}

func (s *story) recorded(name string) upstreamtest.Step {
	s.t.Helper()
	step := upstreamtest.ReadStep(s.t, s.folder+"/"+name)
	step.Command = s.here(step.Command)
	return step
}

// check compares what a command did with the recorded one.
func (s *story) check(name string, r clitest.Result) {
	s.t.Helper()
	recorded := s.recorded(name)
	if r.Code != recorded.Code {
		s.t.Errorf("%s: %s: exit code %d instead of %d", name, recorded.Command, r.Code, recorded.Code)
	}
	s.compare(name+".stdout", recorded.Stdout, r.Stdout)
	s.compare(name+".stderr", recorded.Stderr, r.Stderr)
}

// run runs a command line of a recording: an optional env with variables, the program, its arguments.
func (s *story) run(line string) clitest.Result {
	s.t.Helper()
	words := strings.Fields(line)
	before := s.world.Env
	defer func() { s.world.Env = before }()
	for len(words) > 0 && words[0] != "pulumi" {
		if strings.Contains(words[0], "=") {
			s.world.Env = append(s.world.Env[:len(s.world.Env):len(s.world.Env)], words[0])
		} else if words[0] != "env" {
			s.t.Fatalf("%s is no command of this program", line)
		}
		words = words[1:]
	}
	return s.world.Run(words[1:]...)
}

// compare compares two texts, documents or streams of events by what the recorded one is.
func (s *story) compare(name, recorded, got string) {
	s.t.Helper()
	want, err := s.normal(name, recorded, kindOf(recorded), &s.theirs)
	if err != nil {
		s.t.Fatalf("%s as recorded: %v", name, err)
	}
	have, err := s.normal(name, s.there(got), kindOf(recorded), &s.ours)
	if err != nil {
		s.t.Errorf("%s: %v\n%s", name, err, got)
		return
	}
	for _, d := range differences() {
		if d.concerns(s.folder + "/" + name) {
			want, have = d.takeOut(want, have)
		}
	}
	if diff := cmp.Diff(want, have); diff != "" {
		s.t.Errorf("%s, -recorded +ours:\n%s", name, diff)
	}
}

type kind int

const (
	text kind = iota
	document
	events
	layout
)

func kindOf(recorded string) kind {
	switch {
	case strings.HasPrefix(recorded, `{"sequence"`):
		return events
	case strings.HasPrefix(recorded, "{"), strings.HasPrefix(recorded, "["):
		return document
	case strings.HasPrefix(recorded, "d 755 ."):
		return layout
	}
	return text
}

func (s *story) normal(name, content string, k kind, names *upstreamtest.Names) (any, error) {
	rules := upstreamtest.Rules{Names: names, KeepValues: s.sameValues}
	switch k {
	case document:
		return rules.Document([]byte(content))
	case events:
		return rules.Events([]byte(content))
	case layout:
		return strings.Split(upstreamtest.Layout(content), "\n"), nil
	case text:
		return strings.Split(rules.Text(content), "\n"), nil
	}
	return nil, fmt.Errorf("%s is of no known kind", name)
}

// know adds the ids and random values of a recorded export and of ours.
func (s *story) know(recorded string) {
	s.t.Helper()
	if err := s.theirs.Collect(upstreamtest.Read(s.t, s.folder+"/"+recorded)); err != nil {
		s.t.Fatal(err)
	}
	if err := s.ours.Collect([]byte(s.world.Must("stack", "export", "--show-secrets").Stdout)); err != nil {
		s.t.Fatal(err)
	}
}

// layout compares the state folder.
func (s *story) layout(name string) {
	s.t.Helper()
	var lines strings.Builder
	err := filepath.WalkDir(s.world.State, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(s.world.State, path)
		if err != nil {
			return err
		}
		if relative != "." {
			relative = "./" + filepath.ToSlash(relative)
		}
		what := "f"
		if entry.IsDir() {
			what = "d"
		}
		fmt.Fprintf(&lines, "%s %o %s\n", what, info.Mode().Perm(), relative)
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.compare(name, string(upstreamtest.Read(s.t, s.folder+"/"+name)), lines.String())
}

// adopt makes a copy of the recorded state folder this machine's.
func (s *story) adopt(recording string) {
	s.t.Helper()
	if err := os.CopyFS(s.world.State, os.DirFS(upstreamtest.Path(s.t, s.folder+"/"+recording))); err != nil {
		s.t.Fatal(err)
	}
}
