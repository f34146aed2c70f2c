//go:build unix

package pluginhost

import (
	"os"
	"syscall"
)

// The process is the leader of its group, so its id is the group's.

func interruptGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGINT) }

func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
