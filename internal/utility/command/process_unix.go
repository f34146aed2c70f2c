//go:build unix

package command

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// childAttributes put the child into a process group of its own: it can be ended with all it started, and does not see
// the interrupts of our terminal.
func childAttributes() *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setpgid: true}
	dieWithUs(attributes)
	return attributes
}

func interruptGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGINT) }

func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

func groupAlive(p *os.Process) bool { return syscall.Kill(-p.Pid, 0) == nil }

// guard is a shell that outlives us by one step: when our end of its pipe closes without a word, because we were
// killed, it kills the process group it watches. Without a shell there is none, and nil does nothing.
type guard struct {
	cmd      *exec.Cmd
	pipe     io.WriteCloser
	watching bool
}

func startGuard() *guard {
	const watch = `read group || exit; read end || kill -s KILL -- "-$group"`
	cmd := &exec.Cmd{
		Path: "/bin/sh", Args: []string{"sh", "-c", watch}, Dir: "/", Env: []string{},
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil
	}
	if err := cmd.Start(); err != nil {
		return nil
	}
	return &guard{cmd: cmd, pipe: pipe}
}

func (g *guard) watch(group int) {
	if g == nil {
		return
	}
	g.watching = true
	_, _ = io.WriteString(g.pipe, strconv.Itoa(group)+"\n")
}

// dismiss sends the guard away: from now on the group may outlive us.
func (g *guard) dismiss() {
	if g == nil {
		return
	}
	if g.watching {
		_, _ = io.WriteString(g.pipe, "\n")
	}
	_ = g.pipe.Close()
	_ = g.cmd.Wait()
}

// lookPath finds a program in the PATH of env. A name with a slash is taken as it is, relative to the child's folder.
func lookPath(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	path := ""
	for _, entry := range env {
		if v, ok := strings.CutPrefix(entry, "PATH="); ok {
			path = v
		}
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			// A program of the working folder is never meant.
			continue
		}
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return file, nil
		}
	}
	return "", exec.ErrNotFound
}
