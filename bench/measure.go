package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// usage is what a process and all its descendants cost.
type usage struct {
	wall, cpu time.Duration
	// peak is the largest resident size in bytes of any single process; tree the largest sum over the processes that
	// lived at a time, as seen ten times a second.
	peak, tree int64
	// written counts the bytes of all write calls, to sockets and pipes too; disk those that made pages of files dirty, in
	// whole pages.
	written, disk int64
}

// measure runs a command that must succeed.
func measure(command *exec.Cmd) (usage, error) {
	var output bytes.Buffer
	log, err := os.CreateTemp("", "bench-output-")
	if err != nil {
		return usage{}, err
	}
	defer func() {
		log.Close()
		_ = os.Remove(log.Name()) // a leftover in the temporary folder harms nobody
	}()
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	started := time.Now()
	if err := command.Start(); err != nil {
		return usage{}, err
	}
	stop, sampled := make(chan struct{}), make(chan int64)
	go func() { sampled <- sample(command.Process.Pid, stop) }()
	// The counters of a process can be read until it is reaped.
	waitErr := waitUnreaped(command.Process.Pid)
	u := usage{wall: time.Since(started)}
	u.written, u.disk = ioCounters(command.Process.Pid)
	err = command.Wait()
	close(stop)
	u.tree = <-sampled
	if rusage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.peak = rusage.Maxrss << 10
		u.cpu = time.Duration(rusage.Utime.Nano() + rusage.Stime.Nano())
	}
	u.tree = max(u.tree, u.peak)
	if err != nil || waitErr != nil {
		if text, readErr := os.ReadFile(log.Name()); readErr == nil {
			output.Write(text)
		}
		return u, fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), errors.Join(err, waitErr), tail(output.String()))
	}
	return u, nil
}

func tail(text string) string {
	const most = 4000
	if len(text) > most {
		return "..." + text[len(text)-most:]
	}
	return text
}

// waitUnreaped waits until a child has ended and leaves it to be reaped.
func waitUnreaped(pid int) error {
	const (
		byPID  = 1          // P_PID
		exited = 0x00000004 // WEXITED
		noWait = 0x01000000 // WNOWAIT
	)
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, byPID, uintptr(pid), 0, exited|noWait, 0, 0)
		switch errno {
		case 0:
			return nil
		case syscall.EINTR:
		default:
			return fmt.Errorf("wait for process %d: %w", pid, errno)
		}
	}
}

// ioCounters reads what the kernel counted for a process and the descendants it reaped.
func ioCounters(pid int) (written, disk int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		n, err := strconv.ParseInt(value, 10, 64)
		switch {
		case err != nil:
		case name == "wchar":
			written = n
		case name == "write_bytes":
			disk = n
		}
	}
	return written, disk
}

// sample watches the memory of a session's processes until stop is closed.
func sample(session int, stop <-chan struct{}) int64 {
	var peak int64
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return peak
		case <-ticker.C:
			peak = max(peak, residentSize(session))
		}
	}
}

// residentSize sums up the resident sizes of a session's processes, in bytes.
func residentSize(session int) int64 {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	var pages int64
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has just ended
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		const sessionField, rssField = 3, 21 // counted from the state, after the name
		fields := strings.Fields(rest)
		if len(fields) <= rssField || fields[sessionField] != strconv.Itoa(session) {
			continue
		}
		n, err := strconv.ParseInt(fields[rssField], 10, 64)
		if err == nil {
			pages += n
		}
	}
	return pages * int64(os.Getpagesize())
}
