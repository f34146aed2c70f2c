package command

import (
	"os"
	"os/exec"
	"syscall"
)

// childAttributes keep the interrupts of our console from the child.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// interruptGroup kills: there is no signal a process of another group would get.
func interruptGroup(p *os.Process) { _ = p.Kill() }

func killGroup(p *os.Process) { _ = p.Kill() }

func groupAlive(*os.Process) bool { return false }

// guard does nothing here.
type guard struct{}

func startGuard() *guard { return nil }

func (*guard) watch(int) {}

func (*guard) dismiss() {}

// lookPath finds a program as Windows does, extensions included.
func lookPath(name string, _ []string) (string, error) { return exec.LookPath(name) }
