package tty

import (
	"os"

	"golang.org/x/sys/windows"
)

func foreground(int) bool { return true }

// prepare makes the console understand control codes.
func prepare(fd int) (restore func()) {
	var before uint32
	console := windows.Handle(fd)
	if err := windows.GetConsoleMode(console, &before); err != nil {
		return func() {}
	}
	// A console that refuses is one of the old ones, which show the codes; so they would those of colours.
	_ = windows.SetConsoleMode(console, before|windows.ENABLE_PROCESSED_OUTPUT|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
	return func() { _ = windows.SetConsoleMode(console, before) } // it was set to this before
}

// resumed never tells anything: no process is stopped and goes on.
func resumed() (again <-chan os.Signal, stop func()) { return nil, func() {} }
