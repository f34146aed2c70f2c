//go:build linux

package chaos_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// patience is how long anything may take before it counts as hung.
const patience = 3 * time.Minute

// running is a command that was started, the leader of a session of its own.
type running struct {
	w       *world
	args    []string
	command *exec.Cmd
	started time.Time
	outputs [2]string // files of stdout and stderr
	exited  chan struct{}
	err     error // of Wait, once exited is closed
}

// result is how a command ended.
type result struct {
	args    []string
	code    int            // -1 when a signal ended it
	signal  syscall.Signal // 0 unless a signal ended it
	stdout  string
	stderr  string
	elapsed time.Duration
}

func (r result) String() string {
	end := fmt.Sprintf("exit code %d", r.code)
	if r.signal != 0 {
		end = r.signal.String()
	}
	return fmt.Sprintf("pulumi %s: %s after %s", strings.Join(r.args, " "), end, r.elapsed.Round(time.Millisecond))
}

// said is the end of what the command printed; the transcript has all of it.
func (r result) said() string {
	lines := strings.Split(strings.TrimSpace(r.stdout+"\n"+r.stderr), "\n")
	return strings.Join(lines[max(0, len(lines)-40):], "\n")
}

// launch starts the program. stdout replaces its standard output and error unless nil.
func (w *world) launch(stdout *os.File, args ...string) *running {
	w.t.Helper()
	r := &running{w: w, args: args, exited: make(chan struct{})}
	r.command = exec.Command(w.program, args...)
	r.command.Dir, r.command.Env = w.project, w.environment()
	r.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	files := [2]*os.File{stdout, stdout}
	for i, name := range []string{"stdout", "stderr"} {
		r.outputs[i] = filepath.Join(w.dir, name)
		if stdout != nil {
			continue
		}
		file, err := os.Create(r.outputs[i])
		w.must(err)
		defer file.Close()
		files[i] = file
	}
	r.command.Stdout, r.command.Stderr = files[0], files[1]
	r.started = time.Now()
	if slices.Contains(args, "--yes") {
		w.started = r.started
	}
	w.must(r.command.Start())
	go func() {
		r.err = r.command.Wait()
		close(r.exited)
	}()
	return r
}

// wait waits for the end of a command.
func (r *running) wait() result {
	r.w.t.Helper()
	select {
	case <-r.exited:
	case <-time.After(patience):
		_ = r.command.Process.Signal(syscall.SIGQUIT) // for the stacks of its goroutines
		time.Sleep(time.Second)
		_ = r.command.Process.Kill()
		<-r.exited
		r.w.record(r.result())
		r.w.fatalf("pulumi %s did not end within %s", strings.Join(r.args, " "), patience)
	}
	got := r.result()
	r.w.record(got)
	return got
}

func (r *running) result() result {
	got := result{args: r.args, elapsed: time.Since(r.started)}
	var exit *exec.ExitError
	switch {
	case errors.As(r.err, &exit):
		got.code = exit.ExitCode()
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			got.signal = status.Signal()
		}
	case r.err != nil:
		r.w.fatalf("wait for pulumi: %v", r.err)
	}
	texts := []*string{&got.stdout, &got.stderr}
	for i, path := range r.outputs {
		text, err := os.ReadFile(path)
		if err == nil {
			*texts[i] = string(text)
		}
	}
	return got
}

// isOver says whether the command has ended.
func (r *running) isOver() bool {
	select {
	case <-r.exited:
		return true
	default:
		return false
	}
}

// survivors waits until all processes of the command's session are gone, and names those that do not go.
func (r *running) survivors() []string {
	var left []string
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if left = sessionMembers(r.command.Process.Pid); len(left) == 0 {
			return nil
		}
	}
	return left
}

// sessionMembers lists the living processes of a session.
func sessionMembers(session int) []string {
	var members []string
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has just ended
		}
		head, tail, ok := strings.Cut(string(text), ") ")
		fields := strings.Fields(tail)
		if !ok || len(fields) < 4 || fields[3] != strconv.Itoa(session) {
			continue
		}
		if state := fields[0]; state != "Z" && state != "X" {
			members = append(members, head+") "+state)
		}
	}
	return members
}
