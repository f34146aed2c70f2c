package tty

import (
	"os"

	"golang.org/x/term"

	"github.com/cairn-iac/cairn/internal/display"
)

// Of describes the terminal that out writes to.
func Of(out *os.File) display.Terminal {
	fd := int(out.Fd())
	return display.Terminal{
		Size: func() (cols, rows int) {
			if !foreground(fd) {
				return 1, 1
			}
			// What cannot be told stays 0, which the view knows what to make of.
			cols, rows, _ = term.GetSize(fd)
			return cols, rows
		},
		Prepare: func() (restore func()) { return prepare(fd) },
		Resumed: resumed,
	}
}
