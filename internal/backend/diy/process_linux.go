package diy

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// ownIdentity reads from /proc who this process is. Where /proc does not tell, fields stay empty and no other process
// will infer this one's death.
func ownIdentity() (identity, error) {
	id := identity{PID: os.Getpid()}
	if boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		id.Boot = strings.TrimSpace(string(boot))
	}
	if ns, err := os.Readlink("/proc/self/ns/pid"); err == nil {
		id.Namespace = ns
	}
	_, started, err := processStat("self")
	if err == nil {
		id.Started = started
	}
	return id, nil
}

// processGone says whether the process that had the identity is no more. Only for identities of this kernel and pid
// namespace.
func processGone(id identity) bool {
	if errors.Is(syscall.Kill(id.PID, 0), syscall.ESRCH) {
		return true
	}
	state, started, err := processStat(fmt.Sprint(id.PID))
	if err != nil || id.Started == "" {
		// The process is there but hidden from us: take it for the holder.
		return false
	}
	return started != id.Started || state == "Z" || state == "X"
}

// processStat reads a process's state and its start in clock ticks after boot.
func processStat(pid string) (state, started string, err error) {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return "", "", err
	}
	// The second field is the command in parentheses, which may itself hold spaces and parentheses.
	end := bytes.LastIndexByte(text, ')')
	fields := strings.Fields(string(text[end+1:]))
	const stateField, startField = 0, 19 // Fields 3 and 22 of the line.
	if end < 0 || len(fields) <= startField {
		return "", "", fmt.Errorf("unexpected contents of /proc/%s/stat", pid)
	}
	return fields[stateField], fields[startField], nil
}
