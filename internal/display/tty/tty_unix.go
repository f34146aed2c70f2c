//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package tty

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// foreground says whether the terminal listens to this process. A terminal that does not control the process cannot put
// it into the background.
func foreground(fd int) bool {
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// prepare keeps keys from being echoed. Only this one setting is changed, and changed back: others may have been set by
// somebody else in between.
func prepare(fd int) (restore func()) {
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return func() {}
	}
	set(fd, func(t *unix.Termios) { t.Lflag &^= unix.ECHO })
	return func() { set(fd, func(t *unix.Termios) { t.Lflag |= before.Lflag & unix.ECHO }) }
}

// set leaves a terminal that does not answer alone: it is gone, or never was one.
func set(fd int, change func(*unix.Termios)) {
	settings, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil || !foreground(fd) {
		return
	}
	change(settings)
	_ = unix.IoctlSetTermios(fd, setTermios, settings) // the terminal may have gone since
}

func resumed() (again <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, unix.SIGCONT)
	return c, func() { signal.Stop(c) }
}
