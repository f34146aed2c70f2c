package pluginhost

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/engine/plugin"
)

// subject says what a process is, for messages.
type subject struct {
	kind       Kind
	name, path string
	// hidden output is shown only when it explains a death.
	hidden bool
}

// Process is a plugin that was started: an executable, or a program that a language host runs.
type Process struct {
	host *Host
	what subject
	c    child
	out  *output

	// expected is set once nobody is surprised when the process ends; told once its death was reported.
	expected, told atomic.Bool
	exited         chan struct{}
	status         string // how it ended, once exited is closed
	closing        sync.Once
}

// supervise takes over a child. On a closed host it kills the child.
func (h *Host) supervise(c child, what subject) (*Process, error) {
	p := &Process{host: h, what: what, c: c, exited: make(chan struct{})}
	stdout, stderr := c.streams()
	p.out = h.watch(stdout, stderr, what.hidden)
	h.mu.Lock()
	closed := h.closed
	h.processes[p] = struct{}{}
	h.mu.Unlock()
	go p.await()
	if closed {
		p.Kill()
		return nil, errClosed
	}
	return p, nil
}

// drainTime is how long to wait for the rest of the output of a process that ended: what it started may hold its
// streams open.
const drainTime = time.Second

func (p *Process) await() {
	status := p.c.wait()
	// Nothing that it started is to survive it.
	p.c.kill()
	select {
	case <-p.out.drained:
	case <-time.After(drainTime):
	}
	p.c.release()
	p.status = status
	p.host.mu.Lock()
	delete(p.host.processes, p)
	p.host.mu.Unlock()
	close(p.exited)
}

// Exited is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Expect tells that the process is about to end, so that its end is no accident.
func (p *Process) Expect() { p.expected.Store(true) }

// Kill ends the process and everything it started, at once.
func (p *Process) Kill() {
	p.Expect()
	select {
	case <-p.exited:
		// Its id may belong to somebody else by now.
	default:
		p.c.kill()
	}
	<-p.exited
}

// Close ends the process: it is interrupted, and killed if that does not help or nobody waits any more. A process that had died before anybody
// wanted it to is reported, with what it printed last.
func (p *Process) Close() {
	p.closing.Do(func() {
		select {
		case <-p.exited:
			p.reportDeath()
			return
		default:
		}
		p.Expect()
		select {
		case <-p.host.o.Abort:
			p.Kill()
			return
		default:
			p.c.interrupt()
		}
		select {
		case <-p.exited:
		case <-p.host.o.Abort:
			p.Kill()
		case <-time.After(p.host.o.Grace):
			p.Kill()
		}
	})
	<-p.exited
}

// DeathError tells that a plugin ended while it was needed.
type DeathError struct {
	// Plugin is the executable or folder.
	Plugin string
	// Status is how it ended, like "exit status 2" or "signal: killed".
	Status string
	// Output is what it printed last.
	Output string
}

func (e *DeathError) Error() string {
	text := fmt.Sprintf("the plugin %s ended unexpectedly (%s)", e.Plugin, e.Status)
	if e.Output == "" {
		return text + "; it printed nothing"
	}
	return text + "; it printed last:\n" + indent(e.Output)
}

// Death describes the end of the process, which must have ended.
func (p *Process) Death() *DeathError {
	<-p.exited
	p.told.Store(true)
	return &DeathError{Plugin: p.what.path, Status: p.status, Output: p.out.tail(explainLines)}
}

// explainLines is how many lines explain a death within another error; a report of its own shows all.
const explainLines = 25

func (p *Process) reportDeath() {
	if p.expected.Load() || p.told.Swap(true) {
		return
	}
	p.host.log(plugin.Log{Severity: diag.Error, StreamID: p.host.streams.Add(1), Message: fmt.Sprintf(
		"Detected that %s exited prematurely (%s).\nThis is a bug in the plugin; please report it to its authors, with "+
			"what it printed last:\n%s\n", p.what.path, p.status, indent(p.out.tail(1000)))})
}

func indent(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }

// discard ends a process that is of no use because of cause, and adds what it printed.
func (h *Host) discard(p *Process, cause error) error {
	// One that died by itself just now shows how, if it is given the time.
	select {
	case <-p.exited:
	case <-time.After(50 * time.Millisecond):
	}
	p.Kill()
	var death *DeathError
	if text := p.out.tail(explainLines); text != "" && !errors.As(cause, &death) {
		return fmt.Errorf("%w\nthe plugin printed:\n%s", cause, indent(text))
	}
	return cause
}
