package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/urn"
)

// run executes a script and gives what it left as outputs: stdout, stderr and, if asked for, assets and archive.
// A command that fails, is canceled or runs out of time is an error that holds what it printed.
func (p *provider) run(ctx context.Context, u urn.URN, s script) (map[string]property.Value, error) {
	files, err := newCollector(p.folder(s.dir), s)
	if err != nil {
		return nil, err
	}
	mask := s.mask.replacer()
	all := &transcript{}
	stdout := &stream{all: all, show: p.shower(u, s.showStdout, mask)}
	stderr := &stream{all: all, show: p.shower(u, s.showStderr, mask)}
	child, err := p.prepare(s)
	if err != nil {
		return nil, err
	}
	child.stdout, child.stderr = stdout, stderr
	err = child.run(ctx)
	stderr.finish()
	stdout.finish()
	if err != nil {
		return nil, fmt.Errorf("%w: running %s:\n%s", explain(err, s), s.quoted(mask), all.tail(mask))
	}
	outputs, err := files.collect(ctx)
	if err != nil {
		return nil, err
	}
	outputs[propStdout] = property.String(stdout.value())
	outputs[propStderr] = property.String(stderr.value())
	return outputs, nil
}

// prepare says how to start the script.
func (p *provider) prepare(s script) (*child, error) {
	dir := p.folder(s.dir).path
	if dir != "" {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			err = syscall.ENOTDIR
		}
		if err != nil {
			return nil, fmt.Errorf("property %s: the command cannot run there: %w", propDir, err)
		}
	}
	program, err := lookPath(s.interpreter[0], p.opts.Env)
	if err != nil {
		return nil, fmt.Errorf("property %s: cannot start %q: %w", propInterpreter, s.interpreter[0], err)
	}
	// Never nil: that would mean the environment of this process.
	env := append([]string{}, p.opts.Env...)
	return &child{
		program: program,
		args:    append(append([]string{}, s.interpreter...), s.text),
		dir:     dir,
		env:     append(env, s.environment...),
		stdin:   s.stdin,
		grace:   p.opts.Grace,
	}, nil
}

// folder resolves a dir property against the base folder. Recorded paths keep the form the program gave.
func (p *provider) folder(dir string) folder {
	switch {
	case dir == "":
		return folder{path: p.opts.Dir, recorded: p.opts.Dir}
	case filepath.IsAbs(dir):
		return folder{path: dir, recorded: dir}
	case p.opts.Dir == "":
		return folder{path: dir, recorded: dir}
	default:
		// Not filepath.Join: behind a link, .. is the parent of where the link leads.
		return folder{path: p.opts.Dir + string(filepath.Separator) + dir, recorded: dir}
	}
}

// shower gives what a stream does with each line: a status message of the resource, or nothing.
func (p *provider) shower(u urn.URN, wanted bool, mask *strings.Replacer) func(string) {
	if !wanted || p.opts.Log == nil {
		return nil
	}
	return func(line string) {
		p.opts.Log(plugin.Log{Severity: diag.Info, Message: shown(line, mask), URN: u, Ephemeral: true})
	}
}

func (s script) quoted(mask *strings.Replacer) string {
	if s.secret {
		return property.Mask
	}
	return fmt.Sprintf("%q", mask.Replace(s.text))
}

// explain adds the way out to an error of the system that does not name the reason.
func explain(err error, s script) error {
	if s.previous && errors.Is(err, syscall.E2BIG) {
		return fmt.Errorf("%w (if it is the output of the run before that does not fit into the environment: set %s to false)",
			err, propPrevious)
	}
	return err
}
