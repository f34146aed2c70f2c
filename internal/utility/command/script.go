package command

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/cairn-iac/cairn/internal/property"
)

// script is one command, ready to run.
type script struct {
	text        string
	interpreter []string
	// dir is as the program gave it, "" for the base folder.
	dir         string
	environment []string
	stdin       string
	showStdout  bool
	showStderr  bool
	// previous tells that the environment holds the output of an earlier run.
	previous bool
	// assets and archive are nil when the program does not ask for files.
	assets, archive []string
	mask            redactor
	// secret is true when the command itself is: then it is not part of messages.
	secret bool
}

// before is what an earlier run of the same resource printed; null when there was none.
type before struct{ stdout, stderr property.Value }

// newScript puts together the command that is under the given name among props, which are inputs or recorded outputs.
func newScript(name string, props property.Map, last before) (script, error) {
	r := reader{props: props}
	s := script{
		text:        r.text(name),
		interpreter: r.texts(propInterpreter),
		dir:         r.text(propDir),
		environment: r.environment(),
		stdin:       r.text(propStdin),
		assets:      r.texts(propAssetPaths),
		archive:     r.texts(propArchivePaths),
		secret:      props.Get(name).Secret(),
	}
	if len(s.interpreter) == 0 {
		s.interpreter = defaultInterpreter()
	}
	s.showStdout, s.showStderr = r.logging()
	if r.flag(propPrevious, true) {
		s.addPrevious("PULUMI_COMMAND_STDOUT", r.previous(propStdout, last.stdout))
		s.addPrevious("PULUMI_COMMAND_STDERR", r.previous(propStderr, last.stderr))
	}
	s.mask.add(property.FromMap(props))
	s.mask.add(last.stdout)
	s.mask.add(last.stderr)
	return s, r.err
}

func defaultInterpreter() []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/C"}
	}
	return []string{"/bin/sh", "-c"}
}

func (s *script) addPrevious(name, text string) {
	if text != "" {
		s.environment = append(s.environment, name+"="+text)
		s.previous = true
	}
}

// reader takes typed values out of properties and keeps the first error.
type reader struct {
	props property.Map
	err   error
}

func (r *reader) wrong(at, want string, v property.Value) {
	if r.err == nil {
		r.err = fmt.Errorf("property %s: expected %s, got a %s", at, want, v.Kind())
	}
}

// previous gives what an earlier run printed, as far as an environment variable can hold it.
func (r *reader) previous(name string, v property.Value) string {
	text, _ := v.AsString()
	if strings.Contains(text, "\x00") && r.err == nil {
		r.err = fmt.Errorf("the %s of the run before holds a NUL character, which an environment variable cannot; "+
			"set %s to false", name, propPrevious)
	}
	return text
}

func (r *reader) text(name string) string {
	v := r.props.Get(name)
	s, ok := v.AsString()
	if !ok && !v.IsNull() {
		r.wrong(name, "a string", v)
	}
	return s
}

func (r *reader) flag(name string, unset bool) bool {
	v := r.props.Get(name)
	if v.IsNull() {
		return unset
	}
	b, ok := v.AsBool()
	if !ok {
		r.wrong(name, "true or false", v)
	}
	return b
}

// texts is nil when the property is not there, and empty when it is an empty list.
func (r *reader) texts(name string) []string {
	v := r.props.Get(name)
	if v.IsNull() {
		return nil
	}
	list, ok := v.AsList()
	if !ok {
		r.wrong(name, "a list of strings", v)
	}
	out := make([]string, 0, list.Len())
	for i, e := range list.All() {
		s, ok := e.AsString()
		if !ok {
			r.wrong(fmt.Sprintf("%s[%d]", name, i), "a string", e)
		}
		out = append(out, s)
	}
	return out
}

func (r *reader) environment() []string {
	v := r.props.Get(propEnvironment)
	if v.IsNull() {
		return nil
	}
	m, ok := v.AsMap()
	if !ok {
		r.wrong(propEnvironment, "a map of strings", v)
	}
	var out []string
	for name, e := range m.All() {
		s, ok := e.AsString()
		if !ok {
			r.wrong(propEnvironment+"."+name, "a string", e)
		}
		out = append(out, name+"="+s)
	}
	return out
}

func (r *reader) logging() (stdout, stderr bool) {
	if r.props.Get(propLogging).IsNull() {
		return true, true
	}
	switch r.text(propLogging) {
	case logBoth:
		return true, true
	case logStdout:
		return true, false
	case logStderr:
		return false, true
	default:
		return false, false
	}
}
