package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// child is a process to run to its end.
type child struct {
	program string
	args    []string
	dir     string
	// env is complete; nothing is inherited.
	env   []string
	stdin string
	// stdout and stderr are written from one goroutine each.
	stdout, stderr io.Writer
	// grace is how long an interrupted process group may take before it is killed.
	grace time.Duration
}

// run starts the process and returns when it has ended and its output is closed, which something it left in the
// background may delay. When ctx ends, the whole process group is interrupted, after the grace period killed, and the
// error is the cause of ctx.
func (c *child) run(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// The kernel kills the child when the thread that started it ends, so that thread has to stay.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	guard := startGuard()
	defer guard.dismiss()
	cmd := &exec.Cmd{Path: c.program, Args: c.args, Dir: c.dir, Env: c.env, SysProcAttr: childAttributes()}
	pipes, err := c.start(cmd)
	if err != nil {
		return err
	}
	guard.watch(cmd.Process.Pid)

	var result error
	done := make(chan struct{})
	go func() {
		defer close(done)
		result = pipes.drain(cmd)
	}()
	select {
	case <-done:
		return result
	case <-ctx.Done():
	}
	interruptGroup(cmd.Process)
	c.awaitGroup(cmd.Process, done)
	killGroup(cmd.Process)
	select {
	case <-done:
	case <-time.After(drainTime):
		// Something that left the group still holds the pipes.
		pipes.close()
		<-done
	}
	return context.Cause(ctx)
}

// drainTime is how long the output of a killed group may take to end before we stop listening.
const drainTime = time.Second

// awaitGroup waits until the group is gone, at most for the grace period.
func (c *child) awaitGroup(p *os.Process, done <-chan struct{}) {
	deadline := time.NewTimer(c.grace)
	defer deadline.Stop()
	select {
	case <-done:
	case <-deadline.C:
		return
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for groupAlive(p) {
		select {
		case <-deadline.C:
			return
		case <-tick.C:
		}
	}
}

// pipes are our ends of the streams of a child.
type pipes struct {
	stdin          io.WriteCloser
	stdout, stderr io.ReadCloser
	copies         sync.WaitGroup
}

func (c *child) start(cmd *exec.Cmd) (*pipes, error) {
	var p pipes
	var err error
	if p.stdout, err = cmd.StdoutPipe(); err != nil {
		return nil, fmt.Errorf("open a pipe for the output: %w", err)
	}
	if p.stderr, err = cmd.StderrPipe(); err != nil {
		return nil, errors.Join(fmt.Errorf("open a pipe for the error output: %w", err), p.stdout.Close())
	}
	if c.stdin != "" {
		if p.stdin, err = cmd.StdinPipe(); err != nil {
			return nil, errors.Join(fmt.Errorf("open a pipe for the input: %w", err), p.stdout.Close(), p.stderr.Close())
		}
	}
	// A failed start closes the pipes.
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if p.stdin != nil {
		// A command need not read its input: then the pipe breaks or is closed at the end.
		go func() {
			_, _ = io.WriteString(p.stdin, c.stdin)
			_ = p.stdin.Close()
		}()
	}
	p.copies.Go(func() { _, _ = io.Copy(c.stdout, p.stdout) })
	p.copies.Go(func() { _, _ = io.Copy(c.stderr, p.stderr) })
	return &p, nil
}

// drain waits for the end of the output and of the process.
func (p *pipes) drain(cmd *exec.Cmd) error {
	p.copies.Wait()
	return cmd.Wait()
}

// close ends reading, whoever still writes.
func (p *pipes) close() {
	_ = p.stdout.Close()
	_ = p.stderr.Close()
}
