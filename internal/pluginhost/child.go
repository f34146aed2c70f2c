package pluginhost

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
)

// child is something that runs and prints.
type child interface {
	streams() (stdout, stderr io.Reader)
	// interrupt asks it to end.
	interrupt()
	// kill ends it and everything it started. It may be called at any time, also after the end.
	kill()
	// wait returns how it ended, once it has.
	wait() (status string)
	// release closes the streams; whoever still reads them gets their end.
	release()
}

// command is an executable to start.
type command struct {
	path      string
	args, env []string
	dir       string
}

// arguments are the command line of a plugin: flags, and the engine's address.
func (h *Host) arguments() []string {
	var args []string
	if f := h.o.Flags; f.LogFlow {
		if f.LogToStderr {
			args = append(args, "--logtostderr")
		}
		if f.Verbose > 0 {
			args = append(args, "-v="+strconv.Itoa(f.Verbose))
		}
	}
	if t := h.o.Flags.Tracing; t != "" {
		args = append(args, "--tracing", t)
	}
	return append(args, h.o.Services.Engine)
}

// executable is a child that is an operating system process, the leader of a process group of its own.
type executable struct {
	cmd            *exec.Cmd
	stdin          io.Closer
	stdout, stderr *os.File
}

// spawn starts an executable.
func (h *Host) spawn(c command) (child, error) {
	x := &executable{cmd: &exec.Cmd{Path: c.path, Args: append([]string{c.path}, c.args...), Env: c.env, Dir: c.dir}}
	x.cmd.SysProcAttr = processAttributes()
	// The streams are pipes of our own, so that waiting for the process does not wait for what it started.
	var theirs []*os.File
	pipe := func() (*os.File, *os.File, error) {
		r, w, err := os.Pipe()
		if err == nil {
			theirs = append(theirs, w)
		}
		return r, w, err
	}
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	var outs, errs *os.File
	var err error
	if x.stdout, outs, err = pipe(); err != nil {
		return nil, err
	}
	if x.stderr, errs, err = pipe(); err != nil {
		return nil, errors.Join(err, x.stdout.Close())
	}
	x.cmd.Stdout, x.cmd.Stderr = outs, errs
	// Nothing is ever written to it: it stays open as long as we live.
	if x.stdin, err = x.cmd.StdinPipe(); err == nil {
		err = h.spawner.start(x.cmd)
	}
	if err != nil {
		x.release()
		return nil, fmt.Errorf("start the plugin: %w", err)
	}
	return x, nil
}

func (x *executable) streams() (stdout, stderr io.Reader) { return x.stdout, x.stderr }

func (x *executable) interrupt() { interruptGroup(x.cmd.Process) }

func (x *executable) kill() { killGroup(x.cmd.Process) }

func (x *executable) wait() string {
	if err := x.cmd.Wait(); err != nil {
		return err.Error()
	}
	return "exit status 0"
}

func (x *executable) release() {
	x.stdout.Close()
	x.stderr.Close()
	if x.stdin != nil {
		x.stdin.Close()
	}
}
