package command

import "syscall"

// dieWithUs asks the kernel to kill the child when we die. It covers the child itself; the guard covers its group.
func dieWithUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
