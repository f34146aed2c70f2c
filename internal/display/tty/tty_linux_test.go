package tty_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cairn-iac/cairn/internal/display/tty"
)

// pair opens a terminal: what a person sits at, and what the process has.
func pair(t testing.TB) (person, process *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here:", err)
	}
	t.Cleanup(func() { person.Close() })
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	process, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { process.Close() })
	return person, process
}

func echoes(t testing.TB, f *os.File) bool {
	t.Helper()
	settings, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return settings.Lflag&unix.ECHO != 0
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	person, process := pair(t)
	if err := unix.IoctlSetWinsize(int(person.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: 97, Row: 31}); err != nil {
		t.Fatal(err)
	}
	terminal := tty.Of(process)
	if cols, rows := terminal.Size(); cols != 97 || rows != 31 {
		t.Errorf("the terminal is %d x %d", cols, rows)
	}
	if !echoes(t, process) {
		t.Fatal("the terminal is quiet to begin with")
	}
	restore := terminal.Prepare()
	if echoes(t, process) {
		t.Error("keys show up")
	}
	again := terminal.Prepare()
	restore()
	if !echoes(t, process) {
		t.Error("keys no longer show up")
	}
	again()
	if !echoes(t, process) {
		t.Error("keys no longer show up after the second time")
	}
	settings, err := unix.IoctlGetTermios(int(process.Fd()), unix.TCGETS)
	if err != nil || settings.Lflag&unix.ISIG == 0 {
		t.Error("Ctrl-C is no signal any more", err)
	}
}

// file is no terminal.
func file(t testing.TB) *os.File {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestNoTerminal: on a file nothing is known and nothing is set.
func TestNoTerminal(t *testing.T) {
	t.Parallel()
	terminal := tty.Of(file(t))
	terminal.Prepare()()
	if cols, rows := terminal.Size(); cols != 0 || rows != 0 {
		t.Errorf("a file is %d x %d", cols, rows)
	}
}

func TestResumed(t *testing.T) {
	t.Parallel()
	again, stop := tty.Of(file(t)).Resumed()
	defer stop()
	if err := unix.Kill(os.Getpid(), unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	select {
	case <-again:
	case <-time.After(time.Minute):
		t.Error("it was not told")
	}
}
