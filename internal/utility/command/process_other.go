//go:build unix && !linux

package command

import "syscall"

// dieWithUs does nothing: only Linux offers it. The guard ends the child.
func dieWithUs(*syscall.SysProcAttr) {}
