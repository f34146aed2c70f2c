//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd && !windows

package tty

import "os"

func foreground(int) bool { return true }

func prepare(int) (restore func()) { return func() {} }

func resumed() (again <-chan os.Signal, stop func()) { return nil, func() {} }
