//go:build unix

package diy

import (
	"io/fs"
	"syscall"
)

// isUnlinked says whether an open file no longer has a name.
func isUnlinked(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 0
}
